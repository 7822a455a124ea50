package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/learner"
	"example.com/client-go-workshop/internal/runner"
	"example.com/client-go-workshop/internal/stepresult"
)

// checked is the result of a check, in the form of -o json.
type checked struct {
	Chapter string `json:"chapter"`
	// Candidate is what was checked: "your code" or "the solution".
	Candidate string `json:"candidate"`
	// Passed is set when every step that was asked for is done.
	Passed bool `json:"passed"`
	Done   int  `json:"done"`
	Total  int  `json:"total"`
	// BuildError has Go's messages when the chapter does not compile.
	BuildError string `json:"buildError,omitempty"`
	// BuildAdvice says what to do when a step is gone or declared in another way.
	BuildAdvice string `json:"buildAdvice,omitempty"`
	// RunError says how the checks ended when not by themselves.
	RunError string        `json:"runError,omitempty"`
	Steps    []checkedStep `json:"steps"`
	// Next is the ref of the step to work on; empty when all are done.
	Next string `json:"next,omitempty"`
	// Command is what to type next, once the step is written or mended.
	Command string `json:"command,omitempty"`
	// Hint is what to type when stuck.
	Hint string `json:"hint,omitempty"`
}

type checkedStep struct {
	Ref   string `json:"ref"`
	Title string `json:"title"`
	stepresult.Result
	// Message is the verdict as a person reads it.
	Message string `json:"message,omitempty"`
	// PassedBefore is set when the step passed once and does not pass now.
	PassedBefore bool   `json:"passedBefore"`
	File         string `json:"file"`
	Line         int    `json:"line"`
}

type checkFlags struct {
	solution, all bool
	out           *format
}

func (a *app) checkCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:        "check [CHAPTER[.STEP]]",
		SuggestFor: []string{"test", "verify"},
		Short:      "Check your steps, and say what is wrong and why",
		Long: `Check your steps against the cluster, and say what is wrong and why. Without an
argument it checks the first chapter that is not done.

It shows in full the step to work on, and the others in a line each:

  done         the step passes
  not yet      it is written and its check fails
  not written  it still panics with todo.Step
  not run      there is no verdict, for example because the code does not compile
  not here     this cluster cannot judge it, since your user lacks a right there

The exit code is 0 when every step that you asked for is done, 1 when not, and
3 when there is no cluster. 'go test ./01-restclient' runs the same checks.`,
		Example: `  go tool workshop check
  go tool workshop check 01
  go tool workshop check 01.3          # one step; 01.ListPods is the same
  go tool workshop check 01 --all      # every message in full
  go tool workshop check 01 --solution # the reference passes, see for yourself`,
		Args: wantArgs(0, 1, "at most one chapter or step"),
	}
	flags := checkFlags{out: outputFlag(cmd)}
	cmd.Flags().BoolVar(&flags.solution, "solution", false, "check the reference program, not yours")
	cmd.Flags().BoolVar(&flags.all, "all", false, "show every message in full")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ref := ""
		if len(args) == 1 {
			ref = args[0]
		}
		return a.check(cmd.Context(), ref, flags)
	}
	return cmd
}

func (a *app) check(ctx context.Context, ref string, flags checkFlags) error {
	w, err := a.open(ctx)
	if err != nil {
		return err
	}
	ch, step, err := w.toCheck(ref)
	if err != nil {
		return err
	}
	if err := requireCluster(ctx); err != nil {
		return err
	}
	report, err := a.runCheck(ctx, ch, step, flags)
	if err != nil {
		return err
	}
	if !flags.solution {
		if err := a.record(ctx, w, report); err != nil {
			return err
		}
	}
	result := w.checked(report, flags.solution)
	if *flags.out == formatJSON {
		err = a.out.json(result)
	} else {
		a.printChecked(report, result, flags.all)
		if result.wrong() {
			a.out.line("")
			a.out.printVersions(ctx)
		}
	}
	if err == nil && !report.Passed() {
		return notYet()
	}
	return err
}

