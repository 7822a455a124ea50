package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/version"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/shirou/gopsutil/v4/disk"
	"github.com/shirou/gopsutil/v4/mem"
	"github.com/shirou/gopsutil/v4/process"

	"example.com/client-go-workshop/internal/cluster"
)

const (
	gib = 1 << 30
	// lowMemory is too little to build the cluster once, littleMemory makes it slow.
	lowMemory    = 2 * gib
	littleMemory = 4 * gib
	// lowDisk is too little to work with, littleDisk may not do for the first build.
	lowDisk    = 1 * gib
	littleDisk = 4 * gib
)

// doctor is what the exams look at.
type doctor struct {
	root  string
	state string
	env   goEnv
	// envErr is set when the go command did not answer.
	envErr error
}

// goEnv is what the go command says of itself, in the repository.
type goEnv struct {
	GOVERSION string
	GOMOD     string
	GOWORK    string
	GOFLAGS   string
	GOCACHE   string
	GOPROXY   string
}

func newDoctor(ctx context.Context) (*doctor, error) {
	root, err := cluster.Root()
	if err != nil {
		return nil, err
	}
	state, err := cluster.StateDir()
	if err != nil {
		return nil, err
	}
	d := &doctor{root: root, state: state}
	d.env, d.envErr = readGoEnv(ctx, root)
	return d, nil
}

func readGoEnv(ctx context.Context, dir string) (goEnv, error) {
	var env goEnv
	cmd := exec.CommandContext(ctx, "go", "env", "-json")
	cmd.Dir = dir
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return env, fmt.Errorf("go env: %s", strings.TrimSpace(string(exit.Stderr)))
	}
	if err != nil {
		return env, fmt.Errorf("go env: %w", err)
	}
	if err := json.Unmarshal(out, &env); err != nil {
		return env, fmt.Errorf("decode go env: %w", err)
	}
	return env, nil
}

func (d *doctor) examine(ctx context.Context) []finding {
	var all []finding
	for _, e := range []exam{
		d.goVersion, d.goModule, d.goFlags, d.processors, d.memory, d.disks, d.stateDir,
		d.loopback, d.proxies, d.kubeconfig, d.cluster, d.strayClusters, d.kubectl,
	} {
		all = append(all, e(ctx)...)
	}
	return all
}

func ok(name, format string, args ...any) []finding {
	return []finding{{Name: name, Level: levelOK, Seen: fmt.Sprintf(format, args...)}}
}

func note(name, seen, remedy string) []finding {
	return []finding{{Name: name, Level: levelNote, Seen: seen, Remedy: remedy}}
}

func bad(name, seen, remedy string) []finding {
	return []finding{{Name: name, Level: levelBad, Seen: seen, Remedy: remedy}}
}

var goLine = regexp.MustCompile(`(?m)^go ([0-9.]+)`)

func (d *doctor) goVersion(context.Context) []finding {
	const name = "go"
	if d.envErr != nil {
		return bad(name, d.envErr.Error(), "install Go from https://go.dev/dl/ and make sure that `go version` works here")
	}
	data, err := os.ReadFile(filepath.Join(d.root, "go.mod"))
	if err != nil {
		return bad(name, err.Error(), "clone the workshop again")
	}
	m := goLine.FindSubmatch(data)
	have := strings.TrimPrefix(d.env.GOVERSION, "go")
	if m == nil || !olderThan(have, string(m[1])) {
		return ok(name, "go%s", have)
	}
	return bad(name, fmt.Sprintf("go%s, and go.mod asks for go%s", have, m[1]), "install a newer Go from https://go.dev/dl/, or let it fetch one: go env -w GOTOOLCHAIN=auto")
}

// olderThan compares Go versions such as 1.26 and 1.26.8; a development version
// counts as new enough.
func olderThan(have, want string) bool {
	return version.IsValid("go"+have) && version.Compare("go"+have, "go"+want) < 0
}

