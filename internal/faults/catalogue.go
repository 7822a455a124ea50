package faults

import (
	"errors"
	"fmt"
	"go/ast"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/gosource"
)

// catalogueExt ends the name of a catalogue: the faults of one step, each an
// edit of the reference. The rest of the name is that of the step's function.
const catalogueExt = ".yaml"

// catalogueEntry is one fault of a catalogue. It changes the reference of its
// step: the step's function, and the unexported functions that it calls apart
// from other steps.
type catalogueEntry struct {
	Name  string   `json:"name"`
	Fault string   `json:"fault"`
	Want  []string `json:"want"`
	// Old and New are an edit; Edits are more than one.
	Old   string          `json:"old"`
	New   *string         `json:"new"`
	Edits []referenceEdit `json:"edits"`
	// Imports are import paths, with a name before them where the code uses one.
	Imports []string `json:"imports"`
	// Add are further declarations; a function of the reference's name takes its place.
	Add string `json:"add"`
}

// referenceEdit replaces lines that stand in the reference once. Indentation
// does not count.
type referenceEdit struct {
	Old string  `json:"old"`
	New *string `json:"new"`
}

// readCatalogue reads the faults of one step; shown is what messages call the
// file. Every faulty entry is named in the error.
func readCatalogue(ch course.Chapter, solution []*gosource.Source, file, shown string) ([]Variant, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read a catalogue of faults: %w", err)
	}
	var entries []catalogueEntry
	if err := yaml.UnmarshalStrict(text, &entries); err != nil {
		return nil, fmt.Errorf("%s: %w", shown, err)
	}
	name := strings.TrimSuffix(filepath.Base(file), catalogueExt)
	i := slices.IndexFunc(ch.Steps, func(s course.Step) bool { return s.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("%s: no step of %s is called %s: a catalogue has the name of its step's function", shown, ch.ID, name)
	}
	ref := referenceOf(solution, name)
	var variants []Variant
	var problems []error
	for n, e := range entries {
		m := Variant{Name: e.Name, File: file, About: e.Fault, Step: ch.Steps[i].Number, Want: e.Want}
		if err := e.validate(); err != nil {
			problems = append(problems, fmt.Errorf("%s: entry %d: %w", shown, n+1, err))
			continue
		}
		m.src, err = ref.mutate(e, shown+"#"+e.Name)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %s: %w", shown, e.Name, err))
			continue
		}
		m.composed = true
		variants = append(variants, m)
	}
	return variants, errors.Join(problems...)
}

func (e catalogueEntry) validate() error {
	empty := func(s string) bool { return strings.TrimSpace(s) == "" }
	switch {
	case !variantName(e.Name):
		return fmt.Errorf("name %q: want letters, digits and dashes", e.Name)
	case empty(e.Fault):
		return fmt.Errorf("%s does not say what is wrong: add fault", e.Name)
	case len(e.Want) == 0 || slices.ContainsFunc(e.Want, empty):
		return fmt.Errorf("%s wants no words of the message: add want", e.Name)
	case len(e.Edits) > 0 && (e.Old != "" || e.New != nil):
		return fmt.Errorf("%s has old and new beside edits: want one of the two", e.Name)
	case len(e.edits()) == 0 && empty(e.Add):
		return fmt.Errorf("%s changes nothing: add old and new, or edits", e.Name)
	}
	for _, edit := range e.edits() {
		switch {
		case empty(edit.Old):
			return fmt.Errorf("%s has an edit without old", e.Name)
		case edit.New == nil:
			return fmt.Errorf("%s has an edit without new; what takes lines away says new: \"\"", e.Name)
		}
	}
	return nil
}

func (e catalogueEntry) edits() []referenceEdit {
	if e.Old != "" || e.New != nil {
		return []referenceEdit{{e.Old, e.New}}
	}
	return e.Edits
}

// reference is what the entries of one step's catalogue change.
type reference struct {
	step  string
	funcs []referenceFunc
}

type referenceFunc struct {
	src  *gosource.Source
	decl *ast.FuncDecl
	// lines are the function's, without their indentation, from "func" on.
	lines []string
}

// referenceOf finds the step's function and the unexported functions that it
// reaches by their names without passing through another step.
func referenceOf(solution []*gosource.Source, step string) reference {
	ref := reference{step: step}
	var rest []referenceFunc
	for _, s := range solution {
		for _, decl := range s.File.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			f := referenceFunc{src: s, decl: fn, lines: codeLines(string(s.Text[s.Offset(fn.Type.Func):s.Offset(fn.End())]))}
			number, _, _, err := course.StepOf(fn.Doc)
			switch {
			case err == nil && number > 0 && fn.Name.Name == step:
				ref.funcs = append(ref.funcs, f)
			case err == nil && number == 0 && !ast.IsExported(fn.Name.Name) && fn.Name.Name != "main" && fn.Name.Name != "init":
				rest = append(rest, f)
			}
		}
	}
	for i := 0; i < len(ref.funcs); i++ {
		used := map[string]bool{}
		ast.Inspect(ref.funcs[i].decl.Body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				used[id.Name] = true
			}
			return true
		})
		rest = slices.DeleteFunc(rest, func(f referenceFunc) bool {
			if used[f.decl.Name.Name] {
				ref.funcs = append(ref.funcs, f)
			}
			return used[f.decl.Name.Name]
		})
	}
	return ref
}

// codeLines are the lines of text without their indentation.
func codeLines(text string) []string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}

