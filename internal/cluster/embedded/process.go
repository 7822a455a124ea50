package embedded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/shirou/gopsutil/v4/process"

	"example.com/client-go-workshop/internal/procgroup"
	"example.com/client-go-workshop/internal/sleep"
)

// The phases that the control plane reports.
const (
	phaseStarting = "starting"
	phaseReady    = "ready"
	phaseStopping = "stopping"
	phaseFailed   = "failed"
)

// report is the control plane's status.json.
type report struct {
	PID       int    `json:"pid"`
	Phase     string `json:"phase"`
	URL       string `json:"url"`
	Version   string `json:"version"`
	StartedAt string `json:"startedAt"`
	Error     string `json:"error"`
}

// since returns StartedAt, zero if it is not a time.
func (r report) since() time.Time {
	t, err := time.Parse(time.RFC3339Nano, r.StartedAt)
	if err != nil {
		return time.Time{}
	}
	return t
}

// readReport returns the last report, the zero report if there is none that can
// be read. It may come from a process that is gone.
func (p *Provider) readReport() report {
	var r report
	data, err := os.ReadFile(filepath.Join(p.clusterDir(), "status.json"))
	if err != nil || json.Unmarshal(data, &r) != nil {
		return report{}
	}
	return r
}

// reportOf returns the report of a process that find returned. A process that
// has not reported yet is starting.
func (p *Provider) reportOf(running *os.Process) report {
	if r := p.readReport(); r.PID == running.Pid {
		return r
	}
	return report{PID: running.Pid, Phase: phaseStarting}
}

// find returns the process that runs this cluster, nil if there is none. A
// process id alone is no proof, since the number may belong to another program
// by now: the command line must name our directory.
func (p *Provider) find(ctx context.Context) (*os.Process, error) {
	if found := p.recognise(ctx, p.readReport().PID); found != nil {
		return found, nil
	}
	if !isLocked(filepath.Join(p.clusterDir(), "lock")) {
		return nil, nil
	}
	// Somebody holds the directory, but the report does not say who.
	pids, err := process.PidsWithContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the processes: %w", err)
	}
	for _, pid := range pids {
		if found := p.recognise(ctx, int(pid)); found != nil {
			return found, nil
		}
	}
	return nil, nil
}

// recognise returns the process if it is a control plane of this directory. The
// handle is taken before the look at the command line, so that (where the
// system has process handles) a signal cannot hit a later process of that id.
func (p *Provider) recognise(ctx context.Context, pid int) *os.Process {
	if pid <= 0 || pid == os.Getpid() {
		return nil
	}
	handle, err := os.FindProcess(pid)
	if err != nil {
		return nil
	}
	seen, err := process.NewProcessWithContext(ctx, int32(pid))
	if err != nil {
		return nil
	}
	args, err := seen.CmdlineSliceWithContext(ctx)
	if err != nil || !p.isOurs(args) {
		return nil
	}
	return handle
}

// isOurs reports whether a command line is `… serve --dir <our directory> …`.
func (p *Provider) isOurs(args []string) bool {
	dir := ServedDir(args)
	return dir != "" && sameDir(dir, p.clusterDir())
}

// ServedDir is the directory in a command line `… serve --dir DIR …`, or "" in
// any other one.
func ServedDir(args []string) string {
	if len(args) < 2 || !slices.Contains(args[1:], "serve") {
		return ""
	}
	for i, arg := range args {
		if dir, ok := strings.CutPrefix(arg, "--dir="); ok {
			return dir
		}
		if arg == "--dir" && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}

// sameDir reports whether two paths are one directory, by name or by inode.
func sameDir(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// stop ends a process that find returned: it asks, waits for the stop timeout,
// then kills. It returns when the process is gone.
func (p *Provider) stop(ctx context.Context, running *os.Process) error {
	if err := procgroup.Terminate(running); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop the control plane (pid %d): %w", running.Pid, err)
	}
	gone, err := p.waitGone(ctx, running.Pid, p.options.StopTimeout)
	if err != nil || gone {
		return err
	}
	if err := running.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill the control plane (pid %d): %w", running.Pid, err)
	}
	gone, err = p.waitGone(ctx, running.Pid, killTimeout)
	if err == nil && !gone {
		err = fmt.Errorf("the control plane (pid %d) is still there %s after it was killed", running.Pid, killTimeout)
	}
	return err
}

const (
	// processPoll is how often the state of a process is looked at.
	processPoll = 25 * time.Millisecond

	// killTimeout is how long the system may take to remove a killed process.
	killTimeout = 10 * time.Second
)

// waitGone waits until a process is gone and its directory is free.
func (p *Provider) waitGone(ctx context.Context, pid int, timeout time.Duration) (bool, error) {
	deadline := time.Now().Add(timeout)
	for {
		if p.recognise(ctx, pid) == nil && !isLocked(filepath.Join(p.clusterDir(), "lock")) {
			return true, nil
		}
		if time.Now().After(deadline) {
			return false, nil
		}
		if err := sleep.For(ctx, processPoll); err != nil {
			return false, fmt.Errorf("wait for the control plane (pid %d) to end: %w", pid, err)
		}
	}
}

// exists reports whether there is a file or directory.
func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
