package starter

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/course/coursetest"
	"example.com/client-go-workshop/internal/gosource"
)

var update = flag.Bool("update", false, "write the starters in testdata anew")

// TestStarter holds each file in testdata/starter equal to the one below
// want/, or the error to what the archive says. All starters must pass go vet.
func TestStarter(t *testing.T) {
	names, err := filepath.Glob("testdata/starter/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	root := coursetest.NewModule(t)
	for _, name := range names {
		stem := strings.TrimSuffix(filepath.Base(name), ".txtar")
		t.Run(stem, func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			require.NoError(t, err)
			starters := starterCase(t, root, stem, a)
			if *update && starters != nil {
				updateWant(t, name, a, starters)
			}
			for file, text := range starters {
				assert.Equal(t, coursetest.Section(a, "want/"+file), text, file)
				coursetest.Put(t, root, stem+"/"+file, text)
				again, err := starterOf([]byte(text), filepath.Join(root, stem, file))
				require.NoError(t, err)
				assert.Equal(t, text, string(again), "the starter of a starter is itself")
			}
		})
	}
	cmd := exec.Command("go", "vet", "./...")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	assert.NoError(t, err, "%s", out)
}

// starterCase makes the starters of one archive's files, by name; nil where the
// archive wants an error.
func starterCase(t *testing.T, root, stem string, a *txtar.Archive) map[string]string {
	t.Helper()
	for _, file := range a.Files {
		if !strings.HasPrefix(file.Name, "want/") && file.Name != "error" {
			coursetest.Put(t, root, stem+"/"+file.Name, string(file.Data))
		}
	}
	starters := map[string]string{}
	for _, file := range a.Files {
		if strings.Contains(file.Name, "/") || file.Name == "error" {
			continue
		}
		text, err := starterOf(file.Data, filepath.Join(root, stem, file.Name))
		if want := strings.TrimSpace(coursetest.Section(a, "error")); want != "" {
			require.Error(t, err)
			assert.Equal(t, want, strings.ReplaceAll(err.Error(), root+"/"+stem+"/", ""))
			require.NoError(t, os.RemoveAll(filepath.Join(root, stem)))
			return nil
		}
		require.NoError(t, err)
		starters[file.Name] = string(text)
	}
	return starters
}

// starterOf makes the starter of one file, whose folder may hold others.
func starterOf(src []byte, filename string) ([]byte, error) {
	s, err := gosource.Parse(filename, src)
	if err != nil {
		return nil, err
	}
	b, err := newStubber(siblings(s))
	if err != nil {
		return nil, err
	}
	return b.stub(s, nil)
}

// siblings returns s with the other files of its folder that parse; a file that
// does not has no type to offer, and Go will say so itself.
func siblings(s *gosource.Source) []*gosource.Source {
	files := []*gosource.Source{s}
	dir := filepath.Dir(s.Name)
	names, err := gosource.GoFiles(dir)
	if err != nil {
		return files
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		if name == filepath.Base(s.Name) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		if other, err := gosource.Parse(path, text); err == nil {
			files = append(files, other)
		}
	}
	return files
}

func updateWant(t *testing.T, name string, a *txtar.Archive, starters map[string]string) {
	t.Helper()
	var files []txtar.File
	for _, file := range a.Files {
		if !strings.HasPrefix(file.Name, "want/") {
			files = append(files, file)
		}
	}
	for _, file := range a.Files {
		if text, ok := starters[file.Name]; ok {
			files = append(files, txtar.File{Name: "want/" + file.Name, Data: []byte(text)})
		}
	}
	a.Files = files
	require.NoError(t, os.WriteFile(name, txtar.Format(a), 0o644))
}

func TestStarterOfSolutionParsesNothingElse(t *testing.T) {
	src := "package main\n\nfunc main() {}\n\n// Step 1: do it\nfunc Do() (int, error) { return 1, nil }\n"
	want := "package main\n\nimport \"" + course.Module +
		"/internal/todo\"\n\nfunc main() {}\n\n// Step 1: do it\nfunc Do() (int, error) {\n\tpanic(todo.Step(1))\n}\n"
	got, err := starterOf([]byte(src), "no/such/folder/main.go")
	require.NoError(t, err, "a folder that does not exist only means that there are no siblings")
	assert.Equal(t, want, string(got))

	_, err = starterOf([]byte("package main\nfunc {"), "main.go")
	assert.ErrorContains(t, err, "main.go:2:6")
}

