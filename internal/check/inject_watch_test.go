package check

import (
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
)

// answerWatch sends one pod and leaves the watch open until the client ends it.
func answerWatch(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web"}}}`+"\n")
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

// firstEvent is the first event of a watch from resourceVersion, and whether there was one.
func firstEvent(t *testing.T, client kubernetes.Interface, resourceVersion string) (watch.Event, bool) {
	t.Helper()
	w, err := client.CoreV1().Pods("a").Watch(t.Context(), metav1.ListOptions{ResourceVersion: resourceVersion})
	require.NoError(t, err)
	defer w.Stop()
	event, ok := <-w.ResultChan()
	return event, ok
}

func TestEndWatchesWhile(t *testing.T) {
	rec, client := recorded(t, answerWatch)
	var ending atomic.Bool
	ending.Store(true)
	rec.EndWatchesWhile(Match{Resource: "pods"}, ending.Load)

	_, ok := firstEvent(t, client, "")
	assert.False(t, ok, "the watch ends before its first event")
	ending.Store(false)
	event, ok := firstEvent(t, client, "")
	assert.True(t, ok)
	assert.Equal(t, watch.Added, event.Type)
}

func TestCompactAtFirstWatch(t *testing.T) {
	rec, client := recorded(t, answerWatch)
	compactions := 0
	rec.CompactAtFirstWatch(Match{Resource: "pods"}, func() (string, error) { compactions++; return "9", nil })

	for range 2 {
		event, ok := firstEvent(t, client, "8")
		require.True(t, ok)
		assert.Equal(t, watch.Error, event.Type)
		assert.True(t, apierrors.IsResourceExpired(apierrors.FromObject(event.Object)), "%v", event.Object)
	}
	assert.Equal(t, 1, compactions)
	for _, enough := range []string{"9", "10", "", "0"} {
		event, ok := firstEvent(t, client, enough)
		require.True(t, ok)
		assert.IsType(t, &corev1.Pod{}, event.Object, "from resourceVersion %q", enough)
	}
}
