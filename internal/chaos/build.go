package chaos

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/faults"
	"example.com/client-go-workshop/internal/runner"
)

// chapter is the one whose program is run.
const chapter = "07-controller"

// Program is a controller to build and run.
type Program struct {
	// Name is what messages call it.
	Name string
	// Faulty says that a chaos test must find its fault.
	Faulty bool
	// About is the fault, or why another right way is right.
	About string

	candidate runner.Candidate
}

// Builder builds programs of chapter 07.
type Builder struct {
	chapter course.Chapter
}

// NewBuilder finds the chapter in the workshop that dir lies in.
func NewBuilder(dir string) (*Builder, error) {
	c, err := course.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("find the controller: %w", err)
	}
	ch, _, err := c.Find(chapter)
	if err != nil {
		return nil, fmt.Errorf("find the controller: %w", err)
	}
	return &Builder{chapter: ch}, nil
}

// Solution is the chapter's reference.
func (b *Builder) Solution() (Program, error) {
	candidate, err := runner.Reference(b.chapter)
	if err != nil {
		return Program{}, err
	}
	return Program{Name: candidate.Name, candidate: candidate}, nil
}

// Variants are the faults and right variants of a folder, or of one file, whose
// names match only. An empty path stands for those of the chapter.
func (b *Builder) Variants(path, only string) ([]Program, error) {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return nil, fmt.Errorf("choose faults: %w", err)
	}
	dir, file := path, ""
	if ext := filepath.Ext(path); ext == ".go" || ext == ".yaml" {
		if file, err = filepath.Abs(path); err != nil {
			return nil, fmt.Errorf("find fault %s: %w", path, err)
		}
		dir = filepath.Dir(file)
	}
	all, err := faults.Load(b.chapter, dir)
	if err != nil {
		return nil, err
	}
	var chosen []Program
	for _, m := range all {
		if file != "" && m.File != file || !pattern.MatchString(m.Name) {
			continue
		}
		candidate, err := m.Candidate(b.chapter)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, Program{Name: candidate.Name, Faulty: !m.Accept, About: m.About, candidate: candidate})
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("choose faults: none of %d in %s matches", len(all), path)
	}
	return chosen, nil
}

// Build builds p into the file out.
func (b *Builder) Build(ctx context.Context, p Program, out string) error {
	return runner.BuildProgram(ctx, b.chapter, p.candidate, out)
}
