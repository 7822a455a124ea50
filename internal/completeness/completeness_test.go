package completeness

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/course/coursetest"
)

// TestCourse is the to-do list of a new chapter: it says what the course lacks, a
// line for each thing. Nothing is to be added here for a chapter.
func TestCourse(t *testing.T) {
	c, err := course.Open(".")
	require.NoError(t, err)
	lines, err := missing(c)
	require.NoError(t, err)
	for _, line := range lines {
		t.Error(line)
	}
}

// complete gives the fake course all that it lacks.
func complete(t *testing.T) *course.Course {
	t.Helper()
	c := coursetest.Fake(t)
	for _, ch := range c.Chapters {
		var guide, hints strings.Builder
		for _, step := range ch.Steps {
			guide.WriteString("### Step " + string(rune('0'+step.Number)) + ": " + step.Name + "\n\n")
			hints.WriteString(step.Name + ": [a, b, c]\n")
			for _, name := range []string{"one", "two"} {
				coursetest.Put(t, ch.SolutionDir, "testdata/faults/"+step.Name+"-"+name+".go", variant(t, ch, step, "mutant", name))
			}
			coursetest.Put(t, ch.SolutionDir, "testdata/right/"+step.Name+".go", variant(t, ch, step, "accept", "right"))
		}
		coursetest.Put(t, ch.Dir, "README.md", guide.String())
		coursetest.Put(t, ch.SolutionDir, "hints.yaml", hints.String())
		coursetest.Put(t, ch.Dir, "test.sh", "exec ../scripts/kind-test.sh\n")
		require.NoError(t, os.Chmod(filepath.Join(ch.Dir, "test.sh"), 0o755))
	}
	coursetest.Put(t, c.Root, "02-more/check_test.go", "package main\n\nimport \"testing\"\n\nfunc TestStep1_More(*testing.T) {}\n")
	rows := "| [01-fake](01-fake/README.md) | three small steps |\n| [02-more](02-more/README.md) | one step |\n"
	coursetest.Put(t, c.Root, "README.md", "| Chapter | |\n|---|---|\n"+rows)
	coursetest.Put(t, c.Root, "README.zh-CN.md", "| 章节 | |\n|---|---|\n"+rows)
	coursetest.Put(t, c.Root, "docs/kind.md", "With the role `edit` in one namespace 4 of the 4 steps can be judged. "+
		"The programs of 01 and 02 run with `-namespace ana`; those of none need more rights. It removes the "+
		"Ingresses, Services, autoscalers, workloads, ConfigMaps\nand Leases that it finds there.\n")
	return c
}

// variant is a variant of the solution that leaves the step as it is.
func variant(t *testing.T, ch course.Chapter, step course.Step, kind, name string) string {
	t.Helper()
	header := "//workshop:" + kind + " " + step.Name + "-" + name + "\n//workshop:step " + step.Name + "\n"
	if kind == "mutant" {
		header += "//workshop:fault none\n//workshop:want words\n"
	} else {
		header += "//workshop:why it is the same\n"
	}
	text := coursetest.Get(t, ch.Root(), "solutions/"+step.File)
	for _, part := range strings.SplitAfter(text, "\n}\n") {
		if i := strings.Index(part, "func "+step.Name+"("); i >= 0 {
			return header + "\npackage main\n\n" + part[i:]
		}
		if i := strings.Index(part, ") "+step.Name+"("); i >= 0 {
			return header + "\npackage main\n\n" + part[strings.LastIndex(part[:i], "func "):]
		}
	}
	t.Fatalf("%s is not in %s", step.Name, step.File)
	return ""
}

func lacks(t *testing.T, c *course.Course) []string {
	t.Helper()
	lines, err := missing(c)
	require.NoError(t, err)
	return lines
}

