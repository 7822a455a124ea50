package check

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// watchPod sends one event and then waits for the client to go.
func watchPod(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","namespace":"a"}}}`)
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

func TestOutageEndsAWatch(t *testing.T) {
	rec, client := recorded(t, watchPod)
	outage := rec.Outage(Match{Resource: "pods"})
	assert.Zero(t, outage.Cut(), "nothing is open yet")

	open := func() watch.Interface {
		w, err := client.CoreV1().Pods("a").Watch(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		event := <-w.ResultChan()
		assert.Equal(t, watch.Added, event.Type)
		return w
	}
	w := open()
	assert.Equal(t, 1, outage.Cut())
	_, more := <-w.ResultChan()
	assert.False(t, more, "the stream has ended")
	assert.Zero(t, outage.Cut(), "and is cut once")

	w = open()
	w.Stop()
	for range w.ResultChan() {
	}
	assert.Zero(t, outage.Cut(), "the client itself closed it")
}

func TestOutageExpiresTheNextWatch(t *testing.T) {
	rec, client := recorded(t, watchPod)
	outage := rec.Outage(Match{Resource: "pods"})
	gaps := 0
	expired := make(chan int)
	go func() { expired <- outage.Expire(func() error { gaps++; return nil }) }()

	w, err := client.CoreV1().Pods("a").Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	assert.Equal(t, 1, <-expired, "it waits for the client's watch")
	for range w.ResultChan() {
	}
	assert.Zero(t, gaps, "the gap begins with the next watch")

	_, err = client.CoreV1().Pods("a").Watch(t.Context(), metav1.ListOptions{})
	assert.True(t, apierrors.IsResourceExpired(err), "want 410, got %v", err)
	assert.Equal(t, 1, gaps)

	_, err = client.CoreV1().Pods("a").Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	assert.Equal(t, 1, gaps, "once only")

	assert.Equal(t, 1, outage.Expire(func() error { return io.ErrUnexpectedEOF }))
	_, err = client.CoreV1().Pods("a").Watch(t.Context(), metav1.ListOptions{})
	assert.ErrorContains(t, err, "the check's own write failed")
}
