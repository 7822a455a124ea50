package runner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"example.com/client-go-workshop/internal/course"
)

// BuildProgram builds the program of a candidate, without its checks, into the
// file out. An error of the compiler is a *CompileError.
func BuildProgram(ctx context.Context, ch course.Chapter, cand Candidate, out string) error {
	dir, err := os.MkdirTemp("", "workshop-program-")
	if err != nil {
		return fmt.Errorf("build %s: %w", cand.Name, err)
	}
	defer os.RemoveAll(dir)
	out, err = filepath.Abs(out)
	if err != nil {
		return fmt.Errorf("build %s: %w", cand.Name, err)
	}
	problem, err := compile(ctx, ch, cand, nil, dir, "build", "-o", out)
	if err == nil && problem != "" {
		err = &CompileError{Candidate: cand.Name, Text: problem}
	}
	return err
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
