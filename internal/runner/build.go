package runner

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"example.com/client-go-workshop/internal/course"
)

// Program is a chapter's test program, built and ready to run.
type Program struct {
	chapter course.Chapter
	path    string
	// buildError holds Go's messages when there is no program.
	BuildError string
}

// Build makes the test program of a candidate in dir, which the caller removes.
func Build(ctx context.Context, ch course.Chapter, cand Candidate, env []string, dir string) (*Program, error) {
	p := &Program{chapter: ch, path: filepath.Join(dir, "check.test")}
	if runtime.GOOS == "windows" {
		p.path += ".exe"
	}
	var err error
	p.BuildError, err = compile(ctx, ch, cand, env, dir, "test", "-c", "-vet=off", "-o", p.path)
	if err != nil || p.BuildError != "" {
		return p, err
	}
	if _, err := os.Stat(p.path); err != nil {
		return nil, fmt.Errorf("build the checks of %s: the chapter has no check_test.go", ch.ID)
	}
	return p, nil
}

// compile runs a go command that builds a candidate of ch, by way of files in
// dir. It returns Go's messages when the candidate does not compile.
func compile(ctx context.Context, ch course.Chapter, cand Candidate, env []string, dir string, command ...string) (problem string,
	err error) {
	if err := cand.validate(); err != nil {
		return "", err
	}
	overlay, edited, err := cand.replacements(dir)
	if err != nil {
		return "", err
	}
	// Without DWARF and symbols a program is linked in half the time; a crash still shows files and lines.
	args := append(slices.Clone(command), "-ldflags=-s -w")
	// The linker's garbage is a few hundred MB; collecting it costs a tenth of the time.
	if os.Getenv("GOGC") == "" {
		env = append(slices.Clone(env), "GOGC=400")
	}
	if len(overlay) > 0 {
		file, err := writeOverlay(dir, overlay)
		if err != nil {
			return "", err
		}
		args = append(args, "-overlay", file)
	}
	out, err := goCommand(ctx, ch.Root(), env, append(args, "./"+ch.ID)...)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("build %s of %s: %w", cand.Name, ch.ID, context.Cause(ctx))
	case errors.As(err, &exit):
		return readable(ch.Root(), out, edited), nil
	case err != nil:
		return "", fmt.Errorf("build %s of %s: %w", cand.Name, ch.ID, err)
	}
	return "", nil
}

// goCommand runs go in root and returns all that it printed.
func goCommand(ctx context.Context, root string, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), env...)
	out := newHeadTail(buildKept)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = killDelay
	ownTree(cmd)
	err := cmd.Run()
	return out.String(), err
}

func writeOverlay(dir string, overlay map[string]string) (string, error) {
	var buf bytes.Buffer
	if err := json.NewEncoder(&buf).Encode(map[string]any{"Replace": overlay}); err != nil {
		return "", fmt.Errorf("encode the overlay: %w", err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, buf.Bytes(), 0o600); err != nil {
		return "", fmt.Errorf("write the overlay: %w", err)
	}
	return file, nil
}

var (
	packageLine = regexp.MustCompile(`(?m)^# .*\n`)
	failLine    = regexp.MustCompile(`(?m)^FAIL(\t.*)?\n?`)
	dotSlash    = regexp.MustCompile(`(?m)^\./`)
)

// readable leaves only Go's messages in what go test -c printed, and names in
// them the files that a person edits, below root.
func readable(root, out string, edited map[string]string) string {
	out = failLine.ReplaceAllString(packageLine.ReplaceAllString(out, ""), "")
	out = renamer(root, edited).Replace(out)
	out = dotSlash.ReplaceAllString(out, "")
	return strings.TrimSpace(strings.ReplaceAll(out, root+string(filepath.Separator), ""))
}

var (
	undefinedName = regexp.MustCompile(`: undefined: (\w+)`)
	checkLine     = regexp.MustCompile(`(?m)^\S*(?:check|facts)\w*_test\.go:.*(?:\n\t.*)*`)
)

// buildAdvice says what to do when the program does not compile because a step
// is gone or declared in another way than the checks call it.
func buildAdvice(ch course.Chapter, message string) string {
	names := map[string]bool{}
	for _, match := range undefinedName.FindAllStringSubmatch(message, -1) {
		names[match[1]] = true
	}
	calls := strings.Join(checkLine.FindAllString(message, -1), "\n")
	var advice []string
	for _, step := range ch.Steps {
		called, err := regexp.MatchString(`\b`+regexp.QuoteMeta(step.Name)+`\b`, calls)
		if !names[step.Name] && (!called || err != nil) {
			continue
		}
		advice = append(advice, fmt.Sprintf("%s must be declared as the starter declares it, with the same parameters and results. See: git "+
			"diff %s. To have the starter's back, and yours kept: go tool workshop reset %s.%d",
			step.Name, step.File, ch.Number, step.Number))
	}
	return strings.Join(advice, "\n")
}

// renamer puts the file that a person edits in the place of each path in
// edited. All are replaced in one pass, longest first, since one path may be
// the end of another (main.go of a chapter, of its solution).
func renamer(root string, edited map[string]string) *strings.Replacer {
	names := map[string]string{}
	for path, file := range edited {
		for _, form := range slices.Concat(pathForms(root, file), pathForms(root, path)) {
			names[form] = course.Relative(root, file)
		}
	}
	forms := slices.SortedFunc(maps.Keys(names), func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})
	var pairs []string
	for _, form := range forms {
		pairs = append(pairs, form+":", names[form]+":")
	}
	return strings.NewReplacer(pairs...)
}

// pathForms are the ways in which Go may write path in a message.
func pathForms(root, path string) []string {
	forms := []string{path}
	if rel, err := filepath.Rel(root, path); err == nil {
		forms = append(forms, "."+string(filepath.Separator)+rel, rel)
	}
	return forms
}
