package learner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.com/client-go-workshop/internal/stepresult"
)

const (
	manifestName = "manifest.json"
	// partPrefix marks a backup that is still being written, or that was cut
	// short by a kill; it is never read and the next backup removes it.
	partPrefix = ".part-"
	stampForm  = "20060102-150405.000"
)

// stamp is a time in UTC that sorts as a file name.
func stamp(t time.Time) string { return t.UTC().Format(stampForm) }

// Backup is a copy of one chapter's files as they were before a command
// changed them.
type Backup struct {
	// Name is the directory's name below .workshop/backup; names sort by time.
	Name string `json:"name"`
	// Path is that directory.
	Path string `json:"path"`
	// Time is when the copy was made.
	Time time.Time `json:"time"`
	// What is the command that came after it: "reset", "solution" or "undo".
	What string `json:"what"`
	// Chapter is the chapter, for example 01-restclient.
	Chapter string `json:"chapter"`
	// Step is the step's function when only one was to change.
	Step string `json:"step,omitempty"`
	// Files are the copies, with their SHA-256.
	Files []BackupFile `json:"files"`
	// States are the chapter's verdicts at that time, by step.
	States map[string]stepresult.State `json:"states,omitempty"`
	// Restores names the backup that the undo after this copy was to restore.
	Restores string `json:"restores,omitempty"`
}

// BackupFile is one copy within a backup.
type BackupFile struct {
	// Path is the file's name in the chapter's directory.
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Change is a command that is about to replace a chapter's files.
type Change struct {
	// What goes into the backup's name: "reset" or "solution".
	What string
	// Chapter is the chapter, for example 01-restclient; Step one step's
	// function, or empty for the whole chapter.
	Chapter, Step string
	// Dir is the chapter's directory.
	Dir string
	// To are the files that the chapter shall have.
	To Files
	// States are the verdicts to note afterwards, by step; a step that is not
	// named keeps its own.
	States map[string]stepresult.State
}

// ErrUnchanged says that the files are already as a change would make them.
// Nothing was written and no backup was made.
var ErrUnchanged = errors.New("your files are already so; nothing to change")

// InterruptedError says that a change stopped halfway. The learner's files as
// they were before are in Backup.
type InterruptedError struct {
	Backup Backup
	Err    error
}

func (e *InterruptedError) Error() string {
	return fmt.Sprintf("%v; your files as they were are in %s, `undo` puts them back", e.Err, e.Backup.Path)
}

func (e *InterruptedError) Unwrap() error { return e.Err }

// Apply backs up the chapter's files, then turns them into c.To. It returns
// the backup, ErrUnchanged, or, when a file could not be written after the
// backup was made, an *InterruptedError.
func (s *Store) Apply(ctx context.Context, c Change) (Backup, error) {
	var b Backup
	err := s.locked(ctx, func() error {
		var err error
		b, err = s.apply(c, "")
		return err
	})
	return b, err
}

func (s *Store) apply(c Change, restores string) (Backup, error) {
	now, err := ReadFiles(c.Dir, c.To.Names()...)
	if err != nil {
		return Backup{}, err
	}
	if now.Equal(c.To) {
		return Backup{}, ErrUnchanged
	}
	b, err := s.backUp(c, now, restores)
	if err != nil {
		return Backup{}, fmt.Errorf("back up chapter %s, so nothing was changed: %w", c.Chapter, err)
	}
	if err := s.place(c.Dir, now, c.To); err != nil {
		return b, &InterruptedError{Backup: b, Err: err}
	}
	if err := s.setStates(c.Chapter, c.States); err != nil {
		return b, err
	}
	return b, nil
}

func (s *Store) setStates(chapter string, states map[string]stepresult.State) error {
	if len(states) == 0 {
		return nil
	}
	err := s.update(func(p *Progress) {
		for step, state := range states {
			sp := p.Step(chapter, step)
			sp.State = state
			p.SetStep(chapter, step, sp)
		}
	})
	var damaged *CorruptError
	if errors.As(err, &damaged) {
		return nil
	}
	return err
}

func (s *Store) backupDir() string { return filepath.Join(s.dir, "backup") }

// backUp copies files into a new backup. The copy is complete and synced
// before it gets its name, so a backup that can be seen is whole.
func (s *Store) backUp(c Change, files Files, restores string) (Backup, error) {
	b, err := s.newBackup(c, files, restores)
	if err != nil {
		return b, err
	}
	part := filepath.Join(s.backupDir(), partPrefix+b.Name)
	if err := s.removeParts(); err != nil {
		return b, err
	}
	if err := s.disk.mkdir(filepath.Join(part, "files")); err != nil {
		return b, fmt.Errorf("make the backup's directory: %w", err)
	}
	for _, name := range files.Names() {
		if err := s.disk.create(filepath.Join(part, "files", name), files[name]); err != nil {
			return b, fmt.Errorf("copy %s: %w", name, err)
		}
	}
	data, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return b, fmt.Errorf("encode the manifest: %w", err)
	}
	if err := s.disk.create(filepath.Join(part, manifestName), append(data, '\n')); err != nil {
		return b, fmt.Errorf("write the manifest: %w", err)
	}
	if err := s.disk.rename(part, b.Path); err != nil {
		return b, fmt.Errorf("give the backup its name: %w", err)
	}
	return b, nil
}