func (d *doctor) goModule(context.Context) []finding {
	const name = "module"
	if d.envErr != nil {
		return nil
	}
	if work := d.env.GOWORK; work != "" && work != "off" {
		return bad(name, "a Go workspace is in force: "+work, "switch it off here: export GOWORK=off")
	}
	if os.Getenv("GO111MODULE") == "off" {
		return bad(name, "GO111MODULE is off", "unset GO111MODULE, or: go env -u GO111MODULE")
	}
	if want := filepath.Join(d.root, "go.mod"); !sameFile(d.env.GOMOD, want) {
		return bad(name, fmt.Sprintf("go uses %q, not %s", d.env.GOMOD, want), "look for GOFLAGS=-modfile, and run: go env GOMOD GOFLAGS")
	}
	if d.env.GOPROXY == "off" {
		return note(name, "GOPROXY is off: modules that you do not have yet cannot be fetched", "if a build misses a module: go env -u GOPROXY, and unset GOPROXY")
	}
	return ok(name, "%s", d.env.GOMOD)
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

func (d *doctor) goFlags(context.Context) []finding {
	const name = "GOFLAGS"
	if d.env.GOFLAGS == "" {
		return nil
	}
	remedy := "clear it here: export GOFLAGS= (set for good by go env -w? then: go env -u GOFLAGS)"
	for flag := range strings.FieldsSeq(d.env.GOFLAGS) {
		flag = strings.TrimLeft(flag, "-")
		for _, harmful := range []string{"mod=vendor", "modfile=", "overlay=", "run=", "exec=", "c=", "o="} {
			if strings.HasPrefix(flag, harmful) {
				return bad(name, "GOFLAGS is "+d.env.GOFLAGS+": the checks cannot be built so", remedy)
			}
		}
	}
	if strings.Contains(d.env.GOFLAGS, "-race") || strings.Contains(d.env.GOFLAGS, "-mod=mod") {
		return note(name, "GOFLAGS is "+d.env.GOFLAGS+": builds take longer or change go.mod", remedy)
	}
	return ok(name, "%s", d.env.GOFLAGS)
}

func (d *doctor) processors(context.Context) []finding {
	n := runtime.GOMAXPROCS(0) // a container's limit counts
	if n < 2 {
		return note("processors", "1", "the first `up` takes a long time on one processor; everything after it is fine")
	}
	return ok("processors", "%d", n)
}

func (d *doctor) memory(ctx context.Context) []finding {
	const name = "memory"
	m, err := mem.VirtualMemoryWithContext(ctx)
	if err != nil {
		return note(name, "it cannot be read: "+err.Error(), "")
	}
	total, free := m.Total, m.Available
	if limit := containerMemory(); limit > 0 && limit < total {
		total, free = limit, min(free, limit)
	}
	seen := fmt.Sprintf("%s free of %s", size(free), size(total))
	switch {
	case free < lowMemory/2 || total < lowMemory:
		return bad(name, seen, "close other programs: the cluster takes about half a GiB, and its first build more than 1 GiB")
	case free < littleMemory/2:
		return note(name, seen, "close other programs before the first `up`, which builds the cluster")
	}
	return ok(name, "%s", seen)
}

// containerMemory is the limit of the container that this runs in, in bytes, or
// 0 when there is none.
func containerMemory() uint64 {
	data, err := os.ReadFile("/sys/fs/cgroup/memory.max")
	if err != nil {
		return 0
	}
	limit, err := strconv.ParseUint(strings.TrimSpace(string(data)), 10, 64)
	if err != nil {
		return 0 // "max"
	}
	return limit
}

func size(bytes uint64) string { return fmt.Sprintf("%.1f GiB", float64(bytes)/gib) }

// disks looks at each place that fills up.
func (d *doctor) disks(ctx context.Context) []finding {
	var all []finding
	places := []struct{ name, path, remedy string }{
		{"disk: clone", d.root, "make room on that disk, or move the clone to another one"},
		{"disk: cache", d.env.GOCACHE, "make room on that disk, for example: go clean -cache; or move it: go env -w GOCACHE=/other/disk"},
	}
	places = append(places, struct{ name, path, remedy string }{"disk: temp", os.TempDir(), "make room there, or set TMPDIR to a folder on another disk"})
	if dir, err := os.UserCacheDir(); err == nil {
		places = append(places, struct{ name, path, remedy string }{"disk: built", dir, "make room on that disk: the built cluster lies in client-go-workshop there"})
	}
	all = append(all, noExec(ctx)...)
	for _, p := range places {
		if p.path != "" {
			all = append(all, diskSpace(ctx, p.name, p.path, p.remedy)...)
		}
	}
	return all
}

// noExec finds out whether programs may run where go builds them.
func noExec(ctx context.Context) []finding {
	partitions, err := disk.PartitionsWithContext(ctx, true)
	if err != nil {
		return nil
	}
	var on disk.PartitionStat
	for _, p := range partitions {
		if isBelow(os.TempDir(), p.Mountpoint) && len(p.Mountpoint) >= len(on.Mountpoint) {
			on = p
		}
	}
	if !slices.Contains(on.Opts, "noexec") {
		return nil
	}
	return bad("temp folder", "programs may not run in "+os.TempDir()+": it is mounted with noexec", "export TMPDIR=$HOME/tmp after mkdir -p $HOME/tmp")
}

func isBelow(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

func diskSpace(ctx context.Context, name, path, remedy string) []finding {
	usage, err := disk.UsageWithContext(ctx, existing(path))
	if err != nil {
		return note(name, fmt.Sprintf("%s cannot be read: %v", path, err), "")
	}
	seen := fmt.Sprintf("%s free for %s", size(usage.Free), path)
	switch {
	case usage.Free < lowDisk:
		return bad(name, seen, remedy)
	case usage.Free < littleDisk:
		return note(name, seen, remedy)
	}
	return ok(name, "%s", seen)
}

// existing is path or the nearest folder above it that exists.
func existing(path string) string {
	for {
		if _, err := os.Stat(path); err == nil || filepath.Dir(path) == path {
			return path
		}
		path = filepath.Dir(path)
	}
}

func (d *doctor) stateDir(context.Context) []finding {
	const name = "state"
	dir := existing(d.state)
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return bad(name, fmt.Sprintf("%s cannot be written: %v", d.state, err), "make it yours, or set WORKSHOP_DIR to a folder of yours")
	}
	_ = f.Close()
	_ = os.Remove(f.Name())
	if os.Getenv(cluster.StateDirEnv) != "" {
		return note(name, d.state+", from WORKSHOP_DIR", "to use .workshop in the clone: unset WORKSHOP_DIR")
	}
	return ok(name, "%s", d.state)
}

func (d *doctor) loopback(ctx context.Context) []finding {
	const name = "ports"
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return bad(name, "no port can be opened on 127.0.0.1: "+err.Error(), "look at your firewall, or at the limits of your container or sandbox")
	}
	defer l.Close()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", l.Addr().String())
	if err != nil {
		return bad(name, "a port on 127.0.0.1 cannot be reached: "+err.Error(), "look at your firewall, or at the limits of your container or sandbox")
	}
	_ = conn.Close()
	return ok(name, "127.0.0.1 can be used; the cluster takes a free port by itself")
}

