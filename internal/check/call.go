package check

import (
	"context"
	"fmt"
	"reflect"
	"time"
)

// Call is S.Call for a function that returns something beside its error.
func Call[T any](s *S, call func(ctx context.Context) (T, error)) (T, error) {
	return CallWithin(s, CallTimeout, call)
}

// CallWithin is S.CallWithin for a function that returns something beside its error.
func CallWithin[T any](s *S, limit time.Duration, call func(ctx context.Context) (T, error)) (T, error) {
	var result T
	err := s.CallWithin(limit, func(ctx context.Context) (err error) {
		result, err = call(ctx)
		return err
	})
	return result, err
}

// Must is S.Must for a function that returns something beside its error: nil is
// a failure, too. what names the result in messages, for example "client".
func Must[T any](s *S, what string, call func(ctx context.Context) (T, error)) T {
	result, err := Call(s, call)
	s.RequireNoError(err, nil, "")
	s.Requiref(!isNil(result), "the "+what+" is not returned", "%s returned no %s and no error", s.name, what)
	return result
}

// isNil also sees a nil pointer, map or slice in an interface.
func isNil(value any) bool {
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice:
		return v.IsNil()
	}
	return false
}

// traceAfter is the Recorder's requests on lines of their own, or nothing where
// there is no Recorder.
func traceAfter(rec *Recorder) string {
	if rec == nil {
		return ""
	}
	return "\n" + rec.Trace()
}

// RequireNoError wants a call to have succeeded. The cause is cause, or that
// which the error suggests when it is empty. rec may be nil.
func (s *S) RequireNoError(err error, rec *Recorder, cause string) {
	if cause == "" {
		cause = CauseOf(err)
	}
	s.Require(err == nil, fmt.Sprintf("%s returned an error: %v%s", s.name, err, traceAfter(rec)), cause)
}
