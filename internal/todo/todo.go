// Package todo marks a step of a chapter that is not written yet.
package todo

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// NotWrittenError says which step is not written and where it stands.
type NotWrittenError struct {
	// Number is the step's number within its chapter, from 1.
	Number int
	// Func is the function to write, without its package.
	Func string
	// File is the path below the repository's top, for example 01-restclient/main.go.
	File string
	// Line is the line of the call, inside the function.
	Line int
}

func (e *NotWrittenError) Error() string {
	chapter := filepath.Base(filepath.Dir(e.File))
	number, _, _ := strings.Cut(chapter, "-")
	return fmt.Sprintf(`step %[1]d, %[2]s, is not written yet
  where:  %[3]s:%[4]d; the task is the comment above the function
  next:   replace the line "return ... todo.Step(%[1]d)", then run again: go run ./%[5]s
  check:  go tool workshop check %[6]s.%[1]d
  stuck:  go tool workshop hint %[6]s.%[1]d`, e.Number, e.Func, e.File, e.Line, chapter, number)
}

// Step returns the error of a step that is not written. A starter returns it
// from the body of step n; the learner's code takes its place.
func Step(n int) error {
	e := &NotWrittenError{Number: n, Func: "?", File: "?"}
	pc, file, line, ok := runtime.Caller(1)
	if !ok {
		return e
	}
	if fn := runtime.FuncForPC(pc); fn != nil {
		e.Func = fn.Name()[strings.LastIndexByte(fn.Name(), '.')+1:]
	}
	e.File = filepath.Join(filepath.Base(filepath.Dir(file)), filepath.Base(file))
	e.Line = line
	return e
}

// Is reports whether err comes from a step that is not written.
func Is(err error) bool {
	var e *NotWrittenError
	return errors.As(err, &e)
}
