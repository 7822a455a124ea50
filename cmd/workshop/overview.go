package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/learner"
	"example.com/client-go-workshop/internal/stepresult"
)

// overview is where a learner is.
type overview struct {
	Cluster  cluster.Status    `json:"cluster"`
	Done     int               `json:"done"`
	Total    int               `json:"total"`
	Chapters []chapterOverview `json:"chapters"`
	// Next is absent when every step that can be judged on the cluster is done.
	Next *stepOverview `json:"next,omitempty"`
	// Command is what to type next.
	Command string `json:"command"`
}

type chapterOverview struct {
	ID     string         `json:"id"`
	Number string         `json:"number"`
	Title  string         `json:"title"`
	About  string         `json:"about"`
	Done   int            `json:"done"`
	Total  int            `json:"total"`
	Steps  []stepOverview `json:"steps"`
}

type stepOverview struct {
	// Ref names the step on the command line, for example 01.3.
	Ref     string `json:"ref"`
	Chapter string `json:"chapter"`
	Step    int    `json:"step"`
	Name    string `json:"name"`
	Title   string `json:"title"`
	// State is the last verdict: done, not yet, not written, not here, or not checked.
	State string `json:"state"`
	// PassedBefore is set when the step passed once and does not pass now.
	PassedBefore bool   `json:"passedBefore"`
	HintsShown   int    `json:"hintsShown"`
	File         string `json:"file"`
	// Line is 0 when the function is not in the learner's files.
	Line int `json:"line"`
	// Problem says why the function cannot be found, of the next step only.
	Problem string `json:"problem,omitempty"`
}

const notChecked = "not checked"

// addOverview makes the bare command say where the learner is.
func (a *app) addOverview(root *cobra.Command) {
	out := outputFlag(root)
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		w, err := a.open(cmd.Context())
		if err != nil {
			return err
		}
		o, err := w.overview(cmd.Context())
		if err != nil {
			return err
		}
		if *out == formatJSON {
			return a.out.json(o)
		}
		a.printOverview(o)
		return nil
	}
}

func (w *workshop) overview(ctx context.Context) (overview, error) {
	status, err := clusterInUse(ctx)
	if err != nil {
		return overview{}, err
	}
	o := overview{Cluster: status, Chapters: w.chapters()}
	for _, ch := range o.Chapters {
		o.Done += ch.Done
		o.Total += ch.Total
	}
	if o.Next = nextStep(o.Chapters); o.Next != nil && o.Next.Line == 0 {
		o.Next.Problem = w.whyNotThere(*o.Next)
	}
	o.Command = nextCommand(status, o.Next)
	return o, nil
}

// whyNotThere says why a step's function is not found in the learner's files.
func (w *workshop) whyNotThere(s stepOverview) string {
	files, err := learner.ReadFiles(filepath.Join(w.Root, s.Chapter))
	if err != nil {
		return err.Error()
	}
	var parse *learner.ParseError
	if errors.As(learner.Syntax(files), &parse) {
		return "your code does not parse: " + parse.Err.Error()
	}
	return "your files do not hold " + s.Name + "; to put it back: go tool workshop reset " + s.Ref
}

func (w *workshop) chapters() []chapterOverview {
	var all []chapterOverview
	for _, ch := range w.Chapters {
		all = append(all, w.chapter(ch))
	}
	return all
}

func (w *workshop) chapter(ch course.Chapter) chapterOverview {
	o := chapterOverview{ID: ch.ID, Number: ch.Number, Title: ch.Title, About: ch.About, Total: len(ch.Steps)}
	for _, step := range ch.Steps {
		s := w.step(ch, step)
		if s.State == string(stepresult.Done) {
			o.Done++
		}
		o.Steps = append(o.Steps, s)
	}
	return o
}

func (w *workshop) step(ch course.Chapter, step course.Step) stepOverview {
	p := w.progress.Step(ch.ID, step.Name)
	s := stepOverview{
		Ref: stepRef(ch, step), Chapter: ch.ID, Step: step.Number, Name: step.Name, Title: step.Title,
		State: string(p.State), PassedBefore: p.Regressed(), HintsShown: p.Hint, File: step.File, Line: step.Line,
	}
	if s.State == "" {
		s.State = notChecked
	}
	return s
}

// nextStep is the first step that is not done and can be judged on the cluster of
// its last check, or nil.
func nextStep(chapters []chapterOverview) *stepOverview {
	for _, ch := range chapters {
		for i := range ch.Steps {
			if s := ch.Steps[i].State; s != string(stepresult.Done) && s != string(stepresult.NotHere) {
				return &ch.Steps[i]
			}
		}
	}
	return nil
}

// nextCommand is what to type in that situation.
func nextCommand(status cluster.Status, next *stepOverview) string {
	switch {
	case status.State != cluster.StateRunning && otherKubeconfig() != "":
		return "unset KUBECONFIG"
	case status.State != cluster.StateRunning:
		return "go tool workshop up"
	case next == nil:
		return "go tool workshop list"
	}
	return "go tool workshop check " + next.Ref
}

func (a *app) printOverview(o overview) {
	a.out.line("%s\n", a.out.bold("client-go workshop"))
	a.out.line("cluster   %s", a.describe(o.Cluster))
	if o.Cluster.Detail != "" {
		a.out.line("%s", indent(o.Cluster.Detail, 10))
	}
	a.out.line("progress  %d of %d steps done\n", o.Done, o.Total)
	width := titleWidth
	for _, ch := range o.Chapters {
		width = max(width, len(ch.Title))
	}
	for _, ch := range o.Chapters {
		a.out.line("%s", a.chapterLine(ch, width, o.Next != nil && o.Next.Chapter == ch.ID))
	}
	a.out.line("")
	a.printNext(o)
}

// titleWidth is the least width of the chapters' titles; a longer one widens
// the column.
const titleWidth = 28

// chapterLine is a chapter with its progress bar.
func (a *app) chapterLine(ch chapterOverview, width int, here bool) string {
	mark := ""
	switch {
	case here:
		mark = "  <- you are here"
	case ch.Done == ch.Total:
		mark = "  " + a.out.good("done")
	}
	return fmt.Sprintf("  %s  %-*s %s %2d of %d%s", ch.Number, width, ch.Title, a.out.bar(ch.Done, ch.Total), ch.Done, ch.Total, mark)
}

func (a *app) printNext(o overview) {
	if o.Next == nil {
		if o.Done < o.Total {
			a.out.line("Every step that your cluster can judge is done. For the other %d take one of your own:", o.Total-o.Done)
			a.out.line("type      %s", a.out.command("go tool workshop up --provider embedded"))
			return
		}
		a.out.line("Every step is done. Well done!")
		a.out.line("type      %s", a.out.command(o.Command))
		return
	}
	n := *o.Next
	a.out.line("next      %s %s: %s", a.out.bold(n.Ref), a.out.bold(n.Name), n.Title)
	if note := stateNote(n); note != "" {
		a.out.line("          %s", note)
	}
	a.out.line("edit      %s", place(course.Step{File: n.File, Line: n.Line}))
	if n.Problem != "" {
		a.out.line("          %s", n.Problem)
	}
	a.out.line("type      %s", a.out.command(o.Command))
}

// stateNote is a step's state in words where it is worth a line.
func stateNote(s stepOverview) string {
	switch {
	case s.PassedBefore:
		return s.State + ": it passed before and does not pass any more"
	case s.State == string(stepresult.NotYet):
		return "not yet: written, and its check fails"
	}
	return ""
}
