// Package architecture holds docs/architecture.md true: the table of rooms there
// is the list of what each package of this module may import, and this test
// compares it with what they do import.
package architecture

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	module = "example.com/client-go-workshop/"
	page   = "docs/architecture.md"
)

// rule forbids an arrow, whatever the page says.
type rule struct {
	from, to *regexp.Regexp
	why      string
}

// rules speak of folders below the repository root.
func rules() []rule {
	folder := regexp.MustCompile
	return []rule{
		{folder(`^internal/`), folder(`^(cmd|\d\d-[^/]+|solutions)(/|$)`), "nothing in internal imports a chapter, a solution or a command"},
		{folder(`^\d\d-`), folder(`^solutions/`), "a chapter never imports a solution"},
		{folder(`^(\d\d-[^/]+|solutions)(/|$)`), folder(`^internal/(course|gosource|starter|runner|faults|learner|chaos)(/|$)`),
			"a chapter knows nothing of the course's machinery"},
		{folder(`^internal/(check|cluster)(/|$)`), folder(`^internal/(course|gosource|starter|runner|faults|learner)(/|$)`),
			"the checks and the cluster know nothing of the course"},
	}
}

// heavy are the modules that only cmd/controlplane may build on.
func heavy() []string { return []string{"k8s.io/kubernetes", "k8s.io/apiserver", "go.etcd.io/etcd"} }

// room is a row of the page's table.
type room struct {
	folder string
	// imports and tests are what the page names: of the package, and of its tests
	// in addition. drawn has those that some package does import.
	imports, tests []string
	drawn          map[string]bool
}

// pkg is a package as `go list -json` describes it.
type pkg struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func TestArrows(t *testing.T) {
	lookAtAllFolders(t)
	rooms := readRooms(t)
	for _, p := range list(t, "./...") {
		folder := strings.TrimPrefix(p.ImportPath, module)
		assert.Empty(t, problems(rooms, folder, p.Imports, append(p.TestImports, p.XTestImports...)))
	}
	for _, own := range []string{"cmd/controlplane", "cmd/benchcontroller"} {
		assert.Empty(t, problems(rooms, own, importsIn(t, filepath.Join(root(t), own), "*.go"), nil))
	}
	for _, r := range rooms {
		for _, name := range slices.Concat(r.imports, r.tests) {
			assert.True(t, r.drawn[name], "%s: the row of %s names %s, which it does not import: remove it", page, r.folder, name)
		}
		if !strings.Contains(r.folder, "NN-") {
			assert.DirExists(t, filepath.Join(root(t), r.folder), "%s: the row of %s names a folder that is not there", page, r.folder)
		}
	}
}