func TestMissing(t *testing.T) {
	c := complete(t)
	require.Empty(t, lacks(t, c))
	replace := func(name, old, new string) func(t *testing.T) {
		return func(t *testing.T) {
			text := coursetest.Get(t, c.Root, name)
			require.Contains(t, text, old)
			coursetest.Put(t, c.Root, name, strings.ReplaceAll(text, old, new))
		}
	}
	remove := func(name string) func(t *testing.T) {
		return func(t *testing.T) { require.NoError(t, os.Remove(filepath.Join(c.Root, name))) }
	}
	for name, tc := range map[string]struct {
		file string
		do   func(t *testing.T)
		want []string
	}{
		"no check": {"01-fake/check_test.go", replace("01-fake/check_test.go", "TestStep2_Sum", "TestStep4_Sum"), []string{
			"01-fake: step 2, Sum: no check*_test.go has TestStep2_Sum",
			"01-fake: a check*_test.go has TestStep4_Sum, and there is no such step"}},
		"no hints of a step": {"solutions/01-fake/hints.yaml", replace("solutions/01-fake/hints.yaml", "Sum: [a, b, c]\n", ""), []string{
			"01-fake: solutions/01-fake/hints.yaml: step Sum has no hints"}},
		"two hints": {"solutions/01-fake/hints.yaml", replace("solutions/01-fake/hints.yaml", "Sum: [a, b, c]", "Sum: [a, b]"), []string{
			"01-fake: solutions/01-fake/hints.yaml: step Sum has 2 hints, not 3"}},
		"one fault": {"solutions/01-fake/testdata/faults/Sum-one.go", remove("solutions/01-fake/testdata/faults/Sum-one.go"), []string{
			"01-fake: step 2, Sum: 1 of at least 2 faults in solutions/01-fake/testdata/faults"}},
		"no right variant": {"solutions/01-fake/testdata/right/Last.go", remove("solutions/01-fake/testdata/right/Last.go"), []string{
			"01-fake: step 3, Last: 0 of at least 1 right variants that name it in solutions/01-fake/testdata/right"}},
		"no guide": {"01-fake/README.md", remove("01-fake/README.md"), []string{"01-fake: 01-fake/README.md is missing: the guide"}},
		"no section": {"01-fake/README.md", replace("01-fake/README.md", "### Step 2: Sum", "Sum"), []string{
			"01-fake: step 2, Sum: 01-fake/README.md has no section for it: ### Step 2: Sum"}},
		"a fact and a link": {"01-fake/README.md", replace("01-fake/README.md", "### Step 2: Sum",
			"### Step 2: Sum\n\nTestFactOne [x](none.md)"), []string{
			"01-fake: 01-fake/README.md names TestFactOne, and facts_test.go has none of that name",
			"01-fake: 01-fake/README.md: the link none.md leads nowhere"}},
		"no test.sh": {"01-fake/test.sh", remove("01-fake/test.sh"), []string{
			"01-fake: 01-fake/test.sh is missing: copy that of another chapter"}},
		"test.sh not executable": {"01-fake/test.sh", func(t *testing.T) {
			require.NoError(t,
				os.Chmod(filepath.Join(c.Root, "01-fake/test.sh"), 0o644))
		}, []string{
			"01-fake: 01-fake/test.sh is not executable: chmod +x 01-fake/test.sh"}},
		"starter": {"01-fake/main.go", replace("01-fake/main.go", `"you"`, `"me"`), []string{
			"01-fake: 01-fake/main.go is not the starter that the solution gives (differs): run go generate ./..."}},
		"no row": {"README.md", replace("README.md", "| [02-more](02-more/README.md) | one step |\n", ""), []string{
			"02-more: README.md has no row for it: | [02-more](02-more/README.md) | one step |"}},
		"no Chinese row": {"README.zh-CN.md", replace("README.zh-CN.md", "[02-more](02-more", "[03-more](03-more"), []string{
			"02-more: README.zh-CN.md has no row for it: | [02-more](02-more/README.md) | one step |",
			"03-more: README.zh-CN.md has a row for it, and course.yaml has no such chapter"}},
		"order of the rows": {"README.md", replace("README.md", "| Chapter | |\n|---|---|\n", "| [02-more](02-more/README.md) | one step |\n"),
			[]string{
				"README.md: its rows stand in another order than course.yaml, or more than once: 02-more, 01-fake, 02-more"}},
		"docs/kind.md": {"docs/kind.md", replace("docs/kind.md", "4 of the 4", "3 of the 4"), []string{
			"docs/kind.md does not say: With the role `edit` in one namespace 4 of the 4 steps can be judged"}},
		"a kind that stays": {"solutions/01-fake/kinds.go", func(t *testing.T) {
			text := "package main\n\nimport (\n\tcorev1 \"k8s.io/api/core/v1\"\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n)\n\n" +
				"var _ = corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{}}\n\nvar _ = corev1.Pod{ObjectMeta: metav1.ObjectMeta{}}\n"
			coursetest.Put(t, c.Root, "solutions/01-fake/kinds.go", text)
			coursetest.Put(t, c.Root, "01-fake/kinds.go", text)
			t.Cleanup(func() {
				_ = os.Remove(filepath.Join(c.Root, "solutions/01-fake/kinds.go"))
				_ = os.Remove(filepath.Join(c.Root, "01-fake/kinds.go"))
			})
		}, []string{
			"01-fake: solutions/01-fake/kinds.go:8 makes a PersistentVolumeClaim, which internal/cluster/namespacelease does not remove from a " +
				"namespace"}},
	} {
		t.Run(name, func(t *testing.T) {
			before, err := os.ReadFile(filepath.Join(c.Root, tc.file))
			if err == nil {
				t.Cleanup(func() {
					coursetest.Put(t, c.Root, tc.file, string(before))
					if strings.HasSuffix(tc.file, ".sh") {
						require.NoError(t, os.Chmod(filepath.Join(c.Root, tc.file), 0o755))
					}
				})
			}
			tc.do(t)
			assert.Equal(t, tc.want, lacks(t, c))
		})
	}
}

// TestMissingRights has a chapter whose needs name a step that does not exist.
func TestMissingRights(t *testing.T) {
	c := complete(t)
	c.Chapters[0].Needs = []course.Need{{Right: "create namespaces", Steps: []string{"Sum", "Gone"}, Program: true}}
	assert.Equal(t, []string{
		"01-fake: course.yaml says that step Gone needs the right to create namespaces, and there is no such step",
		"docs/kind.md does not say: With the role `edit` in one namespace 3 of the 4 steps can be judged",
		"docs/kind.md does not say: The programs of 02 run with `-namespace ana`; those of 01 need more rights",
	}, lacks(t, c))
}
