// Package coursetest gives tests a small course in a module of its own, whose
// checks need no cluster.
package coursetest

import (
	_ "embed"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/gosource"
)

// FakeList is the list of the fake course's chapters.
const FakeList = `
chapters:
  - {id: 01-fake, title: Fake, about: three small steps}
  - {id: 02-more, title: More, about: one step}
`

// OneChapter is a list with only the first of them.
const OneChapter = `chapters: [{id: 01-fake, title: Fake, about: small}]`

//go:embed fake.txtar
var fakeText []byte

// FakeFiles are the files of the fake course.
func FakeFiles() *txtar.Archive { return txtar.Parse(fakeText) }

// Fake opens the fake course in a folder of its own.
func Fake(t *testing.T) *course.Course {
	t.Helper()
	c, err := course.OpenList(NewModule(t, FakeFiles()), FakeList)
	require.NoError(t, err)
	return c
}

// NewModule makes a module of the workshop's name with its real packages todo
// and stepresult, and the files of archives. The test's package lies beside those.
func NewModule(t *testing.T, archives ...*txtar.Archive) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	Put(t, root, "go.mod", "module "+course.Module+"\n\ngo 1.26.0\n")
	for _, pkg := range []string{"todo", "stepresult"} {
		names, err := gosource.GoFiles(filepath.Join("..", pkg))
		require.NoError(t, err)
		for _, name := range names {
			text, err := os.ReadFile(filepath.Join("..", pkg, name))
			require.NoError(t, err)
			Put(t, root, "internal/"+pkg+"/"+name, string(text))
		}
	}
	for _, archive := range archives {
		for _, file := range archive.Files {
			Put(t, root, file.Name, string(file.Data))
		}
	}
	return root
}

// Put writes a file below root.
func Put(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// Get reads a file below root.
func Get(t *testing.T, root, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	require.NoError(t, err)
	return string(text)
}

// Section is the text of one file of an archive, "" when it is not there.
func Section(a *txtar.Archive, name string) string {
	for _, file := range a.Files {
		if file.Name == name {
			return string(file.Data)
		}
	}
	return ""
}
