package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/cluster/statefile"
	"example.com/client-go-workshop/internal/procgroup"
	"example.com/client-go-workshop/internal/sleep"
)

// Up makes the cluster run and bear the marker: it builds the control plane if
// this version of it is not in the cache, starts it in the background and waits
// until it is ready. A cluster that runs stays as it is; one that runs without
// answering is started again.
//
// A second Up at the same time waits for the first. When ctx ends, a build or a
// start that is under way is stopped and nothing half-made stays; the next Up
// goes on from there. Errors carry the last lines of what failed and a remedy.
func (p *Provider) Up(ctx context.Context, progress cluster.Progress) error {
	if err := os.MkdirAll(p.clusterDir(), 0o700); err != nil {
		return fmt.Errorf("start the cluster: %w", err)
	}
	running := false
	adopt := func() (err error) {
		running, err = p.adopt(ctx, progress)
		return err
	}
	if err := statefile.Exclusive(ctx, p.options.StateDir, progress, adopt); err != nil || running {
		return err
	}
	prog, err := p.controlPlane()
	if err != nil {
		return fmt.Errorf("build the control plane: %w", err)
	}
	// The lock is free during the build, so that `down` need not wait for it.
	built, err := p.ensure(ctx, prog, progress)
	if err != nil {
		return err
	}
	defer built.Close()
	return statefile.Exclusive(ctx, p.options.StateDir, progress, func() error {
		if err := adopt(); err != nil || running {
			return err
		}
		return p.start(ctx, built, progress)
	})
}

// adopt takes over a cluster that runs already. It returns false when there is
// none, or none any more: one that does not answer is stopped.
func (p *Provider) adopt(ctx context.Context, progress cluster.Progress) (bool, error) {
	found, err := p.findSettled(ctx)
	if err != nil || found == nil {
		return false, err
	}
	boundLog(p.LogPath())
	switch p.reportOf(found).Phase {
	case phaseStarting:
		progress.Step("the cluster is starting already; waiting for it")
		err = p.waitReady(ctx, found.Pid, nil)
	case phaseStopping, phaseFailed:
		progress.Step("the cluster is stopping; waiting for that before it is started again")
		return false, p.stop(ctx, found)
	}
	if err == nil {
		err = p.settle(ctx)
	}
	if err == nil {
		return true, nil
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	progress.Step(fmt.Sprintf("the cluster runs (pid %d) but is not usable, so it is started again: %s", found.Pid, firstLine(err)))
	return false, p.stop(ctx, found)
}

// findSettled is find, but gives a process that just began or ends the time to
// say so or to be gone.
func (p *Provider) findSettled(ctx context.Context) (*os.Process, error) {
	lock := filepath.Join(p.clusterDir(), "lock")
	for deadline := time.Now().Add(killTimeout); ; {
		found, err := p.find(ctx)
		if err != nil || found != nil || !isLocked(lock) {
			return found, err
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("%s is locked by a process that is not a control plane of this directory; "+
				"end it (`fuser %s` or `lsof %s` name it), then run it again", lock, lock, lock)
		}
		if err := sleep.For(ctx, lockPoll); err != nil {
			return nil, err
		}
	}
}

// settle checks that the cluster answers and makes sure that it bears the
// marker, which a learner may have deleted. It may write there, because it is
// reached by the kubeconfig that our own process wrote.
func (p *Provider) settle(ctx context.Context) error {
	cfg, err := cluster.LoadFile(p.KubeconfigPath())
	if err != nil {
		return err
	}
	if url := p.readReport().URL; url != cfg.Host {
		return fmt.Errorf("kubeconfig %s leads to %s, but the cluster is at %s", p.KubeconfigPath(), cfg.Host, url)
	}
	return cluster.Mark(ctx, cfg, Name)
}

// start runs a built control plane in the background and waits until it is
// ready.
func (p *Provider) start(ctx context.Context, built *builtProgram, progress cluster.Progress) error {
	progress.Step("starting the cluster")
	log, err := p.openLog()
	if err != nil {
		return fmt.Errorf("start the cluster: %w", err)
	}
	defer log.Close()
	// The program chooses its port, since it must listen there from that moment:
	// see cmd/controlplane/port.go.
	cmd := exec.Command(built.path, "serve", "--dir", p.clusterDir(), "--kubeconfig", p.KubeconfigPath())
	cmd.Dir = p.clusterDir()
	cmd.Stdout, cmd.Stderr = log, log
	procgroup.Detach(cmd)
	cmd.ExtraFiles = inherit(built.use)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the cluster: %w", err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()

	err = p.waitReady(ctx, cmd.Process.Pid, exited)
	if err == nil {
		err = p.settle(ctx)
	}
	if err != nil {
		p.abandon(ctx, cmd.Process)
		return p.startError(ctx, err)
	}
	return nil
}

// abandon stops a process that did not become a cluster, also when ctx is over.
func (p *Provider) abandon(ctx context.Context, child *os.Process) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.options.StopTimeout+2*killTimeout)
	defer cancel()
	_ = p.stop(ctx, child) // the error that led here matters more
}

func (p *Provider) startError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("start the cluster: stopped: %w", ctx.Err())
	}
	return fmt.Errorf("start the cluster: %w%s\n  all of it: %s\n  remedy: run `go tool workshop up` again; "+
		"if it fails the same way, `go tool workshop down --purge` starts afresh (what is in the cluster is lost)",
		err, quoteTail(p.LogPath()), p.LogPath())
}

// waitReady waits until the process pid reports that it is ready. exited, if
// not nil, delivers the end of that process.
func (p *Provider) waitReady(ctx context.Context, pid int, exited <-chan error) error {
	deadline := time.NewTimer(p.options.StartTimeout)
	defer deadline.Stop()
	tick := time.NewTicker(processPoll)
	defer tick.Stop()
	for {
		r := p.readReport()
		switch {
		case r.PID == pid && r.Phase == phaseReady:
			return nil
		case r.PID == pid && r.Phase == phaseFailed:
			return fmt.Errorf("the control plane failed: %s", r.Error)
		case exited == nil && p.recognise(ctx, pid) == nil:
			return errors.New("the control plane ended before it was ready")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-exited:
			return endedEarly(err, p.readReport(), pid)
		case <-deadline.C:
			return fmt.Errorf("the control plane is not ready after %s", p.options.StartTimeout)
		case <-tick.C:
		}
	}
}

func endedEarly(err error, r report, pid int) error {
	if r.PID == pid && r.Error != "" {
		return fmt.Errorf("the control plane failed: %s", r.Error)
	}
	if err == nil {
		return errors.New("the control plane ended before it was ready")
	}
	return fmt.Errorf("the control plane ended before it was ready: %w", err)
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
