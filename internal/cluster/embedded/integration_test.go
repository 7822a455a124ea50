//go:build unix

package embedded

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"example.com/client-go-workshop/internal/cluster"
)

// clusterTestsEnv turns the tests with the real control plane on. They build it
// if it is not in the user's cache, and run it in directories of their own.
const clusterTestsEnv = "WORKSHOP_CLUSTER_TESTS"

// newReal returns a provider of the real control plane with a state directory
// of its own.
func newReal(t *testing.T) *Provider {
	t.Helper()
	if os.Getenv(clusterTestsEnv) == "" {
		t.Skipf("set %s=1 to run the tests with the real control plane", clusterTestsEnv)
	}
	state := filepath.Join(t.TempDir(), "state")
	t.Setenv("WORKSHOP_DIR", state)
	t.Setenv("KUBECONFIG", "")
	p, err := New(Options{StateDir: state})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Down(context.Background(), true); err != nil {
			t.Errorf("clean up: %v", err)
		}
	})
	return p
}

func coreClient(t *testing.T, p *Provider) *rest.RESTClient {
	t.Helper()
	cfg, err := cluster.LoadFile(p.KubeconfigPath())
	if err != nil {
		t.Fatal(err)
	}
	cfg.APIPath = "/api"
	cfg.GroupVersion = &corev1.SchemeGroupVersion
	cfg.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	cfg.QPS = -1
	cfg.Timeout = 10 * time.Second
	client, err := rest.RESTClientFor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// TestKillNine kills the control plane while clients write, ten times. What was
// acknowledged to a client must be there after the next `up`: each created or
// updated object with the value that was acknowledged last, and no deleted one.
func TestKillNine(t *testing.T) {
	p := newReal(t)
	up(t, p)
	const rounds, writersPerRound = 10, 4
	acknowledged := map[string]string{}
	for round := range rounds {
		client := coreClient(t, p)
		var group sync.WaitGroup
		writers := make([]*writer, writersPerRound)
		for i := range writers {
			writers[i] = &writer{client: client, prefix: fmt.Sprintf("kill-%d-%d", round, i), values: map[string]string{}}
			group.Go(func() { writers[i].run(t.Context()) })
		}
		time.Sleep(500*time.Millisecond + rand.N(time.Second))
		kill(t, status(t, p).PID)
		group.Wait()

		inDoubt := map[string]bool{}
		for _, w := range writers {
			maps.Copy(acknowledged, w.values)
			inDoubt[w.inDoubt] = true
		}
		begin := time.Now()
		up(t, p)
		took := time.Since(begin)
		wantValues(t, coreClient(t, p), acknowledged, inDoubt)
		t.Logf("round %d: %d objects acknowledged so far, up again after %.1f s", round+1, len(acknowledged), took.Seconds())
	}
}

// writer creates, updates and deletes ConfigMaps, one request at a time, and
// notes what was acknowledged.
type writer struct {
	client *rest.RESTClient
	prefix string
	values map[string]string // by name; "" means deleted
	// inDoubt is the object whose last request had no answer: it may have
	// been carried out or not.
	inDoubt string
}

// run writes until a request fails.
func (w *writer) run(ctx context.Context) {
	for i := 0; ; i++ {
		name := fmt.Sprintf("%s-%d", w.prefix, i)
		steps := []string{"created", "updated"}
		if i%3 == 0 {
			steps = append(steps, "")
		}
		for _, value := range steps {
			if w.write(ctx, name, value) != nil {
				w.inDoubt = name
				return
			}
			w.values[name] = value
		}
	}
}

func (w *writer) write(ctx context.Context, name, value string) error {
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"value": value}}
	var req *rest.Request
	switch value {
	case "created":
		req = w.client.Post().Body(cm)
	case "updated":
		req = w.client.Put().Name(name).Body(cm)
	default:
		req = w.client.Delete().Name(name)
	}
	return req.Namespace(metav1.NamespaceDefault).Resource("configmaps").MaxRetries(0).Do(ctx).Error()
}

// wantValues compares what the cluster holds with what was acknowledged.
func wantValues(t *testing.T, client *rest.RESTClient, want map[string]string, inDoubt map[string]bool) {
	t.Helper()
	var list corev1.ConfigMapList
	err := client.Get().Namespace(metav1.NamespaceDefault).Resource("configmaps").Do(t.Context()).Into(&list)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, cm := range list.Items {
		got[cm.Name] = cm.Data["value"]
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if inDoubt[name] {
			want[name] = got[name] // from now on it is what it became
		}
		if got[name] != want[name] {
			t.Errorf("%s: got %q, want the acknowledged %q (\"\" means deleted)", name, got[name], want[name])
		}
	}
}