// proxies looks for a proxy that would be asked for 127.0.0.1. Go never asks
// one for a loopback address, but other tools do.
func (d *doctor) proxies(context.Context) []finding {
	const name = "proxy"
	var set []string
	for _, v := range []string{"HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"} {
		if os.Getenv(v) != "" {
			set = append(set, v)
		}
	}
	if len(set) == 0 {
		return ok(name, "none is set")
	}
	bypass := os.Getenv("NO_PROXY") + "," + os.Getenv("no_proxy")
	for part := range strings.SplitSeq(bypass, ",") {
		part = strings.TrimSpace(part)
		if part == "*" || part == "127.0.0.1" || part == "127.0.0.0/8" {
			return ok(name, "%s is set, and NO_PROXY leaves 127.0.0.1 out", strings.Join(set, ", "))
		}
	}
	return note(name, strings.Join(set, ", ")+" is set, and NO_PROXY does not name 127.0.0.1: Go programs and kubectl do without it, but curl and others would ask the proxy for your cluster",
		`export NO_PROXY="$NO_PROXY,127.0.0.1,localhost"`)
}

func (d *doctor) kubeconfig(ctx context.Context) []finding {
	const name = "KUBECONFIG"
	env := os.Getenv(cluster.KubeconfigEnv)
	if env == "" {
		return ok(name, "not set: the workshop uses its own")
	}
	ctx, cancel := context.WithTimeout(ctx, statusTimeout)
	defer cancel()
	if _, err := cluster.Config(ctx); err != nil {
		return bad(name, fmt.Sprintf("%s: %s", env, firstLine(err.Error(), 200)), "unset KUBECONFIG")
	}
	return note(name, env+": a workshop cluster, and all commands use it", "to use the cluster that `up` starts: unset KUBECONFIG")
}

