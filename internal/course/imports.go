package course

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// usedPackages are the names x of every x.Sel in the file that no variable,
// type or function of the file itself stands behind.
func usedPackages(s *source) map[string]bool {
	used := map[string]bool{}
	ast.Inspect(s.file, func(n ast.Node) bool {
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

// assumedName is the name that a package with the import path most likely has.
func assumedName(importPath string) string {
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

// unusedImports returns the imports of cut, which is whole with parts taken
// out, that nothing in cut uses any more. Every import of whole counts as used
// there; Go would have refused it otherwise.
func (p *packages) unusedImports(whole, cut *source) ([]*ast.ImportSpec, error) {
	before, after := usedPackages(whole), usedPackages(cut)
	var unused []*ast.ImportSpec
	for _, spec := range cut.file.Imports {
		name, err := p.localName(spec, before)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", cut.at(spec.Pos()), err)
		}
		if name != "_" && name != "." && !after[name] {
			unused = append(unused, spec)
		}
	}
	return unused, nil
}

// localName is what the file calls the package of spec.
func (p *packages) localName(spec *ast.ImportSpec, used map[string]bool) (string, error) {
	if spec.Name != nil {
		return spec.Name.Name, nil
	}
	importPath, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return "", fmt.Errorf("import %s: %w", spec.Path.Value, err)
	}
	for _, name := range []string{assumedName(importPath), path.Base(importPath)} {
		if used[name] {
			return name, nil
		}
	}
	pkg, err := p.load(importPath)
	if err != nil {
		return "", err
	}
	return pkg.name, nil
}

// importedAs is what the file calls the package with the import path, "" when
// it has no name for it.
func importedAs(s *source, importPath string) string {
	for _, spec := range s.file.Imports {
		if spec.Path.Value != strconv.Quote(importPath) {
			continue
		}
		if spec.Name == nil {
			return assumedName(importPath)
		}
		if spec.Name.Name != "_" && spec.Name.Name != "." {
			return spec.Name.Name
		}
	}
	return ""
}

// dropImports takes the imports out with their lines and comments.
func dropImports(s *source, specs []*ast.ImportSpec) []byte {
	drop := map[ast.Spec]bool{}
	for _, spec := range specs {
		drop[spec] = true
	}
	var edits []edit
	for _, decl := range s.file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.IMPORT {
			continue
		}
		var gone []edit
		for _, spec := range gen.Specs {
			if !drop[spec] {
				continue
			}
			first := spec.Pos()
			if group := spec.(*ast.ImportSpec).Doc; group != nil {
				first = group.Pos()
			}
			start, end := wholeLines(s.text, s.offset(first), s.offset(spec.End()))
			gone = append(gone, edit{start: start, end: end})
		}
		if len(gone) == len(gen.Specs) {
			start, end := wholeLines(s.text, s.offset(gen.Pos()), s.offset(gen.End()))
			gone = []edit{{start: start, end: end}}
		}
		edits = append(edits, gone...)
	}
	return applyEdits(s.text, edits)
}

// blankImports gives the imports the name _, so that Go does not mind that they
// are unused and every line stays where it is.
func blankImports(s *source, specs []*ast.ImportSpec) []byte {
	var edits []edit
	for _, spec := range specs {
		start, end := s.offset(spec.Path.Pos()), s.offset(spec.Path.Pos())
		if spec.Name != nil {
			start = s.offset(spec.Name.Pos())
		}
		edits = append(edits, edit{start: start, end: end, text: "_ "})
	}
	return applyEdits(s.text, edits)
}

// addImport adds an import: beside others of the workshop's own, else as a
// group of its own at the end of the imports.
func addImport(name string, text []byte, importPath string) ([]byte, error) {
	s, err := parseSource(name, text)
	if err != nil {
		return nil, err
	}
	quoted := strconv.Quote(importPath)
	var last *ast.GenDecl
	for _, decl := range s.file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.IMPORT {
			continue
		}
		last = gen
		for _, spec := range gen.Specs {
			if gen.Lparen.IsValid() && strings.HasPrefix(spec.(*ast.ImportSpec).Path.Value, `"`+Module+"/") {
				first := spec.Pos()
				if group := spec.(*ast.ImportSpec).Doc; group != nil {
					first = group.Pos()
				}
				at := s.offset(first)
				return applyEdits(text, []edit{{at, at, quoted + "\n\t"}}), nil
			}
		}
	}
	switch {
	case last == nil:
		at := s.offset(s.file.Name.End())
		return applyEdits(text, []edit{{at, at, "\n\nimport " + quoted}}), nil
	case last.Lparen.IsValid():
		at := s.offset(last.Rparen)
		return applyEdits(text, []edit{{at, at, "\n\n\t" + quoted + "\n"}}), nil
	default:
		start, end := s.offset(last.Specs[0].Pos()), s.offset(last.Specs[0].End())
		grouped := "(\n\t" + string(text[start:end]) + "\n\n\t" + quoted + "\n)"
		return applyEdits(text, []edit{{start, end, grouped}}), nil
	}
}
