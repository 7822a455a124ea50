package check

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// recorded is a clientset whose requests go through a Recorder to handler.
func recorded(t *testing.T, handler http.HandlerFunc) (*Recorder, kubernetes.Interface) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	rec := &Recorder{}
	cfg := &rest.Config{Host: server.URL, QPS: -1}
	cfg.Wrap(rec.Wrap)
	client, err := kubernetes.NewForConfig(cfg)
	require.NoError(t, err)
	return rec, client
}

func answerPod(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","namespace":"a"}}`)
}

func TestRecorderKeepsWhatWentOverTheWire(t *testing.T) {
	rec, client := recorded(t, answerPod)
	pods := client.CoreV1().Pods("a")
	_, err := pods.Create(t.Context(), PendingPod("web", map[string]string{"app": "web"}), metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = pods.Patch(t.Context(), "web", types.MergePatchType, []byte(`{"metadata":{}}`), metav1.PatchOptions{})
	require.NoError(t, err)

	posts := rec.Requests(Match{Verb: "create", Resource: "pods", Namespace: "a"})
	require.Len(t, posts, 1)
	assert.Equal(t, 200, posts[0].Status)
	obj, err := posts[0].Object()
	require.NoError(t, err, "the typed client sends protobuf")
	assert.Equal(t, map[string]any{"app": "web"}, obj["metadata"].(map[string]any)["labels"])

	patches := rec.Requests(Match{Verb: "patch", Name: "web"})
	require.Len(t, patches, 1)
	assert.Equal(t, "application/merge-patch+json", patches[0].ContentType)
	assert.JSONEq(t, `{"metadata":{}}`, string(patches[0].Body))
	assert.Contains(t, rec.Trace(), "PATCH /api/v1/namespaces/a/pods/web -> 200")
	assert.Zero(t, rec.Count(Match{Resource: "services"}))
}

func TestAnswerSkipsThenHitsThenLetsPass(t *testing.T) {
	var served atomic.Int64
	rec, client := recorded(t, func(w http.ResponseWriter, r *http.Request) { served.Add(1); answerPod(w, r) })
	rec.Answer(Match{Verb: "get"}, 1, 2, http.StatusConflict, metav1.StatusReasonConflict, "injected")
	var conflicts []bool
	for range 4 {
		_, err := client.CoreV1().Pods("a").Get(t.Context(), "web", metav1.GetOptions{})
		conflicts = append(conflicts, apierrors.IsConflict(err))
	}
	assert.Equal(t, []bool{false, true, true, false}, conflicts)
	assert.EqualValues(t, 2, served.Load(), "an injected answer does not reach the server")
	assert.True(t, rec.Requests(Match{})[1].Injected)
	assert.False(t, rec.Requests(Match{})[0].Injected)
}

func TestAnInjected500IsNotRepeatedByClientGo(t *testing.T) {
	rec, client := recorded(t, answerPod)
	rec.Answer(Match{}, 0, Always, http.StatusInternalServerError, metav1.StatusReasonInternalError, "injected")
	_, err := client.CoreV1().Pods("a").Get(t.Context(), "web", metav1.GetOptions{})
	assert.True(t, apierrors.IsInternalError(err))
	assert.Equal(t, 1, rec.Count(Match{}))
}

func TestAnswerAfterWaitsForTheFirst(t *testing.T) {
	rec, client := recorded(t, answerPod)
	rec.AnswerAfter(Match{Verb: "delete"}, Match{Verb: "get"}, http.StatusInternalServerError, metav1.StatusReasonInternalError, "injected")
	pods := client.CoreV1().Pods("a")
	_, err := pods.Get(t.Context(), "web", metav1.GetOptions{})
	require.NoError(t, err)
	require.NoError(t, pods.Delete(t.Context(), "web", metav1.DeleteOptions{}))
	_, err = pods.Get(t.Context(), "web", metav1.GetOptions{})
	assert.True(t, apierrors.IsInternalError(err))
}

func TestHooksRunBeforeAndAfterTheServer(t *testing.T) {
	var order []string
	rec, client := recorded(t, func(w http.ResponseWriter, r *http.Request) { order = append(order, "server"); answerPod(w, r) })
	hook := func(name string) func() error {
		return func() error { order = append(order, name); return nil }
	}
	rec.Before(Match{Verb: "update"}, 1, hook("before"))
	rec.After(Match{Verb: "delete"}, 1, hook("after"))
	pods := client.CoreV1().Pods("a")
	_, err := pods.Update(t.Context(), PendingPod("web", nil), metav1.UpdateOptions{})
	require.NoError(t, err)
	require.NoError(t, pods.Delete(t.Context(), "web", metav1.DeleteOptions{}))
	assert.Equal(t, []string{"before", "server", "server", "after"}, order)

	rec.Before(Match{}, 1, func() error { return errors.New("no luck") })
	_, err = pods.Get(t.Context(), "web", metav1.GetOptions{})
	assert.ErrorContains(t, err, "no luck")
}

func TestLoseReachesTheServer(t *testing.T) {
	var served atomic.Int64
	rec, client := recorded(t, func(w http.ResponseWriter, r *http.Request) { served.Add(1); answerPod(w, r) })
	rec.Lose(Match{Verb: "create"}, 1)
	_, err := client.CoreV1().Pods("a").Create(t.Context(), PendingPod("web", nil), metav1.CreateOptions{})
	assert.ErrorIs(t, err, ErrLost)
	assert.EqualValues(t, 1, served.Load())
	assert.Zero(t, rec.Requests(Match{Verb: "create"})[0].Status, "no answer arrived")
}

func TestDelayEndsWithTheContext(t *testing.T) {
	rec, client := recorded(t, answerPod)
	rec.Delay(Match{}, 1, time.Hour)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := client.CoreV1().Pods("a").Get(ctx, "web", metav1.GetOptions{})
	assert.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestExpireIsAnExpiredError(t *testing.T) {
	rec, client := recorded(t, answerPod)
	rec.Expire(Match{Verb: "list"}, 1)
	_, err := client.CoreV1().Pods("a").List(t.Context(), metav1.ListOptions{Continue: "old"})
	assert.True(t, apierrors.IsResourceExpired(err))
}

func TestCutWatchEndsTheStream(t *testing.T) {
	event := `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web"}}}` + "\n"
	rec, client := recorded(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, strings.Repeat(event, 2))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	rec.CutWatch(Match{Resource: "pods"}, 1, int64(len(event)))
	w, err := client.CoreV1().Pods("a").Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	defer w.Stop()
	var names []string
	for e := range w.ResultChan() {
		if pod, ok := e.Object.(*corev1.Pod); ok {
			names = append(names, pod.Name)
		}
	}
	assert.Equal(t, []string{"web"}, names, "one event of two came through, then the stream ended")
}

func TestUnpausedCountsALoopWithoutAPause(t *testing.T) {
	rec, client := recorded(t, answerPod)
	for range 20 {
		_, err := client.CoreV1().Pods("a").Get(t.Context(), "web", metav1.GetOptions{})
		require.NoError(t, err)
	}
	assert.GreaterOrEqual(t, rec.Unpaused(), 10)

	rec, client = recorded(t, answerPod)
	for range 5 {
		_, err := client.CoreV1().Pods("a").Get(t.Context(), "web", metav1.GetOptions{})
		require.NoError(t, err)
		time.Sleep(10 * time.Millisecond)
	}
	assert.Zero(t, rec.Unpaused())
}

func TestAStepIsFoundInAStack(t *testing.T) {
	s := &S{chapter: "01-restclient"}
	stack := "goroutine 7 [running]:\nmain.ListPods(...)\n\t/home/ann/client-go-workshop/01-restclient/main.go:77 " +
		"+0x1d\nmain.TestStep3_ListPods\n\t/home/ann/client-go-workshop/01-restclient/check_test.go:9 +0x2\n"
	assert.Equal(t, " (at 01-restclient/main.go:77)", s.where(stack))
}
