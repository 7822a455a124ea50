// Package runner builds candidates for a chapter's program, be it the learner's
// code, the reference or a variant of it, and runs the chapter's checks on them.
package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/procgroup"
	"example.com/client-go-workshop/internal/stepresult"
)

// CheckOptions say what to check and how.
type CheckOptions struct {
	// Steps are the numbers of the steps to check; none means all.
	Steps []int
	// Timeout is how long the built checks may run. Zero means 5 minutes for
	// each step; a check that gives no new verdict for 5 minutes ends earlier.
	// Building is bounded by the context only.
	Timeout time.Duration
	// Env has further variables, as KEY=value, for the build and the checks.
	Env []string
	// Stream receives what the checks print as they run, when it is not nil.
	Stream io.Writer
	// Verbose has the checks print the name of each test.
	Verbose bool
	// Built is called when the build is over and the checks begin.
	Built func()
	// Verdict is called with each step's verdict when it is there, by one
	// goroutine at a time and not after Check has returned.
	Verdict func(stepresult.Result)
}

// Report is what a check says of a chapter.
type Report struct {
	Chapter course.Chapter
	// Candidate names what was checked.
	Candidate string
	// Steps has one result for each step that was asked for, in their order.
	Steps []stepresult.Result
	// BuildError has Go's messages, with paths below the course's root, when
	// the candidate does not compile. All steps are then not run.
	BuildError string
	// BuildAdvice says what to do about a build error that a step's missing or
	// changed declaration explains; it is empty for any other.
	BuildAdvice string
	// RunError says how the checks ended when they did not end by themselves, or
	// failed although no step did. It is empty otherwise.
	RunError string
	// Output is what the checks printed, cut in the middle to 1 MiB.
	Output string
}

// First returns the step to work on, the first that is not done and can be judged
// on this cluster, or nil.
func (r *Report) First() *stepresult.Result {
	for i := range r.Steps {
		if r.Steps[i].State != stepresult.Done && r.Steps[i].State != stepresult.NotHere {
			return &r.Steps[i]
		}
	}
	return nil
}

// Passed reports whether every step that was asked for is done, and the checks
// themselves ended well.
func (r *Report) Passed() bool {
	notDone := func(s stepresult.Result) bool { return s.State != stepresult.Done }
	return r.BuildError == "" && r.RunError == "" && len(r.Steps) > 0 && !slices.ContainsFunc(r.Steps, notDone)
}

// Step returns the result of the step with the number, or nil.
func (r *Report) Step(number int) *stepresult.Result {
	for i := range r.Steps {
		if r.Steps[i].Step == number {
			return &r.Steps[i]
		}
	}
	return nil
}

// Tail is the end of what the checks printed.
func (r *Report) Tail() string { return tailOf(r.Output, tailShown) }

// Check runs a chapter's checks on a candidate. A candidate that does not
// compile, hangs, crashes or exits is no error but a report that says so. An
// error means that the check could not be done: an unknown step, no go command,
// or an ended context.
func Check(ctx context.Context, ch course.Chapter, cand Candidate, opts CheckOptions) (*Report, error) {
	if _, err := wantedSteps(ch, opts.Steps); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "workshop-check-")
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", ch.ID, err)
	}
	defer os.RemoveAll(dir)
	p, err := Build(ctx, ch, cand, opts.Env, dir)
	if err != nil {
		return nil, err
	}
	report, err := p.Run(ctx, opts)
	if err != nil {
		return nil, err
	}
	report.Candidate = cand.Name
	return report, nil
}

// wantedSteps are the steps with the numbers, all for none.
func wantedSteps(ch course.Chapter, numbers []int) ([]course.Step, error) {
	if len(numbers) == 0 {
		return ch.Steps, nil
	}
	var steps []course.Step
	for _, step := range ch.Steps {
		if slices.Contains(numbers, step.Number) {
			steps = append(steps, step)
		}
	}
	for _, n := range numbers {
		if ch.Step(n) == nil {
			return nil, fmt.Errorf("chapter %s has no step %d: its steps are 1 to %d", ch.ID, n, len(ch.Steps))
		}
	}
	return steps, nil
}

