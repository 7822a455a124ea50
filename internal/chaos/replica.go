package chaos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"example.com/client-go-workshop/internal/procgroup"
	"example.com/client-go-workshop/internal/sleep"
)

const (
	// restartPause is how long a replica that ended by itself stays away, as a
	// kubelet would let it.
	restartPause = 200 * time.Millisecond
	// mostExits is how often a replica may end by itself in one run.
	mostExits = 60
)

// replica is one process of the controller, started again whenever it ends.
type replica struct {
	name    string
	program string
	args    []string
	log     *os.File

	mu   sync.Mutex
	cmd  *exec.Cmd
	away time.Duration
	// stopping says that the replica shall not come back.
	stopping bool
	// killed says that the process of this moment was ended by kill.
	killed  bool
	starts  int
	started time.Time
	// exits are the codes of processes that ended and were not killed.
	exits []int
	done  chan struct{}
}

func newReplica(name, program, dir string, args []string) (*replica, error) {
	log, err := os.Create(filepath.Join(dir, "controller-"+name+".log"))
	if err != nil {
		return nil, fmt.Errorf("open the log of replica %s: %w", name, err)
	}
	return &replica{name: name, program: program, args: args, log: log, done: make(chan struct{})}, nil
}

// run keeps the process going until stop, or until ctx ends.
func (r *replica) run(ctx context.Context) {
	defer close(r.done)
	defer r.log.Close()
	for ctx.Err() == nil {
		cmd, err := r.start()
		if errors.Is(err, errNotRunning) {
			return
		}
		if err != nil {
			fmt.Fprintf(r.log, "chaos: start the controller: %v\n", err)
			return
		}
		ended := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() }) // it may be gone already
		_ = cmd.Wait()                                                     // the state tells the same
		ended()
		pause, again := r.ended(cmd)
		if !again {
			return
		}
		if sleep.For(ctx, pause) != nil {
			return
		}
	}
}

func (r *replica) start() (*exec.Cmd, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopping {
		return nil, errNotRunning
	}
	cmd := exec.Command(r.program, r.args...)
	cmd.Stdout, cmd.Stderr = r.log, r.log
	// Nothing but the flags may lead to a cluster. client-go panics when an
	// object of a cache was changed.
	cmd.Env = []string{"HOME=/nonexistent", "KUBE_CACHE_MUTATION_DETECTOR=true", "GOTRACEBACK=all"}
	fmt.Fprintf(r.log, "chaos: %s start\n", time.Now().Format(clock))
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	r.cmd, r.killed = cmd, false
	r.starts++
	r.started = time.Now()
	return cmd, nil
}

const clock = "15:04:05.000"

// ended says how long the process stays away, and whether it comes back.
func (r *replica) ended(cmd *exec.Cmd) (time.Duration, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(r.log, "chaos: %s end: %s\n", time.Now().Format(clock), cmd.ProcessState)
	killed, pause := r.killed, r.away
	r.cmd = nil
	if killed {
		return pause, !r.stopping
	}
	r.exits = append(r.exits, cmd.ProcessState.ExitCode())
	return restartPause, !r.stopping && len(r.exits) < mostExits
}

// kill ends the process as kill -9 does, and reports whether there was one.
func (r *replica) kill(away time.Duration) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cmd == nil || r.killed {
		return false
	}
	r.killed, r.away = true, away
	return r.cmd.Process.Kill() == nil
}

// freeze stops the process for as long as the caller likes.
func (r *replica) freeze() (thaw func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cmd == nil {
		return nil, fmt.Errorf("freeze replica %s: it does not run", r.name)
	}
	process := r.cmd.Process
	if err := procgroup.Suspend(process); err != nil {
		return nil, fmt.Errorf("freeze replica %s: %w", r.name, err)
	}
	return func() { _ = procgroup.Resume(process) }, nil // it may have been killed meanwhile
}

var (
	// errNotRunning is what stop says of a replica that is away at that moment.
	errNotRunning = errors.New("it does not run")
	// errLate is what stop says of a replica that had to be killed.
	errLate = errors.New("it did not end in time")
)

// stop asks the process to end, and returns its exit code.
func (r *replica) stop(ctx context.Context, within time.Duration) (int, error) {
	r.mu.Lock()
	cmd := r.cmd
	r.stopping = true
	r.mu.Unlock()
	if cmd == nil {
		return 0, errNotRunning
	}
	if err := procgroup.Terminate(cmd.Process); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return 0, fmt.Errorf("end replica %s: %w", r.name, err)
	}
	select {
	case <-r.done:
		return cmd.ProcessState.ExitCode(), nil
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-time.After(within):
		_ = cmd.Process.Kill() // it may have ended at this very moment
		<-r.done
		return 0, errLate
	}
}

// crash is the line of the log that tells of a panic or a data race, or "".
func (r *replica) crash() string {
	text, err := os.ReadFile(r.log.Name())
	if err != nil {
		return ""
	}
	for _, sign := range []string{"panic: ", "fatal error: ", "WARNING: DATA RACE", "Observed a panic"} {
		if _, after, found := bytes.Cut(text, []byte(sign)); found {
			line, _, _ := bytes.Cut(after, []byte("\n"))
			return sign + string(line)
		}
	}
	return ""
}

func (r *replica) running() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cmd != nil
}

func (r *replica) startCount() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.starts
}

func (r *replica) startTime() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.started
}

func (r *replica) exitCodes() []int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.exits)
}

// lastWords is the last line that the controller itself wrote.
func (r *replica) lastWords() string {
	text, err := os.ReadFile(r.log.Name())
	if err != nil {
		return err.Error()
	}
	words := ""
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && !bytes.HasPrefix(line, []byte("chaos: ")) {
			words = string(line)
		}
	}
	return words
}
