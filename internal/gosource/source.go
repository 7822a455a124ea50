// Package gosource reads Go source files and edits them, their imports included.
package gosource

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Source is one parsed Go file. Offsets and positions belong to Text.
type Source struct {
	// Name is what messages call the file.
	Name string
	Text []byte
	Fset *token.FileSet
	File *ast.File
}

// Parse parses text. Identifiers are resolved, which the mending of
// imports needs to tell a package from a variable of the same name.
func Parse(name string, text []byte) (*Source, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("parse %w", err)
	}
	return &Source{Name: name, Text: text, Fset: fset, File: file}, nil
}

// Offset is the byte offset of pos.
func (s *Source) Offset(pos token.Pos) int { return s.Fset.PositionFor(pos, false).Offset }

// Line is the line of pos, from 1.
func (s *Source) Line(pos token.Pos) int { return s.Fset.PositionFor(pos, false).Line }

// At names pos in messages.
func (s *Source) At(pos token.Pos) string { return fmt.Sprintf("%s:%d", s.Name, s.Line(pos)) }

// Of is the text of node.
func (s *Source) Of(node ast.Node) string {
	return string(s.Text[s.Offset(node.Pos()):s.Offset(node.End())])
}

// Span is the text from one position up to another.
func (s *Source) Span(from, to token.Pos) string {
	return string(s.Text[s.Offset(from):s.Offset(to)])
}

// GoFiles returns the names of the Go files in dir that are not tests, sorted.
func GoFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if !entry.IsDir() && IsProgramFile(entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

// IsProgramFile reports whether go build takes a file of the name for a program:
// it is Go and no test.
func IsProgramFile(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") &&
		!strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "_")
}

// ReadFolder parses the Go files of dir that are not tests; shown is what
// messages call the folder.
func ReadFolder(dir, shown string) ([]*Source, error) {
	names, err := GoFiles(dir)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", shown, err)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s holds no Go file", shown)
	}
	var files []*Source
	var problems []error
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", shown, err)
		}
		file, err := Parse(path.Join(shown, name), text)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		files = append(files, file)
	}
	return files, errors.Join(problems...)
}

// Edit replaces the bytes from Start to End of a text.
type Edit struct {
	Start, End int
	Text       string
}

// Apply makes edits that do not overlap; with two at one place the first given
// comes first. Line ends follow those of text.
func Apply(text []byte, edits []Edit) []byte {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.Start - b.Start })
	crlf := strings.Contains(string(text), "\r\n")
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(out, text[at:e.Start]...)
		insert := e.Text
		if crlf {
			insert = strings.ReplaceAll(strings.ReplaceAll(insert, "\r\n", "\n"), "\n", "\r\n")
		}
		out = append(out, insert...)
		at = e.End
	}
	return append(out, text[at:]...)
}

// WholeLines widens start and end to the lines they stand on, when nothing but
// white space precedes start and nothing but a comment follows end.
func WholeLines(text []byte, start, end int) (int, int) {
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
