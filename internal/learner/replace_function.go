package learner

import (
	"bytes"
	"fmt"
	"go/ast"
	"strings"

	"example.com/client-go-workshop/internal/gosource"
)

// Replaced is a chapter in which one function was replaced.
type Replaced struct {
	// Files are the chapter's files after the exchange.
	Files Files
	// File is the one that holds the function.
	File string
	// Notes say in words what else had to change, or nothing.
	Notes []string
}

// ReplaceFunction exchanges the body of one function of the learner's files for the one
// in from, which are a starter's or a solution's files. Everything else in the
// learner's files stays byte for byte, but for what the new body needs: imports
// that come or go, unexported helpers that only from declares, and the
// function's signature where the learner's takes or returns other types. A
// function that the learner deleted is put back at the end of its file.
//
// It fails with a *ParseError when the function may stand in a file that does
// not parse, and when an import's name means another package there.
func ReplaceFunction(mine, from Files, name string) (Replaced, error) {
	sources, bad := parseAll(from)
	for _, err := range bad {
		return Replaced{}, fmt.Errorf("read the course's own files: %w", err)
	}
	giver, theirs := gosource.Function(sources, name)
	if theirs == nil {
		return Replaced{}, fmt.Errorf("the course's own files hold no function %s", name)
	}
	own, badOwn := parseAll(mine)
	taker, fn := gosource.Function(own, gosource.Key(theirs))
	if fn == nil || gosource.Key(fn) != gosource.Key(theirs) {
		for _, broken := range mine.Names() {
			if err := badOwn[broken]; err != nil {
				return Replaced{}, err
			}
		}
		return putBack(mine, own, giver, theirs, sources)
	}
	r := &replacement{mine: own, from: sources, taker: taker, giver: giver, theirs: theirs}
	r.exchange(fn)
	return r.finish(mine)
}

// putBack appends a function that the learner's files no longer hold.
func putBack(mine Files, own []*gosource.Source, giver *gosource.Source, theirs *ast.FuncDecl, from []*gosource.Source) (Replaced, error) {
	for _, s := range own {
		if s.Name == giver.Name {
			r := &replacement{mine: own, from: from, taker: s, giver: giver, theirs: theirs}
			r.add(giver, theirs)
			r.note("%s was not in your files; it is at the end of %s", gosource.Key(theirs), s.Name)
			return r.finish(mine)
		}
	}
	return Replaced{}, fmt.Errorf("your files hold neither %s nor %s", gosource.Key(theirs), giver.Name)
}

// replacement is one exchange under way.
type replacement struct {
	mine, from []*gosource.Source
	// taker is the learner's file that changes, giver the one with theirs.
	taker, giver *gosource.Source
	theirs       *ast.FuncDecl

	edits []gosource.Edit
	tail  string
	// added are the pieces of from that now stand in taker, by their file.
	added []piece
	notes []string
}

type piece struct {
	in   *gosource.Source
	node ast.Node
}

func (r *replacement) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// exchange replaces the body of fn, and the signature when it must.
func (r *replacement) exchange(fn *ast.FuncDecl) {
	start, begin := fn.Pos(), r.theirs.Pos()
	var node ast.Node = r.theirs
	if fn.Body != nil && signature(r.taker, fn) == signature(r.giver, r.theirs) {
		start, begin = fn.Body.Pos(), r.theirs.Body.Pos()
		node = r.theirs.Body
	} else {
		r.note("the line `func %s…` is the course's again: yours differed", gosource.Key(r.theirs))
	}
	r.edits = append(r.edits, gosource.Edit{
		Start: r.taker.Offset(start), End: r.taker.Offset(fn.End()), Text: r.giver.Span(begin, r.theirs.End()),
	})
	r.added = append(r.added, piece{r.giver, node})
}

// signature is the function's parameters and results with their names, all
// white space and comments aside.
func signature(s *gosource.Source, fn *ast.FuncDecl) string {
	var b strings.Builder
	list := func(open string, fields *ast.FieldList) {
		b.WriteString(open)
		if fields == nil {
			return
		}
		for _, f := range fields.List {
			for _, id := range f.Names {
				b.WriteString(id.Name + ",")
			}
			b.WriteString(" " + strings.Join(strings.Fields(s.Span(f.Type.Pos(), f.Type.End())), " ") + ";")
		}
	}
	list("(", fn.Recv)
	list("[", fn.Type.TypeParams)
	list("(", fn.Type.Params)
	list(")", fn.Type.Results)
	return b.String()
}

