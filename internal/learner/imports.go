package learner

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

// addImports adds to text, which is taker after the exchange, the imports that
// the added pieces use.
func (sw *swap) addImports(text []byte) ([]byte, error) {
	for _, p := range sw.added {
		for name := range packageNames(p.node) {
			spec := importNamed(p.in.file, name)
			if spec == nil {
				continue
			}
			now, err := parse(sw.taker.name, text)
			if err != nil {
				return nil, fmt.Errorf("replace %s: the result is not Go: %w", key(sw.theirs), err)
			}
			there := importNamed(now.file, name)
			if there != nil && there.Path.Value != spec.Path.Value {
				return nil, fmt.Errorf("%s calls the package %s %q, and the course's %s calls %s so; give your import another name first",
					sw.taker.name, there.Path.Value, name, key(sw.theirs), spec.Path.Value)
			}
			if there == nil {
				text = insertImport(now, specText(spec), importPath(spec))
			}
		}
	}
	return text, nil
}

// dropImports takes those imports out of text that the file used before and
// does not use any more, one after the other.
func dropImports(before *source, text []byte) ([]byte, error) {
	was := packageNames(before.file)
	for {
		now, err := parse(before.name, text)
		if err != nil {
			return nil, fmt.Errorf("mend the imports: %w", err)
		}
		e, ok := now.dropOne(was)
		if !ok {
			return text, nil
		}
		text = edited(text, e)
	}
}

// dropOne finds the first import that is used in was and not in s.
func (s *source) dropOne(was map[string]bool) (edit, bool) {
	is := packageNames(s.file)
	for _, decl := range s.file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.IMPORT {
			continue
		}
		for _, spec := range gen.Specs {
			imp := spec.(*ast.ImportSpec)
			if !anyOf(was, localNames(imp)) || anyOf(is, localNames(imp)) {
				continue
			}
			if len(gen.Specs) == 1 {
				return s.cut(gen.Pos(), gen.End(), gen.Doc, "import ()"), true
			}
			return s.cut(imp.Pos(), imp.Path.End(), imp.Doc, "_ "+imp.Path.Value), true
		}
	}
	return edit{}, false
}

// cut takes out what stands from start to end, with its comment and its lines
// when nothing else is on them; else it puts instead in its place.
func (s *source) cut(start, end token.Pos, doc *ast.CommentGroup, instead string) edit {
	from, to := s.offset(start), s.offset(end)
	if doc != nil {
		from = s.offset(doc.Pos())
	}
	lineStart := strings.LastIndexByte(string(s.text[:from]), '\n') + 1
	rest, _, more := strings.Cut(string(s.text[to:]), "\n")
	after := strings.TrimSpace(rest)
	alone := strings.TrimSpace(string(s.text[lineStart:from])) == "" && (after == "" || strings.HasPrefix(after, "//"))
	if !alone {
		return edit{s.offset(start), to, instead}
	}
	to += len(rest)
	if more {
		to++
	}
	lineStart, to = s.closeGap(lineStart, to)
	return edit{lineStart, to, ""}
}

