// Package stepresult is what a chapter's checks and the workshop command say to
// each other: one small file per step, written by internal/check while `go
// test` runs and read by internal/runner afterwards.
package stepresult

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// DirEnv names the environment variable that holds the directory for results.
// Without it `go test` alone still prints every message; no file is written.
const DirEnv = "WORKSHOP_VERDICTS"

// State is what a check says of one step.
type State string

const (
	// Done means that the step passes its check.
	Done State = "done"
	// NotYet means that the step is written and its check fails.
	NotYet State = "not yet"
	// NotWritten means that the step still panics with todo.Step.
	NotWritten State = "not written"
	// NotRun means that there is no verdict, for example because the chapter does not compile.
	NotRun State = "not run"
	// NotHere means that the step cannot be judged on this cluster, where the user
	// lacks a right. There is nothing to fix.
	NotHere State = "not here"
)

// Result is the verdict on one step. The message has three parts, in the order
// in which a learner needs them.
type Result struct {
	// Step is the step's number within its chapter, from 1.
	Step int `json:"step"`
	// Name is the step's function, for example ListPods.
	Name  string `json:"name"`
	State State  `json:"state"`
	// Needs is the number of another step that is not written, and without which
	// this one cannot be judged; 0 for none.
	Needs int `json:"needs,omitempty"`
	// Seen says what was expected and what was seen: object, field, request.
	Seen string `json:"seen,omitempty"`
	// Cause is the likely cause in words.
	Cause string `json:"cause,omitempty"`
	// Read says where to read on.
	Read string `json:"read,omitempty"`
	// Output is what the step printed, cut to its last part; empty for a step that passes.
	Output string `json:"output,omitempty"`
}

// Message joins the parts as a person reads them. It is empty for a step that is done.
func (r Result) Message() string {
	var b strings.Builder
	part := func(label, text string) {
		if text == "" {
			return
		}
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		b.WriteString(label + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  "))
	}
	part("", r.Seen)
	part("likely cause: ", r.Cause)
	part("read on: ", r.Read)
	part("your program printed:\n  ", r.Output)
	return b.String()
}

// begunFile is there once the checks run.
const begunFile = "begun"

// Begin notes in dir that the first check has begun: the package's variables and
// init functions, which run before any check, have come to their end.
func Begin(dir string) error {
	if err := os.WriteFile(filepath.Join(dir, begunFile), nil, 0o600); err != nil {
		return fmt.Errorf("note the beginning of the checks: %w", err)
	}
	return nil
}

// Begun reports whether a check has begun or left a verdict in dir.
func Begun(dir string) bool {
	for _, pattern := range []string{begunFile, "step-*.json"} {
		if names, err := filepath.Glob(filepath.Join(dir, pattern)); err == nil && len(names) > 0 {
			return true
		}
	}
	return false
}

// Write stores r in dir, atomically, replacing an earlier verdict on the same step.
func Write(dir string, r Result) error {
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode the verdict on step %d: %w", r.Step, err)
	}
	name := filepath.Join(dir, fmt.Sprintf("step-%02d.json", r.Step))
	tmp, err := os.CreateTemp(dir, ".verdict-*")
	if err != nil {
		return fmt.Errorf("write the verdict on step %d: %w", r.Step, err)
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err := errors.Join(err, tmp.Close()); err != nil {
		return fmt.Errorf("write the verdict on step %d: %w", r.Step, err)
	}
	if err := os.Rename(tmp.Name(), name); err != nil {
		return fmt.Errorf("write the verdict on step %d: %w", r.Step, err)
	}
	return nil
}

// Read returns every verdict in dir, in the order of the steps.
func Read(dir string) ([]Result, error) {
	names, err := filepath.Glob(filepath.Join(dir, "step-*.json"))
	if err != nil {
		return nil, fmt.Errorf("list verdicts in %s: %w", dir, err)
	}
	var out []Result
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read a verdict: %w", err)
		}
		var r Result
		if err := json.Unmarshal(data, &r); err != nil {
			return nil, fmt.Errorf("decode the verdict in %s: %w", name, err)
		}
		out = append(out, r)
	}
	return out, nil
}
