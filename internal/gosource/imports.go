package gosource

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// UsedPackages are the names x of every x.Sel in the file that no variable,
// type or function of the file itself stands behind.
func UsedPackages(s *Source) map[string]bool {
	used := map[string]bool{}
	ast.Inspect(s.File, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && id.Obj == nil {
				used[id.Name] = true
			}
		}
		return true
	})
	return used
}

var (
	majorVersion = regexp.MustCompile(`^v[0-9]+$`)
	dotVersion   = regexp.MustCompile(`\.v[0-9]+$`)
	identifier   = regexp.MustCompile(`^[\pL_][\pL\pN_]*`)
)

// AssumedName is the name that a package with the import path most likely has.
func AssumedName(importPath string) string {
	base := path.Base(importPath)
	if majorVersion.MatchString(base) && path.Dir(importPath) != "." {
		if dir := path.Base(path.Dir(importPath)); !isAPIVersion(importPath) {
			base = dir
		}
	}
	base = strings.TrimPrefix(dotVersion.ReplaceAllString(base, ""), "go-")
	return identifier.FindString(base)
}

// isAPIVersion tells k8s.io/api/core/v1, whose package is v1, from a module's
// major version, which begins with v2.
func isAPIVersion(importPath string) bool {
	base := path.Base(importPath)
	return base == "v1" || base == "v0"
}

// UnusedImports returns the imports of cut, which is whole with parts taken
// out, that nothing in cut uses any more. Every import of whole counts as used
// there; Go would have refused it otherwise.
func (p *Packages) UnusedImports(whole, cut *Source) ([]*ast.ImportSpec, error) {
	before, after := UsedPackages(whole), UsedPackages(cut)
	var unused []*ast.ImportSpec
	for _, spec := range cut.File.Imports {
		name, err := p.LocalName(spec, before)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", cut.At(spec.Pos()), err)
		}
		if name != "_" && name != "." && !after[name] {
			unused = append(unused, spec)
		}
	}
	return unused, nil
}

// LocalName is what the file calls the package of spec.
func (p *Packages) LocalName(spec *ast.ImportSpec, used map[string]bool) (string, error) {
	if spec.Name != nil {
		return spec.Name.Name, nil
	}
	importPath, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return "", fmt.Errorf("import %s: %w", spec.Path.Value, err)
	}
	for _, name := range []string{AssumedName(importPath), path.Base(importPath)} {
		if used[name] {
			return name, nil
		}
	}
	return p.name(importPath)
}

// ImportedAs is what the file calls the package with the import path, "" when
// it has no name for it.
func ImportedAs(s *Source, importPath string) string {
	for _, spec := range s.File.Imports {
		if spec.Path.Value != strconv.Quote(importPath) {
			continue
		}
		if spec.Name == nil {
			return AssumedName(importPath)
		}
		if spec.Name.Name != "_" && spec.Name.Name != "." {
			return spec.Name.Name
		}
	}
	return ""
}

// DropImports takes the imports out with their lines and comments.
func DropImports(s *Source, specs []*ast.ImportSpec) []byte {
	drop := map[ast.Spec]bool{}
	for _, spec := range specs {
		drop[spec] = true
	}
	var edits []Edit
	for _, decl := range s.File.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.IMPORT {
			continue
		}
		var gone []Edit
		for _, spec := range gen.Specs {
			if !drop[spec] {
				continue
			}
			first := spec.Pos()
			if group := spec.(*ast.ImportSpec).Doc; group != nil {
				first = group.Pos()
			}
			start, end := WholeLines(s.Text, s.Offset(first), s.Offset(spec.End()))
			gone = append(gone, Edit{Start: start, End: end})
		}
		if len(gone) == len(gen.Specs) {
			start, end := WholeLines(s.Text, s.Offset(gen.Pos()), s.Offset(gen.End()))
			gone = []Edit{{Start: start, End: end}}
		}
		edits = append(edits, gone...)
	}
	return Apply(s.Text, edits)
}

// BlankImports gives the imports the name _, so that Go does not mind that they
// are unused and every line stays where it is.
func BlankImports(s *Source, specs []*ast.ImportSpec) []byte {
	var edits []Edit
	for _, spec := range specs {
		start, end := s.Offset(spec.Path.Pos()), s.Offset(spec.Path.Pos())
		if spec.Name != nil {
			start = s.Offset(spec.Name.Pos())
		}
		edits = append(edits, Edit{Start: start, End: end, Text: "_ "})
	}
	return Apply(s.Text, edits)
}

// AddImport adds an import: beside others of the workshop's own, else as a
// group of its own at the end of the imports.
func AddImport(name string, text []byte, importPath string) ([]byte, error) {
	s, err := Parse(name, text)
	if err != nil {
		return nil, err
	}
	quoted := strconv.Quote(importPath)
	var last *ast.GenDecl
	for _, decl := range s.File.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.IMPORT {
			continue
		}
		last = gen
		for _, spec := range gen.Specs {
			if gen.Lparen.IsValid() && strings.HasPrefix(spec.(*ast.ImportSpec).Path.Value, `"`+host(importPath)+"/") {
				first := spec.Pos()
				if group := spec.(*ast.ImportSpec).Doc; group != nil {
					first = group.Pos()
				}
				at := s.Offset(first)
				return Apply(text, []Edit{{at, at, quoted + "\n\t"}}), nil
			}
		}
	}
	switch {
	case last == nil:
		at := s.Offset(s.File.Name.End())
		return Apply(text, []Edit{{at, at, "\n\nimport " + quoted}}), nil
	case last.Lparen.IsValid():
		at := s.Offset(last.Rparen)
		return Apply(text, []Edit{{at, at, "\n\n\t" + quoted + "\n"}}), nil
	default:
		start, end := s.Offset(last.Specs[0].Pos()), s.Offset(last.Specs[0].End())
		grouped := "(\n\t" + string(text[start:end]) + "\n\n\t" + quoted + "\n)"
		return Apply(text, []Edit{{start, end, grouped}}), nil
	}
}

// host is the first part of an import path.
func host(importPath string) string {
	first, _, _ := strings.Cut(importPath, "/")
	return first
}
