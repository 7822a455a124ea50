package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"example.com/client-go-workshop/internal/check"
	"example.com/client-go-workshop/internal/cluster"
)

// These tests run the whole program, with all its steps, for a long time:
//
//	WORKSHOP_LONG=1 go test -v -timeout 30m -run TestLong ./05-informer

func long(t *testing.T) {
	t.Helper()
	if os.Getenv("WORKSHOP_LONG") == "" {
		t.Skip("set WORKSHOP_LONG=1 to run the program for some minutes")
	}
}

// manyPods is how many pods "many" are.
func manyPods(tb testing.TB) int {
	tb.Helper()
	text := os.Getenv("WORKSHOP_PODS")
	if text == "" {
		return 10_000
	}
	n, err := strconv.Atoi(text)
	require.NoError(tb, err, "WORKSHOP_PODS")
	return n
}

// longNamespace is a namespace with n pods that no scheduler binds.
func longNamespace(tb testing.TB, client kubernetes.Interface, n int) string {
	tb.Helper()
	ns, err := client.CoreV1().Namespaces().Create(tb.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "long-"}},
		metav1.CreateOptions{})
	require.NoError(tb, err)
	tb.Cleanup(func() {
		err := client.CoreV1().Namespaces().Delete(context.Background(), ns.Name, metav1.DeleteOptions{})
		assert.NoError(tb, err)
	})
	require.Eventually(tb, func() bool {
		_, err := client.CoreV1().ServiceAccounts(ns.Name).Get(tb.Context(), "default", metav1.GetOptions{})
		return err == nil
	}, 30*time.Second, 50*time.Millisecond)
	begin := time.Now()
	require.NoError(tb, forEach(n, func(i int) error { return createPending(tb.Context(), client, ns.Name, fmt.Sprintf("web-%05d", i)) }))
	tb.Logf("%d pods created in %s", n, time.Since(begin).Round(time.Second))
	return ns.Name
}

func createPending(ctx context.Context, client kubernetes.Interface, ns, name string) error {
	_, err := client.CoreV1().Pods(ns).Create(ctx, check.PendingPod(name, map[string]string{"app": "web"}), metav1.CreateOptions{})
	return err
}

// forEach calls do for 0 to n-1, eight at a time.
func forEach(n int, do func(i int) error) error {
	var mu sync.Mutex
	var all error
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := worker; i < n; i += 8 {
				if err := do(i); err != nil {
					mu.Lock()
					all = errors.Join(all, err)
					mu.Unlock()
					return
				}
			}
		})
	}
	group.Wait()
	return all
}

// program is the chapter's program, running.
type program struct {
	t    *testing.T
	out  *checkLines
	stop context.CancelFunc
	done chan error
}

func startProgram(t *testing.T, args ...string) *program {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	p := &program{t: t, out: &checkLines{}, stop: stop, done: make(chan error, 1)}
	go func() { p.done <- run(ctx, append(args, "-for", "1h"), p.out) }()
	t.Cleanup(stop)
	return p
}

// says waits until the program has printed text.
func (p *program) says(text string) {
	p.t.Helper()
	deadline := time.Now().Add(5 * time.Minute)
	for !strings.Contains(p.out.String(), text) {
		select {
		case err := <-p.done:
			p.t.Fatalf("the program ended before it printed %q: %v\n%s", text, err, p.out)
		case <-time.After(50 * time.Millisecond):
			require.True(p.t, time.Now().Before(deadline), "the program does not print %q", text)
		}
	}
}

// end stops the program and returns its table and its requests.
func (p *program) end() (table map[string]string, requests []string) {
	p.t.Helper()
	begin := time.Now()
	p.stop()
	require.NoError(p.t, <-p.done)
	p.t.Logf("the program ended %s after it was told to", time.Since(begin).Round(time.Millisecond))
	table = map[string]string{}
	part := ""
	for _, line := range p.out.all() {
		words := strings.Fields(line)
		switch {
		case words[0] == "table:" || words[0] == "requests:":
			part = words[0]
		case part == "table:" && len(words) >= 2:
			table[words[0]] = words[1]
		case part == "requests:":
			requests = append(requests, line)
		}
	}
	return table, requests
}

// fromAPI is what the table has to be.
func fromAPI(t *testing.T, client kubernetes.Interface, ns string) map[string]string {
	t.Helper()
	pods, err := client.CoreV1().Pods(ns).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	want := map[string]string{}
	for _, pod := range pods.Items {
		want[pod.Name] = podStatus(&pod)
	}
	return want
}

// churn changes pods: every tenth is deleted, every tenth begins to run, and
// some are created.
func churn(t *testing.T, client kubernetes.Interface, ns string, n int, prefix string) {
	t.Helper()
	pods := client.CoreV1().Pods(ns)
	require.NoError(t, forEach(n/10, func(i int) error {
		err := pods.Delete(t.Context(), fmt.Sprintf("web-%05d", 10*i), metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))})
		if err != nil {
			return err
		}
		if err := createPending(t.Context(), client, ns, fmt.Sprintf("%s-%05d", prefix, i)); err != nil {
			return err
		}
		pod, err := pods.Get(t.Context(), fmt.Sprintf("web-%05d", 10*i+1), metav1.GetOptions{})
		if err != nil {
			return err
		}
		pod.Status.Phase = corev1.PodRunning
		_, err = pods.UpdateStatus(t.Context(), pod, metav1.UpdateOptions{})
		return err
	}))
}

