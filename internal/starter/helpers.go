package starter

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/gosource"
)

// helpers are the declarations of a solution that only the bodies of its steps
// need: unexported, reached from such a body, and used by nothing that a starter
// keeps. What the task of a step names is kept: the learner is told to use it.
type helpers struct {
	decls []*helper
	byRef map[string][]*helper
}

// helper is one declaration at the top level of a file.
type helper struct {
	source *gosource.Source
	decl   ast.Decl
	// refs are the names that its text uses, without the body of a step.
	refs map[string]bool
	// reached is set when the body of a step needs it, kept when a starter does.
	reached, kept bool
}

// findHelpers looks at all the files of one package.
func findHelpers(files []*gosource.Source) (*helpers, error) {
	h := &helpers{byRef: map[string][]*helper{}}
	bodies, tasks := map[string]bool{}, map[string]bool{}
	for _, s := range files {
		steps, err := course.StepFuncs(s)
		if err != nil {
			return nil, err
		}
		isStep := map[ast.Decl]bool{}
		for _, step := range steps {
			isStep[step.Decl] = true
			merge(bodies, references(s, step.Decl.Body))
			merge(tasks, codeNames(step.Decl.Doc.Text()))
		}
		for _, decl := range s.File.Decls {
			h.add(s, decl, isStep[decl])
		}
	}
	h.reach(bodies)
	for _, d := range h.decls {
		if !d.reached {
			h.mark(d)
		}
	}
	h.keep(tasks)
	return h, nil
}

// add files a declaration under the names by which others refer to it.
func (h *helpers) add(s *gosource.Source, decl ast.Decl, step bool) {
	names := gosource.DeclaredNames(decl)
	if len(names) == 0 {
		return
	}
	d := &helper{source: s, decl: decl, refs: references(s, decl)}
	if fn, ok := decl.(*ast.FuncDecl); ok && step {
		d.refs = references(s, fn.Type)
		if fn.Recv != nil {
			merge(d.refs, references(s, fn.Recv))
		}
	}
	h.decls = append(h.decls, d)
	for _, name := range names {
		h.byRef[refOf(decl, name)] = append(h.byRef[refOf(decl, name)], d)
	}
}

// refOf is how references call the declaration: a method by a dot and its name.
func refOf(decl ast.Decl, name *ast.Ident) string {
	if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv != nil {
		return "." + name.Name
	}
	return name.Name
}

// reach marks what the names lead to, as far as it is unexported.
func (h *helpers) reach(names map[string]bool) {
	for name := range names {
		for _, d := range h.byRef[name] {
			if !d.reached && droppable(d.decl) {
				d.reached = true
				h.reach(d.refs)
				h.reach(h.methods(d))
			}
		}
	}
}

// methods are the references to the methods of a type that is left out whole.
func (h *helpers) methods(d *helper) map[string]bool {
	refs := map[string]bool{}
	for _, name := range gosource.DeclaredNames(d.decl) {
		for _, m := range h.decls {
			if fn, ok := m.decl.(*ast.FuncDecl); ok && fn.Recv != nil && gosource.ReceiverName(fn.Recv.List[0].Type) == name.Name {
				refs["."+fn.Name.Name] = true
			}
		}
	}
	return refs
}

// keep has what the names lead to stay in a starter.
func (h *helpers) keep(names map[string]bool) {
	for name := range names {
		for _, d := range h.byRef[strings.TrimPrefix(name, ".")] {
			h.mark(d)
		}
		for _, d := range h.byRef["."+strings.TrimPrefix(name, ".")] {
			h.mark(d)
		}
	}
}

// mark keeps d and all that it uses.
func (h *helpers) mark(d *helper) {
	if d.kept {
		return
	}
	d.kept = true
	for name := range d.refs {
		for _, used := range h.byRef[name] {
			h.mark(used)
		}
	}
}

// drops takes the helpers out of s that no starter needs.
func (h *helpers) drops(s *gosource.Source) []gosource.Edit {
	var edits []gosource.Edit
	for _, d := range h.decls {
		if d.source != s || d.kept {
			continue
		}
		start := s.Offset(d.decl.Pos())
		if group, _ := gosource.DocOf(d.decl); group != nil {
			start = s.Offset(group.Pos())
		}
		start, end := gosource.WholeLines(s.Text, start, s.Offset(d.decl.End()))
		edits = append(edits, gosource.Edit{Start: start, End: end})
	}
	return edits
}

// droppable reports whether a starter can do without decl: all that it declares
// is unexported. A method of an unexported type may be exported.
func droppable(decl ast.Decl) bool {
	if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv != nil {
		return !ast.IsExported(gosource.ReceiverName(fn.Recv.List[0].Type)) || !fn.Name.IsExported()
	}
	for _, name := range gosource.DeclaredNames(decl) {
		if name.IsExported() || name.Name == "main" || name.Name == "init" || name.Name == "_" {
			return false
		}
	}
	return true
}

// references are the names in node that may stand for a declaration at the top
// level: name for one that no local variable stands behind, .name for a method or field.
func references(s *gosource.Source, node ast.Node) map[string]bool {
	refs := map[string]bool{}
	ast.Inspect(node, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.SelectorExpr:
			refs["."+x.Sel.Name] = true
			merge(refs, references(s, x.X))
			return false
		case *ast.Ident:
			if x.Obj == nil || s.File.Scope.Lookup(x.Name) == x.Obj {
				refs[x.Name] = true
			}
		}
		return true
	})
	return refs
}

// codeName matches an identifier in prose: one with a capital inside, after a
// dot, or before a parenthesis.
var codeName = regexp.MustCompile(`([\pL_][\pL\pN_]*)\(|\.([\pL_][\pL\pN_]*)|([\pL_]*\p{Ll}\p{Lu}[\pL\pN_]*)`)

// codeNames are the identifiers in the text of a task.
func codeNames(text string) map[string]bool {
	found := map[string]bool{}
	for _, match := range codeName.FindAllStringSubmatch(text, -1) {
		for _, name := range match[1:] {
			found[name] = true
		}
	}
	return found
}

// namesInTests are the names that the tests in dir use.
func namesInTests(dir string) (map[string]bool, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return nil, fmt.Errorf("find the tests of %s: %w", dir, err)
	}
	used := map[string]bool{}
	for _, file := range files {
		if !course.IsCourseTest(filepath.Base(file)) {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read a test: %w", err)
		}
		s, err := gosource.Parse(filepath.Base(file), text)
		if err != nil {
			return nil, err
		}
		merge(used, references(s, s.File))
	}
	return used, nil
}

func merge(to, from map[string]bool) {
	for name := range from {
		to[name] = true
	}
}
