package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"example.com/client-go-workshop/internal/apirequest"
)

// judged runs a judgement of a step called Try, and returns what it says of the
// step: nothing when it finds no fault.
func judged(t *testing.T, judge func(s *S)) (seen, cause string) {
	t.Helper()
	s := &S{t: &testing.T{}, file: filepath.Join(t.TempDir(), "result.json"), name: "Try", ctx: t.Context()}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		judge(s)
	}()
	<-ended
	data, err := os.ReadFile(s.file)
	if errors.Is(err, os.ErrNotExist) {
		return "", ""
	}
	require.NoError(t, err)
	var result struct{ Seen, Cause string }
	require.NoError(t, json.Unmarshal(data, &result))
	return result.Seen, result.Cause
}

func TestCallReturnsWhatTheFunctionReturned(t *testing.T) {
	seen, _ := judged(t, func(s *S) {
		got, err := Call(s, func(context.Context) (int, error) { return 7, os.ErrClosed })
		assert.Equal(t, 7, got)
		assert.ErrorIs(t, err, os.ErrClosed)
	})
	assert.Empty(t, seen)
	seen, _ = judged(t, func(s *S) {
		_, _ = Call(s, func(context.Context) (*corev1.Pod, error) { panic("boo") })
	})
	assert.Equal(t, "Try panicked: boo", seen)
}

func TestMustWantsAResult(t *testing.T) {
	seen, _ := judged(t, func(s *S) {
		assert.Equal(t, 7, Must(s, "number", func(context.Context) (int, error) { return 7, nil }))
	})
	assert.Empty(t, seen)

	seen, cause := judged(t, func(s *S) {
		Must(s, "client", func(context.Context) (kubernetes.Interface, error) { return (*kubernetes.Clientset)(nil), nil })
	})
	assert.Equal(t, "Try returned no client and no error", seen)
	assert.Equal(t, "the client is not returned", cause)

	seen, _ = judged(t, func(s *S) {
		Must(s, "client", func(context.Context) (kubernetes.Interface, error) { return nil, errors.New("boo") })
	})
	assert.Equal(t, "Try returned an error: boo", seen)
}

func TestRequireReason(t *testing.T) {
	missing := fmt.Errorf("get: %w", apierrors.NewNotFound(schema.GroupResource{Resource: "pods"}, "web"))
	seen, _ := judged(t, func(s *S) { s.RequireReason(missing, metav1.StatusReasonNotFound, nil, "nothing is there", "") })
	assert.Empty(t, seen)
	seen, cause := judged(t, func(s *S) {
		s.RequireReason(missing, metav1.StatusReasonForbidden, &Recorder{}, "the PUT was answered with 403", "wrap it")
	})
	assert.Equal(t, "the PUT was answered with 403; want an error that is Forbidden, got the error: get: pods \"web\" not found\n"+
		"no request was sent", seen)
	assert.Equal(t, "wrap it", cause)
	seen, _ = judged(t, func(s *S) { s.RequireReason(nil, metav1.StatusReasonForbidden, nil, "refused", "") })
	assert.Equal(t, "refused; want an error that is Forbidden, got no error", seen)
}

func TestRequireRequests(t *testing.T) {
	rec := &Recorder{}
	seen, _ := judged(t, func(s *S) { s.RequireNoRequest(rec, "") })
	assert.Empty(t, seen)
	seen, _ = judged(t, func(s *S) { s.RequireRequest(rec, Match{Verb: "list"}, "list request", "") })
	assert.Equal(t, "Try sent no list request\nno request was sent", seen)
	rec.add(Request{Info: apirequest.Info{Verb: "list"}, Method: "GET", Path: "/api/v1/pods"})
	seen, _ = judged(t, func(s *S) { s.RequireRequest(rec, Match{Verb: "list"}, "list request", "") })
	assert.Empty(t, seen)
	seen, _ = judged(t, func(s *S) { s.RequireNoRequest(rec, "") })
	assert.Equal(t, "Try made a request\nrequests:\n  GET /api/v1/pods -> no answer", seen)
}

func TestARecorderShowsItsRequestsBehindTheMessage(t *testing.T) {
	seen, cause := judged(t, func(s *S) {
		(&Recorder{s: s}).Requiref(true, "", "")
		(&Recorder{s: s}).Failf("send %w", "%d requests, want 1", 0)
	})
	assert.Equal(t, "0 requests, want 1\nno request was sent", seen)
	assert.Equal(t, "send %w", cause)
}

