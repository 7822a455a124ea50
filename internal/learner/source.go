package learner

import (
	"errors"
	"fmt"
	"path"

	"example.com/client-go-workshop/internal/gosource"
)

// ParseError says that one of the learner's files is not Go, so that no single
// function in it can be replaced.
type ParseError struct {
	// File is the path below the chapter's directory.
	File string
	// Err names the line and says what Go expects there.
	Err error
}

func (e *ParseError) Error() string {
	return fmt.Sprintf("%s does not parse, so one function in it cannot be replaced: %v", e.File, e.Err)
}

func (e *ParseError) Unwrap() error { return e.Err }

func parse(name string, text []byte) (*gosource.Source, error) {
	s, err := gosource.Parse(name, text)
	if err != nil {
		return nil, &ParseError{File: name, Err: errors.Unwrap(err)}
	}
	return s, nil
}

// parseAll parses the Go files of a chapter. The files that do not parse are
// in the error map.
func parseAll(files Files) ([]*gosource.Source, map[string]error) {
	var out []*gosource.Source
	bad := map[string]error{}
	for _, name := range files.Names() {
		if path.Ext(name) != ".go" {
			continue
		}
		s, err := parse(name, files[name])
		if err != nil {
			bad[name] = err
			continue
		}
		out = append(out, s)
	}
	return out, bad
}

// Syntax returns a *ParseError for the first file, in the order of the names,
// that is not Go, or nil.
func Syntax(files Files) error {
	_, bad := parseAll(files)
	for _, name := range files.Names() {
		if bad[name] != nil {
			return bad[name]
		}
	}
	return nil
}
