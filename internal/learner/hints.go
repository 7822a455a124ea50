package learner

import (
	"errors"
	"fmt"
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
	if err := h.validate(steps); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return h, nil
}

func (h Hints) validate(steps []string) error {
	var problems []error
	for _, step := range steps {
		rungs, ok := h[step]
		switch {
		case !ok:
			problems = append(problems, fmt.Errorf("step %s has no hints", step))
		case len(rungs) != Rungs:
			problems = append(problems, fmt.Errorf("step %s has %d hints, not %d", step, len(rungs), Rungs))
		}
		for i, text := range rungs {
			if strings.TrimSpace(text) == "" {
				problems = append(problems, fmt.Errorf("hint %d of step %s is empty", i+1, step))
			}
		}
	}
	for step := range h {
		if !slices.Contains(steps, step) {
			problems = append(problems, fmt.Errorf("%s is no step of the chapter", step))
		}
	}
	return errors.Join(problems...)
}
