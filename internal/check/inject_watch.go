package check

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// EndWatchesWhile ends matching watches before their first event for as long as
// ending says so, as a server does that shuts down.
func (r *Recorder) EndWatchesWhile(m Match, ending func() bool) {
	m.Verb = "watch"
	r.inject(&fault{match: m, left: Always,
		do: func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(req)
			if err != nil || !ending() {
				return resp, err
			}
			if err := resp.Body.Close(); err != nil {
				return nil, fmt.Errorf("close a watch: %w", err)
			}
			resp.Body = http.NoBody
			return resp, nil
		}})
}

// CompactAtFirstWatch forgets the server's history at the first matching watch:
// compact writes something and returns the resourceVersion of its write. That
// watch, and every later one from before that write, gets an event of the type
// Error with 410 Expired, as the API server's watch cache sends it. A watch that
// names no resourceVersion is not touched.
func (r *Recorder) CompactAtFirstWatch(m Match, compact func() (string, error)) {
	m.Verb = "watch"
	oldest := sync.OnceValues(func() (uint64, error) {
		version, err := compact()
		if err != nil {
			return 0, err
		}
		return strconv.ParseUint(version, 10, 64)
	})
	r.inject(&fault{match: m, left: Always,
		do: func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
			from, err := strconv.ParseUint(req.URL.Query().Get("resourceVersion"), 10, 64)
			if err != nil || from == 0 {
				return next.RoundTrip(req)
			}
			oldest, err := oldest()
			if err != nil {
				return nil, fmt.Errorf("the check's own write failed: %w", err)
			}
			if from >= oldest {
				return next.RoundTrip(req)
			}
			return errorEvent(req, http.StatusGone, metav1.StatusReasonExpired,
				fmt.Sprintf("too old resource version: %d (%d)", from, oldest))
		}})
}

// errorEvent is a watch that brings one event of the type Error and ends.
func errorEvent(req *http.Request, code int32, reason metav1.StatusReason, message string) (*http.Response, error) {
	body, err := json.Marshal(map[string]any{
		"type": "ERROR",
		"object": metav1.Status{
			TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
			Status:   metav1.StatusFailure,
			Message:  message,
			Reason:   reason,
			Code:     code,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("encode an error event: %w", err)
	}
	return response(req, http.StatusOK, "application/json;stream=watch", append(body, '\n')), nil
}
