package learner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"example.com/client-go-workshop/internal/stepresult"
)

// Rungs is how many hints every step has.
const Rungs = 3

// StepProgress is what is remembered of one step.
type StepProgress struct {
	// State is the last verdict on the learner's own code; empty before the first.
	State stepresult.State `json:"state,omitempty"`
	// Checked is when that verdict was given.
	Checked time.Time `json:"checked,omitzero"`
	// FirstPassed is when the step passed for the first time; zero when it never did.
	FirstPassed time.Time `json:"firstPassed,omitzero"`
	// Hint is how many hints were shown, 0 to Rungs.
	Hint int `json:"hint,omitempty"`
}

// Passed reports whether the step passed once, whatever it does now.
func (p StepProgress) Passed() bool { return !p.FirstPassed.IsZero() }

// Regressed reports whether the step passed once and its last check did not.
func (p StepProgress) Regressed() bool {
	return p.Passed() && (p.State == stepresult.NotYet || p.State == stepresult.NotWritten)
}

// ChapterProgress is what is remembered of one chapter.
type ChapterProgress struct {
	// Steps goes by the name of the step's function, so that a step that moves
	// to another number keeps its record.
	Steps map[string]StepProgress `json:"steps"`
}

// Progress is a learner's progress. Names that the course does not have, or no
// longer has, are kept and do no harm.
type Progress struct {
	// Chapters goes by chapter, for example 01-restclient.
	Chapters map[string]ChapterProgress `json:"chapters"`
}

// Step returns the record of a step; the zero record when there is none.
func (p Progress) Step(chapter, step string) StepProgress {
	return p.Chapters[chapter].Steps[step]
}

// SetStep replaces the record of a step.
func (p *Progress) SetStep(chapter, step string, sp StepProgress) {
	if p.Chapters == nil {
		p.Chapters = map[string]ChapterProgress{}
	}
	if p.Chapters[chapter].Steps == nil {
		p.Chapters[chapter] = ChapterProgress{Steps: map[string]StepProgress{}}
	}
	p.Chapters[chapter].Steps[step] = sp
}

// Record notes a verdict that was given at the time now. A step that did not
// run has no verdict: what was known of it stays. So does a step's success where
// a later cluster cannot judge it.
func (p *Progress) Record(chapter string, r stepresult.Result, now time.Time) {
	sp := p.Step(chapter, r.Name)
	if r.State == stepresult.NotRun || r.State == stepresult.NotHere && sp.State == stepresult.Done {
		return
	}
	sp.State, sp.Checked = r.State, now
	if r.State == stepresult.Done && !sp.Passed() {
		sp.FirstPassed = now
	}
	p.SetStep(chapter, r.Name, sp)
}

// CorruptError says that the progress file could not be read and where it was
// put. Whatever comes with it is empty and may be used.
type CorruptError struct {
	// Path is where the unreadable file now lies.
	Path string
	Err  error
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("the progress file is damaged and was moved to %s; progress starts afresh: check each chapter once to fill it in "+
		"again (%v)", e.Path, e.Err)
}

func (e *CorruptError) Unwrap() error { return e.Err }

func (s *Store) progressFile() string { return filepath.Join(s.dir, "progress.json") }

// Progress reads the progress. Without a file it is empty. A damaged file is
// moved aside, never lost, and reported once as a *CorruptError beside an empty
// progress that may be used.
func (s *Store) Progress(ctx context.Context) (Progress, error) {
	p, err := s.readProgress()
	if err == nil || !isDamage(err) {
		return p, err
	}
	err = s.locked(ctx, func() error {
		var inner error
		p, inner = s.readOrMoveAside()
		return inner
	})
	return p, err
}

// Update changes the progress under the store's lock and writes it back
// atomically. A damaged file is moved aside first; fn then starts from an empty
// progress, which is written, and the *CorruptError is returned.
func (s *Store) Update(ctx context.Context, fn func(*Progress)) error {
	return s.locked(ctx, func() error { return s.update(fn) })
}

func (s *Store) update(fn func(*Progress)) error {
	p, err := s.readOrMoveAside()
	var damaged *CorruptError
	if err != nil && !errors.As(err, &damaged) {
		return err
	}
	fn(&p)
	data, jsonErr := json.MarshalIndent(p, "", "  ")
	if jsonErr != nil {
		return fmt.Errorf("encode the progress: %w", jsonErr)
	}
	if writeErr := s.disk.replace(s.progressFile(), append(data, '\n')); writeErr != nil {
		return fmt.Errorf("write the progress: %w", writeErr)
	}
	return err
}

// damageError marks a file that was read and is not a progress.
type damageError struct{ err error }

func (e damageError) Error() string { return e.err.Error() }
func (e damageError) Unwrap() error { return e.err }

func isDamage(err error) bool {
	var d damageError
	return errors.As(err, &d)
}

func (s *Store) readProgress() (Progress, error) {
	var p Progress
	data, err := os.ReadFile(s.progressFile())
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return p, fmt.Errorf("read the progress: %w", err)
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return Progress{}, damageError{err}
	}
	return p, nil
}

// readOrMoveAside runs under the lock, so that two commands that meet the same
// damaged file do not move each other's fresh one.
func (s *Store) readOrMoveAside() (Progress, error) {
	p, err := s.readProgress()
	if err == nil || !isDamage(err) {
		return p, err
	}
	aside := fmt.Sprintf("%s.damaged-%s", s.progressFile(), stamp(s.now()))
	if mvErr := s.disk.rename(s.progressFile(), aside); mvErr != nil {
		return p, fmt.Errorf("move the damaged progress file aside: %w", mvErr)
	}
	return p, &CorruptError{Path: aside, Err: err}
}
