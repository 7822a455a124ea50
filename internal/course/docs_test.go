package course_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/course/coursetest"
	"example.com/client-go-workshop/internal/faults"
	"example.com/client-go-workshop/internal/starter"
)

// languages of the guides; a chapter need not have all, English it must.
var languages = []string{"en", "zh-CN"}

// TestCourse holds together what a chapter consists of: for a new chapter
// nothing is to be added here.
func TestCourse(t *testing.T) {
	c, err := course.Open(".")
	require.NoError(t, err)
	for _, ch := range c.Chapters {
		t.Run(ch.ID, func(t *testing.T) {
			t.Run("checks", func(t *testing.T) { checksMatchSteps(t, ch) })
			t.Run("faults", func(t *testing.T) { faultsOfEachStep(t, ch) })
			for _, lang := range languages {
				if _, err := os.Stat(course.GuideFile(ch, lang)); err == nil || lang == "en" {
					t.Run("guide "+lang, func(t *testing.T) { guideMatches(t, ch, lang) })
				}
			}
		})
	}
	t.Run("starters", func(t *testing.T) {
		files, err := starter.WriteStarters(t.Context(), c, starter.Options{Check: true})
		require.NoError(t, err)
		for _, f := range files {
			assert.Equal(t, starter.Same, f.State, "%s: run go generate ./...\n%s", f.Name, f.Diff)
		}
	})
}

func checksMatchSteps(t *testing.T, ch course.Chapter) {
	var want []string
	for _, step := range ch.Steps {
		want = append(want, fmt.Sprintf("TestStep%d_%s", step.Number, step.Name))
	}
	got, err := course.CheckNames(ch)
	require.NoError(t, err)
	assert.ElementsMatch(t, want, got, "each step has its check in check_test.go, and no other is there")
}

func faultsOfEachStep(t *testing.T, ch course.Chapter) {
	all, err := faults.Load(ch, "")
	require.NoError(t, err)
	faults, accepts := map[int]int{}, map[int]int{}
	for _, m := range all {
		_, err := m.Candidate(ch)
		assert.NoError(t, err)
		if m.Accept {
			accepts[m.Step]++
		} else {
			faults[m.Step]++
		}
	}
	for _, step := range ch.Steps {
		assert.GreaterOrEqual(t, faults[step.Number], 2, "step %d, %s: faults", step.Number, step.Name)
		assert.GreaterOrEqual(t, accepts[step.Number], 1, "step %d, %s: right variants that name it", step.Number, step.Name)
	}
}

func guideMatches(t *testing.T, ch course.Chapter, lang string) {
	tests, err := course.FactNames(ch)
	require.NoError(t, err)
	told, err := course.GuideFacts(ch, lang)
	require.NoError(t, err)
	assert.Equal(t, tests, told, "the facts in facts_test.go, and those that the guide names")
	unnamed, err := course.UnnamedSteps(ch, lang)
	require.NoError(t, err)
	assert.Empty(t, unnamed, "steps that the guide does not name")
	broken, err := course.BrokenLinks(course.GuideFile(ch, lang))
	require.NoError(t, err)
	assert.Empty(t, broken, "links of the guide")
}

// TestLinks follows the links of the documents that are no chapter's.
func TestLinks(t *testing.T) {
	c, err := course.Open(".")
	require.NoError(t, err)
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		files, err := filepath.Glob(filepath.Join(c.Root, pattern))
		require.NoError(t, err)
		for _, file := range files {
			broken, err := course.BrokenLinks(file)
			require.NoError(t, err)
			assert.Empty(t, broken, course.Relative(c.Root, file))
		}
	}
}

func TestFactsAndSteps(t *testing.T) {
	ch := coursetest.Fake(t).Chapters[0]
	names, err := course.FactNames(ch)
	require.NoError(t, err)
	assert.Empty(t, names, "a chapter without facts")
	_, err = course.GuideFacts(ch, "en")
	assert.ErrorIs(t, err, os.ErrNotExist)

	coursetest.Put(t, ch.Dir, "facts_test.go", `package main

import "testing"

func TestFactTwo(t *testing.T) {}
func TestFactOne(t *testing.T) {}
func TestStep1_No(t *testing.T) {}
func helperTestFact()          {}
`)
	coursetest.Put(t, ch.Dir, "README.md", "Text (`TestFactTwo`). More: TestFactTwo, TestFactThree_x.\nGreet and Summary.\n")
	coursetest.Put(t, ch.Dir, "README.zh-CN.md", "TestFactOne\n")
	names, err = course.FactNames(ch)
	require.NoError(t, err)
	assert.Equal(t, []string{"TestFactOne", "TestFactTwo"}, names)
	told, err := course.GuideFacts(ch, "")
	require.NoError(t, err)
	assert.Equal(t, []string{"TestFactThree_x", "TestFactTwo"}, told)
	told, err = course.GuideFacts(ch, "zh-CN")
	require.NoError(t, err)
	assert.Equal(t, []string{"TestFactOne"}, told)
	unnamed, err := course.UnnamedSteps(ch, "en")
	require.NoError(t, err)
	assert.Equal(t, []string{"Sum", "Last"}, unnamed)
	checks, err := course.CheckNames(ch)
	require.NoError(t, err)
	assert.Equal(t, []string{"TestStep1_Greet", "TestStep2_Sum", "TestStep3_Last"}, checks)
}

func TestBrokenLinks(t *testing.T) {
	dir := t.TempDir()
	coursetest.Put(t, dir, "docs/other.md", "# Other: `a` & b\n\n## Twice\n\n## Twice\n\n<a id=\"Here\"></a>\n\n# 步骤 1：列表\n")
	coursetest.Put(t, dir, "docs/a b.md", "")
	coursetest.Put(t, dir, "guide.md", `# A guide

[ok](docs/other.md) [dir](docs) [heading](docs/other.md#other-a--b) [second](docs/other.md#twice-1 "title")
[own](#a-guide) [id](docs/other.md#here) [web](https://example.com/none) [mail](mailto:a@example.com)
[zh](docs/other.md#步骤-1列表) ![image](docs/none.png) [no](none.md) [no heading](docs/other.md#nothing)
[again](none.md) [own no](#nothing) `+"`[code](code.md)`"+` [line](docs/a.go#L3)
[named][there] [named][nowhere]

`+"```sh\n[fenced](fenced.md)\n```"+`

[there]: docs/other.md
[nowhere]: gone.md "gone"
`)
	broken, err := course.BrokenLinks(filepath.Join(dir, "guide.md"))
	require.NoError(t, err)
	assert.Equal(t, []string{"docs/none.png", "none.md", "docs/other.md#nothing", "#nothing", "docs/a.go#L3", "gone.md"}, broken)
	_, err = course.BrokenLinks(filepath.Join(dir, "none.md"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}
