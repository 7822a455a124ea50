package course_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/course/coursetest"
)

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
