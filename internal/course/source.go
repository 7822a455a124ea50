package course

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// source is one parsed Go file. Offsets and positions belong to text.
type source struct {
	// name is what messages call the file.
	name string
	text []byte
	fset *token.FileSet
	file *ast.File
}

// parseSource parses text. Identifiers are resolved, which the mending of
// imports needs to tell a package from a variable of the same name.
func parseSource(name string, text []byte) (*source, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("parse %w", err)
	}
	return &source{name: name, text: text, fset: fset, file: file}, nil
}

// offset is the byte offset of pos.
func (s *source) offset(pos token.Pos) int { return s.fset.PositionFor(pos, false).Offset }

// line is the line of pos, from 1.
func (s *source) line(pos token.Pos) int { return s.fset.PositionFor(pos, false).Line }

// at names pos in messages.
func (s *source) at(pos token.Pos) string { return fmt.Sprintf("%s:%d", s.name, s.line(pos)) }

// of is the text of node.
func (s *source) of(node ast.Node) string {
	return string(s.text[s.offset(node.Pos()):s.offset(node.End())])
}

// goFiles returns the names of the Go files in dir that are not tests, sorted.
func goFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if isLearnerFile(entry) {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

func isLearnerFile(entry fs.DirEntry) bool {
	name := entry.Name()
	return !entry.IsDir() && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") &&
		!strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "_")
}

// readFolder parses the Go files of dir that are not tests; shown is what
// messages call the folder.
func readFolder(dir, shown string) ([]*source, error) {
	names, err := goFiles(dir)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", shown, err)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s holds no Go file", shown)
	}
	var files []*source
	var problems []error
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", shown, err)
		}
		file, err := parseSource(path.Join(shown, name), text)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		files = append(files, file)
	}
	return files, errors.Join(problems...)
}

// edit replaces the bytes from start to end of a text.
type edit struct {
	start, end int
	text       string
}

// applyEdits makes edits that do not overlap.
func applyEdits(text []byte, edits []edit) []byte {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(out, text[at:e.start]...)
		out = append(out, e.text...)
		at = e.end
	}
	return append(out, text[at:]...)
}

// wholeLines widens start and end to the lines they stand on, when nothing but
// white space precedes start and nothing but a comment follows end.
func wholeLines(text []byte, start, end int) (int, int) {
	lineStart := strings.LastIndexByte(string(text[:start]), '\n') + 1
	if strings.TrimSpace(string(text[lineStart:start])) == "" {
		start = lineStart
	}
	rest, _, more := strings.Cut(string(text[end:]), "\n")
	if after := strings.TrimSpace(rest); after == "" || strings.HasPrefix(after, "//") {
		end += len(rest)
		if more {
			end++
		}
	}
	return start, end
}
