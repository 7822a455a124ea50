package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/faults"
	"example.com/client-go-workshop/internal/runner"
	"example.com/client-go-workshop/internal/starter"
)

func (a *app) devCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "dev",
		Short: "For those who write chapters",
		Long: `For those who write chapters: make the starters, try the checks on faulty and on
right variants, and verify that starter, solution and checks fit together.`,
		Example: `  go tool workshop dev starters --check
  go tool workshop dev faults 01 --runs 20
  go tool workshop dev verify`,
		Args: wantArgs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.Args = unknownCommand
	cmd.AddCommand(a.startersCommand(), a.faultsCommand(), a.verifyCommand())
	return cmd
}

func (a *app) startersCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "starters",
		Short: "Make every chapter's starter from its solution",
		Long: `Make every chapter's starter from its solution. When you have written a step in
one of the files, nothing is changed, unless you say --force. A copy of each file
that is overwritten goes to .workshop/overwritten.

With --check it writes nothing and ends with 1 when a file is not the starter.`,
		Example: `  go tool workshop dev starters
  go tool workshop dev starters --check`,
		Args: wantArgs(0, 0, ""),
	}
	check := cmd.Flags().Bool("check", false, "only compare")
	force := cmd.Flags().Bool("force", false, "overwrite files with work in them too")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := openCourse()
		if err != nil {
			return err
		}
		files, err := starter.WriteStarters(c, starter.Options{Check: *check, Force: *force})
		if err != nil {
			return err
		}
		return a.printStarters(files, *check)
	}
	return cmd
}

func (a *app) printStarters(files []starter.File, check bool) error {
	different := false
	for _, f := range files {
		a.out.line("%-8s  %s", f.State, f.Name)
		different = different || f.State != starter.Same && f.State != starter.Written
		if check && f.Diff != "" {
			a.printDiff(f.Diff)
		}
	}
	if different && check {
		a.err.line("a committed file is not the starter that its solution gives; run: go generate ./...")
		return notYet()
	}
	return nil
}

func (a *app) faultsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "faults CHAPTER[.STEP]",
		Aliases: []string{"mutants"},
		Short:   "Try a chapter's checks on faulty and on other right variants",
		Long: `Try a chapter's checks on each fault, which must fail in its step and with the
words that it wants, and on each right variant, which must pass. They lie in
solutions/NN-NAME/testdata; see docs/authors.md.`,
		Example: `  go tool workshop dev faults 01
  go tool workshop dev faults 01.ListPods
  go tool workshop dev faults 01 --run '^list' --runs 20
  go tool workshop dev faults 01 --dir /tmp/more-faults`,
		Args: wantArgs(1, 1, "a chapter or a step"),
	}
	opts := faults.Options{}
	cmd.Flags().StringVar(&opts.Dir, "dir", "", "folder with faults and right variants (default: the chapter's)")
	cmd.Flags().IntVar(&opts.Runs, "runs", 1, "how often to run each")
	cmd.Flags().StringVar(&opts.Only, "run", "", "only those whose NAME or STEP/NAME matches this regular expression")
	parallelFlag(cmd, &opts.Parallel)
	cmd.Flags().BoolVar(&opts.NamedOnly, "named-only", false, "check of each only the steps that it is about")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ch, step, err := devStep(args[0])
		if err != nil {
			return err
		}
		if err := requireCluster(cmd.Context()); err != nil {
			return err
		}
		if step != nil {
			opts.Step = step.Number
		}
		opts.Out = a.err
		report, err := faults.Run(cmd.Context(), ch, opts)
		if err != nil {
			return err
		}
		if !report.Passed() {
			// Without a cluster no check says anything.
			if err := requireCluster(cmd.Context()); err != nil {
				return err
			}
		}
		return a.printFaults(report)
	}
	return cmd
}

// devStep finds the chapter, and the step if ref names one.
func devStep(ref string) (course.Chapter, *course.Step, error) {
	c, err := openCourse()
	if err != nil {
		return course.Chapter{}, nil, err
	}
	return (&workshop{Course: c}).find(ref)
}

func (a *app) printFaults(report *faults.Report) error {
	failed := report.Failed()
	for _, r := range failed {
		a.out.line("%s %s: %s", a.out.bad("FAIL"), r.Variant.Name, r.Variant.About)
		a.out.line("%s\n", indent(r.Problem, 2))
	}
	a.out.line("%s: %d of %d as they should be", report.Chapter.ID, len(report.Results)-len(failed), len(report.Results))
	if !report.Passed() {
		return notYet()
	}
	return nil
}

func (a *app) verifyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify [CHAPTER]",
		Short: "Verify that starter, solution and checks fit together",
		Long: `Verify a chapter, or all of them: the files in its folder are the starter that the
solution gives; the starter compiles and each of its steps is not written; the
solution passes; and the solution without one step fails in that step alone.`,
		Example: `  go tool workshop dev verify
  go tool workshop dev verify 01 --runs 20`,
		Args: wantArgs(0, 1, "at most one chapter"),
	}
	runs := cmd.Flags().Int("runs", 1, "how often to run the solution's checks")
	opts := runner.VerifyOptions{Out: a.err}
	cmd.Flags().DurationVar(&opts.Timeout, "timeout", 0, "how long one program's checks may run (default: 5 minutes a step)")
	parallelFlag(cmd, &opts.Parallel)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ref := ""
		if len(args) == 1 {
			ref = args[0]
		}
		return a.verify(cmd, ref, *runs, opts)
	}
	return cmd
}

func parallelFlag(cmd *cobra.Command, n *int) {
	cmd.Flags().IntVar(n, "parallel", 0, "how many at a time (default: the number of processors, at most 4)")
}

func (a *app) verify(cmd *cobra.Command, ref string, runs int, opts runner.VerifyOptions) error {
	c, err := openCourse()
	if err != nil {
		return err
	}
	chapters := c.Chapters
	if ref != "" {
		ch, step, err := devStep(ref)
		if err != nil {
			return err
		}
		if step != nil {
			return usageError("%s wants a whole chapter: %s", cmd.Name(), ch.Number)
		}
		chapters = []course.Chapter{ch}
	}
	if err := requireCluster(cmd.Context()); err != nil {
		return err
	}
	ctx := cmd.Context()
	problems := []error{committedStarters(&course.Course{Root: c.Root, Chapters: chapters})}
	for _, ch := range chapters {
		problems = append(problems,
			runner.VerifyStarter(ctx, ch, opts),
			runner.VerifySolution(ctx, ch, runs, opts),
			runner.VerifySteps(ctx, ch, opts))
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if err := errors.Join(problems...); err != nil {
		return errors.Join(requireCluster(ctx), err)
	}
	a.out.line("starter, solution and checks fit together")
	return nil
}

// committedStarters reports, as an error, each file of a chapter's folder that is
// not the starter.
func committedStarters(c *course.Course) error {
	files, err := starter.WriteStarters(c, starter.Options{Check: true})
	if err != nil {
		return err
	}
	var problems []error
	for _, f := range files {
		if f.State != starter.Same {
			problems = append(problems, fmt.Errorf("%s is not the starter that its solution gives (%s); run go generate ./... first", f.Name,
				f.State))
		}
	}
	return errors.Join(problems...)
}
