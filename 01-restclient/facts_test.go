package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/client-go/util/homedir"
	"k8s.io/klog/v2"

	"example.com/client-go-workshop/internal/check"
)

// factClient is a core/v1 RESTClient for cfg, changed by the options.
func factClient(t *testing.T, cfg *rest.Config, options ...func(*rest.Config)) *rest.RESTClient {
	t.Helper()
	cfg = rest.CopyConfig(cfg)
	cfg.APIPath = "/api"
	cfg.GroupVersion = &corev1.SchemeGroupVersion
	cfg.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	for _, option := range options {
		option(cfg)
	}
	client, err := rest.RESTClientFor(cfg)
	require.NoError(t, err)
	return client
}

// factServer answers every request with an empty PodList and counts them.
func factServer(t *testing.T) (*rest.Config, *atomic.Int64) {
	t.Helper()
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"kind":"PodList","apiVersion":"v1","items":[]}`)
	}))
	t.Cleanup(server.Close)
	return &rest.Config{Host: server.URL}, &requests
}

func writeContexts(t *testing.T, hosts map[string]string, current string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("apiVersion: v1\nkind: Config\ncurrent-context: " + current + "\nclusters:\n")
	for name, host := range hosts {
		b.WriteString("- {name: " + name + ", cluster: {server: \"" + host + "\"}}\n")
	}
	b.WriteString("contexts:\n")
	for name := range hosts {
		b.WriteString("- {name: " + name + ", context: {cluster: " + name + ", user: nobody, namespace: " + name + "-ns}}\n")
	}
	b.WriteString("users:\n- {name: nobody, user: {}}\n")
	path := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
	return path
}

func TestFactBuildConfigFromFlagsTakesTheCurrentContext(t *testing.T) {
	path := writeContexts(t, map[string]string{"red": "https://red.example.com", "blue": "https://blue.example.com"}, "red")

	cfg, err := clientcmd.BuildConfigFromFlags("", path)
	require.NoError(t, err)
	assert.Equal(t, "https://red.example.com", cfg.Host)

	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		&clientcmd.ClientConfigLoadingRules{ExplicitPath: path}, &clientcmd.ConfigOverrides{CurrentContext: "blue"})
	cfg, err = loader.ClientConfig()
	require.NoError(t, err)
	assert.Equal(t, "https://blue.example.com", cfg.Host)
	namespace, _, err := loader.Namespace()
	require.NoError(t, err)
	assert.Equal(t, "blue-ns", namespace)
}

func TestFactAFixedPathIgnoresKUBECONFIG(t *testing.T) {
	path := writeContexts(t, map[string]string{"fixed": "https://fixed.example.com"}, "fixed")
	t.Setenv("KUBECONFIG", writeContexts(t, map[string]string{"env": "https://env.example.com"}, "env"))

	cfg, err := clientcmd.BuildConfigFromFlags("", path)
	require.NoError(t, err)
	assert.Equal(t, "https://fixed.example.com", cfg.Host)

	cfg, err = clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		clientcmd.NewDefaultClientConfigLoadingRules(), &clientcmd.ConfigOverrides{}).ClientConfig()
	require.NoError(t, err)
	assert.Equal(t, "https://env.example.com", cfg.Host)
}

func TestFactHomeDirIsInClientGo(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	assert.Equal(t, home, homedir.HomeDir())
}

func TestFactAMalformedKubeconfigIsAnError(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	t.Setenv("KUBERNETES_SERVICE_PORT", "")
	malformed := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(malformed, []byte("clusters: [not, a, kubeconfig"), 0o600))

	_, err := clientcmd.BuildConfigFromFlags("", malformed)
	require.Error(t, err)
	assert.ErrorContains(t, err, malformed)

	_, err = rest.InClusterConfig()
	assert.ErrorIs(t, err, rest.ErrNotInCluster)
}

func TestFactAnEmptyHostIsLocalhost(t *testing.T) {
	client := factClient(t, &rest.Config{})
	assert.Equal(t, "localhost", client.Get().Resource("pods").URL().Host)
}

func TestFactAPIPathIsAnyPrefix(t *testing.T) {
	client := factClient(t, &rest.Config{Host: "https://proxy.example.com/cluster-7"}, func(c *rest.Config) { c.APIPath = "/x" })
	assert.Equal(t, "/cluster-7/x/v1/pods", client.Get().Resource("pods").URL().Path)

	wrong := factClient(t, check.FactConfig(t), func(c *rest.Config) { c.APIPath = "/apis" })
	err := wrong.Get().Namespace("default").Resource("pods").Do(t.Context()).Error()
	assert.True(t, apierrors.IsNotFound(err), "the core group under /apis: %v", err)
	assert.ErrorContains(t, err, "could not find the requested resource")
}

func TestFactRESTClientForTakesAndReturnsPointers(t *testing.T) {
	var _ func(*rest.Config) (*rest.RESTClient, error) = rest.RESTClientFor

	_, err := rest.RESTClientFor(&rest.Config{})
	assert.ErrorContains(t, err, "GroupVersion is required")
	_, err = rest.RESTClientFor(&rest.Config{ContentConfig: rest.ContentConfig{GroupVersion: &corev1.SchemeGroupVersion}})
	assert.ErrorContains(t, err, "NegotiatedSerializer is required")
}

func TestFactFieldsOfRESTClient(t *testing.T) {
	client := reflect.TypeFor[rest.RESTClient]()
	types := map[string]string{}
	for i := range client.NumField() {
		types[client.Field(i).Name] = client.Field(i).Type.String()
	}
	assert.Equal(t, "rest.requestClientContentConfigProvider", types["content"])
	assert.Equal(t, "func() rest.BackoffManagerWithContext", types["createBackoffMgr"])
	assert.Equal(t, "rest.WarningHandlerWithContext", types["warningHandler"])
}

func TestFactSixMethodsReturnARequest(t *testing.T) {
	client := reflect.TypeFor[rest.Interface]()
	var chain, other []string
	for i := range client.NumMethod() {
		method := client.Method(i)
		if method.Type.Out(0) == reflect.TypeFor[*rest.Request]() {
			chain = append(chain, method.Name)
		} else {
			other = append(other, method.Name)
		}
	}
	assert.Equal(t, []string{"Delete", "Get", "Patch", "Post", "Put", "Verb"}, chain)
	assert.Equal(t, []string{"APIVersion", "GetRateLimiter"}, other)
	var _ func() flowcontrol.RateLimiter = (*rest.RESTClient)(nil).GetRateLimiter
	var _ func() schema.GroupVersion = (*rest.RESTClient)(nil).APIVersion
}

func TestFactAMistakeInTheChainSurfacesInDo(t *testing.T) {
	cfg, requests := factServer(t)
	req := factClient(t, cfg).Get().Namespace("default").Resource("pods").Name("")

	assert.Error(t, req.Do(t.Context()).Error())
	assert.Zero(t, requests.Load(), "requests sent")
}

func TestFactAnEmptyNamespaceIsForListsOnly(t *testing.T) {
	cfg, requests := factServer(t)
	client := factClient(t, cfg)

	require.NoError(t, client.Get().Namespace("").Resource("pods").Do(t.Context()).Error())
	assert.EqualValues(t, 1, requests.Load(), "a list of all namespaces is sent")

	assert.Error(t, client.Post().Namespace("").Resource("pods").Body(&corev1.Pod{}).Do(t.Context()).Error())
	assert.Error(t, client.Get().Namespace("").Resource("pods").Name("a").Do(t.Context()).Error())
	assert.EqualValues(t, 1, requests.Load(), "neither a create nor a get is sent")
}

func TestFactTimeoutIsForTheWholeRequest(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush() // the connection stands and the headers are there
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(release) })
	client := factClient(t, &rest.Config{Host: server.URL, Timeout: 200 * time.Millisecond})

	// The line that client-go logs would read like a fault of the chapter's program.
	quiet := klog.NewContext(t.Context(), klog.Logger{})
	err := client.Get().Resource("pods").Do(quiet).Error()
	assert.Error(t, err, "the body did not come within Timeout")

	w, err := client.Get().Resource("pods").VersionedParams(&metav1.ListOptions{Watch: true}, scheme.ParameterCodec).Watch(quiet)
	require.NoError(t, err)
	defer w.Stop()
	select {
	case <-w.ResultChan(): // an error event or the end: the watch is cut
	case <-time.After(20 * time.Second):
		t.Error("the watch outlived Timeout")
	}
}

func TestFactQPSAndBurstDefaultToFiveAndTen(t *testing.T) {
	cfg, _ := factServer(t)
	limiter := factClient(t, cfg).GetRateLimiter()
	assert.EqualValues(t, 5, limiter.QPS())
	burst := 0
	for burst < 100 && limiter.TryAccept() {
		burst++
	}
	assert.InDelta(t, 10, burst, 2)

	off := factClient(t, cfg, func(c *rest.Config) { c.QPS = -1 })
	assert.Nil(t, off.GetRateLimiter(), "a negative QPS turns the limit off")
}

func TestFactARateLimiterWinsOverQPSAndBurst(t *testing.T) {
	cfg, _ := factServer(t)
	client := factClient(t, cfg, func(c *rest.Config) {
		c.QPS, c.Burst = 50, 100
		c.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(7, 9)
	})
	assert.EqualValues(t, 7, client.GetRateLimiter().QPS())
}

func TestFactCodecsNeedWithoutConversion(t *testing.T) {
	cfg, _ := factServer(t)
	converting := factClient(t, cfg, func(c *rest.Config) { c.NegotiatedSerializer = scheme.Codecs })
	list := func(client *rest.RESTClient) rest.Result {
		return client.Get().Namespace("default").Resource("pods").Do(t.Context())
	}

	require.NoError(t, list(converting).Into(&corev1.PodList{}), "Into names the type, and works")
	_, err := list(converting).Get()
	assert.ErrorContains(t, err, "no kind", "Get has no type to go by")

	obj, err := list(factClient(t, cfg)).Get()
	require.NoError(t, err)
	assert.IsType(t, &corev1.PodList{}, obj)
}

func TestFactKubectlAsksForATable(t *testing.T) {
	client := factClient(t, check.FactConfig(t))
	kind := func(accept string) string {
		var meta metav1.TypeMeta
		raw, err := client.Get().Namespace("kube-system").Resource("pods").SetHeader("Accept", accept).Do(t.Context()).Raw()
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(raw, &meta))
		return meta.Kind
	}
	assert.Equal(t, "Table", kind("application/json;as=Table;v=v1;g=meta.k8s.io"))
	assert.Equal(t, "PodList", kind("application/json"))
}

func TestFactAFixedNameFailsOnTheSecondRun(t *testing.T) {
	ns := check.FactNamespace(t)
	client := factClient(t, check.FactConfig(t))
	create := func(pod *corev1.Pod) error {
		return client.Post().Namespace(ns).Resource("pods").Body(pod).Do(t.Context()).Error()
	}

	require.NoError(t, create(check.PendingPod("new-pod", nil)))
	assert.True(t, apierrors.IsAlreadyExists(create(check.PendingPod("new-pod", nil))), "the second run with the same name")

	generated := check.PendingPod("", nil)
	generated.GenerateName = "new-pod-"
	assert.NoError(t, create(generated))
	assert.NoError(t, create(generated))
}

func TestFactAStalePutIsAConflict(t *testing.T) {
	ns := check.FactNamespace(t)
	cfg := check.FactConfig(t)
	client := factClient(t, cfg)
	var posted corev1.Pod
	require.NoError(t, client.Post().Namespace(ns).Resource("pods").Body(check.PendingPod("web", nil)).Do(t.Context()).Into(&posted))

	// Somebody else writes, as the scheduler and the kubelet do.
	clientset, err := kubernetes.NewForConfig(cfg)
	require.NoError(t, err)
	other := posted.DeepCopy()
	other.Labels = map[string]string{"by": "other"}
	_, err = clientset.CoreV1().Pods(ns).Update(t.Context(), other, metav1.UpdateOptions{})
	require.NoError(t, err)

	posted.Labels = map[string]string{"by": "me"}
	put := func(pod *corev1.Pod) error {
		return client.Put().Namespace(ns).Resource("pods").Name("web").Body(pod).Do(t.Context()).Error()
	}
	assert.True(t, apierrors.IsConflict(put(&posted)), "the object that POST returned is stale")

	var fresh corev1.Pod
	require.NoError(t, client.Get().Namespace(ns).Resource("pods").Name("web").Do(t.Context()).Into(&fresh))
	fresh.Labels["by"] = "me"
	assert.NoError(t, put(&fresh))
}

func TestFactDeleteReturnsBeforeThePodIsGone(t *testing.T) {
	ns := check.FactNamespace(t)
	client := factClient(t, check.FactConfig(t))
	pod := check.PendingPod("web", nil)
	pod.Finalizers = []string{"workshop.example.com/hold"}
	require.NoError(t, client.Post().Namespace(ns).Resource("pods").Body(pod).Do(t.Context()).Error())

	require.NoError(t, client.Delete().Namespace(ns).Resource("pods").Name("web").Do(t.Context()).Error())
	var left corev1.Pod
	require.NoError(t, client.Get().Namespace(ns).Resource("pods").Name("web").Do(t.Context()).Into(&left))
	assert.NotNil(t, left.DeletionTimestamp)
}

func TestFactTheRESTClientSpeaksJSONUnlessToldOtherwise(t *testing.T) {
	var accept atomic.Value
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		accept.Store(r.Header.Get("Accept"))
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"kind":"PodList","apiVersion":"v1","items":[]}`)
	}))
	t.Cleanup(server.Close)
	list := func(options ...func(*rest.Config)) string {
		client := factClient(t, &rest.Config{Host: server.URL}, options...)
		require.NoError(t, client.Get().Resource("pods").Do(context.WithoutCancel(t.Context())).Error())
		return accept.Load().(string)
	}
	assert.Equal(t, "application/json, */*", list())
	assert.Contains(t, list(func(c *rest.Config) { c.ContentType = "application/vnd.kubernetes.protobuf" }),
		"application/vnd.kubernetes.protobuf")
}
