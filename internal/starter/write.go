package starter

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"github.com/natefinch/atomic"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/gosource"
)

// State is how a chapter's file stands to the starter that its solution gives.
type State string

const (
	// Same: the file is the starter.
	Same State = "same"
	// Differs: the file is not the starter. Diff says how.
	Differs State = "differs"
	// Missing: there is no such file.
	Missing State = "missing"
	// Extra: the chapter has a Go file that its solution does not have.
	Extra State = "extra"
	// Written: the file was not the starter and now is.
	Written State = "written"
)

// File is one file of a chapter.
type File struct {
	// Name is the file's path below the course's root, with slashes.
	Name  string
	State State
	// Diff leads from the file as it is to the starter, in unified form.
	Diff string
}

// Options say what WriteStarters does.
type Options struct {
	// Check has it write nothing.
	Check bool
	// Force has it overwrite files with work in them too, after a copy of each
	// in .workshop/overwritten.
	Force bool
}

// WorkError says that WriteStarters wrote nothing, because these files hold
// work that would be lost.
type WorkError struct {
	// Files are below the course's root, with slashes.
	Files []string
}

func (e *WorkError) Error() string {
	return fmt.Sprintf("nothing was written: %s would be replaced by a starter, and what is in there is neither the committed starter nor one generated before; "+
		"keep your work, or replace it with --force (a copy goes to .workshop/overwritten)", strings.Join(e.Files, ", "))
}

// WriteStarters brings every chapter's files up to the starters of their
// solutions, and returns how each stands. Nothing is lost by it: when a file is
// neither a starter that an earlier call generated nor the untouched starter
// that git's HEAD has, the error is a *WorkError and no file is written at all,
// unless opts.Force is set.
func WriteStarters(ctx context.Context, c *course.Course, opts Options) ([]File, error) {
	var plans []starterPlan
	for _, ch := range c.Chapters {
		more, err := planStarters(ch)
		if err != nil {
			return nil, err
		}
		plans = append(plans, more...)
	}
	if !opts.Check {
		if err := writeStarters(ctx, c, plans, opts.Force); err != nil {
			return nil, err
		}
	}
	var files []File
	for _, p := range plans {
		files = append(files, p.File)
	}
	return files, nil
}

// starterPlan is a file with what it holds and what it shall hold.
type starterPlan struct {
	File
	path     string
	now, new []byte
}

