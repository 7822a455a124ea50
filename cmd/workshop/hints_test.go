package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/client-go-workshop/internal/course/learner"
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
