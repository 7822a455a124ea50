package course

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// BuildProgram builds the program of a candidate, without its checks, into the
// file out. An error of the compiler is a *CompileError.
func (c *Course) BuildProgram(ctx context.Context, ch Chapter, cand Candidate, out string) error {
	if err := cand.validate(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "workshop-program-")
	if err != nil {
		return fmt.Errorf("build %s: %w", cand.Name, err)
	}
	defer os.RemoveAll(dir)
	overlay, edited, err := cand.replacements(dir)
	if err != nil {
		return err
	}
	file, err := writeOverlay(dir, overlay)
	if err != nil {
		return err
	}
	out, err = filepath.Abs(out)
	if err != nil {
		return fmt.Errorf("build %s: %w", cand.Name, err)
	}
	text, err := c.goCommand(ctx, nil, "build", "-ldflags=-w", "-overlay", file, "-o", out, "./"+ch.ID)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("build %s: %w", cand.Name, context.Cause(ctx))
	case errors.As(err, &exit):
		return &CompileError{Candidate: cand.Name, Text: c.readable(text, edited)}
	case err != nil:
		return fmt.Errorf("build %s: %w", cand.Name, err)
	}
	return nil
}

// CompileError says that a candidate does not compile.
type CompileError struct {
	Candidate string
	// Text is what the compiler said.
	Text string
}

func (e *CompileError) Error() string {
	return fmt.Sprintf("%s does not compile:\n%s", e.Candidate, e.Text)
}