func TestRequireSameConfig(t *testing.T) {
	cfg := &rest.Config{Host: "a", QPS: 3, Dial: nil}
	before := rest.CopyConfig(cfg)
	cfg.Wrap(func(rt http.RoundTripper) http.RoundTripper { return rt })
	seen, _ := judged(t, func(s *S) { s.RequireSameConfig(before, cfg) })
	assert.Empty(t, seen, "functions are left out")
	cfg.QPS = 50
	seen, cause := judged(t, func(s *S) { s.RequireSameConfig(before, cfg) })
	assert.Equal(t, "the caller's config was changed: QPS was 3 and is 50", seen)
	assert.Contains(t, cause, "rest.CopyConfig")
}

func TestJudgeConstructor(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	ask := func(ctx context.Context, client *rest.RESTClient) error {
		result := client.Get().AbsPath("/version").Do(ctx)
		if err := result.Error(); !apierrors.IsNotFound(err) {
			return err
		}
		return nil
	}
	build := func(change func(*rest.Config)) func(*rest.Config) (*rest.RESTClient, error) {
		return func(cfg *rest.Config) (*rest.RESTClient, error) {
			cfg = rest.CopyConfig(cfg)
			cfg.Host, cfg.GroupVersion = server.URL, &corev1.SchemeGroupVersion
			cfg.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
			change(cfg)
			return rest.RESTClientFor(cfg)
		}
	}
	// The test server's own authority is the "other" one as well: each has the same certificate.
	trusting := func(cfg *rest.Config) { cfg.TLSClientConfig = rest.TLSClientConfig{Insecure: true} }
	seen, _ := judged(t, func(s *S) { JudgeConstructor(s, &rest.Config{}, " with a folder", build(trusting), ask) })
	assert.Contains(t, seen, "with the certificate authority of another server")
	assert.Contains(t, seen, "the client of Try with a folder got an answer")

	dropping := func(cfg *rest.Config) {
		if cfg.CAFile != "" {
			cfg.TLSClientConfig = rest.TLSClientConfig{}
		} else {
			cfg.TLSClientConfig = rest.TLSClientConfig{CAData: []byte("no certificate")}
		}
	}
	seen, _ = judged(t, func(s *S) { JudgeConstructor(s, &rest.Config{}, "", build(dropping), ask) })
	assert.Equal(t, "for a config whose CA file does not exist, Try returned no error", seen)
}

func TestRefuse(t *testing.T) {
	for code, is := range map[int]func(error) bool{
		http.StatusForbidden:           apierrors.IsForbidden,
		http.StatusNotFound:            apierrors.IsNotFound,
		http.StatusConflict:            apierrors.IsConflict,
		http.StatusGone:                apierrors.IsResourceExpired,
		http.StatusUnprocessableEntity: apierrors.IsInvalid,
		http.StatusInternalServerError: apierrors.IsInternalError,
		http.StatusServiceUnavailable:  apierrors.IsServiceUnavailable,
	} {
		rec, client := recorded(t, func(http.ResponseWriter, *http.Request) {})
		rec.Refuse(Match{Verb: "list"}, code)
		_, err := client.CoreV1().Pods("a").List(t.Context(), metav1.ListOptions{})
		assert.True(t, is(err), "%d: %v", code, err)
	}
	assert.Equal(t, metav1.StatusReasonUnknown, reasonOf(http.StatusTeapot))
}

func TestPassHasALaterFaultWait(t *testing.T) {
	rec, client := recorded(t, answerPod)
	rec.Pass(Match{Verb: "get"}, 1)
	rec.Refuse(Match{Verb: "get"}, http.StatusForbidden)
	get := func() error {
		_, err := client.CoreV1().Pods("a").Get(t.Context(), "web", metav1.GetOptions{})
		return err
	}
	require.NoError(t, get())
	assert.True(t, apierrors.IsForbidden(get()))
}

func TestEventually(t *testing.T) {
	n := 0
	seen, _ := judged(t, func(s *S) { assert.True(t, s.Eventually(func() bool { n++; return n == 3 })) })
	assert.Empty(t, seen)
	seen, _ = judged(t, func(s *S) {
		ctx, cancel := context.WithCancel(s.ctx)
		cancel()
		s.ctx = ctx
		s.Await("see it", func() bool { return false })
	})
	assert.Equal(t, "the check could not see it: it did not happen in time", seen)
}

func TestSameElements(t *testing.T) {
	assert.True(t, SameElements([]string{"a", "b"}, []string{"b", "a"}))
	assert.True(t, SameElements([]string{}, nil))
	assert.False(t, SameElements([]string{"a", "a"}, []string{"a"}))
}
