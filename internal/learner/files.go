package learner

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"example.com/client-go-workshop/internal/gosource"
)

// Files are the files of one chapter: a name in the chapter's directory to its
// content.
type Files map[string][]byte

// Names returns the paths in order.
func (f Files) Names() []string { return slices.Sorted(maps.Keys(f)) }

// Equal reports whether both hold the same paths with the same content.
func (f Files) Equal(g Files) bool { return maps.EqualFunc(f, g, bytes.Equal) }

// with returns a copy of f in which name holds data.
func (f Files) with(name string, data []byte) Files {
	out := maps.Clone(f)
	out[name] = data
	return out
}

// ReadFiles returns the learner's files in a chapter's directory: every Go
// file but the tests, and besides those each file that also names. Guides,
// checks and folders belong to the course or to the learner alone and are left
// out. A directory that is not there holds no files.
func ReadFiles(dir string, also ...string) (Files, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the files of a chapter: %w", err)
	}
	files := Files{}
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || !gosource.IsProgramFile(name) && !slices.Contains(also, name) {
			continue
		}
		files[name], err = os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, fmt.Errorf("read the files of a chapter: %w", err)
		}
	}
	return files, nil
}

// place turns the files in dir from "from" into "to": each file all or
// nothing, the removals last, so that at every moment each file is the old or
// the new one.
func (s *Store) place(dir string, from, to Files) error {
	if err := s.disk.mkdir(dir); err != nil {
		return fmt.Errorf("make the chapter's directory: %w", err)
	}
	for _, name := range to.Names() {
		if old, ok := from[name]; ok && bytes.Equal(old, to[name]) {
			continue
		}
		target := filepath.Join(dir, name)
		if err := s.disk.replace(target, to[name]); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	for _, name := range from.Names() {
		if _, ok := to[name]; ok {
			continue
		}
		if err := s.disk.remove(filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("remove %s: %w", name, err)
		}
	}
	return nil
}
