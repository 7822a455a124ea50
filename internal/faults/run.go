package faults

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/runner"
	"example.com/client-go-workshop/internal/stepresult"
)

// Options say which variants to run and how often.
type Options struct {
	// Dir is a folder with faults and right variants in place of the chapter's own.
	Dir string
	// Runs is how often each is run after it is built once; 0 means once.
	Runs int
	// Parallel is how many are run at a time; 0 means the number of
	// processors, and 4 at most.
	Parallel int
	// Only is a regular expression. What it matches neither by its name nor by
	// STEP/NAME, with the step's function, is left out.
	Only string
	// Step is the number of the step whose variants to run; 0 means of every step.
	Step int
	// NamedOnly checks of a fault its own step only, as more than one run does,
	// and of a right variant the steps that it writes anew.
	NamedOnly bool
	// Out receives a line for each as it ends, when it is not nil.
	Out io.Writer
	// Timeout and Env are those of CheckOptions.
	Timeout time.Duration
	Env     []string
}

// Result is what became of one variant.
type Result struct {
	Variant Variant
	// Runs is how often it ran, Failures how often not as it should.
	Runs, Failures int
	// Problem says what was expected and what was seen the first time that they
	// differed. It is empty when all went as it should.
	Problem string
	// Report is that of the run with the problem, or of the last run. It is nil
	// when the candidate could not be composed.
	Report *runner.Report
	// Took is the time of the build and all runs.
	Took time.Duration
}

// OK reports whether a fault was rejected, or a right variant accepted, in every run.
func (r Result) OK() bool { return r.Problem == "" }

// Report is what became of all, in the order of Load.
type Report struct {
	Chapter course.Chapter
	Results []Result
}

// Passed reports whether every one went as it should.
func (r *Report) Passed() bool { return len(r.Results) > 0 && len(r.Failed()) == 0 }

// Failed are the results with a problem.
func (r *Report) Failed() []Result {
	var failed []Result
	for _, result := range r.Results {
		if !result.OK() {
			failed = append(failed, result)
		}
	}
	return failed
}

// Run builds the faults and right variants of a chapter, as many as can be in one
// program, and runs the checks on each. A fault is as it should be when its
// step is not yet done in every run and the check's own words (not what the
// program printed) hold every wanted phrase; other steps may fail as well. An accept is as it should be when every
// step is done. One that does not compile is not as it should be. A faulty file
// is an error before anything is built.
func Run(ctx context.Context, ch course.Chapter, opts Options) (*Report, error) {
	variants, err := chosen(ch, opts)
	if err != nil {
		return nil, err
	}
	r := &faultRunner{chapter: ch, opts: opts, total: len(variants)}
	parallel := runner.SideBySide(opts.Parallel)
	r.builds = make(chan struct{}, max(1, parallel/2))
	dir, err := os.MkdirTemp("", "workshop-bundle-")
	if err != nil {
		return nil, fmt.Errorf("run the faults of %s: %w", ch.ID, err)
	}
	defer os.RemoveAll(dir)
	if r.bundle, err = newBundle(ctx, ch, variants, opts.Env, dir); err != nil {
		return nil, err
	}
	report := &Report{Chapter: ch, Results: make([]Result, len(variants))}
	next := make(chan int)
	errs := make([]error, len(variants))
	var workers sync.WaitGroup
	for range min(parallel, len(variants)) {
		workers.Go(func() {
			for i := range next {
				report.Results[i], errs[i] = r.one(ctx, variants[i])
			}
		})
	}
	for i := range variants {
		if ctx.Err() == nil {
			next <- i
		}
	}
	close(next)
	workers.Wait()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("run the faults of %s: %w", ch.ID, context.Cause(ctx))
	}
	return report, errors.Join(errs...)
}

// chosen are those that opts leaves, each known to compose.
func chosen(ch course.Chapter, opts Options) ([]Variant, error) {
	only, err := regexp.Compile(opts.Only)
	if err != nil {
		return nil, fmt.Errorf("choose faults: %w", err)
	}
	all, err := Load(ch, opts.Dir)
	if err != nil {
		return nil, err
	}
	var chosen []Variant
	var problems []error
	for _, m := range all {
		step := ch.Step(m.Step)
		named := only.MatchString(m.Name) || step != nil && only.MatchString(step.Name+"/"+m.Name)
		if !named || opts.Step > 0 && m.Step != opts.Step {
			continue
		}
		if _, err := m.Candidate(ch); err != nil {
			problems = append(problems, err)
		}
		chosen = append(chosen, m)
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("choose faults: none of %d is left by the step and the expression %q", len(all), opts.Only)
	}
	return chosen, errors.Join(problems...)
}

// faultRunner runs variants side by side.
type faultRunner struct {
	chapter course.Chapter
	opts    Options
	total   int
	builds  chan struct{}
	bundle  *bundle

	mu   sync.Mutex
	done int
}

