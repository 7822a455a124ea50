package course_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/course/coursetest"
)

func TestOpen(t *testing.T) {
	root := coursetest.NewModule(t, coursetest.FakeFiles())
	c, err := course.OpenList(filepath.Join(root, "01-fake"), coursetest.FakeList)
	require.NoError(t, err)
	assert.Equal(t, root, c.Root)
	require.Len(t, c.Chapters, 2)
	ch := c.Chapters[0]
	assert.Equal(t, "01", ch.Number)
	assert.Equal(t, "three small steps", ch.About)
	assert.Equal(t, filepath.Join(root, "solutions", "01-fake"), ch.SolutionDir)
	require.Len(t, ch.Steps, 3)
	assert.Equal(t, course.Step{
		Number: 1, Name: "Greet", Title: "greet somebody",
		Doc:  "greet somebody. The greeting ends\nwith an exclamation mark.\n\nAn empty name is an error.",
		File: "01-fake/main.go", Line: 23,
	}, ch.Steps[0])
	assert.Equal(t, "Last", ch.Steps[2].Name, "a method goes by its own name")
	assert.Equal(t, "01-fake/list.go", ch.Steps[2].File)
	files, err := ch.ChapterFiles()
	require.NoError(t, err)
	assert.Equal(t, []string{"list.go", "main.go"}, files)
}

func TestOpenFindsMovedAndBrokenSteps(t *testing.T) {
	root := coursetest.NewModule(t, coursetest.FakeFiles())
	coursetest.Put(t, root, "01-fake/main.go", "package main\n\nfunc Greet(name string) (string, error) {\n\treturn \n}\n\nfunc (\n")
	coursetest.Put(t, root, "01-fake/mine.go", "package main\n\nfunc Sum(n []int) (int, error) { return 0, nil }\n")
	c, err := course.OpenList(root, coursetest.FakeList)
	require.NoError(t, err)
	steps := c.Chapters[0].Steps
	assert.Equal(t, 3, steps[0].Line, "a file that does not parse counts as far as it does")
	assert.Equal(t, "01-fake/mine.go", steps[1].File)
	assert.Equal(t, 3, steps[1].Line)
}

func TestOpenNamesWhatIsMissing(t *testing.T) {
	root := coursetest.NewModule(t, coursetest.FakeFiles())
	_, err := course.OpenList(root, coursetest.FakeList+"  - {id: 03-none, title: None, about: none}\n")
	require.Error(t, err)
	assert.Contains(t, err.Error(), "03-none is in course.yaml, but its folder 03-none is missing")
	assert.Contains(t, err.Error(), "its folder solutions/03-none is missing")

	_, err = course.OpenList(t.TempDir(), coursetest.FakeList)
	assert.ErrorContains(t, err, "not inside the workshop's repository")

	require.NoError(t, os.MkdirAll(filepath.Join(root, "nested"), 0o755))
	coursetest.Put(t, root, "nested/go.mod", "module example.com/client-go-workshop/nested\n")
	c, err := course.OpenList(filepath.Join(root, "nested"), coursetest.FakeList)
	require.NoError(t, err, "another module inside the workshop is not its top")
	assert.Equal(t, root, c.Root)
}

func TestList(t *testing.T) {
	root := coursetest.NewModule(t)
	for name, tc := range map[string]struct{ list, want string }{
		"no yaml":       {"chapters: [", "read course.yaml"},
		"unknown key":   {"chapters: [{id: 01-a, name: A}]", "name"},
		"nothing":       {"chapters: []", "lists no chapter"},
		"bad id":        {"chapters: [{id: restclient, title: A, about: a}]", `id "restclient"`},
		"no title":      {"chapters: [{id: 01-a, about: a}]", "01-a needs a title"},
		"two lines":     {`chapters: [{id: 01-a, title: A, about: "a\nb"}]`, "of one line each"},
		"repeat number": {"chapters: [{id: 01-a, title: A, about: a}, {id: 01-b, title: B, about: b}]", "01-b stands after 01-a"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := course.OpenList(root, tc.list)
			assert.ErrorContains(t, err, tc.want)
		})
	}
}

// TestStepErrors has one folder a case in the archive.
func TestStepErrors(t *testing.T) {
	all, err := txtar.ParseFile("testdata/step_errors.txtar")
	require.NoError(t, err)
	cases := map[string]*txtar.Archive{}
	for _, file := range all.Files {
		name, rest, _ := strings.Cut(file.Name, "/")
		if cases[name] == nil {
			cases[name] = &txtar.Archive{}
		}
		cases[name].Files = append(cases[name].Files, txtar.File{Name: rest, Data: file.Data})
	}
	require.NotEmpty(t, cases)
	for name, a := range cases {
		t.Run(name, func(t *testing.T) {
			root := coursetest.NewModule(t, a)
			require.NoError(t, os.MkdirAll(filepath.Join(root, "01-fake"), 0o755))
			_, err = course.OpenList(root, coursetest.OneChapter)
			require.Error(t, err)
			assert.Equal(t, strings.TrimSpace(coursetest.Section(a, "error")), err.Error())
		})
	}
}

func TestFind(t *testing.T) {
	c := coursetest.Fake(t)
	for ref, want := range map[string]string{
		"01": "01-fake", "1": "01-fake", "fake": "01-fake", "01-fake": "01-fake", "FAKE": "01-fake",
		"./01-fake": "01-fake", "01-fake/": "01-fake", "2": "02-more",
		"01.3": "01-fake Last", "1.03": "01-fake Last", "01.Sum": "01-fake Sum", "fake.sum": "01-fake Sum",
	} {
		ch, step, err := c.Find(ref)
		require.NoError(t, err, ref)
		got := ch.ID
		if step != nil {
			got += " " + step.Name
		}
		assert.Equal(t, want, got, ref)
	}
	for ref, want := range map[string]string{
		"03":       "no chapter is called \"03\"\nthere are: 01-fake, 02-more",
		"fke":      "no chapter is called \"fke\"; did you mean fake?\nthere are: 01-fake, 02-more",
		"":         "no chapter is called \"\"\nthere are: 01-fake, 02-more",
		"01.9":     "no step of 01-fake is called \"9\"\nthere are: 1 Greet, 2 Sum, 3 Last",
		"01.Great": "no step of 01-fake is called \"Great\"; did you mean Greet?\nthere are: 1 Greet, 2 Sum, 3 Last",
		"01.":      "no step of 01-fake is called \"\"\nthere are: 1 Greet, 2 Sum, 3 Last",
		"01.-1":    "no step of 01-fake is called \"-1\"\nthere are: 1 Greet, 2 Sum, 3 Last",
	} {
		_, _, err := c.Find(ref)
		var unknown *course.UnknownError
		require.ErrorAs(t, err, &unknown, ref)
		assert.Equal(t, want, err.Error(), ref)
	}
}