// closeGap widens a cut of whole lines by one empty line next to it where the
// cut would leave two in a row, or one at an end of the block.
func (s *source) closeGap(from, to int) (int, int) {
	before, above, hasAbove := lastLine(s.text[:from])
	below, after, hasBelow := strings.Cut(string(s.text[to:]), "\n")
	emptyAbove := hasAbove && strings.TrimSpace(above) == ""
	switch {
	case hasBelow && strings.TrimSpace(below) == "" && (emptyAbove || strings.HasSuffix(strings.TrimSpace(above), "(")):
		return from, len(s.text) - len(after)
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

// insertImport adds an import where gofmt would want it: within the lines of
// its kind, in order; else as a group of its own; else as a line of its own.
func insertImport(s *source, spec, added string) []byte {
	block := importBlock(s)
	if block == nil {
		return insertImportLine(s, spec)
	}
	var last, before *ast.ImportSpec
	for _, sp := range block.Specs {
		imp := sp.(*ast.ImportSpec)
		if kindOf(importPath(imp)) != kindOf(added) {
			continue
		}
		last = imp
		if before == nil && importPath(imp) > added {
			before = imp
		}
	}
	switch {
	case before != nil:
		at := s.lineStart(before)
		return edited(s.text, edit{at, at, "\t" + spec + "\n"})
	case last != nil:
		at := s.lineEnd(last.End())
		return edited(s.text, edit{at, at, "\n\t" + spec})
	case kindOf(added) == "":
		at := s.lineEnd(block.Lparen)
		return edited(s.text, edit{at, at, "\n\t" + spec + "\n"})
	default:
		at := s.lineEnd(block.Specs[len(block.Specs)-1].End())
		return edited(s.text, edit{at, at, "\n\n\t" + spec})
	}
}

// importBlock is the import declaration in parentheses that has each import on
// a line of its own, or nil.
func importBlock(s *source) *ast.GenDecl {
	for _, decl := range s.file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.IMPORT || !gen.Lparen.IsValid() || len(gen.Specs) == 0 {
			continue
		}
		lines := map[int]bool{s.line(gen.Lparen): true, s.line(gen.Rparen): true}
		neat := true
		for _, spec := range gen.Specs {
			neat = neat && !lines[s.line(spec.Pos())] && s.line(spec.Pos()) == s.line(spec.End())
			lines[s.line(spec.Pos())] = true
		}
		if neat {
			return gen
		}
	}
	return nil
}

// insertImportLine adds a declaration of its own after the last import, or
// after the package clause.
func insertImportLine(s *source, spec string) []byte {
	end := s.file.Name.End()
	sep := "\n\nimport "
	for _, decl := range s.file.Decls {
		if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == token.IMPORT {
			end, sep = gen.End(), "\nimport "
		}
	}
	at := s.offset(end)
	rest, _, _ := strings.Cut(string(s.text[at:]), "\n")
	if after := strings.TrimSpace(rest); after != "" && !strings.HasPrefix(after, "//") {
		return edited(s.text, edit{at, at, "; import " + spec})
	}
	at = s.lineEnd(end)
	return edited(s.text, edit{at, at, sep + spec})
}

func (s *source) line(p token.Pos) int { return s.fset.PositionFor(p, false).Line }

// lineStart is where the line of an import begins, its comment included.
func (s *source) lineStart(imp *ast.ImportSpec) int {
	at := imp.Pos()
	if imp.Doc != nil {
		at = imp.Doc.Pos()
	}
	return strings.LastIndexByte(string(s.text[:s.offset(at)]), '\n') + 1
}

// lineEnd is the end of the line of p, before the line break.
func (s *source) lineEnd(p token.Pos) int {
	at := s.offset(p)
	rest, _, _ := strings.Cut(string(s.text[at:]), "\n")
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

func importPath(spec *ast.ImportSpec) string {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value
	}
	return p
}

func specText(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name + " " + spec.Path.Value
	}
	return spec.Path.Value
}

// packageNames are the names x of every x.Sel that nothing in the file itself
// stands behind.
func packageNames(node ast.Node) map[string]bool {
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

// importNamed finds the import that the file calls name. Where more than one
// may be meant, the likelier name counts.
func importNamed(file *ast.File, name string) *ast.ImportSpec {
	var best *ast.ImportSpec
	rank := 0
	for _, spec := range file.Imports {
		if i := slices.Index(localNames(spec), name); i >= 0 && (best == nil || i < rank) {
			best, rank = spec, i
		}
	}
	return best
}

func anyOf(set map[string]bool, names []string) bool {
	for _, n := range names {
		if set[n] {
			return true
		}
	}
	return false
}

var (
	majorVersion = regexp.MustCompile(`^v[0-9]+$`)
	dotVersion   = regexp.MustCompile(`\.v[0-9]+$`)
	firstWord    = regexp.MustCompile(`^[\pL_][\pL\pN_]*`)
)

// localNames are the names by which a file may call an import: its own when
// one is given, none for _ and dot imports, else what the path suggests. The
// package's source is not asked: it may not be there yet.
func localNames(spec *ast.ImportSpec) []string {
	if spec.Name != nil {
		if spec.Name.Name == "_" || spec.Name.Name == "." {
			return nil
		}
		return []string{spec.Name.Name}
	}
	p := importPath(spec)
	base := path.Base(p)
	found := []string{base, plainName(base)}
	if dir := path.Dir(p); majorVersion.MatchString(base) && dir != "." {
		found = append(found, plainName(path.Base(dir)))
	}
	return found
}

func plainName(base string) string {
	return firstWord.FindString(strings.TrimPrefix(dotVersion.ReplaceAllString(base, ""), "go-"))
}
