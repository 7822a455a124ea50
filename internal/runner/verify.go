package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/stepresult"
)

// VerifyOptions say how a chapter is verified.
type VerifyOptions struct {
	// Out receives a line for each program that was checked, when it is not nil.
	Out io.Writer
	// Parallel is how many programs without one step are checked at a time; zero
	// means what Mutants takes.
	Parallel int
	// Timeout and Env are those of CheckOptions.
	Timeout time.Duration
	Env     []string
}

// VerifyStarter reports, as an error, a starter that does not compile, and each
// of its steps whose check says anything else than not written.
func VerifyStarter(ctx context.Context, ch course.Chapter, opts VerifyOptions) error {
	cand, err := starterCandidate(ch)
	if err != nil {
		return err
	}
	return verify(ctx, ch, cand, 1, opts, func(int) stepresult.State { return stepresult.NotWritten })
}

// VerifySolution reports, as an error, each step of the solution that does not
// pass its check in each of so many runs (at least one) of one build.
func VerifySolution(ctx context.Context, ch course.Chapter, runs int, opts VerifyOptions) error {
	cand, err := Reference(ch)
	if err != nil {
		return err
	}
	return verify(ctx, ch, cand, runs, opts, func(int) stepresult.State { return stepresult.Done })
}

// VerifySteps takes each step out of the solution by itself, and reports, as an
// error, where the check does not say not written of that step and done of all
// others. A later step that calls it may say that it needs it first; a check that
// depends on another step in any other way sends a learner to the wrong place.
func VerifySteps(ctx context.Context, ch course.Chapter, opts VerifyOptions) error {
	if opts.Out != nil {
		opts.Out = &lineWriter{to: opts.Out}
	}
	problems := make([]error, len(ch.Steps))
	var programs errgroup.Group
	programs.SetLimit(SideBySide(opts.Parallel))
	for i, step := range ch.Steps {
		programs.Go(func() error {
			cand, err := withoutStep(ch, step.Number)
			if err != nil {
				return err
			}
			problems[i] = verify(ctx, ch, cand, 1, opts, func(n int) stepresult.State {
				if n == step.Number {
					return stepresult.NotWritten
				}
				return stepresult.Done
			})
			return nil
		})
	}
	if err := programs.Wait(); err != nil {
		return err
	}
	return errors.Join(problems...)
}

// SideBySide is how many checks run at a time when so many are wanted, zero for
// as many as the machine has processors, at most 4.
func SideBySide(wanted int) int {
	if wanted > 0 {
		return wanted
	}
	return min(runtime.NumCPU(), 4)
}

// lineWriter lets several programs write a line each at a time.
type lineWriter struct {
	mu sync.Mutex
	to io.Writer
}

func (w *lineWriter) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(line)
}

// verify builds a candidate once and compares each run with what is wanted of each step.
func verify(ctx context.Context, ch course.Chapter, cand Candidate, runs int, opts VerifyOptions,
	want func(step int) stepresult.State) error {
	dir, err := os.MkdirTemp("", "workshop-verify-")
	if err != nil {
		return fmt.Errorf("verify %s: %w", ch.ID, err)
	}
	defer os.RemoveAll(dir)
	p, err := Build(ctx, ch, cand, opts.Env, dir)
	if err != nil {
		return err
	}
	runs = max(1, runs)
	var problems []error
	for run := range runs {
		start := time.Now()
		report, err := p.Run(ctx, CheckOptions{Timeout: opts.Timeout, Env: opts.Env})
		if err != nil {
			return err
		}
		problem := compare(ch, cand, report, want)
		problems = append(problems, problem)
		say(opts.Out, fmt.Sprintf("%s: %s: run %d of %d", ch.ID, cand.Name, run+1, runs), problem, time.Since(start))
		if report.BuildError != "" {
			break
		}
	}
	return errors.Join(problems...)
}

// compare reports every step that is not as wanted.
func compare(ch course.Chapter, cand Candidate, report *Report, want func(step int) stepresult.State) error {
	if report.BuildError != "" {
		return fmt.Errorf("%s: %s does not compile:\n%s", ch.ID, cand.Name, report.BuildError)
	}
	var problems []error
	for _, r := range report.Steps {
		if r.State != want(r.Step) && !waits(r, want) {
			problems = append(problems, fmt.Errorf("%s: %s: step %d, %s: want %q, got %q\n%s",
				ch.ID, cand.Name, r.Step, r.Name, want(r.Step), r.State, r.Message()))
		}
	}
	if report.RunError != "" && len(problems) == 0 {
		problems = append(problems, fmt.Errorf("%s: %s: %s\n%s", ch.ID, cand.Name, report.RunError, report.Tail()))
	}
	return errors.Join(problems...)
}

// waits reports whether a step that should be done is not judged because an
// earlier step that it calls is not written, and says so.
func waits(r stepresult.Result, want func(step int) stepresult.State) bool {
	return r.State == stepresult.NotYet && r.Needs > 0 && r.Needs < r.Step &&
		want(r.Step) == stepresult.Done && want(r.Needs) == stepresult.NotWritten
}

// say prints one line of progress.
func say(out io.Writer, what string, problem error, took time.Duration) {
	if out == nil {
		return
	}
	word := "ok"
	if problem != nil {
		word = "FAIL"
	}
	// Progress that cannot be shown is no reason to stop.
	_, _ = fmt.Fprintf(out, "%-4s  %s (%.1fs)\n", word, what, took.Seconds())
}
