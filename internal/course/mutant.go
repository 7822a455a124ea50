package course

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Mutant is a variant of a chapter's solution: a small Go file that holds only
// the declarations that differ. It commits one fault, which a named step must
// find, or it is an accept: another right way, which every step must accept.
//
// The file is of package main and begins with a header of comments:
//
//	//workshop:mutant list-first-page
//	//workshop:fault  the list stops after the first page
//	//workshop:step   3
//	//workshop:want   continue
//
// The step is a number or a function's name. Each want is a phrase that the
// step's message must hold, whatever its case. A fault may go on in a second
// line of the same kind. An accept has
//
//	//workshop:accept list-with-pager
//	//workshop:why    tools/pager follows the pages
//
// and may name the step that it is about.
//
// Functions, methods, types, constants and variables of the same name take the
// place of the solution's; others are added.
type Mutant struct {
	Name string
	// File is the absolute path of the mutant's file.
	File string
	// Accept tells a right way from a fault.
	Accept bool
	// About is the fault, or why an accept is right.
	About string
	// Step is the number of the step that must fail; 0 for an accept that names none.
	Step int
	// Want are the phrases that the step's message must hold.
	Want []string

	src *source
}

// LoadMutants reads the mutants and accepts of a chapter, mutants first, each
// sorted by name. They lie in the chapter's testdata, or in dir when it is not
// empty: in the folder itself or its subfolders mutants and accepts. Every
// faulty file is named in the error.
func LoadMutants(ch Chapter, dir string) ([]Mutant, error) {
	if dir == "" {
		dir = filepath.Join(ch.Dir, "testdata")
	}
	files, err := mutantFiles(dir)
	if err != nil {
		return nil, err
	}
	var mutants []Mutant
	var problems []error
	names := map[string]string{}
	for _, file := range files {
		m, err := readMutant(ch, file, relative(filepath.Dir(ch.Dir), file))
		if err != nil {
			problems = append(problems, err)
			continue
		}
		if other, ok := names[m.Name]; ok {
			problems = append(problems, fmt.Errorf("%s: the name %s is that of %s already", m.src.name, m.Name, other))
		}
		names[m.Name] = m.src.name
		mutants = append(mutants, m)
	}
	slices.SortStableFunc(mutants, compareMutants)
	return mutants, errors.Join(problems...)
}

func compareMutants(a, b Mutant) int {
	if a.Accept != b.Accept {
		if b.Accept {
			return -1
		}
		return 1
	}
	return strings.Compare(a.Name, b.Name)
}

// mutantFiles are the Go files in dir and its subfolders mutants and accepts.
func mutantFiles(dir string) ([]string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find mutants: %w", err)
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("find mutants: %w", err)
	}
	var files []string
	for _, sub := range []string{".", "mutants", "accepts"} {
		entries, err := os.ReadDir(filepath.Join(dir, sub))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("find mutants: %w", err)
		}
		for _, entry := range entries {
			if !entry.IsDir() && strings.HasSuffix(entry.Name(), ".go") {
				files = append(files, filepath.Join(dir, sub, entry.Name()))
			}
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("find mutants: %s and its subfolders mutants and accepts hold no Go file", dir)
	}
	return files, nil
}

// readMutant reads one file; shown is what messages call it.
func readMutant(ch Chapter, file, shown string) (Mutant, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return Mutant{}, fmt.Errorf("read a mutant: %w", err)
	}
	return parseMutant(ch, file, shown, text)
}

func parseMutant(ch Chapter, file, shown string, text []byte) (Mutant, error) {
	s, err := parseSource(shown, text)
	if err != nil {
		return Mutant{}, err
	}
	if s.file.Name.Name != "main" {
		return Mutant{}, fmt.Errorf("%s: package %s: a mutant is of package main", s.at(s.file.Package), s.file.Name.Name)
	}
	h, err := readHeader(s)
	if err != nil {
		return Mutant{}, err
	}
	m := Mutant{File: file, src: s}
	if err := h.fill(ch, &m); err != nil {
		return Mutant{}, fmt.Errorf("%s: %w", shown, err)
	}
	return m, nil
}