func (s *Store) newBackup(c Change, files Files, restores string) (Backup, error) {
	t, err := s.nextTime()
	if err != nil {
		return Backup{}, err
	}
	what := c.What + "-" + c.Chapter
	if c.Step != "" {
		what += "." + c.Step
	}
	b := Backup{Name: stamp(t) + "-" + what, Time: t, What: c.What, Chapter: c.Chapter, Step: c.Step, Restores: restores}
	b.Path = filepath.Join(s.backupDir(), b.Name)
	for _, name := range files.Names() {
		b.Files = append(b.Files, BackupFile{Path: name, SHA256: sum(files[name])})
	}
	p, err := s.readProgress()
	if err != nil && !isDamage(err) {
		return b, err
	}
	b.States = map[string]stepresult.State{}
	for step, sp := range p.Chapters[c.Chapter].Steps {
		b.States[step] = sp.State
	}
	return b, nil
}

// nextTime is now, or just after the newest backup when the clock stands still
// or went back, so that the order of the names is the order of the copies.
func (s *Store) nextTime() (time.Time, error) {
	now := s.now().UTC().Truncate(time.Millisecond)
	all, err := s.Backups()
	if err != nil {
		return now, err
	}
	if len(all) > 0 && !now.After(all[0].Time) {
		return all[0].Time.Add(time.Millisecond), nil
	}
	return now, nil
}

func (s *Store) removeParts() error {
	parts, err := filepath.Glob(filepath.Join(s.backupDir(), partPrefix+"*"))
	if err != nil {
		return fmt.Errorf("list unfinished backups: %w", err)
	}
	for _, part := range parts {
		if err := s.disk.remove(part); err != nil {
			return fmt.Errorf("remove an unfinished backup: %w", err)
		}
	}
	return nil
}

// Backups returns every whole backup, newest first.
func (s *Store) Backups() ([]Backup, error) {
	entries, err := os.ReadDir(s.backupDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the backups: %w", err)
	}
	var out []Backup
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if b, err := s.readManifest(e.Name()); err == nil {
			out = append(out, b)
		}
	}
	slices.SortFunc(out, func(a, b Backup) int { return strings.Compare(b.Name, a.Name) })
	return out, nil
}

func (s *Store) readManifest(name string) (Backup, error) {
	var b Backup
	path := filepath.Join(s.backupDir(), name)
	data, err := os.ReadFile(filepath.Join(path, manifestName))
	if err != nil {
		return b, fmt.Errorf("read the manifest of backup %s: %w", name, err)
	}
	if err := json.Unmarshal(data, &b); err != nil {
		return b, fmt.Errorf("decode the manifest of backup %s: %w", name, err)
	}
	b.Name, b.Path = name, path
	return b, nil
}

// readFiles reads the copies back and compares each with its sum.
func (b Backup) readFiles() (Files, error) {
	files := Files{}
	for _, f := range b.Files {
		if f.Path != filepath.Base(f.Path) || !filepath.IsLocal(f.Path) {
			return nil, fmt.Errorf("backup %s: %q leads out of the chapter", b.Name, f.Path)
		}
		data, err := os.ReadFile(filepath.Join(b.Path, "files", f.Path))
		if err != nil {
			return nil, fmt.Errorf("read backup %s: %w", b.Name, err)
		}
		if sum(data) != f.SHA256 {
			return nil, fmt.Errorf("backup %s: the copy of %s was changed since", b.Name, f.Path)
		}
		files[f.Path] = data
	}
	return files, nil
}

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}
