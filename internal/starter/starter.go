// Package starter makes the starters, which learners edit, from the solutions.
package starter

import (
	"fmt"
	"go/format"
	"path/filepath"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/gosource"
)

// Starters returns the starters of a chapter's files by name: every step's body
// becomes panic(todo.Step(N)), the helpers that only such bodies need are left out,
// and imports are mended. All else stays as it is. The result is formatted by
// gofmt, and the starter of a starter is itself.
func Starters(ch course.Chapter) (map[string][]byte, error) {
	files, err := gosource.ReadFolder(ch.SolutionDir, "solutions/"+ch.ID)
	if err != nil {
		return nil, err
	}
	b, err := newStubber(files)
	if err != nil {
		return nil, err
	}
	used, err := namesInTests(ch.Dir)
	if err != nil {
		return nil, err
	}
	b.keep(used)
	return b.stubs(files, nil)
}

// WithoutStep returns the solution's files by name with one step's body taken
// out; every other declaration stays.
func WithoutStep(ch course.Chapter, number int) (map[string][]byte, error) {
	files, err := gosource.ReadFolder(ch.SolutionDir, "solutions/"+ch.ID)
	if err != nil {
		return nil, err
	}
	return (&stubber{}).stubs(files, func(n int) bool { return n == number })
}

// stubber takes step bodies, and the helpers that only they need, out of the
// files of one package.
type stubber struct {
	// helpers are those to leave out, nil for none.
	helpers *helpers
}

// newStubber works on all the files of a package.
func newStubber(files []*gosource.Source) (*stubber, error) {
	helpers, err := findHelpers(files)
	if err != nil {
		return nil, err
	}
	return &stubber{helpers: helpers}, nil
}

// keep has helpers of these names stay, since something else uses them.
func (b *stubber) keep(names map[string]bool) { b.helpers.keep(names) }

// stubs is stub for several files, by their base names.
func (b *stubber) stubs(files []*gosource.Source, only func(step int) bool) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, s := range files {
		text, err := b.stub(s, only)
		if err != nil {
			return nil, err
		}
		out[filepath.Base(s.Name)] = text
	}
	return out, nil
}

// stub takes the bodies of the steps that only accepts out of s, all when it is nil.
func (b *stubber) stub(s *gosource.Source, only func(step int) bool) ([]byte, error) {
	steps, err := course.StepFuncs(s)
	if err != nil {
		return nil, err
	}
	todo := gosource.ImportedAs(s, course.Module+"/internal/todo")
	name := todo
	if name == "" {
		name = "todo"
	}
	var edits []gosource.Edit
	for _, step := range steps {
		if only != nil && !only(step.Number) {
			continue
		}
		body := fmt.Sprintf("\n\tpanic(%s.Step(%d))\n", name, step.Number)
		edits = append(edits, gosource.Edit{Start: s.Offset(step.Decl.Body.Lbrace) + 1, End: s.Offset(step.Decl.Body.Rbrace), Text: body})
	}
	addTodo := len(edits) > 0 && todo == ""
	if b.helpers != nil {
		edits = append(edits, b.helpers.drops(s)...)
	}
	return finish(s, edits, addTodo)
}

// finish makes the edits, mends the imports and formats the result.
func finish(s *gosource.Source, edits []gosource.Edit, addTodo bool) ([]byte, error) {
	mended, err := gosource.DropUnusedImports(s, gosource.Apply(s.Text, edits))
	if err != nil {
		return nil, err
	}
	if addTodo {
		cut, err := gosource.Parse(s.Name, mended)
		if err != nil {
			return nil, err
		}
		mended = gosource.AddImport(cut, "", course.Module+"/internal/todo")
	}
	out, err := format.Source(mended)
	if err != nil {
		return nil, fmt.Errorf("format the starter of %s: %w", s.Name, err)
	}
	return out, nil
}