// header has the values of each key of a mutant's header.
type header map[string][]string

const directive = "//workshop:"

// readHeader collects the comments //workshop:KEY VALUE above the package clause.
func readHeader(s *source) (header, error) {
	h := header{}
	for _, group := range s.file.Comments {
		for _, comment := range group.List {
			text, ok := strings.CutPrefix(comment.Text, directive)
			if !ok {
				continue
			}
			key, value, _ := strings.Cut(strings.ReplaceAll(text, "\t", " "), " ")
			switch {
			case comment.Pos() > s.file.Package:
				return nil, fmt.Errorf("%s: %s%s must stand above the package clause", s.at(comment.Pos()), directive, key)
			case !slices.Contains([]string{"mutant", "accept", "fault", "why", "step", "want"}, key):
				return nil, fmt.Errorf("%s: unknown comment %s%s: want mutant, fault, step and want, or accept, why and step", s.at(comment.Pos()), directive, key)
			case strings.TrimSpace(value) == "":
				return nil, fmt.Errorf("%s: %s%s says nothing", s.at(comment.Pos()), directive, key)
			}
			h[key] = append(h[key], strings.TrimSpace(value))
		}
	}
	return h, nil
}

// fill checks the header and puts it into m.
func (h header) fill(ch Chapter, m *Mutant) error {
	switch {
	case len(h["mutant"])+len(h["accept"]) == 0:
		return fmt.Errorf("no header: the file begins with %smutant NAME or %saccept NAME", directive, directive)
	case len(h["mutant"])+len(h["accept"]) > 1:
		return errors.New("the header has more than one name")
	case len(h["step"]) > 1:
		return errors.New("the header has more than one step")
	}
	m.Accept = len(h["accept"]) == 1
	var foreign []string
	if m.Accept {
		m.Name, m.About = h["accept"][0], strings.Join(h["why"], " ")
		foreign = []string{"fault", "want"}
	} else {
		m.Name, m.About = h["mutant"][0], strings.Join(h["fault"], " ")
		foreign = []string{"why"}
	}
	if !mutantName(m.Name) {
		return fmt.Errorf("name %q: want letters, digits and dashes", m.Name)
	}
	for _, key := range foreign {
		if len(h[key]) > 0 && m.Accept {
			return fmt.Errorf("accept %s also has a %s: an accept is right, so nothing is wanted of a message", m.Name, key)
		}
		if len(h[key]) > 0 {
			return fmt.Errorf("mutant %s has a %s: a mutant has a fault", m.Name, key)
		}
	}
	m.Want = h["want"]
	return h.fillStep(ch, m)
}

// fillStep checks what depends on the kind.
func (h header) fillStep(ch Chapter, m *Mutant) error {
	switch {
	case m.Accept && m.About == "":
		return fmt.Errorf("accept %s does not say why it is right: add %swhy TEXT", m.Name, directive)
	case !m.Accept && m.About == "":
		return fmt.Errorf("mutant %s does not say what is wrong: add %sfault TEXT", m.Name, directive)
	case !m.Accept && len(m.Want) == 0:
		return fmt.Errorf("mutant %s wants no words of the message: add %swant WORDS", m.Name, directive)
	case !m.Accept && len(h["step"]) == 0:
		return fmt.Errorf("mutant %s names no step: add %sstep N", m.Name, directive)
	case len(h["step"]) == 0:
		return nil
	}
	step, err := ch.findStep(h["step"][0])
	if err != nil {
		return fmt.Errorf("mutant %s: %w", m.Name, err)
	}
	m.Step = step.Number
	return nil
}

func mutantName(name string) bool {
	ok := func(r rune) bool {
		return r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool { return !ok(r) })
}

