package runner

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/starter"
)

// Candidate is a program whose steps can be checked: the chapter's folder with
// some files laid over it. The files on disk are not touched.
type Candidate struct {
	// Name is what messages call the candidate.
	Name string
	// Overlay maps the absolute path of a file in the chapter's folder to that
	// of the file that takes its place, or to "" when it counts as absent.
	Overlay map[string]string

	// generated holds files in the chapter's folder that exist nowhere yet.
	generated map[string]generatedFile
}

// generatedFile is a file made from another one, line by line.
type generatedFile struct {
	text []byte
	// from is the absolute path of the file that a person edits to change it.
	from string
}

// Learner is the chapter as it lies in its folder.
func Learner() Candidate {
	return Candidate{Name: "your code"}
}

// Reference is the chapter's solution, laid over the chapter's folder. Files
// that only the learner has count as absent.
func Reference(ch course.Chapter) (Candidate, error) {
	c, err := emptyCandidate(ch, "the solution")
	if err != nil {
		return Candidate{}, err
	}
	names, err := ch.ChapterFiles()
	if err != nil {
		return Candidate{}, err
	}
	for _, name := range names {
		c.Overlay[filepath.Join(ch.Dir, name)] = filepath.Join(ch.SolutionDir, name)
	}
	return c, nil
}

// emptyCandidate has none of the learner's own files: no program file, and no
// test beside those of the course.
func emptyCandidate(ch course.Chapter, name string) (Candidate, error) {
	entries, err := os.ReadDir(ch.Dir)
	if err != nil {
		return Candidate{}, fmt.Errorf("read chapter %s: %w", ch.ID, err)
	}
	c := Candidate{Name: name, Overlay: map[string]string{}, generated: map[string]generatedFile{}}
	for _, entry := range entries {
		if !entry.IsDir() && strings.HasSuffix(entry.Name(), ".go") && !course.IsCourseTest(entry.Name()) {
			c.Overlay[filepath.Join(ch.Dir, entry.Name())] = ""
		}
	}
	return c, nil
}

// NewCandidate is a candidate of generated files, each made from the solution's
// file of the same name.
func NewCandidate(ch course.Chapter, name string, files map[string][]byte) (Candidate, error) {
	c, err := emptyCandidate(ch, name)
	if err != nil {
		return Candidate{}, err
	}
	for file, text := range files {
		c.Lay(filepath.Join(ch.Dir, file), text, filepath.Join(ch.SolutionDir, file))
	}
	return c, nil
}

// Lay puts a generated file at path.
func (c *Candidate) Lay(path string, text []byte, from string) {
	delete(c.Overlay, path)
	c.generated[path] = generatedFile{text: text, from: from}
}

// Generated is the text of the generated file at path, and the file that it was
// made from.
func (c Candidate) Generated(path string) (text []byte, from string) {
	file := c.generated[path]
	return file.text, file.from
}

// starterCandidate is the chapter with every step taken out.
func starterCandidate(ch course.Chapter) (Candidate, error) {
	files, err := starter.Starters(ch)
	if err != nil {
		return Candidate{}, err
	}
	return NewCandidate(ch, "the starter", files)
}

// withoutStep is the solution with one step taken out.
func withoutStep(ch course.Chapter, number int) (Candidate, error) {
	files, err := starter.WithoutStep(ch, number)
	if err != nil {
		return Candidate{}, err
	}
	return NewCandidate(ch, fmt.Sprintf("the solution without step %d", number), files)
}

// replacements writes the generated files below dir and returns what go build's
// -overlay wants, and for each replacement the file that a person would edit.
func (c Candidate) replacements(dir string) (overlay, edited map[string]string, err error) {
	overlay, edited = map[string]string{}, map[string]string{}
	for path, target := range c.Overlay {
		overlay[path] = target
		if target != "" {
			edited[path] = target
		}
	}
	for path, file := range c.generated {
		target := filepath.Join(dir, filepath.Base(path))
		if err := os.WriteFile(target, file.text, 0o600); err != nil {
			return nil, nil, fmt.Errorf("write a file of %s: %w", c.Name, err)
		}
		overlay[path] = target
		edited[path], edited[target] = file.from, file.from
	}
	return overlay, edited, nil
}

// validate reports an overlay that go build could not use.
func (c Candidate) validate() error {
	var problems []error
	for path, target := range c.Overlay {
		if !filepath.IsAbs(path) || target != "" && !filepath.IsAbs(target) {
			problems = append(problems, fmt.Errorf("overlay of %s: %q to %q: both paths must be absolute", c.Name, path, target))
		}
	}
	return errors.Join(problems...)
}