// one builds one variant and runs it as often as wanted.
func (r *faultRunner) one(ctx context.Context, m Variant) (Result, error) {
	start := time.Now()
	result := Result{Variant: m}
	dir, err := os.MkdirTemp("", "workshop-variant-")
	if err != nil {
		return result, fmt.Errorf("run %s %s: %w", m.kind(), m.Name, err)
	}
	defer os.RemoveAll(dir)
	p, env := r.bundle.programOf(m)
	if p == nil {
		if p, err = r.build(ctx, m, dir); err != nil {
			return result, err
		}
	}
	steps, err := r.steps(m)
	if err != nil {
		return result, err
	}
	opts := runner.CheckOptions{Timeout: r.opts.Timeout, Env: append(slices.Clone(r.opts.Env), env...), Steps: steps}
	for range max(1, r.opts.Runs) {
		report, err := p.Run(ctx, opts)
		if err != nil {
			return result, err
		}
		report.Candidate = m.kind() + " " + m.Name
		result.add(report)
		if report.BuildError != "" {
			break
		}
	}
	result.Took = time.Since(start)
	r.tell(result)
	return result, nil
}

// steps are those to check of m, nil for all.
func (r *faultRunner) steps(m Variant) ([]int, error) {
	switch {
	case !m.Accept && (r.opts.NamedOnly || r.opts.Runs > 1):
		return []int{m.Step}, nil
	case m.Accept && r.opts.NamedOnly:
		return m.written(r.chapter)
	}
	return nil, nil
}

// build waits for its turn: builds keep every processor busy, and checks that
// run meanwhile need some time too.
func (r *faultRunner) build(ctx context.Context, m Variant, dir string) (*runner.Program, error) {
	select {
	case r.builds <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-r.builds }()
	cand, err := m.Candidate(r.chapter)
	if err != nil {
		return nil, err
	}
	return runner.Build(ctx, r.chapter, cand, r.opts.Env, dir)
}

// add counts one run.
func (r *Result) add(report *runner.Report) {
	r.Runs++
	problem := r.Variant.problem(report)
	if problem != "" {
		r.Failures++
	}
	if r.Problem == "" {
		r.Problem, r.Report = problem, report
	}
}

// problem says how a report differs from what m is for, "" when it does not.
func (m Variant) problem(report *runner.Report) string {
	switch {
	case report.BuildError != "":
		return "expected: it compiles\nseen:     " + indent(m.withLines(report.BuildError))
	case m.Accept:
		return acceptProblem(report)
	}
	step := report.Step(m.Step)
	expected := fmt.Sprintf("expected: step %d, %s: not yet, with the words %q\nseen:     ", m.Step, step.Name, m.Want)
	if step.State != stepresult.NotYet {
		return expected + indent(strings.TrimSuffix(string(step.State)+": "+step.Message(), ": "))
	}
	if missing := missingWords(*step, m.Want); len(missing) > 0 {
		return expected + indent(fmt.Sprintf("not yet, without the words %q: %s", missing, step.Message()))
	}
	return ""
}

func acceptProblem(report *runner.Report) string {
	if report.Passed() {
		return ""
	}
	expected := "expected: every step done\nseen:     "
	i := slices.IndexFunc(report.Steps, func(s stepresult.Result) bool { return s.State != stepresult.Done })
	if i < 0 {
		return expected + indent(report.RunError+"\n"+report.Tail())
	}
	step := report.Steps[i]
	return expected + indent(fmt.Sprintf("step %d, %s: %s: %s", step.Step, step.Name, step.State, step.Message()))
}

// missingWords are the phrases that the check's own words do not hold. Case and
// white space do not count.
func missingWords(r stepresult.Result, want []string) []string {
	text := plain(r.Seen + " " + r.Cause + " " + r.Read)
	var missing []string
	for _, phrase := range want {
		if !strings.Contains(text, plain(phrase)) {
			missing = append(missing, phrase)
		}
	}
	return missing
}

func plain(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

func indent(text string) string {
	return strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n            ")
}

// tell prints the line of one result.
func (r *faultRunner) tell(result Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	if r.opts.Out == nil {
		return
	}
	word := "ok  "
	if !result.OK() {
		word = "FAIL"
	}
	width := len(fmt.Sprint(r.total))
	line := fmt.Sprintf("%*d/%d  %s  %s %s", width, r.done, r.total, word, result.Variant.kind(), result.Variant.Name)
	if result.Runs > 1 {
		line += fmt.Sprintf(", %d of %d runs", result.Runs-result.Failures, result.Runs)
	}
	line += fmt.Sprintf(" (%.1fs)\n", result.Took.Seconds())
	if !result.OK() {
		line += "  " + strings.ReplaceAll(result.Problem, "\n", "\n  ") + "\n"
	}
	// Progress that cannot be shown is no reason to stop.
	_, _ = io.WriteString(r.opts.Out, line)
}