// Run runs the checks of the wanted steps once.
func (p *Program) Run(ctx context.Context, opts CheckOptions) (*Report, error) {
	steps, err := wantedSteps(p.chapter, opts.Steps)
	if err != nil {
		return nil, err
	}
	report := &Report{Chapter: p.chapter, BuildError: p.BuildError}
	if p.BuildError != "" {
		report.BuildAdvice = buildAdvice(p.chapter, p.BuildError)
		for _, step := range steps {
			report.Steps = append(report.Steps, notRun(step, "the chapter does not compile"))
		}
		return report, nil
	}
	dir, err := os.MkdirTemp("", "workshop-verdicts-")
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", p.chapter.ID, err)
	}
	defer os.RemoveAll(dir)
	if opts.Built != nil {
		opts.Built()
	}
	end, err := p.execute(ctx, steps, dir, opts)
	if err != nil {
		return nil, err
	}
	report.Output = end.output
	results, err := stepresult.Read(dir)
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", p.chapter.ID, err)
	}
	report.fill(steps, results, end)
	return report, nil
}

// fill puts the verdicts beside their steps.
func (r *Report) fill(steps []course.Step, results []stepresult.Result, end runEnd) {
	failed := false
	for _, step := range steps {
		i := slices.IndexFunc(results, func(v stepresult.Result) bool { return v.Step == step.Number })
		if i >= 0 {
			v := results[i]
			v.Name = step.Name
			r.Steps = append(r.Steps, v)
		} else {
			v := notRun(step, "there is no verdict: "+end.how(step))
			v.Output = tailOf(end.output, tailShown)
			r.Steps = append(r.Steps, v)
		}
		failed = failed || r.Steps[len(r.Steps)-1].State != stepresult.Done
	}
	if end.stopped || end.status != "" && !failed {
		r.RunError = end.why()
	}
}

func notRun(step course.Step, seen string) stepresult.Result {
	return stepresult.Result{Step: step.Number, Name: step.Name, State: stepresult.NotRun, Seen: seen}
}

// runEnd is how the checks ended.
type runEnd struct {
	output string
	// status is empty after exit status 0.
	status string
	// stopped is set when the checks had to be ended, for the reason in status.
	stopped bool
	// begun is set when the program reached its first check.
	begun bool
}

// why says how the checks ended.
func (e runEnd) why() string {
	const early = ": look at os.Exit, log.Fatal, panics and loops in the values of package-level variables and in func init, which run " +
		"before main and before every check"
	switch {
	case e.stopped && !e.begun:
		return "the checks were stopped, since " + e.status + early
	case e.status != "" && !e.begun:
		return "the program ended with " + e.status + " before the first check began" + early
	case e.stopped:
		return "the checks were stopped, since " + e.status
	case e.status != "":
		return "the checks ended with " + e.status
	}
	return "the checks ended before this step"
}

// how says why step has no verdict.
func (e runEnd) how(step course.Step) string {
	if strings.Contains(e.output, "testing: warning: no tests to run") {
		return fmt.Sprintf("the chapter has no test TestStep%d_%s", step.Number, step.Name)
	}
	return e.why()
}

var (
	errDeadline = errors.New("their time ran out")
	errSilent   = errors.New("no step came to an end")
	errNotBegun = errors.New("no check began")
	errFlood    = errors.New("too much was printed")
)