// problems are what is wrong with the imports of one package, and of its tests.
func problems(rooms []*room, folder string, imports, tests []string) []string {
	i := slices.IndexFunc(rooms, func(r *room) bool { return r.folder == nameOnPage(folder) })
	if i < 0 {
		return []string{fmt.Sprintf("%s has no row in %s: add one that says what it holds and imports", folder, page)}
	}
	r := rooms[i]
	var out []string
	for _, path := range own(imports) {
		out = append(out, problem(folder, path, r.imports, "Imports"))
		r.drawn[short(path)] = true
	}
	for _, path := range own(tests) {
		if path != folder && !slices.Contains(imports, module+path) {
			out = append(out, problem(folder, path, slices.Concat(r.imports, r.tests), "Its tests also import"))
			r.drawn[short(path)] = true
		}
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// problem says what is wrong with one import, or "".
func problem(from, to string, named []string, column string) string {
	for _, r := range rules() {
		if r.from.MatchString(from) && r.to.MatchString(to) {
			return fmt.Sprintf("%s imports %s: %s", from, to, r.why)
		}
	}
	if !slices.Contains(named, short(to)) {
		return fmt.Sprintf("%s imports %s, which its row in %s does not name in the column %q: name it there if the import is wanted", from, to,
			page, column)
	}
	return ""
}

func TestProblems(t *testing.T) {
	rooms := []*room{
		{folder: "NN-name", imports: []string{"cluster", "course", "solutions/02-b"}, drawn: map[string]bool{}},
		{folder: "internal/check", imports: []string{"cluster", "course"}, tests: []string{"sleep"}, drawn: map[string]bool{}},
	}
	for _, tc := range []struct {
		folder         string
		imports, tests []string
		want           string
	}{
		{"01-a", []string{"fmt", module + "internal/cluster"}, nil, ""},
		{"01-a", []string{module + "internal/todo"}, nil,
			`01-a imports internal/todo, which its row in docs/architecture.md does not name in the column "Imports"`},
		{"01-a", []string{module + "solutions/02-b"}, nil, "a chapter never imports a solution"},
		{"01-a", nil, []string{module + "internal/course"}, "a chapter knows nothing of the course's machinery"},
		{"internal/check", []string{module + "internal/cluster"}, []string{module + "internal/check", module + "internal/sleep"}, ""},
		{"internal/check", []string{module + "internal/sleep"}, nil, "internal/check imports internal/sleep, which"},
		{"internal/check", nil, []string{module + "internal/todo"}, `the column "Its tests also import"`},
		{"internal/check", []string{module + "internal/course"}, nil, "know nothing of the course"},
		{"internal/check", []string{module + "01-a"}, nil, "nothing in internal imports a chapter"},
		{"internal/new", nil, nil, "internal/new has no row in docs/architecture.md"},
	} {
		got := problems(rooms, tc.folder, tc.imports, tc.tests)
		if tc.want == "" {
			assert.Empty(t, got)
			continue
		}
		require.Len(t, got, 1, tc.want)
		assert.Contains(t, got[0], tc.want)
	}
}

// A check file stands on internal/check, and apart from that on what the chapter's
// program may import.
func TestCheckFilesImportLittle(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root(t), "[0-9][0-9]-*", "check*_test.go"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	rooms := readRooms(t)
	chapter := slices.IndexFunc(rooms, func(r *room) bool { return r.folder == "NN-name" })
	allowed := append([]string{"check"}, rooms[chapter].imports...)
	for _, file := range files {
		for _, path := range importsIn(t, filepath.Dir(file), filepath.Base(file)) {
			first, _, _ := strings.Cut(path, "/")
			folder, inside := strings.CutPrefix(path, module)
			ok := inside && slices.Contains(allowed, short(folder)) || first == "k8s.io" || !strings.Contains(first, ".")
			assert.True(t, ok, "%s imports %s: a check file imports the standard library, k8s.io and, of this module, %v", file, path, allowed)
		}
	}
}

// A learner's `go run` must not compile Kubernetes itself.
func TestHeavyModulesStayOutside(t *testing.T) {
	for _, p := range list(t, "-deps", "-test", "./...") {
		for _, m := range heavy() {
			assert.False(t, p.ImportPath == m || strings.HasPrefix(p.ImportPath, m+"/"),
				"a package of the main module needs %s: only cmd/controlplane, a module of its own, may build on %s", p.ImportPath, m)
		}
	}
}

// Each file that the page names is there. NN-name stands for every chapter.
func TestFilesOnThePage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(t), page))
	require.NoError(t, err)
	names := regexp.MustCompile("`([A-Za-z0-9_-]+/[A-Za-z0-9_/.-]+\\.[a-z]+)`").FindAllStringSubmatch(string(text), -1)
	require.NotEmpty(t, names)
	for _, m := range names {
		pattern := strings.ReplaceAll(m[1], "NN-name", "[0-9][0-9]-*")
		files, err := filepath.Glob(filepath.Join(root(t), pattern))
		require.NoError(t, err)
		assert.NotEmpty(t, files, "%s names %s, which is not there", page, m[1])
	}
}

// readRooms reads the table of the page. Its cells name packages in backticks,
// those below internal without that word.
func readRooms(t *testing.T) []*room {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), page))
	require.NoError(t, err)
	quoted := regexp.MustCompile("`([^`]+)`")
	names := func(cell string) []string {
		var out []string
		for _, m := range quoted.FindAllStringSubmatch(cell, -1) {
			out = append(out, m[1])
		}
		return out
	}
	var rooms []*room
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 4 || len(names(cells[0])) != 1 {
			continue
		}
		rooms = append(rooms, &room{
			folder: names(cells[0])[0], imports: names(cells[2]), tests: names(cells[3]), drawn: map[string]bool{},
		})
	}
	require.NotEmpty(t, rooms, "%s has no table with four columns", page)
	return rooms
}

// lookAtAllFolders has the go command run this test again when a file changes: it
// remembers what a test itself reads, and not what its child `go list` does.
func lookAtAllFolders(t *testing.T) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(root(t), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && path != root(t) && (entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".")) {
			return filepath.SkipDir
		}
		return err
	}))
}

// list runs `go list` at the repository root.
func list(t *testing.T, args ...string) []pkg {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports,TestImports,XTestImports"}, args...)...)
	cmd.Dir = root(t)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	var packages []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return packages
		}
		require.NoError(t, err)
		packages = append(packages, p)
	}
}

// importsIn reads the imports of the files in a folder that match a pattern.
func importsIn(t *testing.T, dir, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	require.NoError(t, err)
	var all []string
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range f.Imports {
			all = append(all, strings.Trim(spec.Path.Value, `"`))
		}
	}
	return all
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	require.NoError(t, err)
	return dir
}

// own are the packages of this module, as folders, each once.
func own(imports []string) []string {
	var out []string
	for _, path := range imports {
		if folder, ok := strings.CutPrefix(path, module); ok {
			out = append(out, folder)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// short is a folder as the page's columns name it.
func short(folder string) string { return strings.TrimPrefix(folder, "internal/") }

// nameOnPage is a folder as the page's first column names it: all chapters are
// one row.
func nameOnPage(folder string) string {
	return regexp.MustCompile(`\d\d-[a-z]+`).ReplaceAllString(folder, "NN-name")
}
