// Package starter makes the starters, which learners edit, from the solutions.
package starter

import (
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"os"
	"path/filepath"
	"strings"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/gosource"
)

// solutionDirective marks an unexported declaration that only step bodies use,
// so that the starter leaves it out.
const solutionDirective = "//workshop:solution"

// Starter returns the starter of a solution's file: every step's body becomes
// one return of zero values and todo.Step(N), declarations marked with the
// comment //workshop:solution are left out, and imports are mended. All else
// stays as it is. The result is formatted by gofmt, and the starter of a
// starter is itself.
//
// The other files in filename's folder, if there are any, are read for the
// types that they declare, and so is the source of imported types, where the
// zero value depends on it. It fails when a step's last result is no error.
func Starter(solutionSrc []byte, filename string) ([]byte, error) {
	s, err := gosource.Parse(filename, solutionSrc)
	if err != nil {
		return nil, err
	}
	return newStubber(filepath.Dir(filename), siblings(s)).stub(s, nil, true)
}

// TakeOut returns the file with only the bodies of the given steps replaced, as
// Starter does; every other declaration stays. A step that the file does not
// hold is an error.
func TakeOut(src []byte, filename string, steps ...int) ([]byte, error) {
	s, err := gosource.Parse(filename, src)
	if err != nil {
		return nil, err
	}
	found, err := course.StepFuncs(s)
	if err != nil {
		return nil, err
	}
	wanted := map[int]bool{}
	for _, n := range steps {
		wanted[n] = true
	}
	for _, f := range found {
		delete(wanted, f.Number)
	}
	for n := range wanted {
		return nil, fmt.Errorf("%s does not hold step %d", filename, n)
	}
	only := func(n int) bool {
		for _, step := range steps {
			if n == step {
				return true
			}
		}
		return false
	}
	return newStubber(filepath.Dir(filename), siblings(s)).stub(s, only, false)
}

// Starters returns the starter of each of a chapter's files by name.
func Starters(ch course.Chapter) (map[string][]byte, error) {
	return stubs(ch, nil, true)
}

// WithoutStep returns the solution's files by name with one step's body taken
// out; every other declaration stays.
func WithoutStep(ch course.Chapter, number int) (map[string][]byte, error) {
	return stubs(ch, func(n int) bool { return n == number }, false)
}

// stubs returns the solution's files by name with the bodies of the steps that
// only accepts taken out, all when it is nil.
func stubs(ch course.Chapter, only func(step int) bool, dropMarked bool) (map[string][]byte, error) {
	files, err := gosource.ReadFolder(ch.SolutionDir, "solutions/"+ch.ID)
	if err != nil {
		return nil, err
	}
	stubber := newStubber(ch.SolutionDir, files)
	out := map[string][]byte{}
	for _, s := range files {
		text, err := stubber.stub(s, only, dropMarked)
		if err != nil {
			return nil, err
		}
		out[filepath.Base(s.Name)] = text
	}
	return out, nil
}

// siblings returns s with the other files of its folder that parse; a file that
// does not has no type to offer, and Go will say so itself.
func siblings(s *gosource.Source) []*gosource.Source {
	files := []*gosource.Source{s}
	dir := filepath.Dir(s.Name)
	names, err := gosource.GoFiles(dir)
	if err != nil {
		return files
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		if name == filepath.Base(s.Name) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		if other, err := gosource.Parse(path, text); err == nil {
			files = append(files, other)
		}
	}
	return files
}

// stubber takes step bodies out of the files of one package.
type stubber struct {
	packages *gosource.Packages
	local    *gosource.Package
}

// newStubber works on files, whose imports are looked up from dir.
func newStubber(dir string, files []*gosource.Source) *stubber {
	local := &gosource.Package{}
	for _, s := range files {
		local.Files = append(local.Files, s.File)
	}
	return &stubber{packages: gosource.NewPackages(dir), local: local}
}

// stub takes the bodies of the steps that only accepts out of s, all when it is nil.
func (b *stubber) stub(s *gosource.Source, only func(step int) bool, dropMarked bool) ([]byte, error) {
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
		body, err := b.body(s, step, name)
		if err != nil {
			return nil, fmt.Errorf("%s: step %d, %s: %w", s.At(step.Decl.Pos()), step.Number, step.Decl.Name.Name, err)
		}
		edits = append(edits, gosource.Edit{Start: s.Offset(step.Decl.Body.Lbrace) + 1, End: s.Offset(step.Decl.Body.Rbrace), Text: body})
	}
	addTodo := len(edits) > 0 && todo == ""
	if dropMarked {
		drops, err := dropEdits(s)
		if err != nil {
			return nil, err
		}
		edits = append(edits, drops...)
	}
	return b.finish(s, edits, addTodo)
}

