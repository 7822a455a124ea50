package main

import (
	"fmt"
	"slices"
	"strings"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/runner"
	"example.com/client-go-workshop/internal/stepresult"
)

const (
	// summaryWidth is how much of a message goes into a step's one line.
	summaryWidth = 70
	nameWidth    = 18 // the least; a longer name widens the column
	stateWidth   = 11
)

// printChecked prints the step to work on in full, then each step in a line,
// then what to type next.
func (a *app) printChecked(report *runner.Report, c checked, all bool) {
	a.out.line("%s: %d of %d %s done\n", a.out.bold(report.Chapter.Number+" "+report.Chapter.Title+", "+c.Candidate), c.Done, c.Total,
		plural(c.Total, "step"))
	if c.BuildError != "" {
		a.out.line("%s", a.out.bad("It does not compile. Go says:"))
		a.out.line("%s\n", indent(c.BuildError, 2))
		if c.BuildAdvice != "" {
			a.out.line("%s\n", c.BuildAdvice)
		}
	}
	if c.RunError != "" {
		a.out.line("%s %s\n", a.out.bad("The checks did not end as they should:"), c.RunError)
	}
	width := nameWidth
	for _, s := range c.Steps {
		width = max(width, len(s.Name))
	}
	full, lead := c.Next, "work on "
	switch {
	case c.BuildError != "":
		full = "" // the compiler's message is the one to work on
	case full == "" && len(c.Steps) == 1 && !c.Passed:
		full, lead = c.Steps[0].Ref, ""
	}
	for _, s := range c.Steps {
		if s.Ref == full && !all {
			a.printInFull(s, lead)
		}
	}
	for _, s := range c.Steps {
		if s.Ref == full && len(c.Steps) == 1 && !all {
			continue // it was the only one
		}
		if all && s.State != stepresult.Done && c.BuildError == "" {
			a.printInFull(s, "")
			continue
		}
		if c.BuildError != "" {
			s.Seen = "" // Go's message says it
		}
		a.out.line("%s", a.stepLine(s, s.Ref == full, width))
	}
	switch {
	case c.Passed:
		a.out.line("\n%s", a.out.good(plainDone(c)))
	case c.Next == "" && c.BuildError == "" && c.RunError == "" && c.Total > 1:
		a.out.line("\n%d of the steps cannot be judged on this cluster; all others are done.", c.Total-c.Done)
	}
	a.printAfterCheck(c)
}

// printAfterCheck says what to do and to type next.
func (a *app) printAfterCheck(c checked) {
	if c.Command == "" {
		return
	}
	if c.Passed || c.BuildError != "" || len(c.Steps) > 1 {
		a.out.line("")
	}
	do := ""
	switch {
	case c.BuildError != "":
		do = "mend what Go says, then: "
	case c.Next != "":
		do = "write or mend step " + c.Next + ", then: "
	}
	a.out.line("next:  %s%s", do, a.out.command(c.Command))
	if c.Hint != "" {
		a.out.line("stuck: %s", a.out.command(c.Hint))
	}
}

// wrong reports whether something is wrong, and not only unwritten.
func (c checked) wrong() bool {
	return c.BuildError != "" || c.RunError != "" || slices.ContainsFunc(c.Steps, func(s checkedStep) bool {
		return s.State == stepresult.NotYet || s.State == stepresult.NotRun
	})
}

func plainDone(c checked) string {
	if c.Total == 1 {
		return "The step is done."
	}
	return "All steps of the chapter are done."
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// printInFull prints a step with its whole message.
func (a *app) printInFull(s checkedStep, lead string) {
	a.out.line("%s %s%s %s: %s", a.out.box(s.State), lead, a.out.bold(s.Ref), a.out.bold(s.Name), a.stateText(s))
	a.out.line("    %s", a.out.faint(s.Title))
	a.out.line("    %s", place(course.Step{File: s.File, Line: s.Line}))
	if s.Message != "" {
		a.out.line("%s", indent(s.Message, 4))
	}
	a.out.line("")
}

// stateText is a step's state in words.
func (a *app) stateText(s checkedStep) string {
	text := string(s.State)
	switch s.State {
	case stepresult.Done:
		text = a.out.good(text)
	case stepresult.NotYet:
		text = a.out.bad(text)
	}
	if s.PassedBefore {
		text += a.out.warn(" (it passed before)")
	}
	return text
}

// stepLine is a step in one line. The one that was shown in full is not
// explained again.
func (a *app) stepLine(s checkedStep, shown bool, width int) string {
	plain := string(s.State)
	note := ""
	switch {
	case shown:
		note = "see above"
	case s.State == stepresult.NotYet || s.State == stepresult.NotRun || s.State == stepresult.NotHere:
		note = firstLine(s.Seen, summaryWidth)
	}
	if s.PassedBefore {
		note = strings.TrimSpace("it passed before; " + note)
		note = strings.TrimSuffix(note, ";")
	}
	state := plain
	switch s.State {
	case stepresult.Done:
		state = a.out.good(plain)
	case stepresult.NotYet:
		state = a.out.bad(plain)
	}
	line := fmt.Sprintf("%s %-5s %-*s %s", a.out.box(s.State), s.Ref, width, s.Name, padded(state, plain, stateWidth))
	return strings.TrimRight(line+"  "+note, " ")
}
