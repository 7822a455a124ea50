package learner

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// HintsFile is the file in a chapter's solution that holds its hints.
const HintsFile = "hints.yaml"

// Hints are a chapter's hints by the name of the step's function: a nudge, a
// pointer to the API, nearly the answer.
type Hints map[string][]string

// ReadHints reads the hints of the chapter whose solution lies in dir, for the
// steps with the given names. It is an error when a step does not have exactly
// Rungs hints, when one is empty, and when a name is no step.
func ReadHints(dir string, steps []string) (Hints, error) {
	name := filepath.Join(dir, HintsFile)
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the hints: %w", err)
	}
	var h Hints
	if err := yaml.UnmarshalStrict(data, &h); err != nil {
		return nil, fmt.Errorf("decode %s: %w", name, err)
	}
	if err := h.validate(name, steps); err != nil {
		return nil, err
	}
	return h, nil
}

// validate has a line for each problem, with the file's name in it.
func (h Hints) validate(file string, steps []string) error {
	var problems []error
	problem := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("%s: %s", file, fmt.Sprintf(format, args...)))
	}
	for _, step := range steps {
		rungs, ok := h[step]
		switch {
		case !ok:
			problem("step %s has no hints", step)
		case len(rungs) != Rungs:
			problem("step %s has %d hints, not %d", step, len(rungs), Rungs)
		}
		for i, text := range rungs {
			if strings.TrimSpace(text) == "" {
				problem("hint %d of step %s is empty", i+1, step)
			}
		}
	}
	for _, step := range slices.Sorted(maps.Keys(h)) {
		if !slices.Contains(steps, step) {
			problem("%s is no step of the chapter", step)
		}
	}
	return errors.Join(problems...)
}
