package learner

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/client-go-workshop/internal/stepresult"
)

var errKilled = errors.New("killed")

// dyingDisk lets a number of changes through and then stops for good in the
// middle of the next one, as a process does that is killed.
type dyingDisk struct {
	disk
	left int
}

func (d *dyingDisk) dies() bool {
	d.left--
	return d.left < 0
}

func (d *dyingDisk) mkdir(path string) error {
	if d.dies() {
		return errKilled
	}
	return d.disk.mkdir(path)
}

// create leaves half of the file behind when it dies.
func (d *dyingDisk) create(path string, data []byte) error {
	if d.dies() {
		if d.left == -1 {
			_ = os.WriteFile(path, data[:len(data)/2], 0o644)
		}
		return errKilled
	}
	return d.disk.create(path, data)
}

// replace leaves its temporary file behind when it dies.
func (d *dyingDisk) replace(path string, data []byte) error {
	if d.dies() {
		if d.left == -1 {
			_ = os.WriteFile(path+"123", data[:len(data)/2], 0o644)
		}
		return errKilled
	}
	return d.disk.replace(path, data)
}

func (d *dyingDisk) rename(from, to string) error {
	if d.dies() {
		return errKilled
	}
	return d.disk.rename(from, to)
}

func (d *dyingDisk) remove(path string) error {
	if d.dies() {
		return errKilled
	}
	return d.disk.remove(path)
}

const chapter = "01-first"

// newChapter makes a repository with one chapter that holds files.
func newChapter(t *testing.T, files Files) (root, dir string, s *Store) {
	t.Helper()
	root = t.TempDir()
	dir = filepath.Join(root, chapter)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "testdata"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "check_test.go"), []byte("package main\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "testdata", "x.go"), []byte("package x\n"), 0o644))
	for name, data := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o644))
	}
	return root, dir, Open(filepath.Join(root, ".workshop"))
}

func contents(t *testing.T, dir string) Files {
	t.Helper()
	files, err := ReadFiles(dir)
	require.NoError(t, err)
	return files
}

func mine() Files {
	return Files{"main.go": []byte("package main // mine\n"), "extra.go": []byte("package main // extra\n")}
}

func starter() Files {
	return Files{"main.go": []byte("package main // starter\n"), "trace.go": []byte("package main // trace\n")}
}

func reset(dir string) Change {
	return Change{What: "reset", Chapter: chapter, Dir: dir, To: starter(),
		States: map[string]stepresult.State{"First": stepresult.NotWritten}}
}

func TestApplyBacksUpFirst(t *testing.T) {
	_, dir, s := newChapter(t, mine())
	b, err := s.Apply(t.Context(), reset(dir))
	require.NoError(t, err)
	require.Equal(t, starter(), contents(t, dir), "a file of the learner's own goes, one of the starter's comes")

	copies, err := b.readFiles()
	require.NoError(t, err)
	require.Equal(t, mine(), copies)
	require.FileExists(t, filepath.Join(b.Path, "files", "extra.go"))
	require.FileExists(t, filepath.Join(dir, "check_test.go"), "the checks are not the learner's")
	require.FileExists(t, filepath.Join(dir, "testdata", "x.go"))

	p, err := s.Progress(t.Context())
	require.NoError(t, err)
	require.Equal(t, stepresult.NotWritten, p.Step(chapter, "First").State)

	_, err = s.Apply(t.Context(), reset(dir))
	require.ErrorIs(t, err, ErrUnchanged)
	all, err := s.Backups()
	require.NoError(t, err)
	require.Len(t, all, 1, "nothing to change makes no backup")
}

func TestUndoOfUndo(t *testing.T) {
	root, dir, s := newChapter(t, mine())
	s.now = func() time.Time { return time.Unix(1700000000, 0) } // a clock that stands still

	require.NoError(t, s.Update(t.Context(), func(p *Progress) {
		p.Record(chapter, stepresult.Result{Name: "First", State: stepresult.Done}, time.Unix(1, 0))
	}))
	_, err := s.Undo(t.Context(), root, "")
	require.ErrorIs(t, err, ErrNoBackup)

	reset, err := s.Apply(t.Context(), reset(dir))
	require.NoError(t, err)
	for range 3 {
		u, err := s.Undo(t.Context(), root, "")
		require.NoError(t, err)
		require.Equal(t, mine(), contents(t, dir))
		require.Equal(t, "undo", u.Backup.What)
		p, err := s.Progress(t.Context())
		require.NoError(t, err)
		require.Equal(t, stepresult.Done, p.Step(chapter, "First").State, "the verdict comes back with the files")

		_, err = s.Undo(t.Context(), root, "")
		require.NoError(t, err)
		require.Equal(t, starter(), contents(t, dir))
		p, err = s.Progress(t.Context())
		require.NoError(t, err)
		require.Equal(t, stepresult.NotWritten, p.Step(chapter, "First").State)
		require.True(t, p.Step(chapter, "First").Regressed())
	}
	_, err = s.Undo(t.Context(), root, reset.Name)
	require.NoError(t, err)
	require.Equal(t, mine(), contents(t, dir))
	_, err = s.Undo(t.Context(), root, "../x")
	require.Error(t, err)
}

