package faults

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/course/coursetest"
	"example.com/client-go-workshop/internal/gosource"
)

// catalogueOf reads a catalogue for the fake course's first chapter.
func catalogueOf(t *testing.T, name, text string) ([]Variant, course.Chapter, error) {
	t.Helper()
	ch := coursetest.Fake(t).Chapters[0]
	dir := t.TempDir()
	coursetest.Put(t, dir, name, text)
	solution, err := gosource.ReadFolder(ch.SolutionDir, "solutions/01-fake")
	require.NoError(t, err)
	found, err := readCatalogue(ch, solution, filepath.Join(dir, name), name)
	return found, ch, err
}

const entryHead = "- name: m\n  fault: it is wrong\n  want: [one, two]\n"

func TestCatalogue(t *testing.T) {
	for name, tc := range map[string]struct{ file, text, want string }{
		"an edit, imports that are not used any more": {"Greet.yaml", `
  old: |
    return "", errors.New("no name")
  new: |
    return "nobody", nil
`, `package main

func Greet(name string) (string, error) {
	if name == "" {
    return "nobody", nil
	}
	return shout("hello " + name), nil
}
`},
		"a helper, and an import": {"Greet.yaml", `
  old: |
    func shout(text string) string { return text + "!" }
  new: |
    func shout(text string) string { return strings.ToUpper(text) }
  imports: [strings]
`, `package main

import (
	"strings"
)

func shout(text string) string { return strings.ToUpper(text) }
`},
		"edits, whatever their indentation, and a declaration": {"Sum.yaml", `
  edits:
  - old: |
      sum := 0
    new: |
      sum := start
  - old: |
      sum += n
      		}
    new: |
      }
  add: |
    const start = 1
`, `package main

func Sum(numbers []int) (int, error) {
	sum := start
	for _, n := range numbers {
	}
	return sum, nil
}

const start = 1
`},
		"a whole function": {"Last.yaml", `
  imports: [str strings]
  add: |
    func (w Words) Last() (string, error) {
    	return str.Join(w, ""), errors.New("no")
    }
`, `package main

import (
	"errors"
	str "strings"
)

func (w Words) Last() (string, error) {
	return str.Join(w, ""), errors.New("no")
}
`},
	} {
		t.Run(name, func(t *testing.T) {
			entry := entryHead + strings.TrimPrefix(tc.text, "\n")
			found, ch, err := catalogueOf(t, tc.file, entry)
			require.NoError(t, err)
			require.Len(t, found, 1)
			m := found[0]
			assert.Equal(t, squeezeIndent(tc.want), squeezeIndent(string(m.src.Text)))
			assert.Equal(t, "m", m.Name)
			assert.Equal(t, "it is wrong", m.About)
			assert.Equal(t, []string{"one", "two"}, m.Want)
			assert.Equal(t, strings.TrimSuffix(tc.file, ".yaml"), ch.Step(m.Step).Name)
			cand, err := m.Candidate(ch)
			require.NoError(t, err)
			text, _ := cand.Generated(filepath.Join(ch.Dir, "variant-m.go"))
			assert.Equal(t, m.src.Text, text)
		})
	}
}

func squeezeIndent(text string) string { return strings.Join(codeLines(text), "\n") }

func TestCatalogueErrors(t *testing.T) {
	const edit = "  old: |\n    return sum, nil\n  new: |\n    return 1, nil\n"
	for name, tc := range map[string]struct{ file, text, want string }{
		"no such step": {"Summ.yaml", entryHead +
			edit, "Summ.yaml: no step of 01-fake is called Summ: a catalogue has the name of its step's function"},
		"number":      {"2.yaml", entryHead + edit, "no step of 01-fake is called 2"},
		"unknown key": {"Sum.yaml", entryHead + edit + "  wants: [x]\n", `unknown field "wants"`},
		"no name": {"Sum.yaml", strings.Replace(entryHead, "name: m", "name: ''", 1) + edit,
			`Sum.yaml: entry 1: name "": want letters, digits and dashes`},
		"no fault": {"Sum.yaml", "- name: m\n  want: [x]\n" + edit, "Sum.yaml: entry 1: m does not say what is wrong: add fault"},
		"no want":  {"Sum.yaml", "- name: m\n  fault: f\n" + edit, "Sum.yaml: entry 1: m wants no words of the message: add want"},
		"no edit":  {"Sum.yaml", entryHead, "Sum.yaml: entry 1: m changes nothing: add old and new, or edits"},
		"no new": {"Sum.yaml", entryHead + "  old: sum := 0\n",
			`Sum.yaml: entry 1: m has an edit without new; what takes lines away says new: ""`},
		"no old":         {"Sum.yaml", entryHead + "  new: sum := 0\n", "Sum.yaml: entry 1: m has an edit without old"},
		"edit and edits": {"Sum.yaml", entryHead + edit + "  edits: [{old: a, new: b}]\n", "m has old and new beside edits"},
		"stale": {"Sum.yaml", entryHead + "  old: total := 0\n  new: total := 1\n",
			"Sum.yaml: m: old occurs 0 times in the reference of Sum, want once:\n\ttotal := 0"},
		"another step's": {"Last.yaml", entryHead + edit, "Last.yaml: m: old occurs 0 times in the reference of Last, want once"},
		"twice": {"Sum.yaml", entryHead + "  old: |\n    }\n  new: ''\n",
			"Sum.yaml: m: old occurs 2 times in the reference of Sum, want once:\n\t}"},
		"same": {"Sum.yaml", entryHead + "  old: sum := 0\n  new: sum := 0\n", "Sum.yaml: m: new is old"},
		"overlap": {"Sum.yaml", entryHead +
			"  edits:\n  - {old: \"sum += n\\n}\", new: x}\n  - {old: \"}\\nreturn sum, nil\", new: x}\n", "two edits overlap"},
		"no Go": {"Sum.yaml", entryHead + "  old: sum := 0\n  new: 'sum :='\n", "Sum.yaml: m: parse Sum.yaml#m:"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := catalogueOf(t, tc.file, tc.text)
			require.Error(t, err)
			assert.Contains(t, err.Error(), tc.want)
		})
	}
}

// TestStepByNumber: a chapter's own files name the step by its function.
func TestStepByNumber(t *testing.T) {
	ch := coursetest.Fake(t).Chapters[0]
	const text = "//workshop:mutant m\n//workshop:fault f\n//workshop:step 2\n//workshop:want w\npackage main\n"
	coursetest.Put(t, ch.SolutionDir, "testdata/faults/m.go", text)
	_, err := Load(ch, "")
	assert.ErrorContains(t, err, "solutions/01-fake/testdata/faults/m.go: name the step by its function, Sum: numbers change")
	_, err = Load(ch, filepath.Join(ch.SolutionDir, "testdata", "faults"))
	assert.NoError(t, err)
}
