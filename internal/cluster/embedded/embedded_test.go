//go:build unix

package embedded

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/client-go-workshop/internal/cluster"
)

// recorder is a Progress that keeps what it is told.
type recorder struct {
	mu          sync.Mutex
	steps       []string
	done, total int
}

func (r *recorder) Step(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.steps = append(r.steps, text)
}

func (r *recorder) Count(done, total int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done, r.total = done, total
}

func (r *recorder) has(text string) bool { return r.count(text) > 0 }

func (r *recorder) count(text string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, step := range r.steps {
		if strings.Contains(step, text) {
			n++
		}
	}
	return n
}

// newFake returns a provider of the fake control plane with directories of its
// own, shut down when the test ends.
func newFake(t *testing.T) *Provider {
	t.Helper()
	source := filepath.Join(t.TempDir(), "controlplane")
	if err := os.CopyFS(source, os.DirFS("testdata/fake")); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(t.TempDir(), "state")
	t.Setenv("WORKSHOP_DIR", state)
	t.Setenv("KUBECONFIG", "")
	p, err := New(Options{
		Source:       source,
		CacheDir:     filepath.Join(t.TempDir(), "cache"),
		StartTimeout: 20 * time.Second,
		StopTimeout:  2 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Down(context.Background(), true); err != nil {
			t.Errorf("clean up: %v", err)
		}
	})
	return p
}

func up(t *testing.T, p *Provider) *recorder {
	t.Helper()
	progress := &recorder{}
	if err := p.Up(t.Context(), progress); err != nil {
		t.Fatalf("up: %v\nsteps: %q", err, progress.steps)
	}
	return progress
}

func status(t *testing.T, p *Provider) cluster.Status {
	t.Helper()
	s, err := p.Status(t.Context())
	if err != nil {
		t.Fatalf("status: %v", err)
	}
	return s
}

func wantState(t *testing.T, p *Provider, want cluster.State) cluster.Status {
	t.Helper()
	s := status(t, p)
	if s.State != want {
		t.Fatalf("state: got %+v, want %s", s, want)
	}
	return s
}

func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the process is gone", func() bool { return syscall.Kill(pid, 0) != nil })
}

func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after 20 s it is not so that %s", what)
		}
	}
}

