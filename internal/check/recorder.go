package check

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"example.com/client-go-workshop/internal/apirequest"
	"example.com/client-go-workshop/internal/sleep"
	"example.com/client-go-workshop/internal/trace"
)

// Request is one request that went over the wire, or would have: see Injected.
type Request struct {
	apirequest.Info

	Method      string
	Path        string
	Query       url.Values
	ContentType string
	Accept      string
	UserAgent   string
	Body        []byte
	// Status is the HTTP status of the answer, 0 when there was none.
	Status int
	// Injected says that the answer came from a Fault and not from the server.
	Injected bool

	sent, answered time.Time
}

// String names the request as messages do, for example
// "PUT /api/v1/namespaces/a/pods/b -> 409".
func (r Request) String() string {
	target := r.Path
	if len(r.Query) > 0 {
		target += "?" + r.Query.Encode()
	}
	if r.Status == 0 {
		return r.Method + " " + target + " -> no answer"
	}
	return fmt.Sprintf("%s %s -> %d", r.Method, target, r.Status)
}

// Object decodes the body, whether it is JSON or protobuf, to the form that JSON has.
func (r Request) Object() (map[string]any, error) {
	if strings.Contains(r.ContentType, "json") || bytes.HasPrefix(bytes.TrimSpace(r.Body), []byte("{")) {
		var out map[string]any
		if err := json.Unmarshal(r.Body, &out); err != nil {
			return nil, fmt.Errorf("decode the body of %s: %w", r, err)
		}
		return out, nil
	}
	obj, _, err := scheme.Codecs.UniversalDeserializer().Decode(r.Body, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("decode the body of %s: %w", r, err)
	}
	return runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
}

// Recorder keeps every request that passes through it, and injects faults.
type Recorder struct {
	// s is the judgement that the Recorder was made for, if it was.
	s        *S
	mu       sync.Mutex
	requests []Request
	faults   []*fault
}

// Recorder returns a rest.Config for the learner's code, without a client-side
// rate limit, whose requests the Recorder sees.
func (s *S) Recorder() (*Recorder, *rest.Config) {
	rec := &Recorder{s: s}
	cfg := s.Config()
	cfg.Wrap(rec.Wrap)
	return rec, cfg
}

// Wrap is a transport.WrapperFunc.
func (r *Recorder) Wrap(next http.RoundTripper) http.RoundTripper {
	return trace.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
		return r.roundTrip(next, req)
	})
}

func (r *Recorder) roundTrip(next http.RoundTripper, req *http.Request) (*http.Response, error) {
	seen := describe(req)
	req, body, err := trace.KeepBody(req)
	if err != nil {
		return nil, err
	}
	seen.Body = body
	index := r.add(seen)

	f := r.match(seen)
	var resp *http.Response
	if f == nil {
		resp, err = next.RoundTrip(req)
	} else {
		resp, err = f.do(next, req)
	}
	r.answered(index, resp, f != nil && f.answers)
	return resp, err
}

func (r *Recorder) add(seen Request) int {
	seen.sent = time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, seen)
	return len(r.requests) - 1
}

func (r *Recorder) answered(index int, resp *http.Response, injected bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests[index].Injected = injected
	r.requests[index].answered = time.Now()
	if resp != nil {
		r.requests[index].Status = resp.StatusCode
	}
}

// Requests returns those that match, in the order in which they were sent. A
// zero Match returns all.
func (r *Recorder) Requests(m Match) []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []Request
	for _, req := range r.requests {
		if m.matches(req) {
			out = append(out, req)
		}
	}
	return out
}

// Count is the number of requests that match.
func (r *Recorder) Count(m Match) int { return len(r.Requests(m)) }

// Unpaused is the number of requests that were sent within 2 ms of the answer to
// the same request just before them: the mark of a loop without a pause. An answer
// that took longer than 20 ms does not count, since a ticker may have ticked meanwhile.
func (r *Recorder) Unpaused() int { return r.UnpausedAfter(Match{}) }

// UnpausedAfter is Unpaused for requests that follow one that m matches.
func (r *Recorder) UnpausedAfter(m Match) int {
	const pause, slow = 2 * time.Millisecond, 20 * time.Millisecond
	all := r.Requests(Match{})
	n := 0
	for i := 1; i < len(all); i++ {
		if all[i].Method != all[i-1].Method || all[i].Path != all[i-1].Path || !m.matches(all[i-1]) {
			continue
		}
		before := all[i-1].answered
		if !before.IsZero() && before.Sub(all[i-1].sent) < slow && all[i].sent.Sub(before) < pause {
			n++
		}
	}
	return n
}

// WaitFor returns when a matching request has been answered, or ctx has ended.
func (r *Recorder) WaitFor(ctx context.Context, m Match) {
	answered := func(req Request) bool { return !req.answered.IsZero() }
	for !slices.ContainsFunc(r.Requests(m), answered) && sleep.For(ctx, 10*time.Millisecond) == nil {
	}
}

// Trace lists the requests for a message, the last ones when there are many.
func (r *Recorder) Trace() string {
	const shown = 12
	r.mu.Lock()
	over := max(len(r.requests)-shown, 0)
	last := slices.Clone(r.requests[over:])
	r.mu.Unlock()
	if len(last) == 0 {
		return "no request was sent"
	}
	var b strings.Builder
	b.WriteString("requests:")
	if over > 0 {
		fmt.Fprintf(&b, "\n  ... %d more", over)
	}
	for _, req := range last {
		b.WriteString("\n  " + req.String())
	}
	return b.String()
}

// Saw is what was seen, in words that are formatted as fmt.Sprintf does it, and
// the requests on lines of their own.
func (r *Recorder) Saw(format string, args ...any) string {
	return fmt.Sprintf(format, args...) + "\n" + r.Trace()
}

// Match selects requests; an empty field matches everything.
type Match struct {
	Verb, Resource, Namespace, Name, Subresource string
	// Path is a part of the URL's path.
	Path string
}

func (m Match) matches(r Request) bool {
	is := func(want, got string) bool { return want == "" || want == got }
	return is(m.Verb, r.Verb) && is(m.Resource, r.Resource) && is(m.Namespace, r.Namespace) &&
		is(m.Name, r.Name) && is(m.Subresource, r.Subresource) && strings.Contains(r.Path, m.Path)
}

func describe(req *http.Request) Request {
	return Request{
		Info:        apirequest.Read(req),
		Method:      req.Method,
		Path:        req.URL.Path,
		Query:       req.URL.Query(),
		ContentType: req.Header.Get("Content-Type"),
		Accept:      req.Header.Get("Accept"),
		UserAgent:   req.Header.Get("User-Agent"),
	}
}