// toCheck is what ref names, or the chapter in progress: the first with a step
// that is not done, else the last.
func (w *workshop) toCheck(ref string) (course.Chapter, *course.Step, error) {
	if ref != "" {
		return w.find(ref)
	}
	if next := nextStep(w.chapters()); next != nil {
		ch, _, err := w.find(next.Chapter)
		return ch, nil, err
	}
	return w.Chapters[len(w.Chapters)-1], nil, nil
}

// runCheck builds and runs the checks, and says on stderr how far it is.
func (a *app) runCheck(ctx context.Context, ch course.Chapter, step *course.Step, flags checkFlags) (*runner.Report, error) {
	candidate := runner.Learner()
	if flags.solution {
		var err error
		if candidate, err = runner.Reference(ch); err != nil {
			return nil, err
		}
	}
	opts := runner.CheckOptions{}
	total := len(ch.Steps)
	if step != nil {
		opts.Steps, total = []int{step.Number}, 1
	}
	bar := newProgressBar(a.err)
	defer bar.close()
	bar.Step("building " + ch.ID + " (" + candidate.Name + ")")
	done := 0
	opts.Built = func() {
		bar.Step("checking against the cluster")
		if a.err.terminal {
			bar.Count(0, total)
		}
	}
	opts.Verdict = func(stepresult.Result) {
		done++
		bar.Count(done, total)
	}
	return runner.Check(ctx, ch, candidate, opts)
}

// record notes the verdicts, and takes over what was noted meanwhile.
func (a *app) record(ctx context.Context, w *workshop, report *runner.Report) error {
	now := time.Now().Truncate(time.Second)
	err := w.store.Update(ctx, func(p *learner.Progress) {
		for _, r := range report.Steps {
			p.Record(report.Chapter.ID, r, now)
		}
		w.progress = *p
	})
	return a.warnOfDamage(err)
}

// checked puts a report into the form in which it is printed.
func (w *workshop) checked(report *runner.Report, solution bool) checked {
	ch := report.Chapter
	result := checked{
		Chapter: ch.ID, Candidate: report.Candidate, Passed: report.Passed(), Total: len(report.Steps),
		BuildError: report.BuildError, BuildAdvice: report.BuildAdvice, RunError: report.RunError,
	}
	if result.BuildAdvice == "" && strings.Contains(report.BuildError, `internal/todo" imported and not used`) {
		result.BuildAdvice = "Every step of that file is written, so nothing uses todo any more: delete its import."
	}
	for _, r := range report.Steps {
		if r.State == stepresult.Done {
			result.Done++
		}
		s := checkedStep{Result: r, Message: r.Message()}
		if step := ch.Step(r.Step); step != nil {
			s.Ref, s.Title, s.File, s.Line = stepRef(ch, *step), step.Title, step.File, step.Line
		}
		s.PassedBefore = !solution && r.State != stepresult.NotRun && r.State != stepresult.NotHere && w.progress.Step(ch.ID, r.Name).Regressed()
		result.Steps = append(result.Steps, s)
	}
	if first := report.First(); first != nil {
		result.Next = stepRef(ch, *ch.Step(first.Step))
	}
	if !solution {
		result.Command = w.commandAfter(report, result.Next)
		if result.Next != "" && report.BuildError == "" {
			result.Hint = "go tool workshop hint " + result.Next
		}
	}
	return result
}

// commandAfter is what to type after a check of the learner's code.
func (w *workshop) commandAfter(report *runner.Report, next string) string {
	switch {
	case report.BuildError != "":
		if len(report.Steps) == 1 && next != "" {
			return "go tool workshop check " + next
		}
		return "go tool workshop check " + report.Chapter.Number
	case next != "":
		return "go tool workshop check " + next
	}
	if step := w.stepAfter(report); step != nil {
		return "go tool workshop check " + step.Ref
	}
	return "go tool workshop"
}

// stepAfter is the first step that is not done of the chapter that was checked,
// then of all: who has chosen a chapter goes on in it.
func (w *workshop) stepAfter(report *runner.Report) *stepOverview {
	if step := nextStep([]chapterOverview{w.chapter(report.Chapter)}); step != nil {
		return step
	}
	return nextStep(w.chapters())
}
