package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/learner"
)

func (a *app) solutionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "solution CHAPTER[.STEP]",
		Short: "Compare your code with the solution, or take it over",
		Long: `Compare your code with the solution of a chapter or of one step: lines with - are
yours, lines with + are the solution's. It works once the step has passed its
check, or with --reveal.

With --apply the solution takes the place of your code, so that you can catch up
with a class. Your files are backed up first, and 'undo' brings them back.`,
		Example: `  go tool workshop solution 01.3
  go tool workshop solution 01.3 --reveal   # it has not passed yet
  go tool workshop solution 01 --apply      # catch up with the whole chapter`,
		Args: wantArgs(1, 1, "a chapter or a step, for example 01.3"),
	}
	reveal := cmd.Flags().Bool("reveal", false, "show it although the step has not passed yet")
	apply := cmd.Flags().Bool("apply", false, "put the solution in the place of your code")
	out := outputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		w, ch, step, err := a.openAt(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		files, err := learner.ReadFiles(ch.SolutionDir)
		if err != nil {
			return err
		}
		r := replacement{what: "solution", chapter: ch, step: step, from: files}
		if *apply {
			return a.applySolution(cmd.Context(), w, r, *out)
		}
		if ref := w.notPassed(ch, step); ref != "" && !*reveal {
			a.err.line("step %s has not passed its check yet", ref)
			a.err.line("a hint:              %s", a.err.command("go tool workshop hint "+ref))
			a.err.line("see it all the same: %s", a.err.command("go tool workshop solution "+args[0]+" --reveal"))
			return notYet()
		}
		return a.showSolution(r, *out)
	}
	return cmd
}

// notPassed is the first step that never passed, or "".
func (w *workshop) notPassed(ch course.Chapter, step *course.Step) string {
	steps := ch.Steps
	if step != nil {
		steps = []course.Step{*step}
	}
	for _, s := range steps {
		if !w.progress.Step(ch.ID, s.Name).Passed() {
			return stepRef(ch, s)
		}
	}
	return ""
}

func (a *app) applySolution(ctx context.Context, w *workshop, r replacement, out format) error {
	c, err := w.replace(ctx, r)
	if err != nil {
		return err
	}
	if out == formatJSON {
		return a.out.json(c)
	}
	a.printChanged(c, "the solution of "+target(r.chapter, r.step)+" is in place of your code")
	a.out.line("check it: %s", a.out.command("go tool workshop check "+ref(r.chapter, r.step)))
	return nil
}

// ref is how a chapter or a step is named on the command line.
func ref(ch course.Chapter, step *course.Step) string {
	if step == nil {
		return ch.Number
	}
	return stepRef(ch, *step)
}

// target names a chapter or a step in a sentence.
func target(ch course.Chapter, step *course.Step) string {
	if step == nil {
		return "chapter " + ch.ID
	}
	return "step " + stepRef(ch, *step) + " " + step.Name
}

func (a *app) showSolution(r replacement, out format) error {
	mine, err := learner.ReadFiles(r.chapter.Dir)
	if err != nil {
		return err
	}
	files, _, err := r.filesAfter()
	if err != nil {
		return err
	}
	diff := learner.Diff("yours/"+r.chapter.ID, "solution/"+r.chapter.ID, mine, files)
	if out == formatJSON {
		return a.out.json(map[string]any{"ref": ref(r.chapter, r.step), "same": diff == "", "diff": diff})
	}
	if diff == "" {
		a.out.line("your %s is the same as the solution", target(r.chapter, r.step))
		return nil
	}
	a.printDiff(diff)
	return nil
}

// printDiff prints a unified diff, coloured where colours are.
func (a *app) printDiff(diff string) {
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"):
			line = a.out.bold(line)
		case strings.HasPrefix(line, "@@"):
			line = a.out.command(line)
		case strings.HasPrefix(line, "-"):
			line = a.out.bad(line)
		case strings.HasPrefix(line, "+"):
			line = a.out.good(line)
		}
		a.out.line("%s", line)
	}
}
