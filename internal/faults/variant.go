// Package faults tries a chapter's checks on faulty variants of its solution,
// which they must find, and on other right ones, which they must accept.
package faults

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

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/gosource"
	"example.com/client-go-workshop/internal/runner"
)

// Variant is a variant of a chapter's solution, of which only the declarations
// that differ are kept. It commits one fault, which the check of a named step must
// find, or it is right: another way to write a step, which every check must accept.
//
// A fault is an entry of a catalogue (see catalogue.go) or, as a right variant always
// is, a Go file of package main that begins with a header of comments:
//
//	//workshop:mutant list-first-page
//	//workshop:fault  the list stops after the first page
//	//workshop:step   ListPods
//	//workshop:want   continue
//
// The step is a function's name or a number. Each want is a phrase that the
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
type Variant struct {
	Name string
	// File is the absolute path of the file that holds the variant.
	File string
	// Accept tells a right way from a fault.
	Accept bool
	// About is the fault, or why a right variant is right.
	About string
	// Step is the number of the step that must fail; 0 for a right variant that names none.
	Step int
	// Want are the phrases that the step's message must hold.
	Want []string

	src *gosource.Source
	// composed says that src was made of an entry of a catalogue.
	composed bool
	// stepNumbered says that the header names the step by its number.
	stepNumbered bool
}

// variantFolders are where the variants lie below testdata, or below a folder
// that is named in its place.
func variantFolders() []string { return []string{".", "faults", "right", "mutants", "accepts"} }

// Load reads the faults and right variants of a chapter, faults first,
// each sorted by name. They lie in the folders faults and right of the
// solution's testdata, or in dir when it is not empty: in the folder itself or
// its subfolders. Every faulty file is named in the error.
func Load(ch course.Chapter, dir string) ([]Variant, error) {
	own := dir == ""
	if own {
		dir = filepath.Join(ch.SolutionDir, "testdata")
	}
	files, err := variantFiles(dir)
	if err != nil {
		return nil, err
	}
	solution, err := gosource.ReadFolder(ch.SolutionDir, "solutions/"+ch.ID)
	if err != nil {
		return nil, err
	}
	var variants []Variant
	var problems []error
	names := map[string]string{}
	for _, file := range files {
		found, err := readVariants(ch, solution, file, course.Relative(filepath.Dir(ch.Dir), file))
		if err != nil {
			problems = append(problems, err)
		}
		for _, m := range found {
			switch other, ok := names[m.Name]; {
			case ok:
				problems = append(problems, fmt.Errorf("%s: the name %s is that of %s already", m.src.Name, m.Name, other))
			case own && m.stepNumbered:
				problems = append(problems, fmt.Errorf("%s: name the step by its function, %s: numbers change", m.src.Name, ch.Step(m.Step).Name))
			}
			names[m.Name] = m.src.Name
			variants = append(variants, m)
		}
	}
	slices.SortStableFunc(variants, compareVariants)
	return variants, errors.Join(problems...)
}

// readVariants reads one file, a catalogue or a variant; shown is what messages
// call it.
func readVariants(ch course.Chapter, solution []*gosource.Source, file, shown string) ([]Variant, error) {
	if filepath.Ext(file) == catalogueExt {
		return readCatalogue(ch, solution, file, shown)
	}
	m, err := readVariant(ch, file, shown)
	if err != nil {
		return nil, err
	}
	return []Variant{m}, nil
}

func compareVariants(a, b Variant) int {
	if a.Accept != b.Accept {
		if b.Accept {
			return -1
		}
		return 1
	}
	return strings.Compare(a.Name, b.Name)
}

// variantFiles are the Go files and catalogues in dir and its subfolders.
func variantFiles(dir string) ([]string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find the faults: %w", err)
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("find the faults: %w", err)
	}
	var files []string
	for _, sub := range variantFolders() {
		entries, err := os.ReadDir(filepath.Join(dir, sub))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("find the faults: %w", err)
		}
		for _, entry := range entries {
			ext := filepath.Ext(entry.Name())
			if !entry.IsDir() && (ext == ".go" || ext == catalogueExt) {
				files = append(files, filepath.Join(dir, sub, entry.Name()))
			}
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("find the faults: %s and its subfolders faults and right hold no Go file and no catalogue", dir)
	}
	return files, nil
}

// readVariant reads one file; shown is what messages call it.
func readVariant(ch course.Chapter, file, shown string) (Variant, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return Variant{}, fmt.Errorf("read a variant: %w", err)
	}
	return parseVariant(ch, file, shown, text)
}