// last makes one more pod and waits until the program shows it.
func (p *program) last(client kubernetes.Interface, ns, name string) {
	p.t.Helper()
	require.NoError(p.t, createPending(p.t.Context(), client, ns, name))
	p.says("pod    " + name)
	time.Sleep(500 * time.Millisecond) // the other worker may still have a key
}

func TestLongManyPods(t *testing.T) {
	long(t)
	client, err := kubernetes.NewForConfig(check.FactConfig(t))
	require.NoError(t, err)
	n := manyPods(t)
	ns := longNamespace(t, client, n)

	begin := time.Now()
	p := startProgram(t, "-namespace", ns, "-events=false")
	p.says("4. read: " + strconv.Itoa(n) + " pods")
	t.Logf("in sync with %d pods after %s", n, time.Since(begin).Round(time.Millisecond))
	churn(t, client, ns, n, "new")
	p.last(client, ns, "zz-last")

	table, requests := p.end()
	assert.Equal(t, fromAPI(t, client, ns), table, "no event is lost")
	t.Logf("requests:\n  %s", strings.Join(requests, "\n  "))
	assert.Len(t, requests, 1, "one request for the first list and all that came after")
}

// proxied is a kubeconfig that leads to the cluster through a proxy, which
// keeps every request and can end watches.
func proxied(t *testing.T) (string, *check.Recorder) {
	t.Helper()
	cfg := check.FactConfig(t)
	rec := &check.Recorder{}
	cfg.Wrap(rec.Wrap)
	transport, err := rest.TransportFor(cfg)
	require.NoError(t, err)
	target, err := url.Parse(cfg.Host)
	require.NoError(t, err)
	server := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:     transport,
		FlushInterval: -1,
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	})
	t.Cleanup(server.CloseClientConnections)
	kubeconfig := clientcmdapi.NewConfig()
	kubeconfig.Clusters["proxy"] = &clientcmdapi.Cluster{Server: server.URL}
	kubeconfig.Contexts["proxy"] = &clientcmdapi.Context{Cluster: "proxy"}
	kubeconfig.CurrentContext = "proxy"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(*kubeconfig, path))
	return path, rec
}

func TestLongWatchesThatEnd(t *testing.T) {
	long(t)
	client, err := kubernetes.NewForConfig(check.FactConfig(t))
	require.NoError(t, err)
	const n = 100
	ns := longNamespace(t, client, n)
	path, rec := proxied(t)
	outage := rec.Outage(podRequests)
	p := startProgram(t, "-kubeconfig", path, "-namespace", ns)
	p.says("4. read: 100 pods")
	p.last(client, ns, "first") // a watch that ends at once is followed by a new list

	for i := range 5 {
		require.Equal(t, 1, outage.Cut())
		require.NoError(t, createPending(t.Context(), client, ns, fmt.Sprintf("cut-%d", i)))
		p.says(fmt.Sprintf("pod    cut-%d", i))
	}
	outage.Expire(func() error {
		churn(t, client, ns, n, "gap")
		pods := client.CoreV1().Pods(ns)
		if err := pods.Delete(t.Context(), "web-00099", metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}); err != nil {
			return err
		}
		return createPending(t.Context(), client, ns, "web-00099") // another pod of the same name
	})
	p.says("web-00000 missed")
	p.last(client, ns, "zz-last")

	table, _ := p.end()
	assert.Equal(t, fromAPI(t, client, ns), table, "no event is lost")
	watches := rec.Requests(check.Match{Verb: "watch", Resource: "pods"})
	assert.Len(t, watches, 8, "the first, five after a cut, one that was answered 410, and one from there on")
	assert.Zero(t, rec.Count(check.Match{Verb: "list", Resource: "pods"}))
}

// TestLongRestart stops and starts the API server, so it wants a cluster of its own:
//
//	export WORKSHOP_DIR=/tmp/restart; go tool workshop up
//	WORKSHOP_LONG=1 go test -v -timeout 30m -run TestLongRestart ./05-informer
func TestLongRestart(t *testing.T) {
	long(t)
	if os.Getenv(cluster.StateDirEnv) == "" || os.Getenv(cluster.KubeconfigEnv) != "" {
		t.Skip("this stops the cluster: set WORKSHOP_DIR to a folder with a cluster of its own, and unset KUBECONFIG")
	}
	client, err := kubernetes.NewForConfig(check.FactConfig(t))
	require.NoError(t, err)
	const n = 100
	ns := longNamespace(t, client, n)
	p := startProgram(t, "-namespace", ns)
	p.says("4. read: 100 pods")

	workshop(t, "down")
	workshop(t, "up")
	require.Eventually(t, func() bool {
		_, err := client.CoreV1().ServiceAccounts(ns).Get(t.Context(), "default", metav1.GetOptions{})
		return err == nil
	}, time.Minute, 100*time.Millisecond)
	begin := time.Now()
	churn(t, client, ns, n, "new")
	p.last(client, ns, "zz-last")
	t.Logf("the table was right again at most %s after the server was back", time.Since(begin).Round(100*time.Millisecond))

	table, requests := p.end()
	assert.Equal(t, fromAPI(t, client, ns), table, "no event is lost")
	t.Logf("requests:\n  %s", strings.Join(requests, "\n  "))
}

func workshop(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"tool", "workshop"}, args...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Run(), "%s", &out)
}
