package embedded

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/cluster/statefile"
)

// keptBuilds is how many builds of a program stay in the cache.
const keptBuilds = 2

// program is something to build from the control plane's module. In the cache
// it is <cache>/<name>/<key>/<name>, and beside <key>/ there are two files that
// are only locked: <key>.build by who builds or removes it, <key>.use by who
// runs it.
type program struct {
	name  string
	pkg   string   // what to build, as for go build
	args  []string // further arguments of go build
	intro string   // said once, before a build

	// What a build costs from nothing, measured as docs/performance.md says:
	// CPU time, the modules to download, the growth of Go's build cache.
	cpuSeconds, downloadMB, cacheMB int
}

// cost says what it takes to compile stale of all packages on this machine.
func (g program) cost(stale, all, cores int) string {
	share := func(n int) int { return n * stale / max(1, all) }
	seconds := share(g.cpuSeconds) / max(1, cores)
	if seconds < 60 {
		return "less than a minute"
	}
	return fmt.Sprintf("about %d minutes here and %.1f GB of disk in Go's build cache. "+
		"Later starts take seconds; Ctrl-C loses nothing, the next try goes on from there",
		(seconds+30)/60, float64(share(g.cacheMB))/1000)
}

// builtProgram is a program in the cache. It stays there at least until Close.
type builtProgram struct {
	path string
	// use is an open file with a shared lock, nil where a process cannot
	// inherit one. A process that inherits it keeps the lock until it ends.
	use *os.File
}

// Close gives up this process's share of the lock.
func (b *builtProgram) Close() {
	if b.use != nil {
		_ = b.use.Close() // not unlocked: a child that inherited it holds it on
	}
}

// controlPlane is the program that `up` starts.
func (p *Provider) controlPlane() (program, error) {
	flags, err := buildFlags(p.options.Source)
	if err != nil {
		return program{}, err
	}
	return program{
		name:       "controlplane",
		pkg:        ".",
		args:       flags,
		intro:      "building the cluster's control plane (kube-apiserver, etcd, controllers) from source, once for each version of it",
		cpuSeconds: 420,
		downloadMB: 90,
		cacheMB:    2500,
	}, nil
}

// BinaryPath returns the path of the control plane's program, built now if it
// is not in the cache. See [Provider.Up] for what p and ctx do.
func (p *Provider) BinaryPath(ctx context.Context, progress cluster.Progress) (string, error) {
	prog, err := p.controlPlane()
	if err != nil {
		return "", err
	}
	built, err := p.ensure(ctx, prog, progress)
	if err != nil {
		return "", err
	}
	defer built.Close()
	return built.path, nil
}

// ensure returns a program from the cache, built first if it is not there.
func (p *Provider) ensure(ctx context.Context, prog program, progress cluster.Progress) (*builtProgram, error) {
	env, err := p.env(ctx)
	if err != nil {
		return nil, fmt.Errorf("build %s: %w", prog.name, err)
	}
	key, err := buildKey(p.options.Source, env, append([]string{prog.pkg}, prog.args...))
	if err != nil {
		return nil, fmt.Errorf("build %s: %w", prog.name, err)
	}
	base := filepath.Join(p.options.CacheDir, prog.name)
	if err := os.MkdirAll(base, 0o755); err != nil {
		return nil, fmt.Errorf("build %s: %w", prog.name, err)
	}
	unlock, err := statefile.Lock(ctx, filepath.Join(base, key+".build"), func() {
		progress.Step("another build of " + prog.name + " is at work; waiting for it")
	})
	if err != nil {
		return nil, fmt.Errorf("build %s: %w", prog.name, err)
	}
	defer unlock()

	path := filepath.Join(base, key, prog.name+exeSuffix())
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := p.build(ctx, prog, path, progress); err != nil {
			return nil, err
		}
		prune(base, key)
	}
	_ = os.Chtimes(filepath.Dir(path), time.Time{}, time.Now()) // for prune; a cache on a read-only disk is fine
	use, err := shareLock(filepath.Join(base, key+".use"))
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return &builtProgram{path: path, use: use}, nil
}