// Candidate composes the program: the solution's files without what the mutant
// replaces, every line where it was, and beside them the mutant's own file.
func (m Mutant) Candidate(ch Chapter) (Candidate, error) {
	files, err := readFolder(ch.SolutionDir, "solutions/"+ch.ID)
	if err != nil {
		return Candidate{}, err
	}
	own := ownDecls(m.src)
	replaced := map[string]bool{}
	composed := map[string][]byte{}
	imports := newPackages(ch.SolutionDir)
	for _, s := range files {
		edits, err := blankEdits(s, own, replaced)
		if err != nil {
			return Candidate{}, fmt.Errorf("%s: %w", m.src.name, err)
		}
		if len(edits) == 0 {
			composed[filepath.Base(s.name)] = s.text
			continue
		}
		cut, err := parseSource(s.name, applyEdits(s.text, edits))
		if err != nil {
			return Candidate{}, fmt.Errorf("%s: %w", m.src.name, err)
		}
		unused, err := imports.unusedImports(s, cut)
		if err != nil {
			return Candidate{}, err
		}
		composed[filepath.Base(s.name)] = blankImports(cut, unused)
	}
	if err := m.checkDecls(files, own, replaced); err != nil {
		return Candidate{}, err
	}
	c, err := candidateOf(ch, m.kind()+" "+m.Name, composed)
	if err != nil {
		return Candidate{}, err
	}
	c.Overlay[filepath.Join(ch.Dir, "mutant-"+m.Name+".go")] = m.File
	return c, nil
}

// written are the steps whose functions m writes anew, nil for all: what else it
// replaces of the solution, any step may use.
func (m Mutant) written(ch Chapter) ([]int, error) {
	files, err := readFolder(ch.SolutionDir, "solutions/"+ch.ID)
	if err != nil {
		return nil, err
	}
	own, replaced := ownDecls(m.src), map[string]bool{}
	for _, s := range files {
		if _, err := blankEdits(s, own, replaced); err != nil {
			return nil, fmt.Errorf("%s: %w", m.src.name, err)
		}
	}
	var steps []int
	for key := range replaced {
		name := key[strings.LastIndex(key, ".")+1:]
		i := slices.IndexFunc(ch.Steps, func(s Step) bool { return s.Name == name })
		if i < 0 {
			return nil, nil
		}
		steps = append(steps, ch.Steps[i].Number)
	}
	slices.Sort(steps)
	return steps, nil
}

func (m Mutant) kind() string {
	if m.Accept {
		return "accept"
	}
	return "mutant"
}

// ownDecls are the declarations of a mutant by their keys.
func ownDecls(s *source) map[string]ast.Node {
	own := map[string]ast.Node{}
	for _, decl := range s.file.Decls {
		for _, name := range declaredNames(decl) {
			if key := declKey(decl, name); key != "" {
				own[key] = decl
			}
		}
	}
	return own
}

// declKey tells declarations of a package apart: Name, or Type.Name for a
// method; "" for what may stand there more than once.
func declKey(decl ast.Decl, name *ast.Ident) string {
	fn, ok := decl.(*ast.FuncDecl)
	switch {
	case name.Name == "_", ok && fn.Recv == nil && name.Name == "init":
		return ""
	case ok && fn.Recv != nil && len(fn.Recv.List) == 1:
		return receiverName(fn.Recv.List[0].Type) + "." + name.Name
	}
	return name.Name
}