func parseVariant(ch course.Chapter, file, shown string, text []byte) (Variant, error) {
	s, err := gosource.Parse(shown, text)
	if err != nil {
		return Variant{}, err
	}
	if s.File.Name.Name != "main" {
		return Variant{}, fmt.Errorf("%s: package %s: a variant is of package main", s.At(s.File.Package), s.File.Name.Name)
	}
	h, err := readHeader(s)
	if err != nil {
		return Variant{}, err
	}
	m := Variant{File: file, src: s}
	if err := h.fill(ch, &m); err != nil {
		return Variant{}, fmt.Errorf("%s: %w", shown, err)
	}
	return m, nil
}

// header has the values of each key of a variant's header.
type header map[string][]string

const directive = "//workshop:"

// readHeader collects the comments //workshop:KEY VALUE above the package clause.
func readHeader(s *gosource.Source) (header, error) {
	h := header{}
	for _, group := range s.File.Comments {
		for _, comment := range group.List {
			text, ok := strings.CutPrefix(comment.Text, directive)
			if !ok {
				continue
			}
			key, value, _ := strings.Cut(strings.ReplaceAll(text, "\t", " "), " ")
			switch {
			case comment.Pos() > s.File.Package:
				return nil, fmt.Errorf("%s: %s%s must stand above the package clause", s.At(comment.Pos()), directive, key)
			case !slices.Contains([]string{"mutant", "accept", "fault", "why", "step", "want"}, key):
				return nil, fmt.Errorf("%s: unknown comment %s%s: want mutant, fault, step and want, or accept, why and step", s.At(comment.Pos()),
					directive, key)
			case strings.TrimSpace(value) == "":
				return nil, fmt.Errorf("%s: %s%s says nothing", s.At(comment.Pos()), directive, key)
			}
			h[key] = append(h[key], strings.TrimSpace(value))
		}
	}
	return h, nil
}

// fill checks the header and puts it into m.
func (h header) fill(ch course.Chapter, m *Variant) error {
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
	if !variantName(m.Name) {
		return fmt.Errorf("name %q: want letters, digits and dashes", m.Name)
	}
	for _, key := range foreign {
		if len(h[key]) > 0 && m.Accept {
			return fmt.Errorf("right variant %s also has a %s: it is right, so nothing is wanted of a message", m.Name, key)
		}
		if len(h[key]) > 0 {
			return fmt.Errorf("fault %s has a %s: a fault has %sfault", m.Name, key, directive)
		}
	}
	m.Want = h["want"]
	return h.fillStep(ch, m)
}

// fillStep checks what depends on the kind.
func (h header) fillStep(ch course.Chapter, m *Variant) error {
	switch {
	case m.Accept && m.About == "":
		return fmt.Errorf("right variant %s does not say why it is right: add %swhy TEXT", m.Name, directive)
	case !m.Accept && m.About == "":
		return fmt.Errorf("fault %s does not say what is wrong: add %sfault TEXT", m.Name, directive)
	case !m.Accept && len(m.Want) == 0:
		return fmt.Errorf("fault %s wants no words of the message: add %swant WORDS", m.Name, directive)
	case !m.Accept && len(h["step"]) == 0:
		return fmt.Errorf("fault %s names no step: add %sstep FUNCTION", m.Name, directive)
	case len(h["step"]) == 0:
		return nil
	}
	step, err := ch.FindStep(h["step"][0])
	if err != nil {
		return fmt.Errorf("%s: %w", m.Name, err)
	}
	m.Step, m.stepNumbered = step.Number, !strings.EqualFold(h["step"][0], step.Name)
	return nil
}

func variantName(name string) bool {
	ok := func(r rune) bool {
		return r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool { return !ok(r) })
}

// Candidate composes the program: the solution's files without what the variant
// replaces, every line where it was, and beside them the variant's own file.
func (m Variant) Candidate(ch course.Chapter) (runner.Candidate, error) {
	files, err := gosource.ReadFolder(ch.SolutionDir, "solutions/"+ch.ID)
	if err != nil {
		return runner.Candidate{}, err
	}
	own := ownDecls(m.src)
	replaced := map[string]bool{}
	composed := map[string][]byte{}
	for _, s := range files {
		edits, err := blankEdits(s, own, replaced)
		if err != nil {
			return runner.Candidate{}, fmt.Errorf("%s: %w", m.src.Name, err)
		}
		if len(edits) == 0 {
			composed[filepath.Base(s.Name)] = s.Text
			continue
		}
		cut, err := gosource.Parse(s.Name, gosource.Apply(s.Text, edits))
		if err != nil {
			return runner.Candidate{}, fmt.Errorf("%s: %w", m.src.Name, err)
		}
		composed[filepath.Base(s.Name)] = gosource.BlankImports(cut, gosource.UnusedImports(s, cut))
	}
	if err := m.checkDecls(files, own, replaced); err != nil {
		return runner.Candidate{}, err
	}
	c, err := runner.NewCandidate(ch, m.kind()+" "+m.Name, composed)
	if err != nil {
		return runner.Candidate{}, err
	}
	path := filepath.Join(ch.Dir, "variant-"+m.Name+".go")
	if m.composed {
		c.Lay(path, m.src.Text, m.origin())
	} else {
		c.Overlay[path] = m.File
	}
	return c, nil
}

