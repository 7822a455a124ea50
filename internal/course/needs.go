package course

import (
	"fmt"
	"slices"
	"strings"
)

// Need is a right that a user of a shared cluster may lack, who has the role edit
// in one namespace, and what of a chapter cannot go on without it.
type Need struct {
	// Right is a verb and a resource, for example "create namespaces" or
	// "patch pods/status in $NAMESPACE", which is the user's own namespace.
	Right string `json:"right"`
	// Steps are those whose check cannot judge, by their functions.
	Steps []string `json:"steps"`
	// Program is set when the chapter's program cannot run.
	Program bool `json:"program"`
	// More is what else cannot run, or "".
	More string `json:"more"`
}

// Right is a right with all that cannot go on without it, in words.
type Right struct {
	// Right is that of a Need.
	Right string
	// For are steps, for example 01.3, then programs, then what else there is.
	For []string
}

// Rights are what the course needs of a user beside the role edit in one
// namespace, each once. Names of steps that do not exist are left out.
func (c *Course) Rights() []Right {
	var rights []Right
	for _, ch := range c.Chapters {
		for _, need := range ch.Needs {
			if !slices.ContainsFunc(rights, func(r Right) bool { return r.Right == need.Right }) {
				rights = append(rights, Right{Right: need.Right, For: c.without(need.Right)})
			}
		}
	}
	return rights
}

// without is what cannot go on without a right.
func (c *Course) without(right string) []string {
	var steps, programs, more []string
	for _, ch := range c.Chapters {
		for _, need := range ch.Needs {
			if need.Right != right {
				continue
			}
			for _, step := range ch.Steps {
				if slices.Contains(need.Steps, step.Name) {
					steps = append(steps, fmt.Sprintf("%s.%d", ch.Number, step.Number))
				}
			}
			if need.Program {
				programs = append(programs, ch.Number)
			}
			if need.More != "" {
				more = append(more, need.More)
			}
		}
	}
	switch len(programs) {
	case 0:
	case 1:
		steps = append(steps, "the program of "+programs[0])
	default:
		steps = append(steps, "the programs of "+Enumerate(programs))
	}
	return append(steps, more...)
}

// Enumerate writes words as a list: a, b and c.
func Enumerate(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