// planStarters compares a chapter's files with its starters.
func planStarters(ch course.Chapter) ([]starterPlan, error) {
	starters, err := Starters(ch)
	if err != nil {
		return nil, err
	}
	present, err := gosource.GoFiles(ch.Dir)
	if err != nil {
		return nil, fmt.Errorf("read chapter %s: %w", ch.ID, err)
	}
	names := slices.Clone(present)
	for name := range starters {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var plans []starterPlan
	for _, name := range names {
		p, err := planStarter(ch, name, starters[name])
		if err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	return plans, nil
}

// planStarter compares one file with its starter, nil for none.
func planStarter(ch course.Chapter, name string, starter []byte) (starterPlan, error) {
	p := starterPlan{path: filepath.Join(ch.Dir, name), new: starter}
	p.Name = path.Join(ch.ID, name)
	now, err := os.ReadFile(p.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return p, fmt.Errorf("read %s: %w", p.Name, err)
	}
	p.now = now
	switch {
	case starter == nil:
		p.State = Extra
		return p, nil
	case now == nil:
		p.State = Missing
	case bytes.Equal(unixLines(now), starter):
		p.State = Same
		return p, nil
	default:
		p.State = Differs
	}
	p.Diff = udiff.Unified(p.Name, p.Name+" (generated)", string(unixLines(now)), string(starter))
	return p, nil
}

// unixLines undoes what git on Windows may do to line ends.
func unixLines(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }

// writeStarters writes the files that are not their starters, all or none.
func writeStarters(ctx context.Context, c *course.Course, plans []starterPlan, force bool) error {
	records, err := readRecords(c)
	if err != nil {
		return err
	}
	var work []starterPlan
	for _, p := range plans {
		if p.State == Differs && records[p.Name] != hash(p.now) && !untouched(ctx, c, p) {
			work = append(work, p)
		}
	}
	if len(work) > 0 && !force {
		refused := &WorkError{}
		for _, p := range work {
			refused.Files = append(refused.Files, p.Name)
		}
		return refused
	}
	if err := keepCopies(c, work, time.Now()); err != nil {
		return err
	}
	for i := range plans {
		p := &plans[i]
		if p.State == Extra {
			continue
		}
		records[p.Name] = hash(p.new)
		if p.State == Same {
			continue
		}
		if err := writeFile(p.path, p.new); err != nil {
			return fmt.Errorf("write the starter %s: %w", p.Name, err)
		}
		p.State = Written
	}
	return writeRecords(c, records)
}

// untouched reports whether the file is the one in git's HEAD with no step
// written. A learner may have committed work, so that HEAD alone says nothing.
func untouched(ctx context.Context, c *course.Course, p starterPlan) bool {
	cmd := exec.CommandContext(ctx, "git", "show", "HEAD:./"+p.Name)
	cmd.Dir = c.Root
	committed, err := cmd.Output()
	if err != nil {
		// No git, no repository or no such file: nothing vouches for the file.
		return false
	}
	return bytes.Equal(unixLines(committed), unixLines(p.now)) && noStepWritten(p.Name, p.now)
}

// noStepWritten reports whether each step of a file still only panics with todo.Step.
func noStepWritten(name string, text []byte) bool {
	s, err := gosource.Parse(name, text)
	if err != nil {
		return false
	}
	steps, err := course.StepFuncs(s)
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(steps, func(f course.StepFunc) bool { return !isStub(f.Decl.Body) })
}

// isStub reports whether a body is panic(x.Step(N)) alone.
func isStub(body *ast.BlockStmt) bool {
	if len(body.List) != 1 {
		return false
	}
	statement, ok := body.List[0].(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := statement.X.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return false
	}
	if fn, ok := call.Fun.(*ast.Ident); !ok || fn.Name != "panic" {
		return false
	}
	step, ok := call.Args[0].(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := step.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Step"
}

func hash(text []byte) string {
	sum := sha256.Sum256(unixLines(text))
	return hex.EncodeToString(sum[:])
}

// stateDir is where the workshop keeps what is no part of the repository.
func stateDir(c *course.Course) string { return filepath.Join(c.Root, ".workshop") }

func recordsFile(c *course.Course) string { return filepath.Join(stateDir(c), "starters.json") }

// readRecords returns the SHA-256 of each starter as it was last generated here.
func readRecords(c *course.Course) (map[string]string, error) {
	records := map[string]string{}
	data, err := os.ReadFile(recordsFile(c))
	if errors.Is(err, fs.ErrNotExist) {
		return records, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what was generated before: %w", err)
	}
	if err := json.Unmarshal(data, &records); err != nil {
		// Without records more files are taken for work, which is the safe side.
		return map[string]string{}, nil
	}
	return records, nil
}

func writeRecords(c *course.Course, records map[string]string) error {
	data, err := json.MarshalIndent(records, "", "  ")
	if err != nil {
		return fmt.Errorf("encode what was generated: %w", err)
	}
	if err := writeFile(recordsFile(c), append(data, '\n')); err != nil {
		return fmt.Errorf("note what was generated: %w", err)
	}
	return nil
}

// keepCopies copies files that are about to be overwritten.
func keepCopies(c *course.Course, plans []starterPlan, now time.Time) error {
	for _, p := range plans {
		to := filepath.Join(stateDir(c), "overwritten", now.UTC().Format("20060102-150405.000"), filepath.FromSlash(p.Name))
		if err := writeFile(to, p.now); err != nil {
			return fmt.Errorf("keep a copy of %s: %w", p.Name, err)
		}
	}
	return nil
}

// writeFile replaces a file as a whole, and makes its folder.
func writeFile(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if err := atomic.WriteFile(name, bytes.NewReader(text)); err != nil {
		return err
	}
	return os.Chmod(name, 0o644)
}
