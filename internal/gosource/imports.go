package gosource

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// UsedPackages are the names x of every x.Sel within node that no variable,
// type or function of the file itself stands behind.
func UsedPackages(node ast.Node) map[string]bool {
	used := map[string]bool{}
	ast.Inspect(node, func(n ast.Node) bool {
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
	firstWord    = regexp.MustCompile(`^[\pL_][\pL\pN_]*`)
)

// LocalNames are the names by which a file may call an import, the likeliest
// first: its own when one is given, none for _ and dot imports, else what the
// path suggests. The package's source is not asked: it may not be there yet.
func LocalNames(spec *ast.ImportSpec) []string {
	switch {
	case spec.Name == nil:
		return packageNames(ImportPath(spec))
	case spec.Name.Name == "_" || spec.Name.Name == ".":
		return nil
	}
	return []string{spec.Name.Name}
}

// PackageName is the name that a package with the import path most likely has.
func PackageName(importPath string) string { return packageNames(importPath)[0] }

// packageNames tells the version of an API, k8s.io/api/core/v1, from that of a
// module, which begins with v2.
func packageNames(importPath string) []string {
	base := path.Base(importPath)
	names := []string{plainName(base), base}
	if dir := path.Dir(importPath); majorVersion.MatchString(base) && dir != "." {
		parent := plainName(path.Base(dir))
		if base == "v1" || base == "v0" {
			return append(names, parent)
		}
		return append([]string{parent}, names...)
	}
	return names
}

func plainName(base string) string {
	return firstWord.FindString(strings.TrimPrefix(dotVersion.ReplaceAllString(base, ""), "go-"))
}

// ImportPath is the path of an import.
func ImportPath(spec *ast.ImportSpec) string {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value
	}
	return p
}

// ImportNamed finds the import that the file calls name, nil for none. Where
// more than one may be meant, the likelier name counts.
func ImportNamed(file *ast.File, name string) *ast.ImportSpec {
	var best *ast.ImportSpec
	rank := 0
	for _, spec := range file.Imports {
		if i := slices.Index(LocalNames(spec), name); i >= 0 && (best == nil || i < rank) {
			best, rank = spec, i
		}
	}
	return best
}

// ImportedAs is what the file calls the package with the import path, "" when it
// has no name for it.
func ImportedAs(s *Source, importPath string) string {
	for _, spec := range s.File.Imports {
		if names := LocalNames(spec); ImportPath(spec) == importPath && len(names) > 0 {
			return names[0]
		}
	}
	return ""
}

// UnusedImports returns the imports of now, which is before with parts taken out
// or exchanged, that before used and now does not use any more.
func UnusedImports(before, now *Source) []*ast.ImportSpec {
	was, is := UsedPackages(before.File), UsedPackages(now.File)
	var unused []*ast.ImportSpec
	for _, spec := range now.File.Imports {
		if names := LocalNames(spec); anyOf(was, names) && !anyOf(is, names) {
			unused = append(unused, spec)
		}
	}
	return unused
}

func anyOf(set map[string]bool, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return set[name] })
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
		edits = append(edits, Edit{start, end, "_ "})
	}
	return Apply(s.Text, edits)
}

// DropUnusedImports takes those imports out of text that the file used before
// and does not use any more, with their lines and comments.
func DropUnusedImports(before *Source, text []byte) ([]byte, error) {
	for {
		now, err := Parse(before.Name, text)
		if err != nil {
			return nil, fmt.Errorf("mend the imports: %w", err)
		}
		unused := UnusedImports(before, now)
		if len(unused) == 0 {
			return text, nil
		}
		text = Apply(text, []Edit{now.dropImport(unused[0])})
	}
}

// dropImport takes one import out, the whole declaration with its last.
func (s *Source) dropImport(spec *ast.ImportSpec) Edit {
	for _, decl := range s.File.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if ok && len(gen.Specs) == 1 && gen.Specs[0] == ast.Spec(spec) {
			return s.cut(gen.Pos(), gen.End(), gen.Doc, "import ()")
		}
	}
	return s.cut(spec.Pos(), spec.Path.End(), spec.Doc, "_ "+spec.Path.Value)
}

// cut takes out what stands from start to end, with its comment and its lines
// when nothing else is on them; else it puts instead in its place.
func (s *Source) cut(start, end token.Pos, doc *ast.CommentGroup, instead string) Edit {
	first := start
	if doc != nil {
		first = doc.Pos()
	}
	from, to := WholeLines(s.Text, s.Offset(first), s.Offset(end))
	fromLine := from == 0 || s.Text[from-1] == '\n'
	toLine := to == len(s.Text) || s.Text[to-1] == '\n'
	if !fromLine || !toLine {
		return Edit{s.Offset(start), s.Offset(end), instead}
	}
	from, to = s.closeGap(from, to)
	return Edit{from, to, ""}
}

// closeGap widens a cut of whole lines by one empty line next to it where the
// cut would leave two in a row, or one at an end of the block.
func (s *Source) closeGap(from, to int) (int, int) {
	before, above, hasAbove := lastLine(s.Text[:from])
	below, after, hasBelow := strings.Cut(string(s.Text[to:]), "\n")
	emptyAbove := hasAbove && strings.TrimSpace(above) == ""
	switch {
	case hasBelow && strings.TrimSpace(below) == "" && (emptyAbove || strings.HasSuffix(strings.TrimSpace(above), "(")):
		return from, len(s.Text) - len(after)
	case emptyAbove && strings.HasPrefix(strings.TrimSpace(below), ")"):
		return before, to
	}
	return from, to
}

