package faults

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/course/coursetest"
	"example.com/client-go-workshop/internal/runner"
)

// archive reads an archive in testdata.
func archive(t *testing.T, name string) *txtar.Archive {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return a
}

// TestCompose composes each file in testdata/compose with the fake
// course's first chapter: m.go is the variant, and the archive wants an error
// or files below want/.
func TestCompose(t *testing.T) {
	files, err := filepath.Glob("testdata/compose/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			require.NoError(t, err)
			root := coursetest.NewModule(t, coursetest.FakeFiles(), a)
			c, err := course.OpenList(root, coursetest.OneChapter)
			require.NoError(t, err)
			m, err := parseVariant(c.Chapters[0], filepath.Join(root, "m.go"), "m.go", []byte(coursetest.Section(a, "m.go")))
			var cand runner.Candidate
			if err == nil {
				cand, err = m.Candidate(c.Chapters[0])
			}
			if want := strings.TrimSpace(coursetest.Section(a, "error")); want != "" {
				require.Error(t, err)
				assert.Equal(t, want, err.Error())
				return
			}
			require.NoError(t, err)
			for _, file := range a.Files {
				if name, ok := strings.CutPrefix(file.Name, "want/"); ok {
					got, from := cand.Generated(filepath.Join(root, "01-fake", name))
					assert.Equal(t, squeeze(string(file.Data)), squeeze(string(got)), name)
					original := coursetest.Get(t, root, "solutions/01-fake/"+name)
					assert.Equal(t, strings.Count(original, "\n"), strings.Count(string(got), "\n"), "every line stays where it is")
					assert.Equal(t, filepath.Join(root, "solutions/01-fake", name), from)
				}
			}
		})
	}
}

func TestWrittenSteps(t *testing.T) {
	ch := coursetest.Fake(t).Chapters[0]
	for text, want := range map[string][]int{
		"func Sum(n ...int) int { return 0 }":                             {2},
		"func Sum(n ...int) int { return 0 }\n\nfunc (w Words) Last() {}": {2, 3},
		"func Sum(n ...int) int { return help() }\n\nfunc help() int":     {2},
		"func main() {}\n\nfunc Sum(n ...int) int { return 0 }":           nil,
	} {
		m, err := parseVariant(ch, "m.go", "m.go", []byte("//workshop:accept m\n//workshop:why because\n\npackage main\n\n"+text+"\n"))
		require.NoError(t, err)
		got, err := m.written(ch)
		require.NoError(t, err)
		assert.Equal(t, want, got, text)
	}
}

// squeeze leaves one of several blank lines.
func squeeze(text string) string {
	return regexp.MustCompile(`\n{3,}`).ReplaceAllString(strings.TrimSpace(text), "\n\n")
}

func TestHeader(t *testing.T) {
	ch := coursetest.Fake(t).Chapters[0]
	m, err := parseVariant(ch, "/m.go", "m.go", []byte(`// A note for people.

//workshop:want one
//workshop:mutant sum-off
//workshop:fault	the sum is
//workshop:fault	too small
//workshop:step    sum
//workshop:want  two  words

package main
`))
	require.NoError(t, err)
	m.src = nil
	assert.Equal(t, Variant{Name: "sum-off", File: "/m.go", About: "the sum is too small", Step: 2, Want: []string{"one", "two  words"}}, m)

	m, err = parseVariant(ch, "/a.go", "a.go", []byte("//workshop:accept loop\n//workshop:why it is\n//workshop:why right\npackage main\n"))
	require.NoError(t, err)
	m.src = nil
	assert.Equal(t, Variant{Name: "loop", File: "/a.go", Accept: true, About: "it is right"}, m)
}

