package check

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A wait for other checks does not count: the step has all of its time after it.
func TestRestart(t *testing.T) {
	s := &S{t: t}
	s.restart()
	first := s.Context()
	time.Sleep(time.Millisecond)
	s.restart()
	t.Cleanup(s.cancel)
	require.Error(t, first.Err())
	require.NoError(t, s.Context().Err())
	before, _ := first.Deadline()
	after, _ := s.Context().Deadline()
	require.True(t, after.After(before))
}
