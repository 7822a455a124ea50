package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/learner"
	"example.com/client-go-workshop/internal/stepresult"
)

// changed is the result of a command that replaces the learner's files, in the
// form of -o json.
type changed struct {
	Chapter string `json:"chapter"`
	// Step is the step's function, when it was only about one.
	Step string `json:"step,omitempty"`
	// Changed is false when the files were already so.
	Changed bool `json:"changed"`
	// Backup is the folder with the files as they were.
	Backup string   `json:"backup,omitempty"`
	Notes  []string `json:"notes,omitempty"`
}

// replacement is what a chapter, or one step of it, is to become.
type replacement struct {
	what    string // "reset" or "solution"
	chapter course.Chapter
	step    *course.Step
	from    learner.Files    // the starter's or the solution's files
	state   stepresult.State // of the steps afterwards
}

// filesAfter are the chapter's files as they would be.
func (r replacement) filesAfter() (learner.Files, []string, error) {
	if r.step == nil {
		return r.from, nil, nil
	}
	mine, err := learner.ReadFiles(r.chapter.Dir)
	if err != nil {
		return nil, nil, err
	}
	replaced, err := learner.ReplaceFunction(mine, r.from, r.step.Name)
	var parse *learner.ParseError
	if errors.As(err, &parse) {
		return nil, nil, fmt.Errorf("%w\nmend that line first, or take the whole chapter: go tool workshop %s %s%s",
			err, r.what, r.chapter.Number, applyFlag(r.what))
	}
	return replaced.Files, replaced.Notes, err
}

// changes reports whether there is something to ask about. What cannot be read
// is: replace says what is wrong with it.
func (r replacement) changes() bool {
	files, _, err := r.filesAfter()
	if err != nil {
		return true
	}
	now, err := learner.ReadFiles(r.chapter.Dir)
	return err != nil || !now.Equal(files)
}

func applyFlag(what string) string {
	if what == "solution" {
		return " --apply"
	}
	return ""
}

// replace does it, after a backup.
func (w *workshop) replace(ctx context.Context, r replacement) (changed, error) {
	result := changed{Chapter: r.chapter.ID}
	files, notes, err := r.filesAfter()
	if err != nil {
		return result, err
	}
	change := learner.Change{What: r.what, Chapter: r.chapter.ID, Dir: r.chapter.Dir, To: files, States: map[string]stepresult.State{}}
	for _, s := range r.chapter.Steps {
		change.States[s.Name] = r.state
	}
	if r.step != nil {
		change.Step, result.Step = r.step.Name, r.step.Name
		change.States = map[string]stepresult.State{r.step.Name: r.state}
	}
	b, err := w.store.Apply(ctx, change)
	if errors.Is(err, learner.ErrUnchanged) {
		return result, nil
	}
	result.Changed, result.Backup, result.Notes = err == nil, shortPath(b.Path), notes
	return result, err
}

// printChanged says what was done and where the old files are.
func (a *app) printChanged(c changed, did string) {
	if !c.Changed {
		a.out.line("nothing to do: your files are already so")
		return
	}
	a.out.line("%s", did)
	for _, note := range c.Notes {
		a.out.line("  %s", note)
	}
	a.out.line("your files as they were: %s", c.Backup)
	a.out.line("to go back: %s", a.out.command("go tool workshop undo"))
}

// shortPath is a path below the repository's top where it is one.
func shortPath(path string) string {
	root, err := cluster.Root()
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return path
	}
	return rel
}
