// Package chaos runs the controller of chapter 07 as a process, many times,
// under faults, and compares what it leaves in the cluster with a plain model of
// the chapter's rules.
//
// One run has one seed, a namespace, and a proxy of its own between the
// controller and the API server. From the seed come the script that several
// writers carry out, the faults that the proxy injects, and when processes are
// killed or frozen. What the scheduler and the network make of it is timing: a
// seed repeats what is done, not the microsecond at which it meets the rest.
package chaos

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Options say what to run.
type Options struct {
	// Runs and Seed give the seeds: Seed, Seed+1, and so on.
	Runs int
	Seed uint64
	// Parallel is how many runs go on at a time.
	Parallel int
	// Settle is how long the controller may take after the last fault.
	Settle time.Duration
	// Logs is the folder that the logs of a failing run are kept in.
	Logs string
	// Restart ends the API server and starts it again. When it is nil, no run does so.
	Restart func(context.Context) error
	// Out receives the progress.
	Out io.Writer
}

// Runner runs one program after the other against one cluster.
type Runner struct {
	Options
	cfg    *rest.Config
	client kubernetes.Interface

	// calm is held by runs that are judged, and taken by a restart of the API server.
	calm sync.RWMutex

	mu     sync.Mutex
	active map[*run]bool
}

// New returns a Runner for the cluster of cfg.
func New(cfg *rest.Config, opts Options) (*Runner, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.QPS = -1
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("build the writers' client: %w", err)
	}
	return &Runner{Options: opts, cfg: cfg, client: client, active: map[*run]bool{}}, nil
}

// Report is what became of a program.
type Report struct {
	// Runs is how many runs came to an end, and Survived how many of these
	// without a finding.
	Runs, Survived int
	// Failures are those of runs with a finding, in the order of their end.
	Failures []Failure
	// Faults counts what was injected.
	Faults map[string]int
	// Settled is the longest time that a controller took after the last fault.
	Settled time.Duration
	Took    time.Duration
}

// Failure is a run in which the controller was at fault.
type Failure struct {
	Seed uint64
	// What is what was seen, line by line.
	What string
	// Logs is the folder with the run's logs.
	Logs string
}

// String counts the faults by their kinds, and the runs.
func (r *Report) String() string {
	var b strings.Builder
	total := 0
	for _, kind := range slices.Sorted(maps.Keys(r.Faults)) {
		fmt.Fprintf(&b, "  %6d  %s\n", r.Faults[kind], kind)
		total += r.Faults[kind]
	}
	return fmt.Sprintf("faults injected: %d\n%sruns survived: %d of %d (%s; at most %s from the last fault to rest)\n",
		total, b.String(), r.Survived, r.Runs, r.Took.Round(time.Second), r.Settled.Round(100*time.Millisecond))
}

// Run starts the runs of one program. It goes on after a failure, unless first
// is set. The error is that of the test itself, not of the program.
func (c *Runner) Run(ctx context.Context, program string, first bool) (*Report, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	began := time.Now()
	report := &Report{Faults: map[string]int{}}
	seeds := make(chan uint64)
	errs := make([]error, c.Parallel)
	var mu sync.Mutex
	var workers sync.WaitGroup
	for i := range c.Parallel {
		workers.Go(func() {
			for seed := range seeds {
				result, err := c.one(ctx, seed, program)
				if ctx.Err() != nil {
					return
				}
				if err != nil {
					errs[i] = fmt.Errorf("seed %d: %w", seed, err)
					cancel()
					return
				}
				mu.Lock()
				report.add(result)
				c.tell(report, result)
				if result.failure != nil && first {
					cancel()
				}
				mu.Unlock()
			}
		})
	}
	for i := range c.Runs {
		select {
		case seeds <- c.Seed + uint64(i):
		case <-ctx.Done():
		}
	}
	close(seeds)
	workers.Wait()
	report.Took = time.Since(began)
	return report, errors.Join(errs...)
}

// result is what became of one run.
type result struct {
	seed    uint64
	took    time.Duration
	settled time.Duration
	faults  map[string]int
	failure *Failure
}

func (r *Report) add(one result) {
	r.Runs++
	r.Settled = max(r.Settled, one.settled)
	for kind, n := range one.faults {
		r.Faults[kind] += n
	}
	if one.failure == nil {
		r.Survived++
		return
	}
	r.Failures = append(r.Failures, *one.failure)
}

func (c *Runner) tell(report *Report, one result) {
	if c.Out == nil {
		return
	}
	n := 0
	for _, count := range one.faults {
		n += count
	}
	word := "ok  "
	if one.failure != nil {
		word = "FAIL"
	}
	// Progress that cannot be shown is no reason to stop.
	fmt.Fprintf(c.Out, "%4d/%d  %s  seed %d, %d faults (%.1fs)\n", report.Runs, c.Runs, word, one.seed, n, one.took.Seconds())
	if one.failure != nil {
		fmt.Fprintf(c.Out, "  %s\n  logs: %s\n", strings.ReplaceAll(one.failure.What, "\n", "\n  "), one.failure.Logs)
	}
}

// one does one run. Its logs stay only when the controller is at fault.
func (c *Runner) one(ctx context.Context, seed uint64, program string) (result, error) {
	began := time.Now()
	dir, err := os.MkdirTemp("", "chaos-")
	if err != nil {
		return result{}, fmt.Errorf("make a folder for the logs: %w", err)
	}
	defer os.RemoveAll(dir)
	r := &run{Runner: c, plan: NewPlan(seed), program: program, dir: dir}
	c.join(r)
	err = r.do(ctx)
	c.leave(r)
	res := result{seed: seed, took: time.Since(began), settled: r.settled}
	if r.deal != nil {
		res.faults = r.deal.counts()
	}
	var fault *finding
	if !errors.As(err, &fault) {
		return res, err
	}
	kept, keepErr := c.keep(dir, seed, fault)
	res.failure = &Failure{Seed: seed, What: fault.Error(), Logs: kept}
	return res, keepErr
}

// keep copies the logs of a run to where they stay.
func (c *Runner) keep(dir string, seed uint64, fault *finding) (string, error) {
	if c.Logs == "" {
		return "not kept", nil
	}
	to := filepath.Join(c.Logs, fmt.Sprintf("seed-%d", seed))
	if err := os.RemoveAll(to); err != nil {
		return "", fmt.Errorf("keep the logs of seed %d: %w", seed, err)
	}
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		return "", fmt.Errorf("keep the logs of seed %d: %w", seed, err)
	}
	if err := os.WriteFile(filepath.Join(to, "differences.txt"), []byte(fault.Error()+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("keep the logs of seed %d: %w", seed, err)
	}
	return to, nil
}

func (c *Runner) join(r *run) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.active[r] = true
}

func (c *Runner) leave(r *run) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.active, r)
}

// restarting tells every run that its controller may find no API server.
func (c *Runner) restarting() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for r := range c.active {
		r.expected.Store(true)
		r.cut.Store(true)
	}
}
