package check

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// serve gives s a cluster that is only a handler.
func serve(t *testing.T, s *S, handler http.HandlerFunc) {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	s.cfg = &rest.Config{Host: server.URL, QPS: -1}
}

func TestRecorded(t *testing.T) {
	get := func(ctx context.Context) (seen string) {
		seen, _ = judged(t, func(s *S) {
			serve(t, s, answerPod)
			rec, pod, err := Recorded(s, time.Second, func(call context.Context, cfg *rest.Config) (*corev1.Pod, error) {
				if ctx == nil {
					ctx = call
				}
				return s.ClientsetFor(cfg).CoreV1().Pods("a").Get(ctx, "web", metav1.GetOptions{})
			}, Refusing("list", http.StatusForbidden))
			require.NoError(t, err)
			assert.Equal(t, "web", pod.Name)
			assert.Equal(t, 1, rec.Count(Match{}))
		})
		return seen
	}
	assert.Empty(t, get(nil))
	assert.Equal(t, "sent with another context than the caller's: GET /api/v1/namespaces/a/pods/web", get(t.Context()))
}

// watchAgain is a step that watches from version 8, and again from next, until a deletion.
func watchAgain(s *S, pause time.Duration, next string) *Wait[string] {
	describe := func(last string) string { return "version " + last }
	return NewWait(s, describe, func(ctx context.Context, cfg *rest.Config) (string, error) {
		for version := "8"; ; version = next {
			w, err := s.ClientsetFor(cfg).CoreV1().Pods("a").Watch(ctx, metav1.ListOptions{ResourceVersion: version})
			if err != nil {
				return version, err
			}
			for event := range w.ResultChan() {
				if event.Type == "DELETED" {
					return version, errors.New("it is over")
				}
			}
			time.Sleep(pause)
		}
	})
}

func TestWaitFloods(t *testing.T) {
	for _, pause := range []time.Duration{0, 20 * time.Millisecond} {
		seen, _ := judged(t, func(s *S) {
			serve(t, s, func(http.ResponseWriter, *http.Request) {})
			w := watchAgain(s, pause, "8")
			floods := false
			err := w.Call(time.Second, func(ctx context.Context) error {
				w.Pause(ctx, 300*time.Millisecond, nil)
				floods = w.Floods(ctx)
				return nil
			})
			require.ErrorIs(t, err, context.DeadlineExceeded)
			assert.True(t, w.Watching())
			assert.True(t, w.Returned())
			assert.Contains(t, w.Ended(err), "Try returned version 8 and the error: ")
			w.JudgeFlood(floods)
		})
		assert.Equal(t, pause == 0, seen != "", seen)
	}
}

func TestJudgeTimeout(t *testing.T) {
	for want, result := range map[string]error{"": context.DeadlineExceeded, "ctx ended while it ran, and": nil} {
		seen, _ := judged(t, func(s *S) {
			serve(t, s, answerPod)
			NewWait(s, func(int) string { return "7" }, func(ctx context.Context, _ *rest.Config) (int, error) {
				<-ctx.Done()
				return 7, result
			}).JudgeTimeout(10*time.Millisecond, "it ran", "wait")
		})
		assert.Equal(t, want == "", seen == "")
		assert.Contains(t, seen, want)
	}
}

func TestJudgeCompaction(t *testing.T) {
	over := make(chan struct{})
	seen, _ := judged(t, func(s *S) {
		serve(t, s, func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("Content-Type", "application/json")
			if r.Method == http.MethodPost {
				rw.WriteHeader(http.StatusCreated)
				_, _ = io.WriteString(rw, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"compaction-1","resourceVersion":"9"}}`)
				return
			}
			_ = http.NewResponseController(rw).Flush()
			<-over
			_, _ = io.WriteString(rw, `{"type":"DELETED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web"}}}`+"\n")
		})
		w := watchAgain(s, 50*time.Millisecond, "10")
		err := w.JudgeCompaction("a", Match{Resource: "pods"}, func(context.Context) error { close(over); return nil })
		require.ErrorContains(t, err, "it is over")
		require.Len(t, w.Watches(), 2)
	})
	assert.Empty(t, seen)
}

func TestSinceCompaction(t *testing.T) {
	from := func(version string) Request { return Request{Query: url.Values{"resourceVersion": {version}}} }
	assert.True(t, sinceCompaction(Request{}, 0), "without a version the server begins now")
	assert.True(t, sinceCompaction(from("0"), 9))
	assert.False(t, sinceCompaction(from("8"), 0), "before the compaction nothing is proved")
	assert.False(t, sinceCompaction(from("8"), 9))
	assert.True(t, sinceCompaction(from("10"), 9), "versions are numbers, not texts")
}
