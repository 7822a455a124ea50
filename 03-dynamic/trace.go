package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// trace keeps a line for each request that passes through it.
type trace struct {
	bodies bool

	mu    sync.Mutex
	lines []string
}

func newTrace(bodies bool) *trace {
	return &trace{bodies: bodies}
}

// wrap is a transport.WrapperFunc: rest.Config.Wrap puts it around the
// transport that client-go builds.
func (t *trace) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripperFunc(func(req *http.Request) (*http.Response, error) {
		req, body, err := t.copyBody(req)
		if err != nil {
			return nil, err
		}
		resp, err := next.RoundTrip(req)
		outcome := "no answer"
		if err == nil {
			outcome = resp.Status
		}
		t.add(fmt.Sprintf("%-6s %s -> %s", req.Method, req.URL.RequestURI(), outcome), body)
		return resp, err
	})
}

// copyBody returns what the request is about to send, and a request that still
// sends it: a RoundTripper must leave its caller's request as it is.
func (t *trace) copyBody(req *http.Request) (*http.Request, []byte, error) {
	if !t.bodies || req.Body == nil {
		return req, nil, nil
	}
	body, err := io.ReadAll(req.Body)
	if err := errors.Join(err, req.Body.Close()); err != nil {
		return nil, nil, fmt.Errorf("read the body of %s %s: %w", req.Method, req.URL.Path, err)
	}
	req = req.Clone(req.Context())
	req.Body = io.NopCloser(bytes.NewReader(body))
	return req, body, nil
}

func (t *trace) add(line string, body []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, line)
	if len(body) > 0 {
		t.lines = append(t.lines, "       "+string(bytes.TrimSpace(body)))
	}
}

// print writes the requests in the order in which their answers came.
func (t *trace) print(w io.Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) == 0 {
		return
	}
	fmt.Fprintf(w, "requests:\n")
	for _, line := range t.lines {
		fmt.Fprintf(w, "  %s\n", line)
	}
}

type roundTripperFunc func(*http.Request) (*http.Response, error)

func (f roundTripperFunc) RoundTrip(req *http.Request) (*http.Response, error) {
	return f(req)
}
