package check

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Outage ends watches at a moment of the check's choosing, where CutWatch ends
// them after a number of bytes.
type Outage struct {
	mu   sync.Mutex
	open map[*cuttable]struct{}
	gap  func() error
}

// Outage takes the matching watches in hand. Of two faults that match a request
// the first counts, so ask for it before you inject another one for them.
func (r *Recorder) Outage(m Match) *Outage {
	o := &Outage{open: map[*cuttable]struct{}{}}
	m.Verb = "watch"
	r.inject(&fault{match: m, left: Always, do: o.roundTrip})
	return o
}

// Cut ends every watch that is open and returns how many these were. The client
// sees the end of the stream and may open the next watch at once.
func (o *Outage) Cut() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.cut()
}

func (o *Outage) cut() int {
	n := len(o.open)
	for body := range o.open {
		body.end(io.EOF)
	}
	clear(o.open)
	return n
}

// expireWait is for a client that lists first: it is in sync before its watch
// is open, and a watch that is under way would miss the cut.
const expireWait = 10 * time.Second

// Expire waits until a watch is open, for 10 s at most, and cuts all that are.
// The next one is answered with 410 Gone, which says that its resourceVersion
// is too old, after gap has made the changes that no watch will tell of.
func (o *Outage) Expire(gap func() error) int {
	for end := time.Now().Add(expireWait); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		o.mu.Lock()
		open := len(o.open) > 0
		o.mu.Unlock()
		if open {
			break
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.gap = gap
	return o.cut()
}

func (o *Outage) roundTrip(next http.RoundTripper, req *http.Request) (*http.Response, error) {
	o.mu.Lock()
	gap := o.gap
	o.gap = nil
	o.mu.Unlock()
	if gap != nil {
		if err := gap(); err != nil {
			return nil, fmt.Errorf("the check's own write failed: %w", err)
		}
		return statusResponse(req, http.StatusGone, metav1.StatusReasonExpired, "too old resource version")
	}
	resp, err := next.RoundTrip(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		return resp, err
	}
	body := newCuttable(resp.Body)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open[body] = struct{}{}
	body.closed = func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.open, body)
	}
	resp.Body = body
	return resp, nil
}

// cuttable is a body that can be ended while somebody reads it.
type cuttable struct {
	*io.PipeReader
	from   io.ReadCloser
	to     *io.PipeWriter
	closed func()
}

func newCuttable(from io.ReadCloser) *cuttable {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, from)
		w.CloseWithError(err)
	}()
	return &cuttable{PipeReader: r, from: from, to: w}
}

// end lets the reader see err, and the server the end of the connection. The
// copying goroutine ends with either.
func (c *cuttable) end(err error) {
	c.to.CloseWithError(err)
	_ = c.from.Close() // what it says is of no use to anybody
}

// Close is for the reader.
func (c *cuttable) Close() error {
	c.closed()
	c.end(io.ErrClosedPipe)
	return c.PipeReader.Close()
}
