package learner

import (
	"bytes"
	"fmt"
	"go/ast"
	"strings"
)

// Swapped is a chapter in which one function was exchanged.
type Swapped struct {
	// Files are the chapter's files after the exchange.
	Files Files
	// File is the one that holds the function.
	File string
	// Notes say in words what else had to change, or nothing.
	Notes []string
}

// Swap exchanges the body of one function of the learner's files for the one
// in from, which are a starter's or a solution's files. Everything else in the
// learner's files stays byte for byte, but for what the new body needs: imports
// that come or go, unexported helpers that only from declares, and the
// function's signature where the learner's takes or returns other types. A
// function that the learner deleted is put back at the end of its file.
//
// It fails with a *ParseError when the function may stand in a file that does
// not parse, and when an import's name means another package there.
func Swap(mine, from Files, name string) (Swapped, error) {
	sources, bad := parseAll(from)
	for _, err := range bad {
		return Swapped{}, fmt.Errorf("read the course's own files: %w", err)
	}
	giver, theirs := function(sources, name)
	if theirs == nil {
		return Swapped{}, fmt.Errorf("the course's own files hold no function %s", name)
	}
	own, badOwn := parseAll(mine)
	taker, fn := function(own, key(theirs))
	if fn == nil || key(fn) != key(theirs) {
		for _, broken := range mine.Names() {
			if err := badOwn[broken]; err != nil {
				return Swapped{}, err
			}
		}
		return putBack(mine, own, giver, theirs, sources)
	}
	sw := &swap{mine: own, from: sources, taker: taker, giver: giver, theirs: theirs}
	sw.exchange(fn)
	return sw.finish(mine)
}

// putBack appends a function that the learner's files no longer hold.
func putBack(mine Files, own []*source, giver *source, theirs *ast.FuncDecl, from []*source) (Swapped, error) {
	for _, s := range own {
		if s.name == giver.name {
			sw := &swap{mine: own, from: from, taker: s, giver: giver, theirs: theirs}
			sw.add(giver, theirs)
			sw.note("%s was not in your files; it is at the end of %s", key(theirs), s.name)
			return sw.finish(mine)
		}
	}
	return Swapped{}, fmt.Errorf("your files hold neither %s nor %s", key(theirs), giver.name)
}

// swap is one exchange under way.
type swap struct {
	mine, from []*source
	// taker is the learner's file that changes, giver the one with theirs.
	taker, giver *source
	theirs       *ast.FuncDecl

	edits []edit
	tail  string
	// added are the pieces of from that now stand in taker, by their file.
	added []piece
	notes []string
}

type piece struct {
	in   *source
	node ast.Node
}

func (sw *swap) note(format string, args ...any) {
	sw.notes = append(sw.notes, fmt.Sprintf(format, args...))
}

// exchange replaces the body of fn, and the signature when it must.
func (sw *swap) exchange(fn *ast.FuncDecl) {
	start, begin := fn.Pos(), sw.theirs.Pos()
	var node ast.Node = sw.theirs
	if fn.Body != nil && signature(sw.taker, fn) == signature(sw.giver, sw.theirs) {
		start, begin = fn.Body.Pos(), sw.theirs.Body.Pos()
		node = sw.theirs.Body
	} else {
		sw.note("the line `func %s…` is the course's again: yours differed", key(sw.theirs))
	}
	sw.edits = append(sw.edits, edit{sw.taker.offset(start), sw.taker.offset(fn.End()), sw.giver.span(begin, sw.theirs.End())})
	sw.added = append(sw.added, piece{sw.giver, node})
}

// signature is the function's parameters and results with their names, all
// white space and comments aside.
func signature(s *source, fn *ast.FuncDecl) string {
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
			b.WriteString(" " + strings.Join(strings.Fields(s.span(f.Type.Pos(), f.Type.End())), " ") + ";")
		}
	}
	list("(", fn.Recv)
	list("[", fn.Type.TypeParams)
	list("(", fn.Type.Params)
	list(")", fn.Type.Results)
	return b.String()
}

// add appends a declaration, with its comment, to the end of taker.
func (sw *swap) add(in *source, decl ast.Decl) {
	start := decl.Pos()
	var doc *ast.CommentGroup
	switch d := decl.(type) {
	case *ast.FuncDecl:
		doc = d.Doc
	case *ast.GenDecl:
		doc = d.Doc
	}
	if doc != nil {
		start = doc.Pos()
	}
	sw.tail += "\n" + in.span(start, decl.End()) + "\n"
	sw.added = append(sw.added, piece{in, decl})
}

// addHelpers appends the declarations of from that the added pieces name and
// the learner's files do not have, then those that these name in turn.
func (sw *swap) addHelpers() {
	have := map[string]bool{}
	for _, s := range sw.mine {
		for _, decl := range s.file.Decls {
			for _, k := range keys(decl) {
				have[k] = true
			}
		}
	}
	have[key(sw.theirs)] = true
	for i := 0; i < len(sw.added); i++ {
		named := names(sw.added[i].node)
		for _, s := range sw.from {
			for _, decl := range s.file.Decls {
				if wanted(decl, named, have) {
					sw.add(s, decl)
					sw.note("%s came along, because %s calls it", strings.Join(keys(decl), ", "), key(sw.theirs))
				}
			}
		}
	}
}

// wanted reports whether decl declares one of the names and nothing that is
// there already, and marks it as there.
func wanted(decl ast.Decl, named, have map[string]bool) bool {
	ks := keys(decl)
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
func (sw *swap) finish(mine Files) (Swapped, error) {
	sw.addHelpers()
	if sw.tail != "" {
		end := len(sw.taker.text)
		if !bytes.HasSuffix(sw.taker.text, []byte("\n")) {
			sw.tail = "\n" + sw.tail
		}
		sw.edits = append(sw.edits, edit{end, end, sw.tail})
	}
	text, err := sw.addImports(edited(sw.taker.text, sw.edits...))
	if err != nil {
		return Swapped{}, err
	}
	text, err = dropImports(sw.taker, text)
	if err != nil {
		return Swapped{}, err
	}
	if _, err := parse(sw.taker.name, text); err != nil {
		return Swapped{}, fmt.Errorf("replace %s: the result is not Go: %w", key(sw.theirs), err)
	}
	return Swapped{Files: mine.with(sw.taker.name, text), File: sw.taker.name, Notes: sw.notes}, nil
}
