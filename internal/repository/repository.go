// Package repository finds the clone of the workshop that a folder lies in.
package repository

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// Module is the path of the workshop's Go module.
const Module = "example.com/client-go-workshop"

// ErrNotFound is returned outside of a clone of the workshop.
var ErrNotFound = errors.New("not inside the workshop's repository: no go.mod of module " + Module +
	" here or in a folder above; change into your clone and run again")

var moduleLine = regexp.MustCompile(`(?m)^module\s+"?` + regexp.QuoteMeta(Module) + `"?\s*(//.*)?$`)

// Root returns the absolute path of the repository root: the nearest folder, from
// dir upwards, whose go.mod is that of the workshop. The error matches
// [ErrNotFound] when there is none.
func Root(dir string) (string, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find the workshop's repository: %w", err)
	}
	for at := start; ; at = filepath.Dir(at) {
		data, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if err == nil && moduleLine.Match(data) {
			return at, nil
		}
		if filepath.Dir(at) == at {
			return "", fmt.Errorf("%s: %w", start, ErrNotFound)
		}
	}
}