// written are the steps whose functions m writes anew, nil for all: what else it
// replaces of the solution, any step may use.
func (m Variant) written(ch course.Chapter) ([]int, error) {
	files, err := gosource.ReadFolder(ch.SolutionDir, "solutions/"+ch.ID)
	if err != nil {
		return nil, err
	}
	own, replaced := ownDecls(m.src), map[string]bool{}
	for _, s := range files {
		if _, err := blankEdits(s, own, replaced); err != nil {
			return nil, fmt.Errorf("%s: %w", m.src.Name, err)
		}
	}
	var steps []int
	for key := range replaced {
		name := key[strings.LastIndex(key, ".")+1:]
		i := slices.IndexFunc(ch.Steps, func(s course.Step) bool { return s.Name == name })
		if i < 0 {
			return nil, nil
		}
		steps = append(steps, ch.Steps[i].Number)
	}
	slices.Sort(steps)
	return steps, nil
}

// origin is what messages of the compiler name: the file, and the entry when the
// file has many.
func (m Variant) origin() string {
	if m.composed {
		return m.File + "#" + m.Name
	}
	return m.File
}

func (m Variant) kind() string {
	if m.Accept {
		return "right variant"
	}
	return "fault"
}

// ownDecls are the declarations of a variant by their keys.
func ownDecls(s *gosource.Source) map[string]ast.Node {
	own := map[string]ast.Node{}
	for _, decl := range s.File.Decls {
		for _, name := range gosource.DeclaredNames(decl) {
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
		return gosource.ReceiverName(fn.Recv.List[0].Type) + "." + name.Name
	}
	return name.Name
}

// blankEdits empties what own replaces in s, leaving each line break, and notes
// the keys in replaced.
func blankEdits(s *gosource.Source, own map[string]ast.Node, replaced map[string]bool) ([]gosource.Edit, error) {
	var edits []gosource.Edit
	for _, decl := range s.File.Decls {
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
func blankSpecs(s *gosource.Source, gen *ast.GenDecl, own map[string]ast.Node, replaced map[string]bool) ([]gosource.Edit, error) {
	var edits []gosource.Edit
	for _, spec := range gen.Specs {
		names := gosource.SpecNames(spec)
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
			return nil, fmt.Errorf("%s declares %s together: replace all of them or none", s.At(spec.Pos()), s.Of(spec))
		case gen.Tok == token.CONST && len(gen.Specs) > 1 && counted(gen):
			return nil, fmt.Errorf("%s: %s is one of a counted group of constants, which cannot be replaced one by one", s.At(spec.Pos()),
				names[0].Name)
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
func blank(s *gosource.Source, group *ast.CommentGroup, node ast.Node) gosource.Edit {
	start := s.Offset(node.Pos())
	if group != nil {
		start = s.Offset(group.Pos())
	}
	end := s.Offset(node.End())
	return gosource.Edit{Start: start, End: end, Text: strings.Repeat("\n", strings.Count(string(s.Text[start:end]), "\n"))}
}

// checkDecls finds a misspelt name: a function that replaces nothing and that
// the variant does not call either.
func (m Variant) checkDecls(files []*gosource.Source, own map[string]ast.Node, replaced map[string]bool) error {
	used := usedNames(m.src)
	for _, decl := range m.src.File.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || fn.Name.Name == "init" || fn.Name.Name == "_" {
			continue
		}
		name := fn.Name.Name
		if own[name] == nil || replaced[name] || used[name] {
			continue
		}
		text := fmt.Sprintf("%s: function %s is not in the solution, and nothing in this file uses it", m.src.At(fn.Pos()), name)
		if near := course.Nearest(name, functionNames(files)); near != "" {
			text += fmt.Sprintf("; did you mean %s?", near)
		}
		return errors.New(text)
	}
	if len(replaced) == 0 {
		return fmt.Errorf("%s: %s replaces nothing of the solution", m.src.Name, m.Name)
	}
	return nil
}

// usedNames are the identifiers in s apart from those that declarations at the
// top level introduce.
func usedNames(s *gosource.Source) map[string]bool {
	declared := map[*ast.Ident]bool{}
	for _, decl := range s.File.Decls {
		for _, name := range gosource.DeclaredNames(decl) {
			declared[name] = true
		}
	}
	used := map[string]bool{}
	ast.Inspect(s.File, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !declared[id] {
			used[id.Name] = true
		}
		return true
	})
	return used
}

func functionNames(files []*gosource.Source) []string {
	var names []string
	for _, s := range files {
		for _, decl := range s.File.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil {
				names = append(names, fn.Name.Name)
			}
		}
	}
	return names
}
