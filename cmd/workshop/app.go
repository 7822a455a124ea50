package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/learner"
)

// app is what the commands share: results go to out, progress and noise to err.
type app struct {
	in  *os.File
	out *screen
	err *screen
}

func newApp(in, out, err *os.File) *app {
	return &app{in: in, out: newScreen(out), err: newScreen(err)}
}

// run runs one command line and returns the exit code.
func (a *app) run(ctx context.Context, args []string) int {
	root := a.rootCommand() //nolint:contextcheck // cobra hands ctx to each command
	root.SetArgs(args)
	root.SetOut(a.out)
	root.SetErr(a.err)
	err := root.ExecuteContext(ctx)
	if err != nil && ctx.Err() != nil {
		a.err.line("interrupted")
		return exitInterrupted
	}
	if text := message(err); text != "" {
		a.err.line("%s %s", a.err.bad("error:"), text)
	}
	return exitCode(err)
}

// openCourse opens the course that the working directory lies in. Its own list
// of chapters counts, so that a copy of the workshop may have others.
func openCourse() (*course.Course, error) {
	root, err := cluster.Root()
	if err != nil {
		return nil, err
	}
	list, err := os.ReadFile(filepath.Join(root, "internal", "course", "course.yaml"))
	if errors.Is(err, os.ErrNotExist) {
		return course.Open(root)
	}
	if err != nil {
		return nil, fmt.Errorf("read the list of chapters: %w", err)
	}
	return course.OpenList(root, string(list))
}

func openStore() (*learner.Store, error) {
	dir, err := cluster.StateDir()
	if err != nil {
		return nil, err
	}
	return learner.Open(dir), nil
}

// workshop is the course together with what one learner has of it.
type workshop struct {
	*course.Course
	store    *learner.Store
	progress learner.Progress
}

// open opens the course and reads the progress. A damaged progress file is a
// warning.
func (a *app) open(ctx context.Context) (*workshop, error) {
	c, err := openCourse()
	if err != nil {
		return nil, err
	}
	store, err := openStore()
	if err != nil {
		return nil, err
	}
	p, err := store.Progress(ctx)
	if err := a.warnOfDamage(err); err != nil {
		return nil, err
	}
	return &workshop{Course: c, store: store, progress: p}, nil
}

// warnOfDamage turns a damaged progress file into a warning.
func (a *app) warnOfDamage(err error) error {
	var damaged *learner.CorruptError
	if errors.As(err, &damaged) {
		a.err.line("%s %v", a.err.warn("warning:"), damaged)
		return nil
	}
	return err
}

// find is course.Find with its error marked as wrong use.
func (w *workshop) find(ref string) (course.Chapter, *course.Step, error) {
	ch, step, err := w.Find(ref)
	if err != nil {
		return ch, step, &exitError{code: exitUsage, err: err}
	}
	return ch, step, nil
}

// openAt is open for commands that want a chapter or a step.
func (a *app) openAt(ctx context.Context, ref string) (*workshop, course.Chapter, *course.Step, error) {
	w, err := a.open(ctx)
	if err != nil {
		return nil, course.Chapter{}, nil, err
	}
	ch, step, err := w.find(ref)
	return w, ch, step, err
}

// findStep is find for commands that want a step.
func (w *workshop) findStep(cmd *cobra.Command, ref string) (course.Chapter, *course.Step, error) {
	ch, step, err := w.find(ref)
	if err == nil && step == nil {
		err = usageError("%s wants a step, for example %s.1; the steps of %s are:\n%s", cmd.Name(), ch.Number, ch.ID, stepList(ch))
	}
	return ch, step, err
}

func stepList(ch course.Chapter) string {
	text := ""
	for i, s := range ch.Steps {
		if i > 0 {
			text += "\n"
		}
		text += fmt.Sprintf("  %s  %s", stepRef(ch, s), s.Name)
	}
	return text
}

// stepRef is how a step is named on the command line, for example 01.3.
func stepRef(ch course.Chapter, s course.Step) string {
	return fmt.Sprintf("%s.%d", ch.Number, s.Number)
}

// place is the step's file and line, as an editor takes them.
func place(s course.Step) string {
	if s.Line == 0 {
		return s.File
	}
	return fmt.Sprintf("%s:%d", s.File, s.Line)
}
