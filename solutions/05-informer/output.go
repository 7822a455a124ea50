package main

import (
	"fmt"
	"io"
	"sync"

	"example.com/client-go-workshop/internal/trace"
)

// output is what several goroutines print to, a whole line at a time, with the
// requests in the end.
type output struct {
	mu       sync.Mutex
	w        io.Writer
	requests trace.Trace
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

// trace prints the requests in the order in which their answers came.
func (o *output) trace() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.requests.Print(o.w)
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