func TestUndoAfterMoreWork(t *testing.T) {
	root, dir, s := newChapter(t, mine())
	_, err := s.Apply(t.Context(), reset(dir))
	require.NoError(t, err)
	_, err = s.Undo(t.Context(), root, "")
	require.NoError(t, err)
	work := mine().with("main.go", []byte("package main // more\n"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), work["main.go"], 0o644))
	_, err = s.Undo(t.Context(), root, "")
	require.NoError(t, err)
	require.Equal(t, starter(), contents(t, dir))
	_, err = s.Undo(t.Context(), root, "")
	require.NoError(t, err)
	require.Equal(t, work, contents(t, dir), "the work after the first undo is not lost")
}

// eachKill runs op on a fresh copy of the scene, killed at its first change to
// the disk, then at its second, until it lives.
func eachKill(t *testing.T, scene func(t *testing.T) (root, dir string, s *Store), op func(s *Store, root, dir string) error,
	after func(t *testing.T, root, dir string, s *Store)) {
	for kill := 0; ; kill++ {
		root, dir, s := scene(t)
		d := &dyingDisk{disk: osDisk{}, left: kill}
		err := op(&Store{dir: s.dir, disk: d, now: time.Now}, root, dir)
		if d.left >= 0 {
			require.NoError(t, err)
			require.Greater(t, kill, 5, "the changes to the disk were not counted")
			return
		}
		require.ErrorIs(t, err, errKilled)
		after(t, root, dir, Open(s.dir))
	}
}

// requireWhole fails when a file is neither its old nor its new self.
func requireWhole(t *testing.T, dir string, states ...Files) {
	t.Helper()
	for name, data := range contents(t, dir) {
		whole := false
		for _, files := range states {
			whole = whole || string(files[name]) == string(data)
		}
		require.True(t, whole, "%s is torn: %q", name, data)
	}
}

func TestKilledReset(t *testing.T) {
	scene := func(t *testing.T) (string, string, *Store) { return newChapter(t, mine()) }
	op := func(s *Store, _, dir string) error {
		_, err := s.Apply(context.Background(), reset(dir))
		return err
	}
	eachKill(t, scene, op, func(t *testing.T, root, dir string, s *Store) {
		requireWhole(t, dir, mine(), starter())
		_, err := s.Undo(t.Context(), root, "")
		if err != nil && !errors.Is(err, ErrNoBackup) {
			require.ErrorIs(t, err, ErrUnchanged)
		}
		require.Equal(t, mine(), contents(t, dir))
		_, err = s.Apply(t.Context(), reset(dir))
		require.NoError(t, err, "the next reset is not in the way of the killed one")
		parts, err := filepath.Glob(filepath.Join(s.dir, "backup", partPrefix+"*"))
		require.NoError(t, err)
		require.Empty(t, parts)
	})
}

func TestKilledUndo(t *testing.T) {
	scene := func(t *testing.T) (string, string, *Store) {
		root, dir, s := newChapter(t, mine())
		_, err := s.Apply(t.Context(), reset(dir))
		require.NoError(t, err)
		return root, dir, s
	}
	op := func(s *Store, root, _ string) error {
		_, err := s.Undo(context.Background(), root, "")
		return err
	}
	eachKill(t, scene, op, func(t *testing.T, root, dir string, s *Store) {
		requireWhole(t, dir, mine(), starter())
		if contents(t, dir).Equal(mine()) {
			return // killed after the last file
		}
		_, err := s.Undo(t.Context(), root, "")
		require.NoError(t, err)
		require.Equal(t, mine(), contents(t, dir), "the second undo ends what the first began")
	})
}

func TestInterruptedSaysWhere(t *testing.T) {
	_, dir, s := newChapter(t, mine())
	require.NoError(t, os.Mkdir(filepath.Join(dir, "trace.go"), 0o755)) // cannot be replaced by a file
	require.NoError(t, os.WriteFile(filepath.Join(dir, "trace.go", "x"), nil, 0o644))
	_, err := s.Apply(t.Context(), reset(dir))
	var interrupted *InterruptedError
	require.ErrorAs(t, err, &interrupted)
	require.DirExists(t, interrupted.Backup.Path)
	require.Contains(t, err.Error(), interrupted.Backup.Path)
}

func TestChangedBackupIsNotRestored(t *testing.T) {
	root, dir, s := newChapter(t, mine())
	b, err := s.Apply(t.Context(), reset(dir))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(b.Path, "files", "main.go"), []byte("package evil\n"), 0o644))
	_, err = s.Undo(t.Context(), root, "")
	require.ErrorContains(t, err, "the copy of main.go was changed since")
	require.Equal(t, starter(), contents(t, dir))
}

func TestManifestMayNotLeaveTheChapter(t *testing.T) {
	root, dir, s := newChapter(t, mine())
	b, err := s.Apply(t.Context(), reset(dir))
	require.NoError(t, err)
	manifest := filepath.Join(b.Path, manifestName)
	data, err := os.ReadFile(manifest)
	require.NoError(t, err)
	for from, to := range map[string]string{`"01-first"`: `".."`, `"main.go"`: `"../../main.go"`} {
		changed := []byte(replaceOnce(string(data), from, to))
		require.NoError(t, os.WriteFile(manifest, changed, 0o644))
		_, err = s.Undo(t.Context(), root, "")
		require.Error(t, err)
	}
}

func TestWaitForAnotherCommand(t *testing.T) {
	_, dir, s := newChapter(t, mine())
	err := s.locked(t.Context(), func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := Open(s.dir).Apply(ctx, reset(dir))
		return err
	})
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
