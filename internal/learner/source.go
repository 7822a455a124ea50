package learner

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
)

// source is one parsed Go file; offsets are into text.
type source struct {
	name string
	text []byte
	fset *token.FileSet
	file *ast.File
}

// ParseError says that one of the learner's files is not Go, so that no single
// function in it can be replaced.
type ParseError struct {
	// File is the path below the chapter's directory.
	File string
	// Err names the line and says what Go expects there.
	Err error
}

func (e *ParseError) Error() string {
	return fmt.Sprintf("%s does not parse, so one function in it cannot be replaced: %v", e.File, e.Err)
}

func (e *ParseError) Unwrap() error { return e.Err }

// parse resolves identifiers within the file, which tells a package from a
// variable of the same name.
func parse(name string, text []byte) (*source, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments)
	if err != nil {
		return nil, &ParseError{File: name, Err: err}
	}
	return &source{name: name, text: text, fset: fset, file: file}, nil
}

// parseAll parses the Go files of a chapter. The files that do not parse are
// in the error map.
func parseAll(files Files) ([]*source, map[string]error) {
	var out []*source
	bad := map[string]error{}
	for _, name := range files.Names() {
		if path.Ext(name) != ".go" {
			continue
		}
		s, err := parse(name, files[name])
		if err != nil {
			bad[name] = err
			continue
		}
		out = append(out, s)
	}
	return out, bad
}

// Syntax returns a *ParseError for the first file, in the order of the names,
// that is not Go, or nil.
func Syntax(files Files) error {
	_, bad := parseAll(files)
	for _, name := range files.Names() {
		if bad[name] != nil {
			return bad[name]
		}
	}
	return nil
}

// offset is the byte offset of pos, whatever a //line directive says.
func (s *source) offset(pos token.Pos) int { return s.fset.PositionFor(pos, false).Offset }

// span is the text from one position up to another.
func (s *source) span(from, to token.Pos) string {
	return string(s.text[s.offset(from):s.offset(to)])
}

// edit replaces the bytes from start to end of a text.
type edit struct {
	start, end int
	text       string
}

// edited makes edits that do not overlap; with two at one place the first
// given comes first. Line ends follow those of text.
func edited(text []byte, edits ...edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	crlf := strings.Contains(string(text), "\r\n")
	var out []byte
	at := 0
	for _, e := range edits {
		insert := e.text
		if crlf {
			insert = strings.ReplaceAll(strings.ReplaceAll(insert, "\r\n", "\n"), "\n", "\r\n")
		}
		out = append(out, text[at:e.start]...)
		out = append(out, insert...)
		at = e.end
	}
	return append(out, text[at:]...)
}

// key names a function or method at the top level, as "F" or "T.M".
func key(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	return receiver(fn.Recv.List[0].Type) + "." + fn.Name.Name
}

// receiver is the name of a receiver's type without pointer and parameters.
func receiver(typ ast.Expr) string {
	switch t := typ.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.ParenExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// keys are the names that a declaration gives to the package.
func keys(decl ast.Decl) []string {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		return []string{key(d)}
	case *ast.GenDecl:
		var names []string
		for _, spec := range d.Specs {
			switch sp := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, sp.Name.Name)
			case *ast.ValueSpec:
				for _, id := range sp.Names {
					names = append(names, id.Name)
				}
			}
		}
		return names
	}
	return nil
}

// function finds the function called name: a plain one first, else the only
// method of that name.
func function(sources []*source, name string) (*source, *ast.FuncDecl) {
	var in *source
	var method *ast.FuncDecl
	for _, s := range sources {
		for _, decl := range s.file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			switch {
			case !ok:
			case key(fn) == name:
				return s, fn
			case fn.Name.Name == name && method == nil:
				in, method = s, fn
			}
		}
	}
	return in, method
}