// execute runs the program in the chapter's folder until it ends, or one of
// the limits is reached.
func (p *Program) execute(parent context.Context, steps []course.Step, dir string, opts CheckOptions) (runEnd, error) {
	limit := opts.Timeout
	if limit <= 0 {
		limit = stepTime * time.Duration(len(steps))
	}
	ctx, stop := context.WithCancelCause(parent)
	defer stop(nil)
	out := newHeadTail(runKept)
	cmd := exec.CommandContext(ctx, p.path, testFlags(steps, opts.Verbose)...)
	cmd.Dir = p.chapter.Dir
	cmd.Env = append(append(os.Environ(), opts.Env...), stepresult.DirEnv+"="+dir, "PWD="+p.chapter.Dir)
	cmd.Stdout = io.Writer(out)
	if opts.Stream != nil {
		cmd.Stdout = io.MultiWriter(out, opts.Stream)
	}
	cmd.Stderr = cmd.Stdout
	cmd.WaitDelay = killDelay
	ownTree(cmd)
	if err := cmd.Start(); err != nil {
		return runEnd{}, fmt.Errorf("run the checks of %s: %w", p.chapter.ID, err)
	}
	w := &watch{dir: dir, limit: limit, out: out, tell: opts.Verdict, stop: stop, silence: stepTime, begin: beginTime, seen: map[int]bool{}}
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		w.until(ctx)
	}()
	err := cmd.Wait()
	cause := context.Cause(ctx)
	stop(nil)
	<-watched
	procgroup.Kill(cmd.Process.Pid)
	w.look()
	if parent.Err() != nil {
		return runEnd{}, fmt.Errorf("run the checks of %s: %w", p.chapter.ID, context.Cause(parent))
	}
	end := endOf(err, cause, limit, out)
	end.begun = stepresult.Begun(dir)
	return end, nil
}

// testFlags selects the tests of steps. With -test.paniconexit0 a test that
// exits with status 0 does not look like one that passes.
func testFlags(steps []course.Step, verbose bool) []string {
	var numbers []string
	for _, step := range steps {
		numbers = append(numbers, strconv.Itoa(step.Number))
	}
	return []string{
		"-test.run=^TestStep(" + strings.Join(numbers, "|") + ")_", "-test.count=1", "-test.timeout=0",
		"-test.paniconexit0", "-test.v=" + strconv.FormatBool(verbose),
	}
}

func endOf(err, cause error, limit time.Duration, out *headTail) runEnd {
	end := runEnd{output: out.String()}
	switch {
	case errors.Is(cause, errDeadline):
		end.stopped, end.status = true, fmt.Sprintf("they did not end within %s", limit)
	case errors.Is(cause, errSilent):
		end.stopped, end.status = true, fmt.Sprintf("no step came to an end within %s", stepTime)
	case errors.Is(cause, errNotBegun):
		end.stopped, end.status = true, fmt.Sprintf("the first of them did not begin within %s", beginTime)
	case errors.Is(cause, errFlood):
		end.stopped, end.status = true, fmt.Sprintf("they printed more than %d MiB", outputLimit>>20)
	case errors.Is(err, exec.ErrWaitDelay):
		// The checks ended well; something that they started held on to their output.
	case err != nil:
		end.status = err.Error()
	}
	return end
}

// watch looks after running checks: it tells each verdict as it comes, and
// stops them at a limit.
type watch struct {
	dir   string
	limit time.Duration
	out   *headTail
	tell  func(stepresult.Result)
	stop  context.CancelCauseFunc
	// silence is how long there may be no new verdict.
	silence time.Duration
	// begin is how long the first check may take to begin.
	begin time.Duration
	seen  map[int]bool
}

func (w *watch) until(ctx context.Context) {
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	start := time.Now()
	last := start
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			if w.look() {
				last = now
			}
			switch {
			case now.Sub(start) > w.limit:
				w.stop(errDeadline)
			case now.Sub(start) > w.begin && !stepresult.Begun(w.dir):
				w.stop(errNotBegun)
			case now.Sub(last) > w.silence:
				w.stop(errSilent)
			case w.out.written() > outputLimit:
				w.stop(errFlood)
			}
		}
	}
}

// look tells the verdicts that are new, and reports whether there was one.
func (w *watch) look() bool {
	names, err := filepath.Glob(filepath.Join(w.dir, "step-*.json"))
	if err != nil || len(names) == len(w.seen) {
		return false
	}
	results, err := stepresult.Read(w.dir)
	if err != nil {
		return false
	}
	fresh := false
	for _, r := range results {
		if !w.seen[r.Step] {
			w.seen[r.Step], fresh = true, true
			if w.tell != nil {
				w.tell(r)
			}
		}
	}
	return fresh
}