func TestWithoutStep(t *testing.T) {
	ch := coursetest.Fake(t).Chapters[0]
	files, err := WithoutStep(ch, 2)
	require.NoError(t, err)
	got := string(files["main.go"])
	assert.Contains(t, got, "panic(todo.Step(2))")
	assert.Contains(t, got, "func shout", "what other steps use stays")
	assert.Contains(t, got, `return shout("hello " + name), nil`)

	files, err = WithoutStep(ch, 7)
	require.NoError(t, err)
	assert.Equal(t, coursetest.Get(t, ch.SolutionDir, "main.go"), string(files["main.go"]))
}

func TestWriteStarters(t *testing.T) {
	c := coursetest.Fake(t)
	files, err := WriteStarters(c, Options{Check: true})
	require.NoError(t, err)
	assert.Equal(t, []File{
		{Name: "01-fake/list.go", State: Same}, {Name: "01-fake/main.go", State: Same}, {Name: "02-more/main.go", State: Same},
	}, files)

	coursetest.Put(t, c.Root, "01-fake/extra.go", "package main\n")
	coursetest.Put(t, c.Root, "01-fake/main.go", strings.ReplaceAll(coursetest.Get(t, c.Root, "01-fake/main.go"), `"you"`, `"me"`))
	require.NoError(t, os.Remove(filepath.Join(c.Root, "02-more/main.go")))
	files, err = WriteStarters(c, Options{Check: true})
	require.NoError(t, err)
	states := map[string]State{}
	for _, f := range files {
		states[f.Name] = f.State
	}
	assert.Equal(t, map[string]State{
		"01-fake/extra.go": Extra, "01-fake/list.go": Same, "01-fake/main.go": Differs, "02-more/main.go": Missing,
	}, states)
	assert.Contains(t, files[2].Diff, "--- 01-fake/main.go\n+++ 01-fake/main.go (generated)\n")
	assert.Contains(t, files[2].Diff, "-\ttext, err := Greet(\"me\")\n+\ttext, err := Greet(\"you\")\n")
	assert.NoDirExists(t, filepath.Join(c.Root, ".workshop"), "a comparison leaves nothing behind")
}

func TestWriteStartersNeverLosesWork(t *testing.T) {
	c := coursetest.Fake(t)
	const main, solution = "01-fake/main.go", "solutions/01-fake/main.go"
	changeSolution := func(to string) {
		coursetest.Put(t, c.Root, solution, strings.ReplaceAll(coursetest.Get(t, c.Root, "solutions/01-fake/main.go"), "// Step 2: ",
			"// Step 2: "+to+" "))
	}
	write := func(opts Options) error {
		_, err := WriteStarters(c, opts)
		return err
	}

	changeSolution("first")
	var refused *WorkError
	require.NoError(t, write(Options{}), "no step is written")
	assert.Contains(t, coursetest.Get(t, c.Root, main), "first add numbers")

	changeSolution("second")
	work := strings.Replace(coursetest.Get(t, c.Root, main), "panic(todo.Step(2))", "return len(numbers), nil", 1)
	coursetest.Put(t, c.Root, main, work)
	require.NoError(t, os.Remove(filepath.Join(c.Root, "02-more/main.go")))
	require.ErrorAs(t, write(Options{}), &refused)
	assert.Equal(t, work, coursetest.Get(t, c.Root, main))
	assert.NoFileExists(t, filepath.Join(c.Root, "02-more/main.go"), "all or nothing")

	assert.Equal(t, []string{main}, refused.Files)
	assert.Contains(t, refused.Error(), "--force")

	require.NoError(t, write(Options{Force: true}))
	assert.Contains(t, coursetest.Get(t, c.Root, main), "todo.Step(2)")
	copies, err := filepath.Glob(filepath.Join(c.Root, ".workshop/overwritten/*/01-fake/main.go"))
	require.NoError(t, err)
	var kept []string
	for _, name := range copies {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		kept = append(kept, string(text))
	}
	assert.Contains(t, kept, work)

	coursetest.Put(t, c.Root, main, strings.ReplaceAll(coursetest.Get(t, c.Root, main), "\n", "\r\n"))
	files, err := WriteStarters(c, Options{Check: true})
	require.NoError(t, err)
	assert.Equal(t, Same, files[1].State, "git on Windows changes line ends")
}
