package course

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/client-go-workshop/internal/gosource"
)

var (
	stepComment = regexp.MustCompile(`(?m)(?:\A|\n\n)Step ([0-9]+):\s*`)
	nearlyStep  = regexp.MustCompile(`(?i)^step\s*(#?[0-9]|[a-z0-9]*\s*:)`)
)

// StepOf returns the number, the task and the whole text of a step's doc comment,
// in which a paragraph begins with `Step N:`; the number is 0 for a comment of
// another kind.
func StepOf(group *ast.CommentGroup) (number int, task, text string, err error) {
	text = group.Text()
	m := stepComment.FindStringSubmatchIndex(text)
	if m == nil {
		for paragraph := range strings.SplitSeq(text, "\n\n") {
			if nearlyStep.MatchString(paragraph) {
				return 0, "", "", fmt.Errorf("comment %q: a step's task begins with `Step N:`", strings.SplitN(paragraph, "\n", 2)[0])
			}
		}
		return 0, "", "", nil
	}
	digits := text[m[2]:m[3]]
	number, err = strconv.Atoi(digits)
	if err != nil || number == 0 {
		return 0, "", "", fmt.Errorf("step number %s: steps are numbered from 1", digits)
	}
	task = strings.TrimSpace(text[m[1]:])
	whole := task
	if about := strings.TrimSpace(text[:m[0]]); about != "" {
		whole = about + "\n\n" + task
	}
	return number, task, whole, nil
}

// StepFunc is a step where it stands in a file.
type StepFunc struct {
	Number int
	// Task begins after "Step N:", Doc is the whole comment without these words.
	Task, Doc string
	Decl      *ast.FuncDecl
}

// StepFuncs finds the steps of one file.
func StepFuncs(s *gosource.Source) ([]StepFunc, error) {
	var found []StepFunc
	for _, decl := range s.File.Decls {
		group, fn := gosource.DocOf(decl)
		number, task, doc, err := StepOf(group)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", s.At(decl.Pos()), err)
		case number == 0:
			continue
		case fn == nil:
			return nil, fmt.Errorf("%s: step %d is not a function", s.At(decl.Pos()), number)
		case fn.Body == nil:
			return nil, fmt.Errorf("%s: step %d, %s, has no body", s.At(decl.Pos()), number, fn.Name.Name)
		case task == "":
			return nil, fmt.Errorf("%s: step %d, %s, states no task", s.At(decl.Pos()), number, fn.Name.Name)
		}
		found = append(found, StepFunc{Number: number, Task: task, Doc: doc, Decl: fn})
	}
	return found, nil
}

// parseSteps returns the steps of a chapter's files in the order of their
// numbers, which must run from 1 without a gap or a repeat.
func parseSteps(files []*gosource.Source) ([]Step, error) {
	var steps []Step
	for _, s := range files {
		found, err := StepFuncs(s)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			steps = append(steps, Step{
				Number: f.Number,
				Name:   f.Decl.Name.Name,
				Title:  strings.TrimSuffix(new(doc.Package).Synopsis(f.Task), "."),
				Doc:    f.Doc,
				File:   strings.TrimPrefix(s.Name, "solutions/"),
			})
		}
	}
	slices.SortStableFunc(steps, func(a, b Step) int { return a.Number - b.Number })
	return steps, checkNumbers(steps)
}

// checkNumbers reports a gap or a repeat in sorted steps.
func checkNumbers(steps []Step) error {
	if len(steps) == 0 {
		return fmt.Errorf("the solution has no step: no function's comment begins with `Step 1:`")
	}
	names := map[string]int{}
	for i, s := range steps {
		if i > 0 && steps[i-1].Number == s.Number {
			return fmt.Errorf("step %d is there twice: %s and %s", s.Number, steps[i-1].Name, s.Name)
		}
		if s.Number != i+1 {
			return fmt.Errorf("step %d is missing: the next one is step %d, %s", i+1, s.Number, s.Name)
		}
		if other, ok := names[s.Name]; ok {
			return fmt.Errorf("steps %d and %d are both called %s", other, s.Number, s.Name)
		}
		names[s.Name] = s.Number
	}
	return nil
}

// locateSteps fills in where each step stands in the learner's files. A file
// that does not parse still counts as far as it does.
func locateSteps(ch *Chapter) {
	names, err := gosource.GoFiles(ch.Dir)
	if err != nil {
		return
	}
	lines := map[string]map[string]int{}
	for _, name := range names {
		fset := token.NewFileSet()
		file, _ := parser.ParseFile(fset, filepath.Join(ch.Dir, name), nil, parser.SkipObjectResolution)
		lines[path.Join(ch.ID, name)] = funcLines(fset, file)
	}
	for i := range ch.Steps {
		ch.Steps[i].locate(lines)
	}
}

// locate finds s in its own file, or in another one that the learner moved it to.
func (s *Step) locate(lines map[string]map[string]int) {
	if line := lines[s.File][s.Name]; line > 0 {
		s.Line = line
		return
	}
	for file, funcs := range lines {
		if line := funcs[s.Name]; line > 0 {
			s.File, s.Line = file, line
			return
		}
	}
}

func funcLines(fset *token.FileSet, file *ast.File) map[string]int {
	lines := map[string]int{}
	if file == nil {
		return lines
	}
	for _, decl := range file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok {
			lines[fn.Name.Name] = fset.PositionFor(fn.Pos(), false).Line
		}
	}
	return lines
}