func TestHeaderErrors(t *testing.T) {
	ch := coursetest.Fake(t).Chapters[0]
	const full = "//workshop:mutant m\n//workshop:fault f\n//workshop:step 1\n//workshop:want w\n"
	for name, tc := range map[string]struct{ text, want string }{
		"no header": {"package main\n", "m.go: no header: the file begins with //workshop:mutant NAME or //workshop:accept NAME"},
		"package":   {full + "package other\n", "m.go:5: package other: a variant is of package main"},
		"syntax":    {full + "package main\n\nfunc f() {\n\tx := \n}\n", "parse m.go:9:1: expected operand, found '}'"},
		"below":     {"package main\n" + full, "m.go:2: //workshop:mutant must stand above the package clause"},
		"unknown key": {full + "//workshop:wants x\npackage main\n",
			"m.go:5: unknown comment //workshop:wants: want mutant, fault, step and want, or accept, why and step"},
		"empty":     {full + "//workshop:want \npackage main\n", "m.go:5: //workshop:want says nothing"},
		"two names": {full + "//workshop:accept a\npackage main\n", "m.go: the header has more than one name"},
		"two steps": {full + "//workshop:step 2\npackage main\n", "m.go: the header has more than one step"},
		"unknown step": {strings.Replace(full, "step 1", "step 4", 1) + "package main\n",
			"m.go: m: no step of 01-fake is called \"4\"\nthere are: 1 Greet, 2 Sum, 3 Last"},
		"no step": {"//workshop:mutant m\n//workshop:fault f\n//workshop:want w\npackage main\n",
			"m.go: fault m names no step: add //workshop:step FUNCTION"},
		"no fault": {"//workshop:mutant m\n//workshop:step 1\n//workshop:want w\npackage main\n",
			"m.go: fault m does not say what is wrong: add //workshop:fault TEXT"},
		"no want": {"//workshop:mutant m\n//workshop:step 1\n//workshop:fault f\npackage main\n",
			"m.go: fault m wants no words of the message: add //workshop:want WORDS"},
		"bad name": {strings.Replace(full, "mutant m", "mutant a b", 1) + "package main\n",
			`m.go: name "a b": want letters, digits and dashes`},
		"why": {full + "//workshop:why w\npackage main\n", "m.go: fault m has a why: a fault has //workshop:fault"},
		"accept with want": {"//workshop:accept a\n//workshop:why w\n//workshop:want x\npackage main\n",
			"m.go: right variant a also has a want: it is right, so nothing is wanted of a message"},
		"accept no why": {"//workshop:accept a\npackage main\n",
			"m.go: right variant a does not say why it is right: add //workshop:why TEXT"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseVariant(ch, "/m.go", "m.go", []byte(tc.text))
			require.Error(t, err)
			assert.Equal(t, tc.want, err.Error())
		})
	}
}

func TestLoad(t *testing.T) {
	ch := coursetest.Fake(t).Chapters[0]
	_, err := Load(ch, "")
	assert.ErrorIs(t, err, os.ErrNotExist)

	dir := t.TempDir()
	_, err = Load(ch, dir)
	assert.ErrorContains(t, err, "hold no Go file")

	const fault = "//workshop:mutant %\n//workshop:fault f\n//workshop:step 1\n//workshop:want w\npackage main\n"
	const accept = "//workshop:accept %\n//workshop:why w\npackage main\n"
	coursetest.Put(t, dir, "b.go", strings.Replace(accept, "%", "aa", 1))
	coursetest.Put(t, dir, "a.go", strings.Replace(fault, "%", "zz", 1))
	coursetest.Put(t, dir, "faults/c.go", strings.Replace(fault, "%", "bb", 1))
	coursetest.Put(t, dir, "right/d.go", strings.Replace(accept, "%", "cc", 1))
	coursetest.Put(t, dir, "README.md", "no Go")
	variants, err := Load(ch, dir)
	require.NoError(t, err)
	var names []string
	for _, m := range variants {
		names = append(names, m.Name)
	}
	assert.Equal(t, []string{"bb", "zz", "aa", "cc"}, names)

	coursetest.Put(t, dir, "e.go", strings.Replace(accept, "%", "bb", 1))
	coursetest.Put(t, dir, "f.go", "package main\n")
	_, err = Load(ch, dir)
	assert.ErrorContains(t, err, "the name bb is that of")
	assert.ErrorContains(t, err, "f.go: no header")
}