func TestUpDownStatus(t *testing.T) {
	p := newFake(t)
	wantState(t, p, cluster.StateAbsent)
	if err := p.Down(t.Context(), false); err != nil {
		t.Errorf("down without a cluster: %v", err)
	}

	first := up(t, p)
	if !first.has("once for each version") || first.total == 0 || first.done < first.total-1 {
		t.Errorf("first up: got %q, %d of %d packages", first.steps, first.done, first.total)
	}
	running := wantState(t, p, cluster.StateRunning)
	if running.PID == 0 || running.URL == "" || running.Since.IsZero() || running.Version != "v0.0.0-fake" {
		t.Errorf("status: got %+v", running)
	}
	if cfg, err := cluster.Config(t.Context()); err != nil || cfg.Host != running.URL {
		t.Errorf("config: got %v, %v", cfg, err)
	}
	wantMode(t, p.clusterDir(), 0o700)
	wantMode(t, p.KubeconfigPath(), 0o600)

	if again := up(t, p); again.has("starting") || status(t, p).PID != running.PID {
		t.Errorf("up of a running cluster: got %q", again.steps)
	}

	if err := p.Down(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	wantState(t, p, cluster.StateStopped)
	if second := up(t, p); second.has("building") {
		t.Errorf("second start: got %q, want no build", second.steps)
	}
	if !exists(p.LogPath() + ".1") {
		t.Error("the log of the run before is not kept")
	}

	other := filepath.Join(p.options.StateDir, "progress.json")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.Down(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	wantState(t, p, cluster.StateAbsent)
	if exists(p.KubeconfigPath()) || exists(p.clusterDir()) || !exists(other) {
		t.Error("purge: want the cluster and its kubeconfig gone, and nothing else")
	}
}

func wantMode(t *testing.T, path string, want os.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != want {
		t.Errorf("mode of %s: got %o, want %o", path, got, want)
	}
}

func TestParallelUp(t *testing.T) {
	p := newFake(t)
	t.Setenv("FAKE_MODE", "slow")
	var group sync.WaitGroup
	all := &recorder{}
	for range 3 {
		group.Go(func() {
			if err := p.Up(t.Context(), all); err != nil {
				t.Errorf("up: %v", err)
			}
		})
	}
	group.Wait()
	wantState(t, p, cluster.StateRunning)
	if n := all.count("compiling"); n != 1 {
		t.Errorf("builds: got %d, want 1: %q", n, all.steps)
	}
	if n := all.count("starting the cluster"); n != 1 {
		t.Errorf("starts: got %d, want 1: %q", n, all.steps)
	}
	if !all.has("waiting for it") {
		t.Errorf("nobody said that it waits: %q", all.steps)
	}
}

func TestUpAfterCrash(t *testing.T) {
	p := newFake(t)
	up(t, p)
	cfg, err := cluster.LoadFile(p.KubeconfigPath())
	if err != nil {
		t.Fatal(err)
	}
	before, err := cluster.ReadMarker(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	kill(t, status(t, p).PID)
	s := wantState(t, p, cluster.StateStopped)
	if !strings.Contains(s.Detail, "go tool workshop up") {
		t.Errorf("detail: got %q", s.Detail)
	}
	if _, err := cluster.Config(t.Context()); !cluster.IsNoCluster(err) {
		t.Errorf("config of a crashed cluster: got %v", err)
	}
	up(t, p)
	if cfg, err = cluster.LoadFile(p.KubeconfigPath()); err != nil {
		t.Fatal(err)
	}
	if after, err := cluster.ReadMarker(t.Context(), cfg); err != nil || after != before {
		t.Errorf("marker: got %+v, %v; want %+v", after, err, before)
	}
}

// TestStalePID: the process id in the last report belongs to another program by
// now. It must neither be taken for the cluster nor be harmed.
func TestStalePID(t *testing.T) {
	p := newFake(t)
	up(t, p)
	kill(t, status(t, p).PID)

	bystander := exec.Command("sleep", "300")
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- bystander.Wait() }()
	defer func() { _ = bystander.Process.Kill() }()
	forged := fmt.Sprintf(`{"pid":%d,"phase":"ready","url":"http://127.0.0.1:1"}`, bystander.Process.Pid)
	if err := os.WriteFile(filepath.Join(p.clusterDir(), "status.json"), []byte(forged), 0o600); err != nil {
		t.Fatal(err)
	}

	wantState(t, p, cluster.StateStopped)
	if err := p.Down(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	up(t, p)
	if s := wantState(t, p, cluster.StateRunning); s.PID == bystander.Process.Pid {
		t.Error("the bystander was taken for the cluster")
	}
	select {
	case err := <-exited:
		t.Errorf("the bystander was ended: %v", err)
	default:
	}
}

// TestLostReport: the process runs, but status.json is gone or of no use.
func TestLostReport(t *testing.T) {
	p := newFake(t)
	up(t, p)
	pid := status(t, p).PID
	path := filepath.Join(p.clusterDir(), "status.json")
	if err := os.WriteFile(path, []byte(`{"pi`), 0o600); err != nil {
		t.Fatal(err)
	}
	if s := wantState(t, p, cluster.StateStarting); s.PID != pid {
		t.Errorf("pid: got %d, want %d", s.PID, pid)
	}
	if err := p.Down(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the process is gone", func() bool { return syscall.Kill(pid, 0) != nil })
}

func TestUpMendsARunningCluster(t *testing.T) {
	p := newFake(t)
	up(t, p)
	before := status(t, p)

	t.Run("marker deleted", func(t *testing.T) {
		url := before.URL + "/api/v1/namespaces/workshop/configmaps/" + cluster.MarkerName
		req, _ := http.NewRequest(http.MethodDelete, url, nil)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if s := wantState(t, p, cluster.StateRunning); !strings.Contains(s.Detail, "no marker") {
			t.Errorf("detail: got %q", s.Detail)
		}
		up(t, p)
		if s := wantState(t, p, cluster.StateRunning); s.Detail != "" || s.PID != before.PID {
			t.Errorf("status: got %+v, want the same process with its marker", s)
		}
	})
	t.Run("kubeconfig deleted", func(t *testing.T) {
		if err := os.Remove(p.KubeconfigPath()); err != nil {
			t.Fatal(err)
		}
		wantState(t, p, cluster.StateFailed)
		up(t, p)
		wantState(t, p, cluster.StateRunning)
	})
	t.Run("does not answer", func(t *testing.T) {
		pid := status(t, p).PID
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		eventually(t, "status notices", func() bool { return status(t, p).State == cluster.StateFailed })
		if s := wantState(t, p, cluster.StateFailed); !strings.Contains(s.Detail, "does not answer") {
			t.Errorf("detail: got %q", s.Detail)
		}
		up(t, p)
		if s := wantState(t, p, cluster.StateRunning); s.PID == pid {
			t.Error("the process that hangs was not replaced")
		}
	})
}

func TestStartFails(t *testing.T) {
	for mode, want := range map[string]string{
		"fail": "the fake fails as it was told to",
		"exit": "the fake ends as it was told to",
		"hang": "not ready after 1s",
	} {
		t.Run(mode, func(t *testing.T) {
			p := newFake(t)
			p.options.StartTimeout = 10 * time.Second
			if mode == "hang" {
				p.options.StartTimeout = time.Second
			}
			t.Setenv("FAKE_MODE", mode)
			err := p.Up(t.Context(), cluster.Quiet{})
			if err == nil {
				t.Fatal("up: got no error")
			}
			for _, part := range []string{want, "fake control plane", p.LogPath(), "remedy:"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the error lacks %q:\n%v", part, err)
				}
			}
			if found, _ := p.find(t.Context()); found != nil {
				t.Error("a process was left behind")
			}
			t.Setenv("FAKE_MODE", "")
			up(t, p)
			wantState(t, p, cluster.StateRunning)
		})
	}
}

func TestStartCancelled(t *testing.T) {
	p := newFake(t)
	if _, err := p.BinaryPath(t.Context(), cluster.Quiet{}); err != nil {
		t.Fatal(err)
	}
	t.Setenv("FAKE_MODE", "hang")
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() { failed <- p.Up(ctx, cluster.Quiet{}) }()
	eventually(t, "it starts", func() bool { return status(t, p).State == cluster.StateStarting && status(t, p).PID != 0 })
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if found, _ := p.find(t.Context()); found != nil {
		t.Error("a process was left behind")
	}
	t.Setenv("FAKE_MODE", "")
	up(t, p)
}

func TestDownKillsOnlyAfterTheTimeout(t *testing.T) {
	p := newFake(t)
	t.Setenv("FAKE_MODE", "stubborn")
	up(t, p)
	begin := time.Now()
	if err := p.Down(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took < p.options.StopTimeout {
		t.Errorf("down took %s, less than the stop timeout %s", took, p.options.StopTimeout)
	}
	wantState(t, p, cluster.StateStopped)
}

// TestBuildCancelled: Ctrl-C in the middle of a build ends the go command and
// all that it started, leaves no half program, and the next try succeeds.
func TestBuildCancelled(t *testing.T) {
	p := newFake(t)
	realGo := p.options.GoTool
	slow, err := filepath.Abs("testdata/gotool/slow-go")
	if err != nil {
		t.Fatal(err)
	}
	p.options.GoTool = slow
	pidFile := filepath.Join(t.TempDir(), "pid")
	t.Setenv("FAKE_GO_PID", pidFile)

	ctx, cancel := context.WithCancel(t.Context())
	progress := &recorder{}
	failed := make(chan error, 1)
	go func() { failed <- p.Up(ctx, progress) }()
	eventually(t, "the build runs", func() bool { return exists(pidFile) })
	wantParts(t, p, 1)
	cancel()
	begin := time.Now()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if took := time.Since(begin); took > interruptGrace+2*time.Second {
		t.Errorf("the build took %s to stop", took)
	}
	text, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	compiler, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	eventually(t, "the compiler is gone", func() bool { return !alive(compiler) })
	wantParts(t, p, 0)
	if progress.done != 1 || progress.total != 3 {
		t.Errorf("counted %d of %d, want 1 of 3", progress.done, progress.total)
	}
	wantState(t, p, cluster.StateAbsent)

	p.options.GoTool = realGo
	up(t, p)
	wantState(t, p, cluster.StateRunning)
}

// alive reports whether a process runs; one that ended and that nobody waited
// for does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// wantParts checks how many half-made or whole programs are in the cache.
func wantParts(t *testing.T, p *Provider, want int) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(p.options.CacheDir, "controlplane", "*", "*"))
	if err != nil || len(found) != want {
		t.Errorf("in the cache: got %q, %v; want %d", found, err, want)
	}
}

func TestBuildFails(t *testing.T) {
	p := newFake(t)
	broken := filepath.Join(p.options.Source, "broken.go")
	if err := os.WriteFile(broken, []byte("package main\n\nvar x int = \"text\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	err := p.Up(t.Context(), cluster.Quiet{})
	if err == nil {
		t.Fatal("up: got no error")
	}
	for _, part := range []string{"broken.go:3", "remedy:", "build controlplane"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error lacks %q:\n%v", part, err)
		}
	}
	wantParts(t, p, 0)
}

func TestRemedy(t *testing.T) {
	for line, want := range map[string]string{
		"write /tmp/x: no space left on device":                   "disk is full",
		"compile: signal: killed":                                 "memory",
		"dial tcp: lookup example.com: no such host":              "network",
		"go: go.mod requires go >= 1.99 (running go 1.26)":        "Go version",
		"verifying module: checksum mismatch":                     "damaged",
		"something else":                                          "run it again",
		"module lookup disabled by GOPROXY=off":                   "GOPROXY",
		"tls: failed to verify certificate: x509: unknown issuer": "certificate",
	} {
		got := remedy(fmt.Errorf("outer: %w", &goError{args: []string{"build"}, lines: []string{line}, err: errors.New("exit status 1")}))
		if !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q in it", line, got, want)
		}
	}
}
