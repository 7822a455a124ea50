package completeness

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/course/coursetest"
	"example.com/client-go-workshop/internal/gosource"
)

// factNames returns the names of the tests TestFact… in the chapter's test files
// facts_test.go and facts_…_test.go, sorted; none when there is no such file.
func factNames(ch course.Chapter) ([]string, error) {
	return testNames(ch, "facts", "TestFact")
}

// checkNames returns the names of the tests TestStep… in the chapter's test files
// check_test.go and check_…_test.go, sorted; none when there is no such file.
func checkNames(ch course.Chapter) ([]string, error) {
	return testNames(ch, "check", "TestStep")
}

// testNames are the tests whose names begin with prefix, in the course's test
// files whose names begin with stem.
func testNames(ch course.Chapter, stem, prefix string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(ch.Dir, stem+"*_test.go"))
	if err != nil {
		return nil, fmt.Errorf("list tests: %w", err)
	}
	var names []string
	for _, file := range files {
		if !course.IsCourseTest(filepath.Base(file)) {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("list tests: %w", err)
		}
		s, err := gosource.Parse(file, text)
		if err != nil {
			return nil, fmt.Errorf("list tests: %w", err)
		}
		for _, decl := range s.File.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, prefix) {
				names = append(names, fn.Name.Name)
			}
		}
	}
	slices.Sort(names)
	return names, nil
}

// guideFile is the path of the chapter's guide: README.md for "" and "en",
// README.LANG.md for another language, such as zh-CN.
func guideFile(ch course.Chapter, lang string) string {
	if lang == "" || lang == "en" {
		return filepath.Join(ch.Dir, "README.md")
	}
	return filepath.Join(ch.Dir, "README."+lang+".md")
}

var factName = regexp.MustCompile(`\bTestFact[A-Za-z0-9_]*`)

// guideFacts returns the names TestFact… that the chapter's guide mentions,
// sorted and each once.
func guideFacts(ch course.Chapter, lang string) ([]string, error) {
	text, err := os.ReadFile(guideFile(ch, lang))
	if err != nil {
		return nil, fmt.Errorf("read the guide of %s: %w", ch.ID, err)
	}
	names := factName.FindAllString(string(text), -1)
	slices.Sort(names)
	return slices.Compact(names), nil
}

var (
	fencedCode = regexp.MustCompile("(?ms)^[ \t]*(```|~~~).*?^[ \t]*(```|~~~)[ \t]*$")
	inlineCode = regexp.MustCompile("`[^`\n]*`")
	inlineLink = regexp.MustCompile(`\]\(\s*<?([^)\s>]+)>?[^)]*\)`)
	namedLink  = regexp.MustCompile(`(?m)^[ \t]{0,3}\[[^\]]+\]:[ \t]*<?(\S+?)>?(?:[ \t].*)?$`)
	addressed  = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:`)
	heading    = regexp.MustCompile(`(?m)^#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$`)
	anchorID   = regexp.MustCompile(`<a\s+(?:id|name)="([^"]+)"`)
	notInSlug  = regexp.MustCompile(`[^\pL\pN\pM _-]`)
)

// brokenLinks returns the relative links of a Markdown file that lead to no
// file, or to no heading of one, each once in the order of the file. Code and
// addresses with a scheme are left out.
func brokenLinks(file string) ([]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read links: %w", err)
	}
	plain := inlineCode.ReplaceAllString(fencedCode.ReplaceAllString(string(text), ""), "")
	var broken []string
	for _, pattern := range []*regexp.Regexp{inlineLink, namedLink} {
		for _, m := range pattern.FindAllStringSubmatch(plain, -1) {
			target := m[1]
			if !addressed.MatchString(target) && !resolves(file, target) && !slices.Contains(broken, target) {
				broken = append(broken, target)
			}
		}
	}
	return broken, nil
}

// resolves reports whether a relative link in file leads somewhere.
func resolves(file, target string) bool {
	name, anchor, _ := strings.Cut(target, "#")
	to := file
	if name != "" {
		to = filepath.Join(filepath.Dir(file), filepath.FromSlash(name))
	}
	if _, err := os.Stat(to); err != nil {
		return false
	}
	if anchor == "" || !strings.HasSuffix(to, ".md") {
		return true
	}
	text, err := os.ReadFile(to)
	return err == nil && slices.Contains(anchors(string(text)), strings.ToLower(anchor))
}

// anchors are the names of a Markdown file's headings as GitHub makes them.
func anchors(text string) []string {
	var all []string
	count := map[string]int{}
	for _, m := range heading.FindAllStringSubmatch(fencedCode.ReplaceAllString(text, ""), -1) {
		slug := strings.ToLower(notInSlug.ReplaceAllString(m[1], ""))
		slug = strings.ReplaceAll(slug, " ", "-")
		if n := count[slug]; n > 0 {
			all = append(all, fmt.Sprintf("%s-%d", slug, n))
		} else {
			all = append(all, slug)
		}
		count[slug]++
	}
	for _, m := range anchorID.FindAllStringSubmatch(text, -1) {
		all = append(all, strings.ToLower(m[1]))
	}
	return all
}

// TestLinks follows the links of the documents that are no chapter's.
func TestLinks(t *testing.T) {
	c, err := course.Open(".")
	require.NoError(t, err)
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		files, err := filepath.Glob(filepath.Join(c.Root, pattern))
		require.NoError(t, err)
		for _, file := range files {
			broken, err := brokenLinks(file)
			require.NoError(t, err)
			assert.Empty(t, broken, course.Relative(c.Root, file))
		}
	}
}

func TestFactsAndSteps(t *testing.T) {
	ch := coursetest.Fake(t).Chapters[0]
	names, err := factNames(ch)
	require.NoError(t, err)
	assert.Empty(t, names, "a chapter without facts")
	_, err = guideFacts(ch, "en")
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
	names, err = factNames(ch)
	require.NoError(t, err)
	assert.Equal(t, []string{"TestFactOne", "TestFactTwo"}, names)
	told, err := guideFacts(ch, "")
	require.NoError(t, err)
	assert.Equal(t, []string{"TestFactThree_x", "TestFactTwo"}, told)
	told, err = guideFacts(ch, "zh-CN")
	require.NoError(t, err)
	assert.Equal(t, []string{"TestFactOne"}, told)
	checks, err := checkNames(ch)
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
	broken, err := brokenLinks(filepath.Join(dir, "guide.md"))
	require.NoError(t, err)
	assert.Equal(t, []string{"docs/none.png", "none.md", "docs/other.md#nothing", "#nothing", "docs/a.go#L3", "gone.md"}, broken)
	_, err = brokenLinks(filepath.Join(dir, "none.md"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}