// lastLine is the last whole line of text and where it begins.
func lastLine(text []byte) (start int, line string, ok bool) {
	rest, ok := strings.CutSuffix(string(text), "\n")
	start = strings.LastIndexByte(rest, '\n') + 1
	return start, rest[start:], ok
}

// AddImport adds an import, with the name "" for none of its own, where gofmt
// would want it: within the lines of its kind, in order; else as a group of its
// own; else as a line of its own.
func AddImport(s *Source, name, importPath string) []byte {
	spec := strings.TrimPrefix(name+" ", " ") + strconv.Quote(importPath)
	block := s.importBlock()
	if block == nil {
		return s.addImportAlone(spec, importPath)
	}
	var last, before *ast.ImportSpec
	for _, sp := range block.Specs {
		imp := sp.(*ast.ImportSpec)
		if kindOf(ImportPath(imp)) != kindOf(importPath) {
			continue
		}
		last = imp
		if before == nil && ImportPath(imp) > importPath {
			before = imp
		}
	}
	switch {
	case before != nil:
		at := s.lineStart(before)
		return s.insert(at, "\t"+spec+"\n")
	case last != nil:
		return s.insert(s.lineEnd(last.End()), "\n\t"+spec)
	case kindOf(importPath) == "":
		return s.insert(s.lineEnd(block.Lparen), "\n\t"+spec+"\n")
	default:
		return s.insert(s.lineEnd(block.Specs[len(block.Specs)-1].End()), "\n\n\t"+spec)
	}
}

// importBlock is the import declaration in parentheses that has each import on
// a line of its own, or nil.
func (s *Source) importBlock() *ast.GenDecl {
	for _, gen := range s.importDecls() {
		if !gen.Lparen.IsValid() || len(gen.Specs) == 0 {
			continue
		}
		lines := map[int]bool{s.Line(gen.Lparen): true, s.Line(gen.Rparen): true}
		neat := true
		for _, spec := range gen.Specs {
			neat = neat && !lines[s.Line(spec.Pos())] && s.Line(spec.Pos()) == s.Line(spec.End())
			lines[s.Line(spec.Pos())] = true
		}
		if neat {
			return gen
		}
	}
	return nil
}

func (s *Source) importDecls() []*ast.GenDecl {
	var found []*ast.GenDecl
	for _, decl := range s.File.Decls {
		if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == token.IMPORT {
			found = append(found, gen)
		}
	}
	return found
}

// addImportAlone adds an import to a file without a block of them: it makes one
// with the only import there is, else a declaration of its own after the last,
// or after the package clause.
func (s *Source) addImportAlone(spec, importPath string) []byte {
	decls := s.importDecls()
	if len(decls) == 1 && !decls[0].Lparen.IsValid() {
		return s.groupImports(decls[0].Specs[0].(*ast.ImportSpec), spec, importPath)
	}
	end, sep := s.File.Name.End(), "\n\nimport "
	if len(decls) > 0 {
		end, sep = decls[len(decls)-1].End(), "\nimport "
	}
	rest, _, _ := strings.Cut(string(s.Text[s.Offset(end):]), "\n")
	if after := strings.TrimSpace(rest); after != "" && !strings.HasPrefix(after, "//") {
		return s.insert(s.Offset(end), "; import "+spec)
	}
	return s.insert(s.lineEnd(end), sep+spec)
}

// groupImports makes one block of the only import and a new one.
func (s *Source) groupImports(only *ast.ImportSpec, spec, importPath string) []byte {
	lines := []string{s.Of(only), spec}
	if importPath < ImportPath(only) && (kindOf(importPath) == "" || kindOf(ImportPath(only)) != "") {
		lines = []string{spec, s.Of(only)}
	}
	sep := "\n\t"
	if kindOf(importPath) != kindOf(ImportPath(only)) {
		sep = "\n\n\t"
	}
	return Apply(s.Text, []Edit{{s.Offset(only.Pos()), s.Offset(only.End()), "(\n\t" + strings.Join(lines, sep) + "\n)"}})
}

func (s *Source) insert(at int, text string) []byte {
	return Apply(s.Text, []Edit{{at, at, text}})
}

// lineStart is where the line of an import begins, its comment included.
func (s *Source) lineStart(imp *ast.ImportSpec) int {
	at := imp.Pos()
	if imp.Doc != nil {
		at = imp.Doc.Pos()
	}
	return strings.LastIndexByte(string(s.Text[:s.Offset(at)]), '\n') + 1
}

// lineEnd is the end of the line of p, before the line break.
func (s *Source) lineEnd(p token.Pos) int {
	at := s.Offset(p)
	rest, _, _ := strings.Cut(string(s.Text[at:]), "\n")
	return at + len(strings.TrimRight(rest, "\r"))
}

// kindOf groups import paths: "" for the standard library, else the host.
func kindOf(importPath string) string {
	first, _, _ := strings.Cut(importPath, "/")
	if strings.Contains(first, ".") {
		return first
	}
	return ""
}
