package check

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"example.com/client-go-workshop/internal/trace"
)

// Recorded calls a step that returns something beside its error, with a config
// whose requests are recorded and meet the faults. Each request must bear the
// context of the call.
func Recorded[T any](
	s *S, limit time.Duration, step func(ctx context.Context, cfg *rest.Config) (T, error), faults ...func(*Recorder),
) (*Recorder, T, error) {
	rec, cfg := s.Recorder()
	caller := watchCaller(cfg)
	for _, fault := range faults {
		fault(rec)
	}
	got, err := CallWithin(s, limit, func(ctx context.Context) (T, error) { return step(caller.mark(ctx), cfg) })
	caller.judge(s)
	return rec, got, err
}

// Refusing is a fault for Recorded: every request of a verb is answered with this code.
func Refusing(verb string, code int) func(*Recorder) {
	return func(rec *Recorder) { rec.Refuse(Match{Verb: verb}, code) }
}

// caller sees to it that every request bears the context of the call.
type caller struct {
	mu        sync.Mutex
	strangers []string
}

type callerKey struct{}

// watchCaller puts a caller into cfg's transport.
func watchCaller(cfg *rest.Config) *caller {
	c := &caller{}
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return trace.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
			if req.Context().Value(callerKey{}) != c {
				c.mu.Lock()
				c.strangers = append(c.strangers, req.Method+" "+req.URL.Path)
				c.mu.Unlock()
			}
			return next.RoundTrip(req)
		})
	})
	return c
}

func (c *caller) mark(ctx context.Context) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

func (c *caller) judge(s *S) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.Require(len(c.strangers) == 0, "sent with another context than the caller's: "+strings.Join(c.strangers, ", "),
		"hand ctx on to every request: a context of your own is one that the caller cannot end")
}
