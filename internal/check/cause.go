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
		return "the NegotiatedSerializer converts to the internal version, which client-go's scheme does not have: use scheme.Codecs.WithoutConversion()"
	case strings.Contains(text, "an empty namespace may not be set"):
		return "Namespace(\"\") was called; it means all namespaces and fits a list only"
	case strings.Contains(text, "indexer conflict"):
		return "an index of this name is there already: add each index once"
	case strings.Contains(text, "no such file or directory"):
		return "a string given to Body is read as a file name: give it []byte or a runtime.Object"
	case apierrors.IsNotFound(err) && strings.Contains(text, "could not find the requested resource"):
		return "the path is wrong, which is another 404 than a missing object: look at APIPath, group-version and resource, and at the namespace, which a typed client leaves out when it is empty"
	case apierrors.IsUnsupportedMediaType(err):
		return "the content type of the patch is wrong: it comes from the argument of Patch"
	case apierrors.IsConflict(err):
		return "somebody else wrote in between: begin again with a fresh GET"
	case apierrors.IsInvalid(err):
		return "the object breaks a rule of the API; the message names the field"
	case errors.As(err, &netErr):
		return "the API server does not answer: go tool workshop status"
	}
	return "the message above comes from your code or from the server"
}

// panicCause guesses in words what a panic comes from, or returns otherwise.
func panicCause(text, otherwise string) string {
	switch {
	case strings.Contains(text, "cannot deep copy"):
		return "an Unstructured holds what JSON holds: string, bool, int64, float64, nil, map[string]any and []any; an int is none of them, so convert it to int64, and a []string or a []map[string]any has to become a []any"
	case strings.Contains(text, "unable to calculate an index entry"):
		return "an index function returned an error, on which the cache panics: an object without a value is no error"
	case strings.Contains(text, "is cache.DeletedFinalStateUnknown"):
		return "a deletion that the informer did not see itself brings a cache.DeletedFinalStateUnknown in place of the object: ask for that type, too, before you assert another"
	case strings.Contains(text, "is *v1.Status"):
		return "an event of the type Error holds a Status and not the object: look at event.Type first, and at the second result of the assertion"
	case strings.Contains(text, "interface conversion") && strings.Contains(text, " is nil, "):
		return "a type assertion without a second result met nil: a value that is not there, or the zero event that a receive from a closed channel gives. Look at the second result of both"
	case strings.Contains(text, "interface conversion"):
		return "a type assertion without a second result met another type: use value, ok := x.(T), and look at ok"
	case strings.Contains(text, "nil map"):
		return "a nil map can be read and not written to: make the map first"
	case strings.Contains(text, "index out of range"):
		return "the slice has fewer elements than the code takes for granted, perhaps none: look at its length first"
	}
	return otherwise
}