func TestRun(t *testing.T) {
	t.Parallel()
	c := coursetest.Fake(t)
	coursetest.Put(t, c.Root, "01-fake/mine.go", "package main\n\nfunc broken( {\n")
	coursetest.Put(t, c.Root, "01-fake/mine_test.go", "package main\n\nfunc broken( {\n")
	for _, file := range archive(t, "variants.txtar").Files {
		coursetest.Put(t, c.Root, "solutions/01-fake/testdata/"+file.Name, string(file.Data))
	}
	var out bytes.Buffer
	report, err := Run(t.Context(), c.Chapters[0], Options{Out: &out})
	require.NoError(t, err)
	problems := map[string]string{}
	for _, r := range report.Results {
		assert.Equal(t, 1, r.Runs)
		problems[r.Variant.Name] = r.Problem
	}
	assert.Equal(t, map[string]string{
		"greet-quiet":   "",
		"both-wrong":    "",
		"by-formatting": "",
		"no-compile": "expected: it compiles\nseen:     solutions/01-fake/testdata/faults/Sum.yaml#no-compile:8:8: undefined: total\n     " +
			"       \treturn total(numbers), nil",
		"sum-right": `expected: step 2, Sum: not yet, with the words ["six"]` + "\nseen:     done",
		"sum-words": `expected: step 2, Sum: not yet, with the words ["expected" "printed"]` +
			"\nseen:     not yet, without the words [\"printed\"]: expected 6, got 7",
		"not-right": "expected: every step done\nseen:     step 3, Last: not yet: expected b, got \"a\"",
	}, problems)
	assert.False(t, report.Passed())
	assert.Len(t, report.Failed(), 4)
	assert.Equal(t, 7, strings.Count(out.String(), "/7  "))
	assert.Contains(t, out.String(), "ok    fault greet-quiet (")
	assert.Contains(t, out.String(), "FAIL  right variant not-right (")
	assert.Contains(t, out.String(), "  expected: every step done\n")

	report, err = Run(t.Context(), c.Chapters[0], Options{Only: "^greet|^by", Runs: 3, Parallel: 1})
	require.NoError(t, err)
	require.Len(t, report.Results, 2)
	assert.True(t, report.Passed())
	assert.Equal(t, 3, report.Results[0].Runs)
	assert.Len(t, report.Results[0].Report.Steps, 1, "several runs check the named step only")
	assert.Len(t, report.Results[1].Report.Steps, 3, "a right variant is checked as a whole")

	report, err = Run(t.Context(), c.Chapters[0], Options{Only: "^by|^not-right", NamedOnly: true})
	require.NoError(t, err)
	require.Len(t, report.Results, 2)
	assert.Len(t, report.Results[0].Report.Steps, 1, "of a right variant the steps that it writes")
	assert.Len(t, report.Failed(), 1)

	report, err = Run(t.Context(), c.Chapters[0], Options{Step: 2, NamedOnly: true})
	require.NoError(t, err)
	assert.Len(t, report.Results, 4, "those of one step")

	report, err = Run(t.Context(), c.Chapters[0], Options{Only: "^Sum/sum-r|^Greet/none"})
	require.NoError(t, err)
	require.Len(t, report.Results, 1, "a fault goes by its step's function, too")

	_, err = Run(t.Context(), c.Chapters[0], Options{Only: "nothing"})
	assert.ErrorContains(t, err, `none of 7 is left by the step and the expression "nothing"`)
	_, err = Run(t.Context(), c.Chapters[0], Options{Only: "("})
	assert.ErrorContains(t, err, "choose faults")
}