// mutate makes of an entry a Go file with the functions that it changes.
func (ref reference) mutate(e catalogueEntry, name string) (*gosource.Source, error) {
	changes := map[int][]lineChange{} // by function
	for _, re := range e.edits() {
		fn, change, err := ref.find(re)
		if err != nil {
			return nil, err
		}
		for _, other := range changes[fn] {
			if change.start < other.end && other.start < change.end {
				return nil, fmt.Errorf("two edits overlap: %s", strings.TrimSpace(re.Old))
			}
		}
		changes[fn] = append(changes[fn], change)
	}
	var body strings.Builder
	var files []*gosource.Source
	for _, i := range slices.Sorted(maps.Keys(changes)) {
		f := ref.funcs[i]
		if !slices.Contains(files, f.src) {
			files = append(files, f.src)
		}
		body.WriteString("\n" + f.with(changes[i]))
	}
	if e.Add != "" {
		body.WriteString("\n" + e.Add)
		replaced, err := ref.replacedBy(e.Add)
		if err != nil {
			return nil, err
		}
		for _, s := range replaced {
			if !slices.Contains(files, s) {
				files = append(files, s)
			}
		}
	}
	return withImports(name, body.String(), files, e.Imports)
}

// lineChange puts text in the place of the lines from start to end.
type lineChange struct {
	start, end int
	text       string
}

// find returns the function and the lines that an edit replaces.
func (ref reference) find(re referenceEdit) (int, lineChange, error) {
	old := codeLines(re.Old)
	found, fn, change := 0, 0, lineChange{text: *re.New}
	for i, f := range ref.funcs {
		for at := 0; at+len(old) <= len(f.lines); at++ {
			if slices.Equal(f.lines[at:at+len(old)], old) {
				found, fn = found+1, i
				change.start, change.end = at, at+len(old)
			}
		}
	}
	text := strings.TrimSpace(re.Old)
	switch {
	case found != 1:
		return 0, lineChange{}, fmt.Errorf("old occurs %d times in the reference of %s, want once:\n\t%s", found, ref.step,
			strings.ReplaceAll(text, "\n", "\n\t"))
	case slices.Equal(codeLines(*re.New), old):
		return 0, lineChange{}, fmt.Errorf("new is old:\n\t%s", strings.ReplaceAll(text, "\n", "\n\t"))
	}
	return fn, change, nil
}

// with is the function's text with changes made.
func (f referenceFunc) with(changes []lineChange) string {
	s := f.src
	lines := strings.SplitAfter(string(s.Text[s.Offset(f.decl.Type.Func):s.Offset(f.decl.End())])+"\n", "\n")
	slices.SortFunc(changes, func(a, b lineChange) int { return a.start - b.start })
	var b strings.Builder
	at := 0
	for _, c := range changes {
		b.WriteString(strings.Join(lines[at:c.start], ""))
		if c.text != "" {
			b.WriteString(strings.TrimRight(c.text, "\n") + "\n")
		}
		at = c.end
	}
	b.WriteString(strings.Join(lines[at:], ""))
	return b.String()
}

// replacedBy are the files of the functions that the declarations of an entry
// take the place of: their imports serve the new ones.
func (ref reference) replacedBy(add string) ([]*gosource.Source, error) {
	s, err := gosource.Parse("add", []byte("package main\n\n"+add))
	if err != nil {
		return nil, err
	}
	own := ownDecls(s)
	var files []*gosource.Source
	for _, f := range ref.funcs {
		if own[declKey(f.decl, f.decl.Name)] != nil {
			files = append(files, f.src)
		}
	}
	return files, nil
}

// withImports makes a file of declarations: with the imports of files that they
// use, and with more, which go before those of the same name.
func withImports(name, body string, files []*gosource.Source, more []string) (*gosource.Source, error) {
	var lines []string
	taken := map[string]bool{}
	for _, text := range more {
		alias, path, ok := strings.Cut(text, " ")
		if !ok {
			alias, path = gosource.PackageName(text), text
			lines = append(lines, strconv.Quote(path))
		} else {
			lines = append(lines, alias+" "+strconv.Quote(strings.TrimSpace(path)))
		}
		taken[alias] = true
	}
	for _, s := range files {
		cut, err := gosource.Parse(name, []byte("package main\n"+importBlock(importLines(s.File.Imports))+body))
		if err != nil {
			return nil, err
		}
		unused := gosource.UnusedImports(s, cut)
		kept := slices.DeleteFunc(slices.Clone(cut.File.Imports), func(spec *ast.ImportSpec) bool {
			names := gosource.LocalNames(spec)
			return len(names) == 0 || taken[names[0]] || slices.Contains(unused, spec)
		})
		lines = append(lines, importLines(kept)...)
	}
	slices.Sort(lines)
	return gosource.Parse(name, []byte("package main\n"+importBlock(slices.Compact(lines))+body))
}

// withLines adds to a compiler's message the lines of code that it names: those of
// an entry stand in no file.
func (m Variant) withLines(message string) string {
	if !m.composed {
		return message
	}
	lines := strings.Split(string(m.src.Text), "\n")
	place := regexp.MustCompile(`(?m)^.*#` + regexp.QuoteMeta(m.Name) + `:([0-9]+):.*$`)
	return place.ReplaceAllStringFunc(message, func(found string) string {
		n, err := strconv.Atoi(place.FindStringSubmatch(found)[1])
		if err != nil || n > len(lines) {
			return found
		}
		return found + "\n\t" + strings.TrimSpace(lines[n-1])
	})
}

// importLines are imports as a file writes them.
func importLines(specs []*ast.ImportSpec) []string {
	var lines []string
	for _, spec := range specs {
		line := spec.Path.Value
		if spec.Name != nil {
			line = spec.Name.Name + " " + line
		}
		lines = append(lines, line)
	}
	return lines
}

func importBlock(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return "\nimport (\n\t" + strings.Join(lines, "\n\t") + "\n)\n"
}