// add appends a declaration, with its comment, to the end of taker.
func (r *replacement) add(in *gosource.Source, decl ast.Decl) {
	start := decl.Pos()
	if doc, _ := gosource.DocOf(decl); doc != nil {
		start = doc.Pos()
	}
	r.tail += "\n" + in.Span(start, decl.End()) + "\n"
	r.added = append(r.added, piece{in, decl})
}

// addHelpers appends the declarations of from that the added pieces name and
// the learner's files do not have, then those that these name in turn.
func (r *replacement) addHelpers() {
	have := map[string]bool{}
	for _, s := range r.mine {
		for _, decl := range s.File.Decls {
			for _, k := range gosource.Keys(decl) {
				have[k] = true
			}
		}
	}
	have[gosource.Key(r.theirs)] = true
	for i := 0; i < len(r.added); i++ {
		named := names(r.added[i].node)
		for _, s := range r.from {
			for _, decl := range s.File.Decls {
				if wanted(decl, named, have) {
					r.add(s, decl)
					r.note("%s came along, because %s calls it", strings.Join(gosource.Keys(decl), ", "), gosource.Key(r.theirs))
				}
			}
		}
	}
}

// wanted reports whether decl declares one of the names and nothing that is
// there already, and marks it as there.
func wanted(decl ast.Decl, named, have map[string]bool) bool {
	ks := gosource.Keys(decl)
	found := false
	for _, k := range ks {
		if have[k] || k == "main" || k == "init" || k == "_" {
			return false
		}
		_, method, isMethod := strings.Cut(k, ".")
		found = found || named[k] || isMethod && named[method]
	}
	if found {
		for _, k := range ks {
			have[k] = true
		}
	}
	return found
}

// names are all identifiers within node.
func names(node ast.Node) map[string]bool {
	found := map[string]bool{}
	ast.Inspect(node, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			found[id.Name] = true
		}
		return true
	})
	return found
}

// finish writes the changed file and sees to its imports.
func (r *replacement) finish(mine Files) (Replaced, error) {
	r.addHelpers()
	if r.tail != "" {
		end := len(r.taker.Text)
		if !bytes.HasSuffix(r.taker.Text, []byte("\n")) {
			r.tail = "\n" + r.tail
		}
		r.edits = append(r.edits, gosource.Edit{Start: end, End: end, Text: r.tail})
	}
	text, err := r.addImports(gosource.Apply(r.taker.Text, r.edits))
	if err != nil {
		return Replaced{}, err
	}
	text, err = gosource.DropUnusedImports(r.taker, text)
	if err != nil {
		return Replaced{}, err
	}
	if _, err := parse(r.taker.Name, text); err != nil {
		return Replaced{}, fmt.Errorf("replace %s: the result is not Go: %w", gosource.Key(r.theirs), err)
	}
	return Replaced{Files: mine.with(r.taker.Name, text), File: r.taker.Name, Notes: r.notes}, nil
}

// addImports adds to text, which is taker after the exchange, the imports that
// the added pieces use.
func (r *replacement) addImports(text []byte) ([]byte, error) {
	for _, p := range r.added {
		for name := range gosource.UsedPackages(p.node) {
			spec := gosource.ImportNamed(p.in.File, name)
			if spec == nil {
				continue
			}
			now, err := parse(r.taker.Name, text)
			if err != nil {
				return nil, fmt.Errorf("replace %s: the result is not Go: %w", gosource.Key(r.theirs), err)
			}
			there := gosource.ImportNamed(now.File, name)
			if there != nil && there.Path.Value != spec.Path.Value {
				return nil, fmt.Errorf("%s calls the package %s %q, and the course's %s calls %s so; give your import another name first",
					r.taker.Name, there.Path.Value, name, gosource.Key(r.theirs), spec.Path.Value)
			}
			if there == nil {
				own := ""
				if spec.Name != nil {
					own = spec.Name.Name
				}
				text = gosource.AddImport(now, own, gosource.ImportPath(spec))
			}
		}
	}
	return text, nil
}
