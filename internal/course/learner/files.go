package learner

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Files are the files of one chapter: a path below the chapter's directory,
// with forward slashes, to its content.
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
// file but the tests, and besides those each file that also names, such as a
// manifest that belongs to the starter. Guides, checks and testdata belong to
// the course and are left out. A directory that is not there holds no files.
func ReadFiles(dir string, also ...string) (Files, error) {
	files := Files{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && p == dir:
			return fs.SkipAll
		case err != nil:
			return err
		case d.IsDir() && p != dir && skipDir(d.Name()):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if !isOwn(rel) && !slices.Contains(also, rel) {
			return nil
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		files[rel] = data
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the files in %s: %w", dir, err)
	}
	return files, nil
}

func skipDir(name string) bool {
	return name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

func isOwn(name string) bool {
	base := path.Base(name)
	return path.Ext(base) == ".go" && !strings.HasSuffix(base, "_test.go") && !strings.HasPrefix(base, ".")
}

// place turns the files in dir from "from" into "to": each file all or
// nothing, the removals last, so that at every moment each file is the old or
// the new one.
func (s *Store) place(dir string, from, to Files) error {
	for _, name := range to.Names() {
		if old, ok := from[name]; ok && bytes.Equal(old, to[name]) {
			continue
		}
		target := filepath.Join(dir, filepath.FromSlash(name))
		if err := s.disk.mkdir(filepath.Dir(target)); err != nil {
			return fmt.Errorf("make the directory of %s: %w", name, err)
		}
		if err := s.disk.replace(target, to[name]); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	for _, name := range from.Names() {
		if _, ok := to[name]; ok {
			continue
		}
		if err := s.disk.remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			return fmt.Errorf("remove %s: %w", name, err)
		}
	}
	return nil
}
