package chaos

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// through returns a client whose requests go through a proxy with the faults to
// an API server that answers every write with an Ingress, and every watch with
// two events. written counts what arrived there.
func through(t *testing.T, faults Faults) (client kubernetes.Interface, p *proxy, written *atomic.Int32) {
	t.Helper()
	written = &atomic.Int32{}
	const body = `{"kind":"Ingress","apiVersion":"networking.k8s.io/v1","metadata":{"name":"a","namespace":"ns"}}`
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("watch") == "true" {
			for range 2 {
				_, _ = w.Write([]byte(`{"type":"ADDED","object":` + body + "}\n"))
			}
			return
		}
		if r.Method != http.MethodGet {
			written.Add(1)
		}
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(upstream.Close)
	p, err := newProxy(&rest.Config{Host: upstream.URL}, newDealer(faults), hooks{})
	require.NoError(t, err)
	t.Cleanup(p.close)
	path, err := p.kubeconfig(t.TempDir(), "a")
	require.NoError(t, err)
	cfg, err := clientcmd.BuildConfigFromFlags("", path)
	require.NoError(t, err)
	cfg.QPS = -1
	client, err = kubernetes.NewForConfig(cfg)
	require.NoError(t, err)
	return client, p, written
}

func TestProxyFaultsOfWrites(t *testing.T) {
	client, p, written := through(t, Faults{Writes: []Fault{{Kind: Write500}, {Kind: Write409}, {Kind: Write429}, {Kind: WriteLost}}})
	remove := func() error {
		return client.NetworkingV1().Ingresses("ns").Delete(context.Background(), "a", metav1.DeleteOptions{})
	}
	require.True(t, apierrors.IsInternalError(remove()))
	require.True(t, apierrors.IsConflict(remove()))
	require.True(t, apierrors.IsTooManyRequests(remove()))
	require.Zero(t, written.Load(), "what was answered by the proxy must not have happened")
	err := remove()
	require.Error(t, err)
	require.Equal(t, metav1.StatusReasonUnknown, apierrors.ReasonForError(err), "a lost answer is no answer of the server")
	require.EqualValues(t, 1, written.Load(), "a write whose answer is lost has happened")
	require.NoError(t, remove())
	require.Len(t, p.seen(Request.Writes), 5)
	require.Equal(t, "a", p.seen(Request.Writes)[0].Replica)
}

func TestProxyFaultsOfWatches(t *testing.T) {
	client, _, _ := through(t, Faults{Watches: []Fault{{Kind: WatchGone}, {Kind: WatchExpired, After: 1}, {Kind: WatchCut, After: 1}}})
	open := func() (watch.Interface, error) {
		return client.NetworkingV1().Ingresses("ns").Watch(context.Background(), metav1.ListOptions{ResourceVersion: "5"})
	}
	_, err := open()
	require.True(t, apierrors.IsResourceExpired(err), "%v", err)
	for _, want := range [][]watch.EventType{{watch.Added, watch.Error}, {watch.Added}, {watch.Added, watch.Added}} {
		watcher, err := open()
		require.NoError(t, err)
		var got []watch.EventType
		for event := range watcher.ResultChan() {
			got = append(got, event.Type)
			if event.Type == watch.Error {
				require.True(t, apierrors.IsResourceExpired(apierrors.FromObject(event.Object)))
			}
		}
		require.Equal(t, want, got)
	}
}

func TestProxyComesBackOnItsPort(t *testing.T) {
	client, p, _ := through(t, Faults{})
	get := func() error {
		_, err := client.NetworkingV1().Ingresses("ns").Get(context.Background(), "a", metav1.GetOptions{})
		return err
	}
	require.NoError(t, get())
	p.close()
	require.Error(t, get())
	require.NoError(t, p.listen())
	require.NoError(t, get())
}
