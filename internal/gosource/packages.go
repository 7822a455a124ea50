package gosource

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Package is a package as far as its declared types need it.
type Package struct {
	Name  string
	Files []*ast.File
}

// Packages finds imported packages by their source, and remembers them.
type Packages struct {
	dir    string
	loaded map[string]*Package
}

// NewPackages looks imports up as code in dir would see them.
func NewPackages(dir string) *Packages {
	return &Packages{dir: dir, loaded: map[string]*Package{}}
}

// goListTimeout bounds one call of go list, which may download a module.
const goListTimeout = 2 * time.Minute

// Load parses the package with the import path.
func (p *Packages) Load(path string) (*Package, error) {
	if pkg, ok := p.loaded[path]; ok {
		return pkg, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), goListTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "list", "-find", "-json=Dir,Name,GoFiles", "--", path)
	cmd.Dir = p.dir
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("find package %s: %w", path, withStderr(err))
	}
	var listed struct {
		Dir, Name string
		GoFiles   []string
	}
	if err := json.Unmarshal(out, &listed); err != nil {
		return nil, fmt.Errorf("find package %s: %w", path, err)
	}
	pkg := &Package{Name: listed.Name}
	for _, name := range listed.GoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(listed.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("parse package %s: %w", path, err)
		}
		pkg.Files = append(pkg.Files, file)
	}
	p.loaded[path] = pkg
	return pkg, nil
}

// withStderr adds what a program wrote to the error that says how it ended.
func withStderr(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	return err
}