func (d *doctor) cluster(ctx context.Context) []finding {
	const name = "cluster"
	status, err := clusterStatus(ctx)
	if err != nil {
		return bad(name, err.Error(), "go tool workshop up")
	}
	seen := string(status.State)
	if status.URL != "" {
		seen += " at " + status.URL
	}
	switch status.State {
	case cluster.StateFailed:
		return bad(name, strings.TrimSpace(seen+"\n"+status.Detail), "start it again: go tool workshop down, then go tool workshop up")
	case cluster.StateRunning, cluster.StateStarting:
		return ok(name, "%s", seen)
	}
	return note(name, seen, "start it: go tool workshop up")
}

// strayClusters looks for control planes of other clones, or of ones that are
// deleted by now.
func (d *doctor) strayClusters(ctx context.Context) []finding {
	const name = "left over"
	processes, err := process.ProcessesWithContext(ctx)
	if err != nil {
		return note(name, "the processes cannot be listed: "+err.Error(), "")
	}
	var all []finding
	for _, p := range processes {
		args, err := p.CmdlineSliceWithContext(ctx)
		if err != nil {
			continue
		}
		dir := servedDir(args)
		if dir == "" || sameFile(dir, filepath.Join(d.state, "cluster")) {
			continue
		}
		all = append(all, strayCluster(p.Pid, dir))
	}
	if len(all) == 0 {
		return ok(name, "no other workshop cluster runs")
	}
	return all
}

func strayCluster(pid int32, dir string) finding {
	f := finding{Name: "left over", Level: levelNote, Seen: fmt.Sprintf("process %d runs another workshop cluster, in %s", pid, dir)}
	f.Remedy = fmt.Sprintf("if you do not need it: WORKSHOP_DIR=%s go tool workshop down", filepath.Dir(dir))
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		f.Level = levelBad
		f.Seen = fmt.Sprintf("process %d runs a workshop cluster whose folder is gone: %s", pid, dir)
		f.Remedy = fmt.Sprintf("end it: kill %d", pid)
		if runtime.GOOS == "windows" {
			f.Remedy = fmt.Sprintf("end it: taskkill /PID %d /F", pid)
		}
	}
	return f
}

// servedDir is the --dir of a control plane's command line, or "" for any other
// program's.
func servedDir(args []string) string {
	if len(args) < 3 || !strings.HasPrefix(filepath.Base(args[0]), "controlplane") || args[1] != "serve" {
		return ""
	}
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--dir="); ok {
			return value
		}
		if arg == "--dir" && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}

func (d *doctor) kubectl(context.Context) []finding {
	const name = "kubectl"
	path, err := exec.LookPath("kubectl")
	if err != nil {
		return note(name, "there is none in PATH", "none is needed: go tool workshop kubectl builds one on first use")
	}
	return ok(name, "%s", path)
}
