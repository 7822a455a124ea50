package gosource

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// Packages finds the names of imported packages, and remembers them.
type Packages struct {
	dir   string
	names map[string]string
}

// NewPackages looks imports up as code in dir would see them.
func NewPackages(dir string) *Packages {
	return &Packages{dir: dir, names: map[string]string{}}
}

// goListTimeout bounds one call of go list, which may download a module.
const goListTimeout = 2 * time.Minute

// name is what the package with the import path calls itself.
func (p *Packages) name(path string) (string, error) {
	if name, ok := p.names[path]; ok {
		return name, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), goListTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "list", "-find", "-f", "{{.Name}}", "--", path)
	cmd.Dir = p.dir
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("find package %s: %w", path, withStderr(err))
	}
	p.names[path] = strings.TrimSpace(string(out))
	return p.names[path], nil
}

// withStderr adds what a program wrote to the error that says how it ended.
func withStderr(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	return err
}
