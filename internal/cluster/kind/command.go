package kind

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// commandFunc runs a program and returns what it printed. Its error is a
// [*commandError] when the program ran and failed.
type commandFunc func(ctx context.Context, name string, args ...string) (string, error)

// commandError is a program's failure, in its own words.
type commandError struct {
	// Name is the program.
	Name string
	// Output is all that it printed, Complaint what it printed to stderr.
	Output, Complaint string
	Err               error
}

func (e *commandError) Error() string {
	text := lastLines(e.Complaint, 3)
	if text == "" {
		text = lastLines(e.Output, 3)
	}
	if text != "" {
		return fmt.Sprintf("%s: %s", e.Name, text)
	}
	return fmt.Sprintf("%s: %v", e.Name, e.Err)
}

func (e *commandError) Unwrap() error { return e.Err }

func runCommand(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout = &stdout
	cmd.Stderr = &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if errors.Is(err, exec.ErrNotFound) {
		return "", err
	}
	if err != nil {
		return stdout.String(), &commandError{Name: name, Output: stdout.String() + stderr.String(), Complaint: stderr.String(), Err: err}
	}
	return stdout.String(), nil
}

// lastLines returns the last n lines that say something, on one line.
func lastLines(text string, n int) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-n):], "; ")
}
