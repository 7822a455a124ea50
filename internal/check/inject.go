package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/client-go-workshop/internal/sleep"
)

// Always makes a fault last for every matching request.
const Always = -1

// ErrLost is what the client sees when an answer is lost on the way.
var ErrLost = errors.New("the connection was lost before the answer arrived")

// fault is applied to the next matching requests.
type fault struct {
	match Match
	// after, when set, arms the fault once a matching request has been sent.
	after *Match
	// skip is how many matching requests pass first, left how many are hit after that.
	skip, left int
	// answers says that the server's own answer is not what the client gets.
	answers bool
	do      func(next http.RoundTripper, req *http.Request) (*http.Response, error)
}

// match returns the first fault that applies to the request and uses it up by one.
func (r *Recorder) match(req Request) *fault {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.faults {
		if f.left == 0 || !f.match.matches(req) || f.after != nil && !slices.ContainsFunc(r.requests, f.after.matches) {
			continue
		}
		if f.skip > 0 {
			f.skip--
			continue
		}
		if f.left > 0 {
			f.left--
		}
		return f
	}
	return nil
}

func (r *Recorder) inject(f *fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = append(r.faults, f)
}

// Answer gives the next times matching requests a Status of the API's own kind
// in place of the server's answer, after skip of them have passed. A 5xx has
// no Retry-After: client-go itself would repeat one that has
// (k8s.io/client-go/rest/with_retry.go), and the learner's own retry is what counts.
func (r *Recorder) Answer(m Match, skip, times, code int, reason metav1.StatusReason, message string) {
	r.inject(&fault{match: m, skip: skip, left: times, answers: true,
		do: func(_ http.RoundTripper, req *http.Request) (*http.Response, error) {
			return statusResponse(req, code, reason, message)
		}})
}

// Refuse gives every matching request an error of this code, and the reason that
// the API server gives with it, in place of the server's answer.
func (r *Recorder) Refuse(m Match, code int) { r.RefuseSome(m, 0, Always, code) }

// RefuseSome is Refuse for the next times matching requests, after skip of them have passed.
func (r *Recorder) RefuseSome(m Match, skip, times, code int) {
	r.Answer(m, skip, times, code, reasonOf(code), "injected by the check")
}

// reasonOf is the reason with which the API server answers a request in error.
func reasonOf(code int) metav1.StatusReason {
	switch code {
	case http.StatusForbidden:
		return metav1.StatusReasonForbidden
	case http.StatusNotFound:
		return metav1.StatusReasonNotFound
	case http.StatusConflict:
		return metav1.StatusReasonConflict
	case http.StatusGone:
		return metav1.StatusReasonExpired
	case http.StatusUnprocessableEntity:
		return metav1.StatusReasonInvalid
	case http.StatusInternalServerError:
		return metav1.StatusReasonInternalError
	case http.StatusServiceUnavailable:
		return metav1.StatusReasonServiceUnavailable
	}
	return metav1.StatusReasonUnknown
}

// AnswerAfter gives every matching request a Status once a request that
// matches first has been sent.
func (r *Recorder) AnswerAfter(first, m Match, code int, reason metav1.StatusReason, message string) {
	r.inject(&fault{match: m, after: &first, left: Always, answers: true,
		do: func(_ http.RoundTripper, req *http.Request) (*http.Response, error) {
			return statusResponse(req, code, reason, message)
		}})
}

// AnswerRaw gives the next matching request this status and body.
func (r *Recorder) AnswerRaw(m Match, code int, contentType, body string) {
	r.inject(&fault{match: m, left: 1, answers: true,
		do: func(_ http.RoundTripper, req *http.Request) (*http.Response, error) {
			return response(req, code, contentType, []byte(body)), nil
		}})
}

// Before calls hook before the next times matching requests go on to the
// server: the place for another writer's change.
func (r *Recorder) Before(m Match, times int, hook func() error) {
	r.inject(&fault{match: m, left: times,
		do: func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
			if err := hook(); err != nil {
				return nil, fmt.Errorf("the check's own write failed: %w", err)
			}
			return next.RoundTrip(req)
		}})
}

// After calls hook when the server has answered one of the next times matching
// requests, before the client gets the answer.
func (r *Recorder) After(m Match, times int, hook func() error) {
	r.inject(&fault{match: m, left: times,
		do: func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(req)
			if err != nil {
				return nil, err
			}
			if err := hook(); err != nil {
				return nil, errors.Join(fmt.Errorf("the check's own write failed: %w", err), resp.Body.Close())
			}
			return resp, nil
		}})
}

// Pass lets the next times matching requests through: faults for them that are
// injected after this call begin later.
func (r *Recorder) Pass(m Match, times int) {
	r.inject(&fault{match: m, left: times,
		do: func(next http.RoundTripper, req *http.Request) (*http.Response, error) { return next.RoundTrip(req) }})
}

// Delay holds the next times matching requests back.
func (r *Recorder) Delay(m Match, times int, by time.Duration) {
	r.inject(&fault{match: m, left: times,
		do: func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
			if err := sleep.For(req.Context(), by); err != nil {
				return nil, err
			}
			return next.RoundTrip(req)
		}})
}

// Lose lets the next times matching requests reach the server and loses the answers.
func (r *Recorder) Lose(m Match, times int) {
	r.inject(&fault{match: m, left: times, answers: true,
		do: func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(req)
			if err != nil {
				return nil, err
			}
			_, err = io.Copy(io.Discard, resp.Body)
			return nil, errors.Join(ErrLost, err, resp.Body.Close())
		}})
}

// CutWatch ends the body of the next times watches after a number of bytes
// that the server sent, as a load balancer does with a connection that it drops.
func (r *Recorder) CutWatch(m Match, times int, after int64) {
	m.Verb = "watch"
	r.inject(&fault{match: m, left: times,
		do: func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(req)
			if err != nil {
				return nil, err
			}
			resp.Body = struct {
				io.Reader
				io.Closer
			}{io.LimitReader(resp.Body, after), resp.Body}
			return resp, nil
		}})
}

// Expire answers the next times matching requests with 410 Gone, which says
// that the resourceVersion or the continue token is too old.
func (r *Recorder) Expire(m Match, times int) {
	r.Answer(m, 0, times, http.StatusGone, metav1.StatusReasonExpired, "the provided resource version or continue token is too old")
}

func statusResponse(req *http.Request, code int, reason metav1.StatusReason, message string) (*http.Response, error) {
	body, err := json.Marshal(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure,
		Message:  message,
		Reason:   reason,
		Code:     int32(code),
	})
	if err != nil {
		return nil, fmt.Errorf("encode a status: %w", err)
	}
	return response(req, code, "application/json", body), nil
}

func response(req *http.Request, code int, contentType string, body []byte) *http.Response {
	return &http.Response{
		StatusCode:    code,
		Status:        fmt.Sprintf("%d %s", code, http.StatusText(code)),
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        http.Header{"Content-Type": {contentType}},
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
		Request:       req,
	}
}
