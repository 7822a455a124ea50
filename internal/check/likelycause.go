package check

import (
	"errors"
	"net"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// ErrorText is an error in a message: "no error", or its text.
func ErrorText(err error) string {
	if err == nil {
		return "no error"
	}
	return "the error: " + err.Error()
}

// CauseOf guesses in words what an error that should not be there comes from.
func CauseOf(err error) string {
	if err == nil {
		return ""
	}
	text := err.Error()
	var netErr *net.OpError
	switch {
	case errors.Is(err, ErrLost):
		return "the connection was lost once; the step must cope with it"
	case strings.Contains(text, "no kind") && strings.Contains(text, "registered"):
		return "the NegotiatedSerializer converts to the internal version, which client-go's scheme does not have: use " +
			"scheme.Codecs.WithoutConversion()"
	case strings.Contains(text, "an empty namespace may not be set"):
		return "Namespace(\"\") was called; it means all namespaces and fits a list only"
	case strings.Contains(text, "indexer conflict"):
		return "an index of this name is there already: add each index once"
	case strings.Contains(text, "no such file or directory"):
		return "a string given to Body is read as a file name: give it []byte or a runtime.Object"
	case strings.Contains(text, "resource name may not be empty"):
		return "the object has lost its name: a client that fails returns an empty object beside the error, so do not assign it to the " +
			"variable whose content is sent again"
	case strings.Contains(text, "must be provided to Apply"):
		return "the apply configuration has no name, and client-go sends no request: the function that makes one takes the name, " +
			"appsv1apply.Deployment(name, namespace) for example"
	case strings.Contains(text, "name must be provided"):
		return "the object that was sent has no name, though the path has one: change the object that a GET brought, and send that"
	case apierrors.IsNotFound(err) && strings.Contains(text, "could not find the requested resource"):
		return "the path is wrong, which is another 404 than a missing object: look at APIPath, group-version and resource, and at the " +
			"namespace, which a typed client leaves out when it is empty"
	case apierrors.IsUnsupportedMediaType(err):
		return "the content type of the patch is wrong: it comes from the argument of Patch"
	case apierrors.IsConflict(err):
		return "somebody else wrote in between: begin again with a fresh GET"
	case apierrors.IsInvalid(err):
		return "the object breaks a rule of the API; the message names the field"
	case errors.As(err, &netErr):
		return "the API server does not answer: go tool workshop status"
	}
	return "the message above comes from your code, from client-go or from the server"
}

// panicCauses has, for words of a panic, what it comes from in words; the first
// that fits counts.
func panicCauses() []struct{ words, cause string } {
	return []struct{ words, cause string }{
		{"cannot deep copy", "an Unstructured holds what JSON holds: string, bool, int64, float64, nil, map[string]any and []any; an int is " +
			"none of them, so convert it to int64, and a []string or a []map[string]any has to become a []any"},
		{"unable to calculate an index entry", "an index function returned an error, on which the cache panics: an object without a value is " +
			"no error"},
		{"is cache.DeletedFinalStateUnknown", "a deletion that the informer did not see itself brings a cache.DeletedFinalStateUnknown in " +
			"place of the object: ask for that type, too, before you assert another"},
		{"is *v1.Status", "an event of the type Error holds a Status and not the object: look at event.Type first, and at the second result " +
			"of the assertion"},
		{" is nil, not ", "a type assertion without a second result met nil: a value that is not there, or the zero event that a receive " +
			"from a closed channel gives. Look at the second result of both"},
		{"interface conversion", "a type assertion without a second result met another type: use value, ok := x.(T), and look at ok"},
		{"nil map", "a nil map can be read and not written to: make the map first"},
		{"index out of range", "the slice has fewer elements than the code takes for granted, perhaps none: look at its length first"},
	}
}

// panicCause guesses in words what a panic comes from, or returns otherwise.
func panicCause(text, otherwise string) string {
	for _, p := range panicCauses() {
		if strings.Contains(text, p.words) {
			return p.cause
		}
	}
	return otherwise
}