// finish makes the edits, mends the imports and formats the result.
func (b *stubber) finish(s *gosource.Source, edits []gosource.Edit, addTodo bool) ([]byte, error) {
	cut, err := gosource.Parse(s.Name, gosource.Apply(s.Text, edits))
	if err != nil {
		return nil, err
	}
	unused, err := b.packages.UnusedImports(s, cut)
	if err != nil {
		return nil, err
	}
	mended := gosource.DropImports(cut, unused)
	if addTodo {
		mended, err = gosource.AddImport(s.Name, mended, course.Module+"/internal/todo")
		if err != nil {
			return nil, err
		}
	}
	out, err := format.Source(mended)
	if err != nil {
		return nil, fmt.Errorf("format the starter of %s: %w", s.Name, err)
	}
	return out, nil
}

// body is what stands between the braces of a step that is not written.
func (b *stubber) body(s *gosource.Source, step course.StepFunc, todo string) (string, error) {
	results := step.Decl.Type.Results
	if results == nil || len(results.List) == 0 {
		return "", errors.New("a step's last result must be error; it has no result")
	}
	last := results.List[len(results.List)-1].Type
	if id, ok := last.(*ast.Ident); !ok || id.Name != "error" {
		return "", fmt.Errorf("a step's last result must be error, not %s", s.Of(last))
	}
	scope := scope{pkg: b.local, file: s.File, params: typeParams(step.Decl)}
	var values []string
	for _, field := range results.List {
		names := field.Names
		if len(names) == 0 {
			names = []*ast.Ident{nil}
		}
		for _, name := range names {
			value, err := zeros{b.packages}.zero(s, scope, field.Type, name)
			if err != nil {
				return "", err
			}
			values = append(values, value)
		}
	}
	values[len(values)-1] = fmt.Sprintf("%s.Step(%d)", todo, step.Number)
	return "\n\treturn " + strings.Join(values, ", ") + "\n", nil
}

// typeParams are the names of the type parameters of a function and its receiver.
func typeParams(fn *ast.FuncDecl) map[string]bool {
	names := map[string]bool{}
	if fn.Type.TypeParams != nil {
		for _, field := range fn.Type.TypeParams.List {
			for _, name := range field.Names {
				names[name.Name] = true
			}
		}
	}
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return names
	}
	receiver := fn.Recv.List[0].Type
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver = star.X
	}
	var indices []ast.Expr
	switch x := receiver.(type) {
	case *ast.IndexExpr:
		indices = []ast.Expr{x.Index}
	case *ast.IndexListExpr:
		indices = x.Indices
	}
	for _, index := range indices {
		if id, ok := index.(*ast.Ident); ok {
			names[id.Name] = true
		}
	}
	return names
}

// dropEdits removes the marked declarations. A mark that stands anywhere else
// than above an unexported declaration is an error, so that none is without effect.
func dropEdits(s *gosource.Source) ([]gosource.Edit, error) {
	marks := map[*ast.Comment]bool{}
	for _, group := range s.File.Comments {
		for _, mark := range solutionMarks(group) {
			marks[mark] = true
		}
	}
	var edits []gosource.Edit
	for _, decl := range s.File.Decls {
		group, _ := gosource.DocOf(decl)
		found := solutionMarks(group)
		if len(found) == 0 {
			continue
		}
		if err := droppable(decl); err != nil {
			return nil, fmt.Errorf("%s: %w", s.At(found[0].Pos()), err)
		}
		for _, mark := range found {
			delete(marks, mark)
		}
		start, end := gosource.WholeLines(s.Text, s.Offset(group.Pos()), s.Offset(decl.End()))
		edits = append(edits, gosource.Edit{Start: start, End: end})
	}
	for mark := range marks {
		return nil, fmt.Errorf("%s: %s must stand in the comment above a function or another declaration at the top level", s.At(mark.Pos()), solutionDirective)
	}
	return edits, nil
}

func solutionMarks(group *ast.CommentGroup) []*ast.Comment {
	if group == nil {
		return nil
	}
	var marks []*ast.Comment
	for _, comment := range group.List {
		if comment.Text == solutionDirective || strings.HasPrefix(comment.Text, solutionDirective+" ") {
			marks = append(marks, comment)
		}
	}
	return marks
}

// droppable reports why a starter cannot leave decl out.
func droppable(decl ast.Decl) error {
	if group, fn := gosource.DocOf(decl); fn != nil {
		if number, _, err := course.StepOf(group); err != nil || number > 0 {
			return fmt.Errorf("%s is a step: %s is for helpers", fn.Name.Name, solutionDirective)
		}
	}
	for _, name := range gosource.DeclaredNames(decl) {
		if ast.IsExported(name.Name) {
			return fmt.Errorf("%s is exported: %s is for unexported helpers", name.Name, solutionDirective)
		}
	}
	return nil
}
