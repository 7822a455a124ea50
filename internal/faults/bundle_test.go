package faults

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/client-go-workshop/internal/course/coursetest"
	"example.com/client-go-workshop/internal/gosource"
	"example.com/client-go-workshop/internal/runner"
)

func TestShares(t *testing.T) {
	ch := coursetest.Fake(t).Chapters[0]
	files, err := gosource.ReadFolder(ch.SolutionDir, "solutions/01-fake")
	require.NoError(t, err)
	solution := topLevel(files)
	const header = "//workshop:mutant m\n//workshop:fault f\n//workshop:step 1\n//workshop:want w\npackage main\n\n"
	for name, tc := range map[string]struct {
		text string
		want bool
	}{
		"function": {"func Sum(all []int) (total int, err error) { return 0, nil }", true},
		"method":   {"func (w Words) Last() (string, error) { return last, nil }\n\nvar last = \"a\"", true},
		"type of its own": {"type sum struct{}\n\nfunc (sum) Last() {}\n\nfunc Sum(all []int) (int, error) { sum{}.Last(); return 0, " +
			"nil }", true},
		"variable of a function": {"var sum = func() int { return len(\"a\") }\n\nfunc Sum(all []int) (int, error) { return sum(), nil }", true},
		"another signature":      {"func Sum(all ...int) (int, error) { return 0, nil }", false},
		"another receiver":       {"func (w *Words) Last() (string, error) { return \"\", nil }", false},
		"type of the solution":   {"type Words []string", false},
		"function as a variable": {"var Sum = func(all []int) (int, error) { return 0, nil }", false},
		"method that is added": {"func (w Words) First() string { return w[0] }\n\nfunc (w Words) Last() (string, error) { return " +
			"w.First(), nil }", false},
		"runs code at the start": {"var now = start()\n\nfunc start() int { return 1 }\n\nfunc Sum(all []int) (int, error) { return now, " +
			"nil }", false},
		"function of parameters":  {"func Sum[T any](all []T) (int, error) { return 0, nil }", false},
		"initialises the program": {"func init() {}\n\nfunc Sum(all []int) (int, error) { return 0, nil }", false},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := parseVariant(ch, "/m.go", "m.go", []byte(header+tc.text+"\n"))
			require.NoError(t, err)
			assert.Equal(t, tc.want, solution.shares(m))
		})
	}
}

// TestBundle builds one program for those of the fake course that compile: each
// is itself when it is named, and the solution when none is.
func TestBundle(t *testing.T) {
	t.Parallel()
	c := coursetest.Fake(t)
	for _, file := range archive(t, "variants.txtar").Files {
		coursetest.Put(t, c.Root, "solutions/01-fake/testdata/"+file.Name, string(file.Data))
	}
	ch := c.Chapters[0]
	variants, err := Load(ch, "")
	require.NoError(t, err)
	b, err := newBundle(t.Context(), ch, variants, nil, t.TempDir())
	require.NoError(t, err)
	require.NotNil(t, b)
	for _, m := range variants {
		p, env := b.programOf(m)
		if m.Name == "no-compile" {
			assert.Nil(t, p)
			continue
		}
		require.NotNil(t, p, m.Name)
		report, err := p.Run(t.Context(), runner.CheckOptions{Env: env})
		require.NoError(t, err)
		assert.Equal(t, m.Name == "by-formatting" || m.Name == "sum-right", report.Passed(), m.Name)
	}
	report, err := b.program.Run(t.Context(), runner.CheckOptions{})
	require.NoError(t, err)
	assert.True(t, report.Passed())
}
