package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/course/learner"
	"example.com/client-go-workshop/internal/verdict"
)

// TestStepAfter has somebody skip a chapter: the next step is one of the
// chapter that was checked, as long as that has one.
func TestStepAfter(t *testing.T) {
	steps := func(names ...string) (all []course.Step) {
		for i, name := range names {
			all = append(all, course.Step{Number: i + 1, Name: name})
		}
		return all
	}
	first := course.Chapter{ID: "01-first", Number: "01", Steps: steps("A")}
	second := course.Chapter{ID: "02-second", Number: "02", Steps: steps("B", "C")}
	w := &workshop{Course: &course.Course{Chapters: []course.Chapter{first, second}}}
	report := &course.Report{Chapter: second}

	w.progress.SetStep(second.ID, "B", learner.StepProgress{State: verdict.Done})
	require.Equal(t, "02.2", w.stepAfter(report).Ref)
	w.progress.SetStep(second.ID, "C", learner.StepProgress{State: verdict.Done})
	require.Equal(t, "01.1", w.stepAfter(report).Ref)
	w.progress.SetStep(first.ID, "A", learner.StepProgress{State: verdict.Done})
	require.Nil(t, w.stepAfter(report))
}
