package faults

import (
	"context"
	"fmt"
	"go/ast"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/gosource"
	"example.com/client-go-workshop/internal/runner"
)

const (
	// variantEnv names the variant that a bundle is to be; without it a bundle
	// is the solution.
	variantEnv = "WORKSHOP_VARIANT"
	// bundleLeast is how many variants make a bundle worth its build.
	bundleLeast = 3
)

// bundle is one program for many variants of a solution. Linking a program costs
// more than running its checks, so a chapter's variants are linked once: each
// function that some of them replace becomes one that looks at variantEnv and
// calls that variant's, or else the solution's own.
type bundle struct {
	program *runner.Program
	holds   map[string]bool
}

// programOf returns the program of m and the variable that selects it, nil when
// m needs a program of its own.
func (b *bundle) programOf(m Variant) (*runner.Program, []string) {
	if b == nil || !b.holds[m.Name] {
		return nil, nil
	}
	return b.program, []string{variantEnv + "=" + m.Name}
}

// newBundle builds one program for all the variants that can share one. Those that
// do not compile with the others are left out, and are told so by a build of
// their own. It returns nil when too few remain.
func newBundle(ctx context.Context, ch course.Chapter, variants []Variant, env []string, dir string) (*bundle, error) {
	files, err := gosource.ReadFolder(ch.SolutionDir, "solutions/"+ch.ID)
	if err != nil {
		return nil, err
	}
	solution := topLevel(files)
	chosen := slices.DeleteFunc(slices.Clone(variants), func(m Variant) bool { return !solution.shares(m) })
	for len(chosen) >= bundleLeast {
		cand, err := bundleCandidate(ch, files, chosen)
		if err != nil {
			return nil, err
		}
		p, err := runner.Build(ctx, ch, cand, env, dir)
		if err != nil {
			return nil, err
		}
		if p.BuildError == "" {
			b := &bundle{program: p, holds: map[string]bool{}}
			for _, m := range chosen {
				b.holds[m.Name] = true
			}
			return b, nil
		}
		before := len(chosen)
		chosen = slices.DeleteFunc(chosen, func(m Variant) bool {
			return strings.Contains(p.BuildError, course.Relative(ch.Root(), m.origin())+":")
		})
		if len(chosen) == before {
			return nil, nil
		}
	}
	return nil, nil
}

// declarations are the top-level declarations of a solution by their keys.
type declarations map[string]declared

type declared struct {
	source *gosource.Source
	decl   ast.Decl
}

func topLevel(files []*gosource.Source) declarations {
	all := declarations{}
	for _, s := range files {
		for _, decl := range s.File.Decls {
			for _, name := range gosource.DeclaredNames(decl) {
				all[declKey(decl, name)] = declared{s, decl}
			}
		}
	}
	return all
}

// shares reports whether m can be in a program with others: it replaces
// functions alone, with the solution's own signatures, and does nothing before
// main begins.
func (d declarations) shares(m Variant) bool {
	own := ownDecls(m.src)
	for _, decl := range m.src.File.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok {
			if !d.sharesFunc(m, fn, own) {
				return false
			}
			continue
		}
		for _, name := range gosource.DeclaredNames(decl) {
			if _, replaces := d[name.Name]; replaces {
				return false
			}
		}
		if calls(decl) {
			return false
		}
	}
	return true
}

func (d declarations) sharesFunc(m Variant, fn *ast.FuncDecl, own map[string]ast.Node) bool {
	key := declKey(fn, fn.Name)
	if key == "" || fn.Type.TypeParams != nil {
		return false
	}
	original, replaces := d[key]
	if !replaces {
		// A method that is added to a type of the solution could meet another's.
		return fn.Recv == nil || own[gosource.ReceiverName(fn.Recv.List[0].Type)] != nil
	}
	before, ok := original.decl.(*ast.FuncDecl)
	return ok && before.Type.TypeParams == nil && signature(original.source, before) == signature(m.src, fn)
}

// calls reports whether a declaration of variables runs code.
func calls(decl ast.Decl) bool {
	found := false
	ast.Inspect(decl, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		if _, ok := n.(*ast.CallExpr); ok {
			found = true
		}
		return true
	})
	return found
}

// signature is a function's types as they are written.
func signature(s *gosource.Source, fn *ast.FuncDecl) string {
	var types []string
	for _, list := range []*ast.FieldList{fn.Recv, fn.Type.Params, fn.Type.Results} {
		types = append(types, fieldTypes(s, list)...)
		types = append(types, ";")
	}
	return strings.Join(types, ",")
}

