package course

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// UnknownError says that a reference names no chapter or step, what there is,
// and what may have been meant.
type UnknownError struct {
	// Ref is the part that names nothing, as it was typed.
	Ref string
	// Kind is "chapter" or "step of 01-restclient".
	Kind string
	// Known are the names that exist, Nearest one of them or empty.
	Known   []string
	Nearest string
}

func (e *UnknownError) Error() string {
	text := fmt.Sprintf("no %s is called %q", e.Kind, e.Ref)
	if e.Nearest != "" {
		text += fmt.Sprintf("; did you mean %s?", e.Nearest)
	}
	return text + "\nthere are: " + strings.Join(e.Known, ", ")
}

// Find returns what ref names: a chapter as 01, 1, restclient, 01-restclient or
// the path of its folder, with a step after a dot as its number or its
// function's name, as in 1.3 or 01.ListPods. Upper and lower case are the same.
// The step is nil when ref names none. A ref that names nothing is an
// *UnknownError.
func (c *Course) Find(ref string) (Chapter, *Step, error) {
	name := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(ref), "./"), "/")
	name, stepRef, hasStep := strings.Cut(name, ".")
	ch, err := c.findChapter(name)
	if err != nil || !hasStep {
		return ch, nil, err
	}
	step, err := ch.FindStep(stepRef)
	return ch, step, err
}

func (c *Course) findChapter(name string) (Chapter, error) {
	unknown := &UnknownError{Ref: name, Kind: "chapter"}
	var candidates []string
	for _, ch := range c.Chapters {
		_, word, _ := strings.Cut(ch.ID, "-")
		if strings.EqualFold(name, ch.ID) || strings.EqualFold(name, word) || sameNumber(name, ch.Number) {
			return ch, nil
		}
		unknown.Known = append(unknown.Known, ch.ID)
		candidates = append(candidates, ch.ID, word)
	}
	unknown.Nearest = Nearest(name, candidates)
	return Chapter{}, unknown
}

// FindStep returns the step that name means: its function, in any case, or its number.
func (ch Chapter) FindStep(name string) (*Step, error) {
	unknown := &UnknownError{Ref: name, Kind: "step of " + ch.ID}
	var candidates []string
	for i, s := range ch.Steps {
		if strings.EqualFold(name, s.Name) || sameNumber(name, strconv.Itoa(s.Number)) {
			return &ch.Steps[i], nil
		}
		unknown.Known = append(unknown.Known, fmt.Sprintf("%d %s", s.Number, s.Name))
		candidates = append(candidates, s.Name)
	}
	unknown.Nearest = Nearest(name, candidates)
	return nil, unknown
}

// sameNumber compares numbers without regard to leading zeros.
func sameNumber(a, b string) bool {
	x, err := strconv.ParseUint(a, 10, 32)
	if err != nil {
		return false
	}
	y, err := strconv.ParseUint(b, 10, 32)
	return err == nil && x == y
}

// Nearest is the candidate that word was most likely meant to be, or "" when
// none is near.
func Nearest(word string, candidates []string) string {
	word = strings.ToLower(word)
	best, bestCost := "", 0
	for _, c := range candidates {
		lower := strings.ToLower(c)
		cost := distance(word, lower)
		if len(word) >= 3 && strings.HasPrefix(lower, word) {
			cost = 1
		}
		if cost <= max(1, len(word)/3) && (best == "" || cost < bestCost) {
			best, bestCost = c, cost
		}
	}
	return best
}

// distance is the number of single-byte insertions, deletions and replacements
// that turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
