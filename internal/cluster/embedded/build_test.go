//go:build unix

package embedded

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/cluster/statefile"
	"example.com/client-go-workshop/internal/version"
)

func TestBuildKey(t *testing.T) {
	source := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(source, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	env := goEnv{GOVERSION: "go1.26.8", GOOS: "linux"}
	args := []string{"."}
	key := func() string {
		t.Helper()
		k, err := buildKey(source, env, args)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	write("go.mod", "module m\n")
	write("main.go", "package main\n")
	last := key()

	same := func(what string) {
		t.Helper()
		if k := key(); k != last {
			t.Errorf("%s: the key changed", what)
		}
	}
	differs := func(what string) {
		t.Helper()
		k := key()
		if k == last {
			t.Errorf("%s: the key is the same", what)
		}
		last = k
	}
	same("nothing")
	write("main_test.go", "package main\n")
	write("README.md", "text")
	write("testdata/x.go", "package x\n")
	write(".cache/x.go", "package x\n")
	env.GOMODCACHE = "/elsewhere"
	same("tests, documents, hidden files, module cache")
	write("main.go", "package main // changed\n")
	differs("a source")
	write("sub/sub.go", "package sub\n")
	differs("a new package")
	write("sub/data.yaml", "a: 1\n")
	differs("a file to embed")
	write("go.sum", "x\n")
	differs("go.sum")
	write("buildflags.txt", "-race\n")
	differs("buildflags.txt")
	env.GOVERSION = "go1.26.9"
	differs("the Go version")
	env.CGO_ENABLED = "0"
	differs("CGO_ENABLED")
	env.GOFLAGS = "-tags=x"
	differs("GOFLAGS")
	args = []string{"./other"}
	differs("the package")

	if _, err := buildKey(filepath.Join(source, "missing"), env, nil); err == nil {
		t.Error("no such module: got no error")
	}
}

func TestBuildFlags(t *testing.T) {
	source := t.TempDir()
	if flags, err := buildFlags(source); err != nil || flags != nil {
		t.Errorf("no file: got %q, %v", flags, err)
	}
	text := "# comment\n\n  -ldflags=-s -w  \n-gcflags=all=-dwarf=false\n"
	if err := os.WriteFile(filepath.Join(source, "buildflags.txt"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	flags, err := buildFlags(source)
	if want := []string{"-ldflags=-s -w", "-gcflags=all=-dwarf=false"}; err != nil || !slices.Equal(flags, want) {
		t.Errorf("got %q, %v; want %q", flags, err, want)
	}
}

func TestModuleFlags(t *testing.T) {
	for in, want := range map[string]string{
		"":                                  "-mod=readonly",
		"-mod=vendor":                       "-mod=readonly",
		"-tags=x --mod=mod -modfile=go.alt": "-tags=x -mod=readonly",
		"-overlay=o.json -p=1":              "-p=1 -mod=readonly",
	} {
		if got := moduleFlags(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// TestBuildIgnoresWorkspaceAndVendor: both are common on a developer's machine
// and would make the go command look elsewhere.
func TestBuildIgnoresWorkspaceAndVendor(t *testing.T) {
	p := newFake(t)
	work := filepath.Join(t.TempDir(), "go.work")
	if err := os.WriteFile(work, []byte("go 1.26.0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOWORK", work)
	t.Setenv("GOFLAGS", "-mod=vendor")
	t.Setenv("GOOS", "plan9")
	if _, err := p.BinaryPath(t.Context(), cluster.Quiet{}); err != nil {
		t.Error(err)
	}
}

// TestBuildWaitsForAnother: the second builder says that it waits, gives up with
// its context, and takes what the first one made.
func TestBuildWaitsForAnother(t *testing.T) {
	p := newFake(t)
	path, err := p.BinaryPath(t.Context(), cluster.Quiet{})
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := statefile.Lock(t.Context(), filepath.Dir(path)+".build", func() { t.Error("the lock is taken") })
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	progress := &recorder{}
	if _, err := p.BinaryPath(ctx, progress); err == nil || !progress.has("waiting for it") {
		t.Errorf("got %v, %q; want a wait that ends with the context", err, progress.steps)
	}
	time.AfterFunc(200*time.Millisecond, unlock)
	if again, err := p.BinaryPath(t.Context(), progress); err != nil || again != path {
		t.Errorf("got %s, %v; want %s", again, err, path)
	}
}

// TestPrune: the two builds used last stay, and so does one that runs.
func TestPrune(t *testing.T) {
	p := newFake(t)
	up(t, p) // runs the oldest build all the time
	source := filepath.Join(p.options.Source, "main.go")
	original, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	running, err := p.BinaryPath(t.Context(), cluster.Quiet{})
	if err != nil {
		t.Fatal(err)
	}
	paths := []string{running}
	for _, comment := range []string{"// 1\n", "// 2\n", "// 3\n"} {
		if err := os.WriteFile(source, append(original, comment...), 0o644); err != nil {
			t.Fatal(err)
		}
		path, err := p.BinaryPath(t.Context(), cluster.Quiet{})
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	wantKept(t, paths, true, false, true, true)

	if err := p.Down(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	prune(filepath.Dir(filepath.Dir(running)), "")
	wantKept(t, paths, false, false, true, true)
}

func wantKept(t *testing.T, paths []string, want ...bool) {
	t.Helper()
	for i, path := range paths {
		if got := exists(path); got != want[i] {
			t.Errorf("build %d is there: got %v, want %v", i, got, want[i])
		}
	}
}

func TestBoundLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte(strings.Repeat("0123456789abcde\n", (maxLog+keptLog)/16)), 0o600); err != nil {
		t.Fatal(err)
	}
	boundLog(path)
	for name, want := range map[string]int64{path: 0, path + ".1": keptLog} {
		if info, err := os.Stat(name); err != nil || info.Size() != want {
			t.Errorf("%s: got %v, %v; want %d bytes", name, info, err, want)
		}
	}
}

func TestKubectlIsBuiltWithTheVersion(t *testing.T) {
	source := t.TempDir()
	for name, text := range map[string]string{
		"buildflags.txt": "-gcflags=all=-dwarf=false\n-ldflags=-s -w\n",
	} {
		if err := os.WriteFile(filepath.Join(source, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := &Provider{options: Options{Source: source}}
	prog, err := p.kubectl()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"-gcflags=all=-dwarf=false",
		"-ldflags=-s -w -X k8s.io/component-base/version.gitVersion=" + version.Kubernetes + " -X k8s.io/client-go/pkg/version.gitVersion=" +
			version.Kubernetes,
	}
	if !slices.Equal(prog.args, want) || prog.pkg != "k8s.io/kubernetes/cmd/kubectl" {
		t.Errorf("got %s %q, want %q", prog.pkg, prog.args, want)
	}
}

func TestIsOurs(t *testing.T) {
	state := t.TempDir()
	p := &Provider{options: Options{StateDir: state}}
	if err := os.Mkdir(p.clusterDir(), 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(state, link); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]bool{
		"/c/controlplane serve --dir " + p.clusterDir() + " --kubeconfig /k": true,
		"/c/controlplane serve --dir=" + p.clusterDir():                      true,
		"/c/controlplane serve --dir " + link + "/cluster":                   true,
		"/c/controlplane serve --dir " + p.clusterDir() + "2":                false,
		"/c/controlplane other --dir " + p.clusterDir():                      false,
		"serve --dir":  false,
		"ls " + state:  false,
		"vim serve --": false,
	} {
		if got := p.isOurs(strings.Fields(line)); got != want {
			t.Errorf("%s: got %v, want %v", line, got, want)
		}
	}
}
