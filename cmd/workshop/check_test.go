package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/learner"
	"example.com/client-go-workshop/internal/runner"
	"example.com/client-go-workshop/internal/stepresult"
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
	report := &runner.Report{Chapter: second}

	w.progress.SetStep(second.ID, "B", learner.StepProgress{State: stepresult.Done})
	require.Equal(t, "02.2", w.stepAfter(report).Ref)
	w.progress.SetStep(second.ID, "C", learner.StepProgress{State: stepresult.Done})
	require.Equal(t, "01.1", w.stepAfter(report).Ref)
	w.progress.SetStep(first.ID, "A", learner.StepProgress{State: stepresult.NotHere})
	require.Nil(t, w.stepAfter(report), "there is nothing to do for a step that the cluster cannot judge")
	w.progress.SetStep(first.ID, "A", learner.StepProgress{State: stepresult.Done})
	require.Nil(t, w.stepAfter(report))
}

// TestNotHere has a cluster that cannot judge one step: the next one is shown, and
// the chapter has not passed.
func TestNotHere(t *testing.T) {
	ch := course.Chapter{ID: "01-first", Number: "01", Title: "First", Steps: []course.Step{{Number: 1, Name: "A"}, {Number: 2, Name: "B"}}}
	w := &workshop{Course: &course.Course{Chapters: []course.Chapter{ch}}}
	report := &runner.Report{Chapter: ch, Candidate: "your code", Steps: []stepresult.Result{
		{Step: 1, Name: "A", State: stepresult.NotHere, Seen: "you may not create namespaces"}, {Step: 2, Name: "B", State: stepresult.NotYet},
	}}
	require.Equal(t, "01.2", w.checked(report, false).Next)

	report.Steps[1].State = stepresult.Done
	w.progress.SetStep(ch.ID, "A", learner.StepProgress{State: stepresult.NotHere})
	w.progress.SetStep(ch.ID, "B", learner.StepProgress{State: stepresult.Done})
	result := w.checked(report, false)
	require.False(t, result.Passed)
	require.Empty(t, result.Next)
	require.Equal(t, "go tool workshop", result.Command)
	a, _ := newTestApp(t)
	var out bytes.Buffer
	a.out.Writer = &out
	a.printChecked(report, result, false)
	require.Contains(t, out.String(), "1 of the steps cannot be judged on this cluster; all others are done.")

	report.Steps = report.Steps[:1]
	out.Reset()
	a.printChecked(report, w.checked(report, false), false)
	require.Contains(t, out.String(), "    you may not create namespaces")
}
