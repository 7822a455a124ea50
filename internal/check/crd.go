package check

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// OwnCRD makes a CRD that the code under judgement is about to create this
// judgement's own: it is removed when the step is judged, also after a crash.
// Its group must be a RandomGroup.
func (s *S) OwnCRD(crd *unstructured.Unstructured) {
	labels := crd.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[runLabel] = s.run
	crd.SetLabels(labels)
	remove := removal(s.ctx, s.Config(), crdResource, crd.GetName())
	s.t.Cleanup(func() { logError(s.t, remove()) })
}

// panicCause guesses in words what a panic comes from.
func panicCause(text string) string {
	switch {
	case strings.Contains(text, "cannot deep copy"):
		return "an Unstructured holds what JSON holds: string, bool, int64, float64, nil, map[string]any and []any; an int is none of them, so convert it to int64, and a []string or a []map[string]any has to become a []any"
	case strings.Contains(text, "interface conversion"):
		return "a type assertion without a second result met another type, or nil: use value, ok := x.(T), and look at ok"
	}
	return "a nil map, a nil pointer or a wrong type assertion"
}