// build compiles a program in a directory of its own and moves it from there
// when it is whole.
func (p *Provider) build(ctx context.Context, prog program, path string, progress cluster.Progress) error {
	progress.Step(prog.intro)
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("build %s: %w", prog.name, err)
	}
	work := filepath.Join(dir, "work")
	err := p.compile(ctx, prog, work, progress)
	if err == nil {
		err = os.Rename(filepath.Join(work, prog.name), path)
	}
	_ = os.RemoveAll(work)
	if err == nil {
		return nil
	}
	_ = os.Remove(dir) // empty by now
	if ctx.Err() != nil {
		return fmt.Errorf("build %s: stopped; what is compiled is kept, the next try goes on from there: %w", prog.name, ctx.Err())
	}
	if advice := remedy(err); advice != "" {
		return fmt.Errorf("build %s: %w\n  remedy: %s", prog.name, err, advice)
	}
	return fmt.Errorf("build %s: %w", prog.name, err)
}

// compile first lists what is to be done, which also downloads the modules,
// then does it. The program is <work>/<name>; what a build that was killed left
// in work is removed first.
func (p *Provider) compile(ctx context.Context, prog program, work string, progress cluster.Progress) error {
	if err := os.RemoveAll(work); err != nil {
		return err
	}
	if err := os.MkdirAll(work, 0o700); err != nil {
		return err
	}
	common := append([]string{"-buildvcs=false"}, prog.args...)
	stale, all, err := p.listPackages(ctx, prog, common, work, progress)
	if err != nil {
		return err
	}
	progress.Step(fmt.Sprintf("compiling %d of %d packages: %s", stale, all, prog.cost(stale, all, runtime.GOMAXPROCS(0))))
	done := 0
	count := func() {
		progress.Count(min(done, stale), stale)
		if done == stale-1 { // the program itself is the last package
			progress.Step("linking " + prog.name)
		}
	}
	count()
	_, err = p.runGo(ctx, goCall{
		args: slices.Concat([]string{"build", "-v", "-o", filepath.Join(work, prog.name)}, common, []string{prog.pkg}),
		tmp:  work,
		onLine: func(line string) {
			if isPackageLine(line) {
				done++
				count()
			}
		},
	})
	return err
}

// listPackages returns how many packages a program has and how many of them are
// not in Go's build cache. It downloads the modules that are missing.
func (p *Provider) listPackages(ctx context.Context, prog program, flags []string, tmp string, progress cluster.Progress) (stale, all int,
	err error) {
	fetched := 0
	out, err := p.runGo(ctx, goCall{
		args: slices.Concat([]string{"list", "-deps", "-f", "{{.Stale}}"}, flags, []string{prog.pkg}),
		tmp:  tmp,
		onLine: func(line string) {
			if !isDownloadLine(line) {
				return
			}
			if fetched == 0 {
				progress.Step(fmt.Sprintf("downloading Go modules, about %d MB if there are none yet", prog.downloadMB))
			}
			fetched++
			progress.Count(fetched, 0)
		},
	})
	if err != nil {
		return 0, 0, err
	}
	return bytes.Count(out, []byte("true\n")), bytes.Count(out, []byte("\n")), nil
}

// prune removes old builds from a program's directory: all but the newest
// ones, the current one and those that are built or run at this moment. It is
// housekeeping, so what cannot be removed stays.
func prune(base, current string) {
	builds := buildsIn(base)
	for _, key := range builds[min(keptBuilds, len(builds)):] {
		if key != current {
			pruneOne(base, key)
		}
	}
}

// buildsIn returns the keys of all builds, the most lately used first.
func buildsIn(base string) []string {
	entries, err := os.ReadDir(base)
	if err != nil {
		return nil
	}
	used := map[string]time.Time{}
	var keys []string
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !entry.IsDir() {
			continue
		}
		keys = append(keys, entry.Name())
		used[entry.Name()] = info.ModTime()
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(used[b].Compare(used[a]), strings.Compare(a, b))
	})
	return keys
}

func pruneOne(base, key string) {
	for _, suffix := range []string{".build", ".use"} {
		lock := flock.New(filepath.Join(base, key+suffix))
		if ok, err := lock.TryLock(); !ok || err != nil {
			return
		}
		defer lock.Close()
	}
	_ = os.RemoveAll(filepath.Join(base, key))
}

func exeSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}
