package main

import (
	"fmt"
	"io"
	"net/http"
	"sync"
)

// trace keeps a line for each request that passes through it.
type trace struct {
	mu    sync.Mutex
	lines []string
}

// wrap is a transport.WrapperFunc: rest.Config.Wrap puts it around the
// transport that client-go builds.
func (t *trace) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripperFunc(func(req *http.Request) (*http.Response, error) {
		resp, err := next.RoundTrip(req)
		outcome := "no answer"
		if err == nil {
			outcome = resp.Status
		}
		t.add(fmt.Sprintf("%-6s %s -> %s", req.Method, req.URL.RequestURI(), outcome))
		return resp, err
	})
}

func (t *trace) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, line)
}

func (t *trace) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.lines)
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
