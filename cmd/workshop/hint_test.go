package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/client-go-workshop/internal/learner"
)

// TestHintsOfTheCourse wants three hints for every step of every chapter.
func TestHintsOfTheCourse(t *testing.T) {
	c, err := openCourse()
	require.NoError(t, err)
	for _, ch := range c.Chapters {
		t.Run(ch.ID, func(t *testing.T) {
			_, err := learner.ReadHints(ch.SolutionDir, stepNames(ch))
			require.NoError(t, err)
		})
	}
}

func TestHintText(t *testing.T) {
	long := strings.Repeat("word ", 30)
	require.Contains(t, hintText(long), "\n", "prose is broken")
	code := "    " + strings.Repeat("call(argument).", 8) + "\nReturn it."
	require.Equal(t, code, hintText(code), "code is not")
}
