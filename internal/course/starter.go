package course

import (
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"os"
	"path/filepath"
	"strings"
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
	s, err := parseSource(filename, solutionSrc)
	if err != nil {
		return nil, err
	}
	return newStubber(filepath.Dir(filename), siblings(s)).stub(s, nil, true)
}

// TakeOut returns the file with only the bodies of the given steps replaced, as
// Starter does; every other declaration stays. A step that the file does not
// hold is an error.
func TakeOut(src []byte, filename string, steps ...int) ([]byte, error) {
	s, err := parseSource(filename, src)
	if err != nil {
		return nil, err
	}
	found, err := stepFuncs(s)
	if err != nil {
		return nil, err
	}
	wanted := map[int]bool{}
	for _, n := range steps {
		wanted[n] = true
	}
	for _, f := range found {
		delete(wanted, f.number)
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

// Starters returns the starter of each of the chapter's files by name.
func (ch Chapter) Starters() (map[string][]byte, error) {
	return ch.stubs(nil, true)
}

// stubs returns the solution's files by name with the bodies of the steps that
// only accepts taken out, all when it is nil.
func (ch Chapter) stubs(only func(step int) bool, dropMarked bool) (map[string][]byte, error) {
	files, err := readFolder(ch.SolutionDir, "solutions/"+ch.ID)
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
		out[filepath.Base(s.name)] = text
	}
	return out, nil
}

// siblings returns s with the other files of its folder that parse; a file that
// does not has no type to offer, and Go will say so itself.
func siblings(s *source) []*source {
	files := []*source{s}
	dir := filepath.Dir(s.name)
	names, err := goFiles(dir)
	if err != nil {
		return files
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		if name == filepath.Base(s.name) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		if other, err := parseSource(path, text); err == nil {
			files = append(files, other)
		}
	}
	return files
}

// stubber takes step bodies out of the files of one package.
type stubber struct {
	packages *packages
	local    *goPackage
}

// newStubber works on files, whose imports are looked up from dir.
func newStubber(dir string, files []*source) *stubber {
	local := &goPackage{}
	for _, s := range files {
		local.files = append(local.files, s.file)
	}
	return &stubber{packages: newPackages(dir), local: local}
}

// stub takes the bodies of the steps that only accepts out of s, all when it is nil.
func (b *stubber) stub(s *source, only func(step int) bool, dropMarked bool) ([]byte, error) {
	steps, err := stepFuncs(s)
	if err != nil {
		return nil, err
	}
	todo := importedAs(s, Module+"/internal/todo")
	name := todo
	if name == "" {
		name = "todo"
	}
	var edits []edit
	for _, step := range steps {
		if only != nil && !only(step.number) {
			continue
		}
		body, err := b.body(s, step, name)
		if err != nil {
			return nil, fmt.Errorf("%s: step %d, %s: %w", s.at(step.decl.Pos()), step.number, step.decl.Name.Name, err)
		}
		edits = append(edits, edit{s.offset(step.decl.Body.Lbrace) + 1, s.offset(step.decl.Body.Rbrace), body})
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
func (b *stubber) finish(s *source, edits []edit, addTodo bool) ([]byte, error) {
	cut, err := parseSource(s.name, applyEdits(s.text, edits))
	if err != nil {
		return nil, err
	}
	unused, err := b.packages.unusedImports(s, cut)
	if err != nil {
		return nil, err
	}
	mended := dropImports(cut, unused)
	if addTodo {
		mended, err = addImport(s.name, mended, Module+"/internal/todo")
		if err != nil {
			return nil, err
		}
	}
	out, err := format.Source(mended)
	if err != nil {
		return nil, fmt.Errorf("format the starter of %s: %w", s.name, err)
	}
	return out, nil
}

// body is what stands between the braces of a step that is not written.
func (b *stubber) body(s *source, step stepFunc, todo string) (string, error) {
	results := step.decl.Type.Results
	if results == nil || len(results.List) == 0 {
		return "", errors.New("a step's last result must be error; it has no result")
	}
	last := results.List[len(results.List)-1].Type
	if id, ok := last.(*ast.Ident); !ok || id.Name != "error" {
		return "", fmt.Errorf("a step's last result must be error, not %s", s.of(last))
	}
	scope := scope{pkg: b.local, file: s.file, params: typeParams(step.decl)}
	var values []string
	for _, field := range results.List {
		names := field.Names
		if len(names) == 0 {
			names = []*ast.Ident{nil}
		}
		for _, name := range names {
			value, err := b.packages.zero(s, scope, field.Type, name)
			if err != nil {
				return "", err
			}
			values = append(values, value)
		}
	}
	values[len(values)-1] = fmt.Sprintf("%s.Step(%d)", todo, step.number)
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
func dropEdits(s *source) ([]edit, error) {
	marks := map[*ast.Comment]bool{}
	for _, group := range s.file.Comments {
		for _, mark := range solutionMarks(group) {
			marks[mark] = true
		}
	}
	var edits []edit
	for _, decl := range s.file.Decls {
		group, _ := docOf(decl)
		found := solutionMarks(group)
		if len(found) == 0 {
			continue
		}
		if err := droppable(decl); err != nil {
			return nil, fmt.Errorf("%s: %w", s.at(found[0].Pos()), err)
		}
		for _, mark := range found {
			delete(marks, mark)
		}
		start, end := wholeLines(s.text, s.offset(group.Pos()), s.offset(decl.End()))
		edits = append(edits, edit{start: start, end: end})
	}
	for mark := range marks {
		return nil, fmt.Errorf("%s: %s must stand in the comment above a function or another declaration at the top level", s.at(mark.Pos()), solutionDirective)
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
	if group, fn := docOf(decl); fn != nil {
		if number, _, err := stepOf(group); err != nil || number > 0 {
			return fmt.Errorf("%s is a step: %s is for helpers", fn.Name.Name, solutionDirective)
		}
	}
	for _, name := range declaredNames(decl) {
		if ast.IsExported(name.Name) {
			return fmt.Errorf("%s is exported: %s is for unexported helpers", name.Name, solutionDirective)
		}
	}
	return nil
}

// declaredNames are the names that decl gives to the package, of a method its own name.
func declaredNames(decl ast.Decl) []*ast.Ident {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		return []*ast.Ident{d.Name}
	case *ast.GenDecl:
		var names []*ast.Ident
		for _, spec := range d.Specs {
			names = append(names, specNames(spec)...)
		}
		return names
	}
	return nil
}

func specNames(spec ast.Spec) []*ast.Ident {
	switch sp := spec.(type) {
	case *ast.TypeSpec:
		return []*ast.Ident{sp.Name}
	case *ast.ValueSpec:
		return sp.Names
	}
	return nil
}
