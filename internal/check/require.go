package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Name is the name of the step's function, for messages.
func (s *S) Name() string { return s.name }

// Requiref is Require with the cause first, and a text about what was seen that
// is formatted as fmt.Sprintf does it.
func (s *S) Requiref(ok bool, cause, format string, args ...any) {
	s.Require(ok, fmt.Sprintf(format, args...), cause)
}

// Failf is Fail with the cause first, and a text that is formatted as
// fmt.Sprintf does it.
func (s *S) Failf(cause, format string, args ...any) {
	s.Fail(fmt.Sprintf(format, args...), cause)
}

// Requiref is S.Requiref for what the requests show: they follow the message.
func (r *Recorder) Requiref(ok bool, cause, format string, args ...any) {
	r.s.Require(ok, fmt.Sprintf(format, args...)+traceAfter(r), cause)
}

// Failf is S.Failf for what the requests show: they follow the message.
func (r *Recorder) Failf(cause, format string, args ...any) {
	r.Requiref(false, cause, format, args...)
}

// RequireReason wants an error that has this reason of the API, also where it is
// wrapped. when says what happened, for example "the PUT was answered with 403".
// rec may be nil.
func (s *S) RequireReason(err error, reason metav1.StatusReason, rec *Recorder, when, cause string) {
	s.Requiref(err != nil && apierrors.ReasonForError(err) == reason, cause,
		"%s; want an error that is %s, got %s%s", when, reason, ErrorText(err), traceAfter(rec))
}

// RequireNoRequest wants a step that has sent nothing so far.
func (s *S) RequireNoRequest(rec *Recorder, cause string) {
	s.Requiref(rec.Count(Match{}) == 0, cause, "%s made a request\n%s", s.name, rec.Trace())
}

// RequireRequest wants a step that has sent a matching request.
func (s *S) RequireRequest(rec *Recorder, m Match, what, cause string) {
	s.Requiref(rec.Count(m) > 0, cause, "%s sent no %s\n%s", s.name, what, rec.Trace())
}

// eventuallyTime is how long Eventually waits: a change reaches an informer much sooner.
const eventuallyTime = 15 * time.Second

// Eventually waits until ok is true, and reports whether it came to that.
func (s *S) Eventually(ok func() bool) bool {
	ctx, cancel := context.WithTimeout(s.ctx, eventuallyTime)
	defer cancel()
	for !ok() {
		select {
		case <-ctx.Done():
			return ok()
		case <-time.After(10 * time.Millisecond):
		}
	}
	return true
}

// Await is Eventually for what the check itself needs to go on.
func (s *S) Await(doing string, ok func() bool) {
	if !s.Eventually(ok) {
		s.Setup(errors.New("it did not happen in time"), doing)
	}
}

// SameElements says whether two slices have the same elements, in any order.
func SameElements[E cmp.Ordered](a, b []E) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
