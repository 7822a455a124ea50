// Package trace shows a chapter's program the requests that it made.
package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// Trace keeps a line for each request that passes through it. The zero value is
// ready for use, by several goroutines at once.
type Trace struct {
	// Bodies keeps the bodies of the requests as well.
	Bodies bool

	mu    sync.Mutex
	lines []string
	n     int
}

// Wrap is a transport.WrapperFunc: rest.Config.Wrap puts it around the transport
// that client-go builds.
func (t *Trace) Wrap(next http.RoundTripper) http.RoundTripper {
	return RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
		var body []byte
		if t.Bodies {
			var err error
			if req, body, err = KeepBody(req); err != nil {
				return nil, err
			}
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

// KeepBody returns what the request is about to send, and a request that still
// sends it: a RoundTripper must leave its caller's request as it is.
func KeepBody(req *http.Request) (*http.Request, []byte, error) {
	if req.Body == nil {
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

func (t *Trace) add(line string, body []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n++
	t.lines = append(t.lines, line)
	if len(body) > 0 {
		t.lines = append(t.lines, "       "+string(bytes.TrimSpace(body)))
	}
}

// Count is the number of requests so far.
func (t *Trace) Count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.n
}

// few is how often a request is printed that is repeated without another between.
const few = 5

// Print writes the requests in the order in which their answers came, and nothing
// where there was none. What is repeated without an end, such as a page of a
// list, is counted.
func (t *Trace) Print(w io.Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) == 0 {
		return
	}
	fmt.Fprintf(w, "requests:\n")
	for i := 0; i < len(t.lines); {
		same := 1
		for i+same < len(t.lines) && t.lines[i+same] == t.lines[i] {
			same++
		}
		fmt.Fprintf(w, "  %s\n", t.lines[i])
		if same > few {
			fmt.Fprintf(w, "  ... and %d more like it\n", same-1)
			i += same
			continue
		}
		i++
	}
}

// RoundTripperFunc is a function as an http.RoundTripper.
type RoundTripperFunc func(*http.Request) (*http.Response, error)

// RoundTrip calls f.
func (f RoundTripperFunc) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
