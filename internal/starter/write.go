package starter

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"github.com/natefinch/atomic"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/gosource"
)

// State is how a chapter's file stands to the starter that its solution gives.
type State string

const (
	// Same means that the file is the starter.
	Same State = "same"
	// Differs means that the file is not the starter. Diff says how.
	Differs State = "differs"
	// Missing means that there is no such file.
	Missing State = "missing"
	// Extra means that the chapter has a Go file that its solution does not have.
	Extra State = "extra"
	// Written means that the file was not the starter and now is.
	Written State = "written"
)

// File is one file of a chapter.
type File struct {
	// Name is the file's path below the course's root, with slashes.
	Name  string
	State State
	// Diff leads from the file as it is to the starter, in unified form.
	Diff string
}

// Options say what WriteStarters does.
type Options struct {
	// Check has it write nothing.
	Check bool
	// Force has it overwrite files with work in them too.
	Force bool
}

// WorkError says that WriteStarters wrote nothing, because these files hold
// work that would be lost.
type WorkError struct {
	// Files are below the course's root, with slashes.
	Files []string
}

func (e *WorkError) Error() string {
	return fmt.Sprintf("nothing was written: %s would be replaced by a starter, and a step in there is written; "+
		"keep your work, or replace it with --force (a copy goes to .workshop/overwritten)", strings.Join(e.Files, ", "))
}

// WriteStarters brings every chapter's files up to the starters of their
// solutions, and returns how each stands. Nothing is lost by it: when a step in a
// file is written, the error is a *WorkError and no file is written at all, unless
// opts.Force is set; and of each file that is overwritten a copy goes to
// .workshop/overwritten.
func WriteStarters(c *course.Course, opts Options) ([]File, error) {
	var plans []starterPlan
	for _, ch := range c.Chapters {
		more, err := planStarters(ch)
		if err != nil {
			return nil, err
		}
		plans = append(plans, more...)
	}
	if !opts.Check {
		if err := writeStarters(c, plans, opts.Force); err != nil {
			return nil, err
		}
	}
	var files []File
	for _, p := range plans {
		files = append(files, p.File)
	}
	return files, nil
}

// starterPlan is a file with what it holds and what it shall hold.
type starterPlan struct {
	File
	path     string
	now, new []byte
}

// planStarters compares a chapter's files with its starters.
func planStarters(ch course.Chapter) ([]starterPlan, error) {
	starters, err := Starters(ch)
	if err != nil {
		return nil, err
	}
	present, err := gosource.GoFiles(ch.Dir)
	if err != nil {
		return nil, fmt.Errorf("read chapter %s: %w", ch.ID, err)
	}
	names := slices.Clone(present)
	for name := range starters {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var plans []starterPlan
	for _, name := range names {
		p, err := planStarter(ch, name, starters[name])
		if err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	return plans, nil
}

// planStarter compares one file with its starter, nil for none.
func planStarter(ch course.Chapter, name string, starter []byte) (starterPlan, error) {
	p := starterPlan{path: filepath.Join(ch.Dir, name), new: starter}
	p.Name = path.Join(ch.ID, name)
	now, err := os.ReadFile(p.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return p, fmt.Errorf("read %s: %w", p.Name, err)
	}
	p.now = now
	switch {
	case starter == nil:
		p.State = Extra
		return p, nil
	case now == nil:
		p.State = Missing
	case bytes.Equal(unixLines(now), starter):
		p.State = Same
		return p, nil
	default:
		p.State = Differs
	}
	p.Diff = udiff.Unified(p.Name, p.Name+" (generated)", string(unixLines(now)), string(starter))
	return p, nil
}

// unixLines undoes what git on Windows may do to line ends.
func unixLines(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }

// writeStarters writes the files that are not their starters, all or none.
func writeStarters(c *course.Course, plans []starterPlan, force bool) error {
	var differ []starterPlan
	refused := &WorkError{}
	for _, p := range plans {
		if p.State == Differs {
			differ = append(differ, p)
			if !noStepWritten(p.Name, p.now) {
				refused.Files = append(refused.Files, p.Name)
			}
		}
	}
	if len(refused.Files) > 0 && !force {
		return refused
	}
	if err := keepCopies(c, differ, time.Now()); err != nil {
		return err
	}
	for i := range plans {
		p := &plans[i]
		if p.State == Extra || p.State == Same {
			continue
		}
		if err := writeFile(p.path, p.new); err != nil {
			return fmt.Errorf("write the starter %s: %w", p.Name, err)
		}
		p.State = Written
	}
	return nil
}

// noStepWritten reports whether each step of a file still only panics with todo.Step.
func noStepWritten(name string, text []byte) bool {
	s, err := gosource.Parse(name, text)
	if err != nil {
		return false
	}
	steps, err := course.StepFuncs(s)
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(steps, func(f course.StepFunc) bool { return !isStub(f.Decl.Body) })
}

// isStub reports whether a body is panic(x.Step(N)) alone.
func isStub(body *ast.BlockStmt) bool {
	if len(body.List) != 1 {
		return false
	}
	statement, ok := body.List[0].(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := statement.X.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return false
	}
	if fn, ok := call.Fun.(*ast.Ident); !ok || fn.Name != "panic" {
		return false
	}
	step, ok := call.Args[0].(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := step.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Step"
}

// keepCopies copies files that are about to be overwritten.
func keepCopies(c *course.Course, plans []starterPlan, now time.Time) error {
	for _, p := range plans {
		to := filepath.Join(c.Root, ".workshop", "overwritten", now.UTC().Format("20060102-150405.000"), filepath.FromSlash(p.Name))
		if err := writeFile(to, p.now); err != nil {
			return fmt.Errorf("keep a copy of %s: %w", p.Name, err)
		}
	}
	return nil
}

// writeFile replaces a file as a whole, and makes its folder.
func writeFile(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if err := atomic.WriteFile(name, bytes.NewReader(text)); err != nil {
		return err
	}
	return os.Chmod(name, 0o644)
}
