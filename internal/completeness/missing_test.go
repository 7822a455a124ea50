// Package completeness says what the course still lacks. It is the to-do list of
// a new chapter: hints, faults, the row in the README, and whatever else belongs
// to a chapter beside its program.
package completeness

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/faults"
	"example.com/client-go-workshop/internal/learner"
	"example.com/client-go-workshop/internal/starter"
)

const (
	// faultsWanted and rightWanted are how many faults and how many other right
	// variants a step has at least.
	faultsWanted = 2
	rightWanted  = 1
)

// missing lists what the course lacks, a line for each thing. It is empty for a
// complete course. An error means that the course could not be looked at.
func missing(c *course.Course) ([]string, error) {
	var lines list
	for _, ch := range c.Chapters {
		l := list{prefix: ch.ID + ": "}
		l.checks(ch)
		l.hints(ch)
		l.variants(ch)
		l.guides(ch)
		l.testScript(ch)
		lines.all = append(lines.all, l.all...)
	}
	if err := lines.starters(c); err != nil {
		return nil, err
	}
	lines.readmeRows(c)
	lines.needs(c)
	lines.oneNamespace(c)
	lines.madeKinds(c)
	return lines.all, nil
}

// list collects lines.
type list struct {
	prefix string
	all    []string
}

func (l *list) add(format string, args ...any) {
	l.all = append(l.all, l.prefix+fmt.Sprintf(format, args...))
}

// fail adds each line of an error that is a finding.
func (l *list) fail(root string, err error) {
	for _, line := range strings.Split(err.Error(), "\n") {
		l.add("%s", strings.ReplaceAll(line, root+string(filepath.Separator), ""))
	}
}

// checks wants one check for each step, and no other.
func (l *list) checks(ch course.Chapter) {
	got, err := checkNames(ch)
	if err != nil {
		l.fail(ch.Root(), err)
		return
	}
	var want []string
	for _, step := range ch.Steps {
		name := fmt.Sprintf("TestStep%d_%s", step.Number, step.Name)
		want = append(want, name)
		if !slices.Contains(got, name) {
			l.add("step %d, %s: no check*_test.go has %s", step.Number, step.Name, name)
		}
	}
	for _, name := range got {
		if !slices.Contains(want, name) {
			l.add("a check*_test.go has %s, and there is no such step", name)
		}
	}
}

// hints wants three for each step.
func (l *list) hints(ch course.Chapter) {
	var names []string
	for _, step := range ch.Steps {
		names = append(names, step.Name)
	}
	if _, err := learner.ReadHints(ch.SolutionDir, names); err != nil {
		l.fail(ch.Root(), err)
	}
}

// variants wants enough faults and right variants for each step, all of which fit
// the solution.
func (l *list) variants(ch course.Chapter) {
	all, err := faults.Load(ch, "")
	if err != nil {
		l.fail(ch.Root(), err)
	}
	wrong, right := map[int]int{}, map[int]int{}
	for _, m := range all {
		if _, err := m.Candidate(ch); err != nil {
			l.fail(ch.Root(), err)
		}
		if m.Accept {
			right[m.Step]++
		} else {
			wrong[m.Step]++
		}
	}
	for _, step := range ch.Steps {
		if n := wrong[step.Number]; n < faultsWanted {
			l.add("step %d, %s: %d of at least %d faults in solutions/%s/testdata/faults", step.Number, step.Name, n, faultsWanted, ch.ID)
		}
		if n := right[step.Number]; n < rightWanted {
			l.add("step %d, %s: %d of at least %d right variants that name it in solutions/%s/testdata/right",
				step.Number, step.Name, n, rightWanted, ch.ID)
		}
	}
}

// testScript wants the chapter's way to run its checks on kind.
func (l *list) testScript(ch course.Chapter) {
	file := filepath.Join(ch.Dir, "test.sh")
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		l.add("%s/test.sh is missing: copy that of another chapter", ch.ID)
		return
	}
	if err != nil {
		l.fail(ch.Root(), err)
		return
	}
	if !strings.Contains(string(text), "scripts/kind-test.sh") {
		l.add("%s/test.sh does not run scripts/kind-test.sh: copy that of another chapter", ch.ID)
	}
	info, err := os.Stat(file)
	if err == nil && info.Mode()&0o111 == 0 && runtime.GOOS != "windows" {
		l.add("%s/test.sh is not executable: chmod +x %s/test.sh", ch.ID, ch.ID)
	}
}

// starters wants the files of each chapter to be what its solution gives.
func (l *list) starters(c *course.Course) error {
	files, err := starter.WriteStarters(c, starter.Options{Check: true})
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.State != starter.Same {
			l.add("%s: %s is not the starter that the solution gives (%s): run go generate ./...", path(f.Name), f.Name, f.State)
		}
	}
	return nil
}

// path is the first part of a file's name: its chapter.
func path(name string) string {
	first, _, _ := strings.Cut(name, "/")
	return first
}
