package completeness

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/faults"
	"example.com/client-go-workshop/internal/gosource"
)

// notOfALiteral are wanted phrases that the server and Go say, and no check.
var notOfALiteral = []string{"403", "NotFound", "AlreadyExists", "*unstructured.Unstructured, not *main.Website", "*v1.ConfigMap"}

// TestWants lists the words that a fault wants of a message and that no message can
// hold. Without it, a message that is worded anew in internal/check is found out
// only when the faults of every chapter run.
func TestWants(t *testing.T) {
	c, err := course.Open(".")
	require.NoError(t, err)
	common := messages(t, filepath.Join(c.Root, "internal", "check", "*.go"))
	for _, ch := range c.Chapters {
		all := slices.Concat(common, messages(t, filepath.Join(ch.Dir, "*_test.go")))
		texts := wholesOf(all)
		variants, err := faults.Load(ch, "")
		require.NoError(t, err)
		for _, v := range variants {
			for _, want := range v.Want {
				words := plain(want)
				found := slices.ContainsFunc(all, func(m message) bool { return m.holds(words, texts) })
				if !found && !slices.Contains(notOfALiteral, want) {
					t.Errorf("%s: %s wants %q, and no message in internal/check or %s/*_test.go can hold it; "+
						"if the server or Go says it, name it in notOfALiteral", ch.ID, v.Name, want, ch.ID)
				}
			}
		}
	}
}

// message is a string of the source, cut where a verb of fmt, or a value that is
// added, puts in something else.
type message []string

var verb = regexp.MustCompile(`%[-+# 0-9.\[\]*]*[a-zA-Z]`)

// messages are the strings of the files that match pattern, those with verbs both
// whole and cut.
func messages(t *testing.T, pattern string) []message {
	t.Helper()
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var all []message
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") != strings.HasSuffix(pattern, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		s, err := gosource.Parse(file, text)
		require.NoError(t, err)
		ast.Inspect(s.File, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok {
				text, ok := constant(e)
				if !ok {
					return true
				}
				all = append(all, message{plain(text)})
				if parts := verb.Split(text, -1); len(parts) > 1 {
					for i := range parts {
						parts[i] = plain(parts[i])
					}
					all = append(all, parts)
				}
			}
			return true
		})
	}
	return all
}

// constant is the text of a string, or of a sum with one, in which %v stands for
// what is no string.
func constant(e ast.Expr) (string, bool) {
	switch x := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(x.Value)
		return text, err == nil && x.Kind == token.STRING
	case *ast.ParenExpr:
		return constant(x.X)
	case *ast.BinaryExpr:
		left, isLeft := constant(x.X)
		right, isRight := constant(x.Y)
		if x.Op != token.ADD || !isLeft && !isRight {
			return "", false
		}
		if !isLeft {
			left = "%v"
		}
		if !isRight {
			right = "%v"
		}
		return left + right, true
	}
	return "", false
}

var space = regexp.MustCompile(`\s+`)

// plain is text as wanted words are compared: lower case, any white space one space.
func plain(text string) string {
	return space.ReplaceAllString(strings.ToLower(text), " ")
}

// holds reports whether want may be a part of the message, with others as values.
func (m message) holds(want string, others wholes) bool {
	if slices.ContainsFunc(m, func(part string) bool { return strings.Contains(part, want) }) {
		return true
	}
	for i, part := range m[:len(m)-1] {
		for n := min(len(part), len(want)); n >= 0; n-- {
			if strings.HasSuffix(part, want[:n]) && m[i+1:].goesOn(want, n, n, others) {
				return true
			}
		}
	}
	return false
}

// goesOn reports whether want, from at on, may be a value and then the message. Own
// is how many bytes of want stand in a message's own text. A value is anything, or
// one of others, which counts as own.
func (m message) goesOn(want string, at, own int, others wholes) bool {
	if enough(want, own) || own >= 3 && others.hasPrefix(want[at:]) {
		return true // the rest is within the value
	}
	for next := at; next <= len(want); next++ {
		own := own
		if value := want[at:next]; len(value) > 2 && others.has(value) {
			own += len(value)
		}
		rest := want[next:]
		switch {
		case rest != "" && strings.HasPrefix(m[0], rest) && enough(want, own+len(rest)):
			return true
		case m[0] != "" && len(m) > 1 && strings.HasPrefix(rest, m[0]) && m[1:].goesOn(want, next+len(m[0]), own+len(m[0]), others):
			return true
		}
	}
	return false
}

// wholes are the strings of the source, sorted.
type wholes []string

func wholesOf(all []message) wholes {
	var texts wholes
	for _, m := range all {
		if len(m) == 1 {
			texts = append(texts, m[0])
		}
	}
	slices.Sort(texts)
	return texts
}

func (w wholes) has(text string) bool {
	_, ok := slices.BinarySearch(w, text)
	return ok
}

func (w wholes) hasPrefix(text string) bool {
	i, _ := slices.BinarySearch(w, text)
	return i < len(w) && strings.HasPrefix(w[i], text)
}

var value = regexp.MustCompile(`\[?"[^"]*("\]?|$)|[0-9]+`)

// enough wants at least half of what is no number and not in quotes.
func enough(want string, own int) bool {
	return own >= 3 && own*2 >= len(value.ReplaceAllString(want, ""))
}

func TestMessageHolds(t *testing.T) {
	m := message{plain("the list holds "), plain(" pods, want "), plain(": see the\n  continue token")}
	for want, ok := range map[string]bool{
		"list holds 5 pods":         true,
		"5 pods, want 7":            true,
		"want [\"web\"]":            true,
		"see the continue token":    true,
		"7: see":                    true,
		"the list has 5 pods":       false,
		"list holds 5 pods, wanted": false,
		"the continue field":        false,
		"pods":                      true,
		"want registration":         true,
		"want relegation":           false,
		"Pods\twant":                false,
	} {
		assert.Equal(t, ok, m.holds(plain(want), wholes{"registration"}), want)
	}
}
