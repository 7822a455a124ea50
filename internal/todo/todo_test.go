package todo

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
)

func listPods() error { return Step(3) }

func TestStepSaysWhereAndWhatNext(t *testing.T) {
	err := listPods()
	for _, want := range []string{
		"step 3, listPods, is not written yet",
		filepath.Join("todo", "todo_test.go") + ":11",
		"go run ./todo",
		"go tool workshop check todo.3",
	} {
		assert.ErrorContains(t, err, want)
	}
}

func TestIsSeesThroughWrapping(t *testing.T) {
	assert.True(t, Is(fmt.Errorf("run: %w", Step(1))))
	assert.False(t, Is(fmt.Errorf("another error")))
	assert.False(t, Is(nil))
}
