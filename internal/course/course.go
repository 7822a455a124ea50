// Package course is the course as data: its chapters, their steps, and what the
// guides say of them.
package course

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"sigs.k8s.io/yaml"

	"example.com/client-go-workshop/internal/gosource"
	"example.com/client-go-workshop/internal/repository"
)

// Module is the path of the workshop's Go module.
const Module = repository.Module

//go:embed course.yaml
var courseList string

// Course is the whole course as it lies in one folder.
type Course struct {
	// Root is the absolute path of the folder that holds the workshop's go.mod.
	Root string
	// Chapters stand in the order of course.yaml.
	Chapters []Chapter
}

// Chapter is one chapter: a program that the learner edits, and its solution.
type Chapter struct {
	// ID is the name of the chapter's folder, for example 01-restclient.
	ID string
	// Number is the part of ID before the first dash, for example 01.
	Number string
	Title  string
	// About is one line.
	About string
	// Dir and SolutionDir are absolute.
	Dir, SolutionDir string
	// Needs are the rights that it takes beside the role edit in one namespace.
	Needs []Need
	// Steps stand in the order of their numbers, which run from 1 without a gap.
	Steps []Step
}

// Step is one function that the learner writes.
type Step struct {
	// Number is the step's number within its chapter, from 1.
	Number int
	// Name is the function's name, of a method without its receiver.
	Name string
	// Title is the first sentence of the task, without its full stop.
	Title string
	// Doc is the function's comment without the words "Step N:".
	Doc string
	// File is the learner's file below the course's root, with slashes, for
	// example 01-restclient/main.go.
	File string
	// Line is where the function begins in the learner's file, and 0 when that
	// file does not hold it, because it was deleted or does not parse so far.
	Line int
}

// Open returns the course that dir lies in: the nearest folder, from dir
// upwards, whose go.mod is that of the workshop. It fails when there is none,
// when a folder that course.yaml names does not exist, and when the steps of a
// solution are not numbered 1 to n.
func Open(dir string) (*Course, error) {
	return OpenList(dir, courseList)
}

// OpenList is Open with another list of chapters than the workshop's own, in
// the format of course.yaml.
func OpenList(dir, list string) (*Course, error) {
	root, err := repository.Root(dir)
	if err != nil {
		return nil, err
	}
	chapters, err := parseList(list)
	if err != nil {
		return nil, err
	}
	c := &Course{Root: root}
	var problems []error
	for _, ch := range chapters {
		ch.Dir = filepath.Join(root, ch.ID)
		ch.SolutionDir = filepath.Join(root, "solutions", ch.ID)
		if err := loadChapter(root, &ch); err != nil {
			problems = append(problems, err)
			continue
		}
		c.Chapters = append(c.Chapters, ch)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return c, nil
}

// loadChapter fills in the steps of ch.
func loadChapter(root string, ch *Chapter) error {
	var missing []error
	for _, dir := range []string{ch.Dir, ch.SolutionDir} {
		info, err := os.Stat(dir)
		if err != nil || !info.IsDir() {
			missing = append(missing, fmt.Errorf("chapter %s is in course.yaml, but its folder %s is missing", ch.ID, Relative(root, dir)))
		}
	}
	if len(missing) > 0 {
		return errors.Join(missing...)
	}
	files, err := gosource.ReadFolder(ch.SolutionDir, "solutions/"+ch.ID)
	if err != nil {
		return err
	}
	ch.Steps, err = parseSteps(files)
	if err != nil {
		return fmt.Errorf("chapter %s: %w", ch.ID, err)
	}
	locateSteps(ch)
	return nil
}

// Root is the absolute path of the folder that holds the workshop's go.mod.
func (ch Chapter) Root() string { return filepath.Dir(ch.Dir) }

// ChapterFiles returns the names of the learner's files in the chapter, sorted:
// those of the solution's Go files that are not tests.
func (ch Chapter) ChapterFiles() ([]string, error) {
	names, err := gosource.GoFiles(ch.SolutionDir)
	if err != nil {
		return nil, fmt.Errorf("list the files of chapter %s: %w", ch.ID, err)
	}
	return names, nil
}

// Step returns the step with the number, or nil.
func (ch Chapter) Step(number int) *Step {
	for i := range ch.Steps {
		if ch.Steps[i].Number == number {
			return &ch.Steps[i]
		}
	}
	return nil
}

var chapterID = regexp.MustCompile(`^[0-9]{2}(-[a-z0-9]+)+$`)

// parseList reads the format of course.yaml.
func parseList(list string) ([]Chapter, error) {
	var file struct {
		Chapters []struct {
			ID    string `json:"id"`
			Title string `json:"title"`
			About string `json:"about"`
			Needs []Need `json:"needs"`
		} `json:"chapters"`
	}
	if err := yaml.UnmarshalStrict([]byte(list), &file); err != nil {
		return nil, fmt.Errorf("read course.yaml: %w", err)
	}
	var chapters []Chapter
	for _, entry := range file.Chapters {
		ch := Chapter{ID: entry.ID, Title: entry.Title, About: entry.About, Needs: entry.Needs}
		if !chapterID.MatchString(ch.ID) {
			return nil, fmt.Errorf("course.yaml: id %q: want two digits, a dash and lower-case words, like 01-restclient", ch.ID)
		}
		if ch.Title == "" || ch.About == "" || strings.Contains(ch.Title+ch.About, "\n") {
			return nil, fmt.Errorf("course.yaml: chapter %s needs a title and an about of one line each", ch.ID)
		}
		ch.Number, _, _ = strings.Cut(ch.ID, "-")
		if n := len(chapters); n > 0 && chapters[n-1].Number >= ch.Number {
			return nil, fmt.Errorf("course.yaml: chapter %s stands after %s: numbers must rise", ch.ID, chapters[n-1].ID)
		}
		chapters = append(chapters, ch)
	}
	if len(chapters) == 0 {
		return nil, errors.New("course.yaml lists no chapter")
	}
	return chapters, nil
}

// Relative names path below root with slashes, or as it is when it lies elsewhere.
func Relative(root, path string) string {
	rel, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return path
	}
	return filepath.ToSlash(rel)
}

// IsCourseTest tells the course's test files by their names, check_test.go,
// facts_test.go and those that begin like them (check_wire_test.go). Any other
// test in a chapter's folder is the learner's own.
func IsCourseTest(name string) bool {
	stem, ok := strings.CutSuffix(name, "_test.go")
	return ok && (stem == "check" || stem == "facts" || strings.HasPrefix(stem, "check_") || strings.HasPrefix(stem, "facts_"))
}
