package stepresult

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWriteThenReadInTheOrderOfTheSteps(t *testing.T) {
	dir := t.TempDir()
	for _, step := range []int{10, 2, 1} {
		require.NoError(t, Write(dir, Result{Step: step, State: Done}))
	}
	require.NoError(t, Write(dir, Result{Step: 2, State: NotYet, Seen: "again"}))
	got, err := Read(dir)
	require.NoError(t, err)
	assert.Equal(t, []Result{{Step: 1, State: Done}, {Step: 2, State: NotYet, Seen: "again"}, {Step: 10, State: Done}}, got)
}

func TestReadNamesAFileThatIsNoVerdict(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "step-01.json"), []byte("{"), 0o600))
	_, err := Read(dir)
	assert.ErrorContains(t, err, "step-01.json")
}

func TestMessageHasItsPartsInOrder(t *testing.T) {
	r := Result{Seen: "want 1,\ngot 2", Cause: "an off-by-one", Read: "README.md", Output: "hello"}
	assert.Equal(t, "want 1,\n  got 2\nlikely cause: an off-by-one\nread on: README.md\nyour program printed:\n  hello", r.Message())
	assert.Empty(t, Result{State: Done}.Message())
}

func TestBegun(t *testing.T) {
	dir := t.TempDir()
	assert.False(t, Begun(dir))
	require.NoError(t, Begin(dir))
	assert.True(t, Begun(dir))
	results, err := Read(dir)
	require.NoError(t, err)
	assert.Empty(t, results, "a beginning is no verdict")

	dir = t.TempDir()
	require.NoError(t, Write(dir, Result{Step: 1, State: Done}))
	assert.True(t, Begun(dir), "nor is there a verdict without a beginning")
}
