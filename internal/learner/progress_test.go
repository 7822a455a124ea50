package learner

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/client-go-workshop/internal/stepresult"
)

func replaceOnce(s, from, to string) string { return strings.Replace(s, from, to, 1) }

func at(sec int64) time.Time { return time.Unix(sec, 0).UTC() }

func TestRecord(t *testing.T) {
	var p Progress
	record := func(state stepresult.State, sec int64) StepProgress {
		p.Record(chapter, stepresult.Result{Name: "First", State: state}, at(sec))
		return p.Step(chapter, "First")
	}
	require.False(t, record(stepresult.NotYet, 1).Passed())
	require.False(t, record(stepresult.NotYet, 1).Regressed())
	require.Equal(t, at(2), record(stepresult.Done, 2).FirstPassed)
	require.Equal(t, at(2), record(stepresult.Done, 3).FirstPassed, "the first pass counts")
	require.True(t, record(stepresult.NotYet, 4).Regressed())
	require.Equal(t, stepresult.NotYet, record(stepresult.NotRun, 5).State, "no verdict changes nothing")
	require.Equal(t, at(4), p.Step(chapter, "First").Checked)
	require.Equal(t, stepresult.NotHere, record(stepresult.NotHere, 6).State)
	require.Equal(t, stepresult.Done, record(stepresult.Done, 7).State)
	require.Equal(t, stepresult.Done, record(stepresult.NotHere, 8).State, "what passed elsewhere stays done")
}

func TestProgressKeepsUnknownNames(t *testing.T) {
	s := Open(t.TempDir())
	old := `{"chapters":{"99-gone":{"steps":{"Lost":{"state":"done","firstPassed":"2026-01-02T03:04:05Z"}}},` +
		`"01-first":{"steps":{"Renamed":{"hint":2}}}}}`
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "progress.json"), []byte(old), 0o644))
	require.NoError(t, s.Update(t.Context(), func(p *Progress) {
		p.Record(chapter, stepresult.Result{Name: "First", State: stepresult.Done}, at(1))
	}))
	p, err := s.Progress(t.Context())
	require.NoError(t, err)
	require.True(t, p.Step("99-gone", "Lost").Passed())
	require.Equal(t, 2, p.Step(chapter, "Renamed").Hint)
	require.Equal(t, stepresult.Done, p.Step(chapter, "First").State)
}

func TestCorruptProgressIsMovedAside(t *testing.T) {
	for _, bad := range []string{"", "{", `{"chapters":[]}`, "\x00\x00"} {
		s := Open(t.TempDir())
		require.NoError(t, os.WriteFile(s.progressFile(), []byte(bad), 0o644))
		p, err := s.Progress(t.Context())
		var corrupt *CorruptError
		require.ErrorAs(t, err, &corrupt, "content %q", bad)
		require.Empty(t, p.Chapters)
		kept, err := os.ReadFile(corrupt.Path)
		require.NoError(t, err)
		require.Equal(t, bad, string(kept), "the damaged file is kept")

		_, err = s.Progress(t.Context())
		require.NoError(t, err, "it is reported once")
	}
}

func TestUpdateOfCorruptProgress(t *testing.T) {
	s := Open(t.TempDir())
	require.NoError(t, os.WriteFile(s.progressFile(), []byte("{"), 0o644))
	err := s.Update(t.Context(), func(p *Progress) {
		p.Record(chapter, stepresult.Result{Name: "First", State: stepresult.Done}, at(1))
	})
	var corrupt *CorruptError
	require.ErrorAs(t, err, &corrupt)
	p, err := s.Progress(t.Context())
	require.NoError(t, err)
	require.True(t, p.Step(chapter, "First").Passed(), "the update was made all the same")
}

func TestParallelUpdates(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			_ = Open(dir).Update(t.Context(), func(p *Progress) {
				sp := p.Step(chapter, "First")
				sp.Hint++
				p.SetStep(chapter, "First", sp)
			})
		})
	}
	wg.Wait()
	p, err := Open(dir).Progress(t.Context())
	require.NoError(t, err)
	require.Equal(t, 20, p.Step(chapter, "First").Hint)
}
