package learner_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/course/coursetest"
	"example.com/client-go-workshop/internal/learner"
	"example.com/client-go-workshop/internal/starter"
	"example.com/client-go-workshop/internal/stepresult"
)

// updated is the fake course after an update: Shout is a new step 2, so that Sum,
// which was step 2, is step 3 now, and Last step 4.
func updated(t *testing.T) (*course.Course, course.Chapter) {
	t.Helper()
	c := coursetest.Fake(t)
	change := func(name, old, new string) {
		text := coursetest.Get(t, c.Root, name)
		require.Contains(t, text, old)
		coursetest.Put(t, c.Root, name, strings.Replace(text, old, new, 1))
	}
	change("solutions/01-fake/list.go", "Step 3:", "Step 4:")
	change("solutions/01-fake/main.go", "Step 2:", "Step 3:")
	change("solutions/01-fake/main.go", "// shout is only for Greet.", "// Step 2: shout.")
	change("solutions/01-fake/main.go", "func shout", "func Shout")
	change("solutions/01-fake/main.go", "return shout", "return Shout")
	c, err := course.OpenList(c.Root, coursetest.FakeList)
	require.NoError(t, err)
	files, err := starter.Starters(c.Chapters[0])
	require.NoError(t, err)
	for name, text := range files {
		coursetest.Put(t, c.Root, "01-fake/"+name, string(text))
	}
	return c, c.Chapters[0]
}

// TestUpdateKeepsWhatIsTheLearners reads the progress and the backup of a learner
// from before an update: they belong to functions, whatever their numbers are now.
func TestUpdateKeepsWhatIsTheLearners(t *testing.T) {
	c, ch := updated(t)
	dir := filepath.Join(c.Root, ".workshop")
	before, err := txtar.ParseFile("testdata/before-update.txtar")
	require.NoError(t, err)
	for _, file := range before.Files {
		coursetest.Put(t, dir, file.Name, string(file.Data))
	}
	store := learner.Open(dir)
	states := func() map[string]string {
		p, err := store.Progress(t.Context())
		require.NoError(t, err)
		all := map[string]string{}
		for _, step := range ch.Steps {
			sp := p.Step(ch.ID, step.Name)
			all[step.Name] = string(sp.State)
			if sp.Regressed() {
				all[step.Name] += ", passed before"
			}
			if sp.Hint > 0 {
				all[step.Name] += ", hints seen: " + string(rune('0'+sp.Hint))
			}
		}
		return all
	}
	assert.Equal(t, map[string]string{
		"Greet": "not written, passed before", "Shout": "", "Sum": "not written, passed before", "Last": "not written, hints seen: 2",
	}, states())
	require.NoError(t, store.Update(t.Context(), func(p *learner.Progress) {
		p.Record(ch.ID, stepresult.Result{Step: 2, Name: "Shout", State: stepresult.NotWritten}, p.Step(ch.ID, "Sum").Checked)
	}))

	undone, err := store.Undo(t.Context(), c.Root, "")
	require.NoError(t, err)
	assert.Equal(t, before.Files[3].Name, "backup/"+undone.Restored.Name+"/files/main.go")
	assert.Equal(t, string(before.Files[2].Data), coursetest.Get(t, c.Root, "01-fake/list.go"))
	assert.Equal(t, string(before.Files[3].Data), coursetest.Get(t, c.Root, "01-fake/main.go"))
	assert.Equal(t, map[string]string{"Greet": "done", "Shout": "", "Sum": "done", "Last": "not written, hints seen: 2"}, states())

	// The files of before have no Shout; a reset of that step adds it, and changes no other.
	mine, err := learner.ReadFiles(ch.Dir)
	require.NoError(t, err)
	files, err := starter.Starters(ch)
	require.NoError(t, err)
	now, err := learner.ReplaceFunction(mine, files, "Shout")
	require.NoError(t, err)
	text := string(now.Files["main.go"])
	assert.Contains(t, text, "panic(todo.Step(2))")
	assert.Contains(t, text, "sum += n")
	assert.Equal(t, mine["list.go"], now.Files["list.go"])

	// And back: the files and the verdicts of the update.
	_, err = store.Undo(t.Context(), c.Root, "")
	require.NoError(t, err)
	assert.Equal(t, string(files["main.go"]), coursetest.Get(t, c.Root, "01-fake/main.go"))
	assert.Equal(t, map[string]string{
		"Greet": "not written, passed before", "Shout": "not written", "Sum": "not written, passed before", "Last": "not written, hints seen: 2",
	}, states())
}

// TestUpdateKeepsHints: a chapter's hints go by the names of its steps.
func TestUpdateKeepsHints(t *testing.T) {
	c, ch := updated(t)
	coursetest.Put(t, c.Root, "solutions/01-fake/hints.yaml", "Greet: [a, b, c]\nSum: [d, e, f]\nLast: [g, h, i]\n")
	var names []string
	for _, step := range ch.Steps {
		names = append(names, step.Name)
	}
	_, err := learner.ReadHints(ch.SolutionDir, names)
	require.ErrorContains(t, err, "step Shout has no hints")
	coursetest.Put(t, c.Root, "solutions/01-fake/hints.yaml", "Greet: [a, b, c]\nShout: [j, k, l]\nSum: [d, e, f]\nLast: [g, h, i]\n")
	hints, err := learner.ReadHints(ch.SolutionDir, names)
	require.NoError(t, err)
	assert.Equal(t, []string{"d", "e", "f"}, hints["Sum"])
}
