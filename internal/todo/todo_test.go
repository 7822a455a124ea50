package todo

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

func listPods() error { return Step(3) }

func TestStepSaysWhereAndWhatNext(t *testing.T) {
	err := listPods()
	for _, want := range []string{
		"step 3, listPods, is not written yet",
		filepath.Join("todo", "todo_test.go") + ":14",
		`replace the line "panic(todo.Step(3))"`,
		"go run ./todo",
		"go tool workshop check todo.3",
	} {
		assert.ErrorContains(t, err, want)
	}
}

func TestIsSeesThroughWrapping(t *testing.T) {
	assert.True(t, Is(fmt.Errorf("run: %w", Step(1))))
	assert.False(t, Is(errors.New("another error")))
	assert.False(t, Is(nil))
}

func unwritten() { panic(Step(7)) }

func TestRunReturnsTheProgramsError(t *testing.T) {
	failed := errors.New("failed")
	assert.Equal(t, failed, Run(t.Context(), func(context.Context) error { return failed }))
	assert.NoError(t, Run(t.Context(), func(context.Context) error { return nil }))
}

func TestRunCleansUpAfterAnUnwrittenStep(t *testing.T) {
	cleaned := false
	err := Run(t.Context(), func(context.Context) error {
		defer func() { cleaned = true }()
		unwritten()
		return nil
	})
	assert.ErrorContains(t, err, "step 7, unwritten, is not written yet")
	assert.True(t, cleaned)
}

func TestRunSeesAnUnwrittenStepInAnyGoroutine(t *testing.T) {
	cleaned := false
	err := Run(t.Context(), func(ctx context.Context) error {
		defer func() { cleaned = true }()
		var workers sync.WaitGroup
		for range 3 {
			workers.Go(unwritten)
		}
		workers.Wait()
		<-ctx.Done()
		return ctx.Err()
	})
	assert.True(t, Is(err), "%v", err)
	assert.True(t, cleaned)
}

func TestOutsideOfRunAnUnwrittenStepPanics(t *testing.T) {
	assert.Panics(t, unwritten)
}
