package main

import (
	"fmt"
	"io"
	"net/http"
	"sync"
)

// output is what several goroutines print to, a whole line at a time. It also
// keeps a line for each request.
type output struct {
	mu       sync.Mutex
	w        io.Writer
	requests []string
}

func (o *output) line(format string, args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	fmt.Fprintf(o.w, format+"\n", args...)
}

// events is a writer for lines that tell of events.
func (o *output) events() io.Writer {
	return writerFunc(func(line []byte) (int, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		_, err := fmt.Fprintf(o.w, "   event  %s", line)
		return len(line), err
	})
}

// wrap is a transport.WrapperFunc: rest.Config.Wrap puts it around the
// transport that client-go builds.
func (o *output) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripperFunc(func(req *http.Request) (*http.Response, error) {
		resp, err := next.RoundTrip(req)
		outcome := "no answer"
		if err == nil {
			outcome = resp.Status
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		o.requests = append(o.requests, fmt.Sprintf("%-6s %s -> %s", req.Method, req.URL.RequestURI(), outcome))
		return resp, err
	})
}

// count is the number of requests so far.
func (o *output) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.requests)
}

// trace prints the requests in the order in which their answers came.
func (o *output) trace() {
	o.mu.Lock()
	defer o.mu.Unlock()
	fmt.Fprintln(o.w, "requests:")
	for _, line := range o.requests {
		fmt.Fprintf(o.w, "  %s\n", line)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

type roundTripperFunc func(*http.Request) (*http.Response, error)

func (f roundTripperFunc) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