func receiverName(typ ast.Expr) string {
	switch t := typ.(type) {
	case *ast.StarExpr:
		return receiverName(t.X)
	case *ast.ParenExpr:
		return receiverName(t.X)
	case *ast.IndexExpr:
		return receiverName(t.X)
	case *ast.IndexListExpr:
		return receiverName(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// blankEdits empties what own replaces in s, leaving each line break, and notes
// the keys in replaced.
func blankEdits(s *source, own map[string]ast.Node, replaced map[string]bool) ([]edit, error) {
	var edits []edit
	for _, decl := range s.file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok {
			if key := declKey(decl, decl.(*ast.FuncDecl).Name); own[key] != nil {
				replaced[key] = true
				edits = append(edits, blank(s, decl.(*ast.FuncDecl).Doc, decl))
			}
			continue
		}
		more, err := blankSpecs(s, gen, own, replaced)
		if err != nil {
			return nil, err
		}
		edits = append(edits, more...)
	}
	return edits, nil
}

// blankSpecs is blankEdits for types, constants and variables.
func blankSpecs(s *source, gen *ast.GenDecl, own map[string]ast.Node, replaced map[string]bool) ([]edit, error) {
	var edits []edit
	for _, spec := range gen.Specs {
		names := specNames(spec)
		gone := 0
		for _, name := range names {
			if key := declKey(gen, name); own[key] != nil {
				replaced[key] = true
				gone++
			}
		}
		switch {
		case gone == 0:
			continue
		case gone < len(names):
			return nil, fmt.Errorf("%s declares %s together: replace all of them or none", s.at(spec.Pos()), s.of(spec))
		case gen.Tok == token.CONST && len(gen.Specs) > 1 && counted(gen):
			return nil, fmt.Errorf("%s: %s is one of a counted group of constants, which cannot be replaced one by one", s.at(spec.Pos()), names[0].Name)
		case !gen.Lparen.IsValid():
			edits = append(edits, blank(s, gen.Doc, gen))
		default:
			edits = append(edits, blank(s, nil, spec))
		}
	}
	return edits, nil
}

// counted reports whether a constant of the group depends on its place in it.
func counted(gen *ast.GenDecl) bool {
	found := false
	ast.Inspect(gen, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == "iota" {
			found = true
		}
		if vs, ok := n.(*ast.ValueSpec); ok && len(vs.Values) == 0 {
			found = true
		}
		return true
	})
	return found
}

// blank empties node and its comment but for the line breaks.
func blank(s *source, group *ast.CommentGroup, node ast.Node) edit {
	start := s.offset(node.Pos())
	if group != nil {
		start = s.offset(group.Pos())
	}
	end := s.offset(node.End())
	return edit{start, end, strings.Repeat("\n", strings.Count(string(s.text[start:end]), "\n"))}
}

// checkDecls finds a misspelt name: a function that replaces nothing and that
// the mutant does not call either.
func (m Mutant) checkDecls(files []*source, own map[string]ast.Node, replaced map[string]bool) error {
	used := usedNames(m.src)
	for _, decl := range m.src.file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || fn.Name.Name == "init" || fn.Name.Name == "_" {
			continue
		}
		name := fn.Name.Name
		if own[name] == nil || replaced[name] || used[name] {
			continue
		}
		text := fmt.Sprintf("%s: function %s is not in the solution, and nothing in this file uses it", m.src.at(fn.Pos()), name)
		if near := nearest(name, functionNames(files)); near != "" {
			text += fmt.Sprintf("; did you mean %s?", near)
		}
		return errors.New(text)
	}
	if len(replaced) == 0 {
		return fmt.Errorf("%s: %s replaces nothing of the solution", m.src.name, m.Name)
	}
	return nil
}

// usedNames are the identifiers in s apart from those that declarations at the
// top level introduce.
func usedNames(s *source) map[string]bool {
	declared := map[*ast.Ident]bool{}
	for _, decl := range s.file.Decls {
		for _, name := range declaredNames(decl) {
			declared[name] = true
		}
	}
	used := map[string]bool{}
	ast.Inspect(s.file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !declared[id] {
			used[id.Name] = true
		}
		return true
	})
	return used
}

func functionNames(files []*source) []string {
	var names []string
	for _, s := range files {
		for _, decl := range s.file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil {
				names = append(names, fn.Name.Name)
			}
		}
	}
	return names
}