// fieldTypes has the type of each parameter, also of those that share one.
func fieldTypes(s *gosource.Source, list *ast.FieldList) []string {
	var types []string
	if list == nil {
		return nil
	}
	for _, field := range list.List {
		for range max(1, len(field.Names)) {
			types = append(types, s.Of(field.Type))
		}
	}
	return types
}

// bundleCandidate composes the program: the solution with a switch in place of
// each replaced function, and each variant's file with its own names renamed. No
// line moves.
func bundleCandidate(ch course.Chapter, files []*gosource.Source, chosen []Variant) (runner.Candidate, error) {
	variants := map[string]map[string]string{} // key to variant's name to prefix
	composed := map[string][]byte{}
	prefix := func(i int) string { return fmt.Sprintf("variant%d_", i) }
	for i, m := range chosen {
		for key := range ownDecls(m.src) {
			if variants[key] == nil {
				variants[key] = map[string]string{}
			}
			variants[key][m.Name] = prefix(i)
		}
	}
	for _, s := range files {
		composed[filepath.Base(s.Name)] = withSwitches(s, variants)
	}
	cand, err := runner.NewCandidate(ch, fmt.Sprintf("%d variants in one program", len(chosen)), composed)
	if err != nil {
		return runner.Candidate{}, err
	}
	solution := topLevel(files)
	for i, m := range chosen {
		text := renamed(m.src, prefix(i), solution)
		cand.Lay(filepath.Join(ch.Dir, "variant-"+m.Name+".go"), text, m.origin())
	}
	selector := fmt.Sprintf("package main\n\nimport \"os\"\n\nvar workshopVariant = os.Getenv(%q)\n", variantEnv)
	cand.Lay(filepath.Join(ch.Dir, "workshop_variant.go"), []byte(selector), filepath.Join(ch.Dir, "workshop_variant.go"))
	return cand, nil
}

// renamed gives every name that a variant's file declares a prefix, where it is
// declared and where it is used. Methods of the variant's own types keep theirs:
// an interface may want them.
func renamed(s *gosource.Source, prefix string, solution declarations) []byte {
	var edits []gosource.Edit
	at := func(id *ast.Ident) {
		start := s.Offset(id.Pos())
		edits = append(edits, gosource.Edit{Start: start, End: start, Text: prefix})
	}
	for _, decl := range s.File.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Recv == nil {
			continue
		}
		if _, replaces := solution[declKey(fn, fn.Name)]; replaces {
			at(fn.Name)
		}
	}
	ast.Inspect(s.File, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if ok && id.Obj != nil && id.Name != "_" && s.File.Scope.Lookup(id.Name) == id.Obj {
			at(id)
		}
		return true
	})
	return gosource.Apply(s.Text, edits)
}

// withSwitches renames the functions of s that variants replace, and adds at the
// end a function of each one's old name that chooses among them.
func withSwitches(s *gosource.Source, variants map[string]map[string]string) []byte {
	var edits []gosource.Edit
	var added strings.Builder
	for _, decl := range s.File.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || variants[declKey(fn, fn.Name)] == nil {
			continue
		}
		start := s.Offset(fn.Name.Pos())
		edits = append(edits, gosource.Edit{Start: start, End: start, Text: "original_"})
		added.WriteString(switchOf(s, fn, variants[declKey(fn, fn.Name)]))
	}
	return append(gosource.Apply(s.Text, edits), added.String()...)
}

func switchOf(s *gosource.Source, fn *ast.FuncDecl, variants map[string]string) string {
	var params, args []string
	for i, typ := range fieldTypes(s, fn.Type.Params) {
		name := fmt.Sprintf("p%d", i)
		params = append(params, name+" "+typ)
		if strings.HasPrefix(typ, "...") {
			name += "..."
		}
		args = append(args, name)
	}
	receiver, on := "", ""
	if fn.Recv != nil {
		receiver, on = "(receiver "+s.Of(fn.Recv.List[0].Type)+") ", "receiver."
	}
	results := fieldTypes(s, fn.Type.Results)
	call := func(prefix string) string {
		text := fmt.Sprintf("%s%s%s(%s)", on, prefix, fn.Name.Name, strings.Join(args, ", "))
		if len(results) > 0 {
			return "return " + text
		}
		return text
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nfunc %s%s(%s) (%s) {\n\tswitch workshopVariant {\n", receiver, fn.Name.Name, strings.Join(params, ", "),
		strings.Join(results, ", "))
	for _, name := range slices.Sorted(maps.Keys(variants)) {
		fmt.Fprintf(&b, "\tcase %q:\n\t\t%s\n", name, call(variants[name]))
	}
	fmt.Fprintf(&b, "\tdefault:\n\t\t%s\n\t}\n}\n", call("original_"))
	return b.String()
}
