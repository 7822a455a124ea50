package learner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"

	"example.com/client-go-workshop/internal/stepresult"
)

// ErrNoBackup says that there is nothing to undo.
var ErrNoBackup = errors.New("there is no backup: nothing was reset or replaced yet")

// ErrUnknownBackup says that no backup has the name that was asked for.
var ErrUnknownBackup = errors.New("there is no backup of that name")

// Undone is what an undo did.
type Undone struct {
	// Restored is the backup whose files are back in place.
	Restored Backup `json:"restored"`
	// Backup holds the files that were there before; the next undo restores it.
	Backup Backup `json:"backup,omitzero"`
}

// Undo restores a backup into its chapter below root, after it has backed up
// the files that are there now, so that an undo can be undone. An empty name
// means the newest. It returns ErrNoBackup, ErrUnchanged when the files already
// are as in the backup, or an *InterruptedError.
//
// An undo that was killed after its own backup and before it restored anything
// is carried on with by the next one.
func (s *Store) Undo(ctx context.Context, root, name string) (Undone, error) {
	var u Undone
	err := s.locked(ctx, func() error {
		b, err := s.pick(root, name)
		if err != nil {
			return err
		}
		u.Restored = b
		u.Backup, err = s.restore(root, b)
		return err
	})
	return u, err
}

// pick returns the named backup, or the newest, or the one that a killed undo
// meant to restore.
func (s *Store) pick(root, name string) (Backup, error) {
	if name != "" {
		return s.readNamed(name)
	}
	all, err := s.Backups()
	if err != nil {
		return Backup{}, err
	}
	if len(all) == 0 {
		return Backup{}, ErrNoBackup
	}
	newest := all[0]
	if newest.Restores == "" {
		return newest, nil
	}
	meant, err := s.readNamed(newest.Restores)
	if err != nil {
		return newest, nil // cleaned up by hand; the newest still restores
	}
	killed, err := cutShort(root, newest, meant)
	if killed {
		return meant, err
	}
	return newest, err
}

func (s *Store) readNamed(name string) (Backup, error) {
	if name != filepath.Base(name) || !filepath.IsLocal(name) || name == "." {
		return Backup{}, fmt.Errorf("%w: %s", ErrUnknownBackup, name)
	}
	b, err := s.readManifest(name)
	if errors.Is(err, fs.ErrNotExist) {
		return b, fmt.Errorf("%w: %s", ErrUnknownBackup, name)
	}
	return b, err
}

// cutShort reports whether the undo that made the backup "before" did not get
// to the end of restoring "meant": each file is as in one of the two, and not
// all are as in meant.
func cutShort(root string, before, meant Backup) (bool, error) {
	old, err := before.readFiles()
	if err != nil {
		return false, err
	}
	goal, err := meant.readFiles()
	if err != nil {
		return false, err
	}
	now, err := ReadFiles(filepath.Join(root, before.Chapter), append(old.Names(), goal.Names()...)...)
	if err != nil || now.Equal(goal) {
		return false, err
	}
	for _, files := range []Files{now, old, goal} {
		for name := range files {
			if !sameFile(now, old, name) && !sameFile(now, goal, name) {
				return false, nil
			}
		}
	}
	return true, nil
}

// sameFile reports whether both hold name with the same content, or neither holds it.
func sameFile(a, b Files, name string) bool {
	x, inA := a[name]
	y, inB := b[name]
	return inA == inB && bytes.Equal(x, y)
}

func (s *Store) restore(root string, b Backup) (Backup, error) {
	if b.Chapter == "" || b.Chapter != filepath.Base(b.Chapter) || !filepath.IsLocal(b.Chapter) {
		return Backup{}, fmt.Errorf("backup %s: %q is not a chapter", b.Name, b.Chapter)
	}
	files, err := b.readFiles()
	if err != nil {
		return Backup{}, err
	}
	states, err := s.statesOf(b)
	if err != nil {
		return Backup{}, err
	}
	change := Change{What: "undo", Chapter: b.Chapter, Step: b.Step, Dir: filepath.Join(root, b.Chapter), To: files, States: states}
	return s.apply(change, b.Name)
}

// statesOf are the verdicts that go with a backup; a step that had none at that
// time has none again.
func (s *Store) statesOf(b Backup) (map[string]stepresult.State, error) {
	p, err := s.readProgress()
	if err != nil && !isDamage(err) {
		return nil, err
	}
	states := map[string]stepresult.State{}
	for step := range p.Chapters[b.Chapter].Steps {
		states[step] = ""
	}
	maps.Copy(states, b.States)
	return states, nil
}
