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
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	appsv1apply "k8s.io/client-go/applyconfigurations/apps/v1"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	appsv1client "k8s.io/client-go/kubernetes/typed/apps/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/tools/pager"

	"example.com/client-go-workshop/internal/check"
)

// factClientset is a Clientset for the workshop's cluster whose requests are
// recorded, with a config changed by the options.
func factClientset(t *testing.T, options ...func(*rest.Config)) (*check.Recorder, *kubernetes.Clientset) {
	t.Helper()
	cfg := check.FactConfig(t)
	for _, option := range options {
		option(cfg)
	}
	rec := &check.Recorder{}
	cfg.Wrap(rec.Wrap)
	client, err := kubernetes.NewForConfig(cfg)
	require.NoError(t, err)
	return rec, client
}

// factServer answers every list with an empty one and leaves every watch open.
// It counts the two.
func factServer(t *testing.T) (cfg *rest.Config, lists, watches *atomic.Int64) {
	t.Helper()
	lists, watches = new(atomic.Int64), new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("watch") == "true" {
			watches.Add(1)
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			return
		}
		lists.Add(1)
		_, _ = io.WriteString(w, `{"kind":"PodList","apiVersion":"v1","items":[]}`)
	}))
	t.Cleanup(server.Close)
	return &rest.Config{Host: server.URL}, lists, watches
}

// factDeployment creates a Deployment and waits until its controller has written to it.
func factDeployment(t *testing.T, client kubernetes.Interface, ns string,
	deployment *appsv1.Deployment) (created, later *appsv1.Deployment) {
	t.Helper()
	created, err := client.AppsV1().Deployments(ns).Create(t.Context(), deployment, metav1.CreateOptions{})
	require.NoError(t, err)
	later, err = check.AwaitDeployment(t.Context(), client, ns, deployment.Name, check.Settled())
	require.NoError(t, err)
	return created, later
}

func TestFactTheThreeModulesHaveOneVersion(t *testing.T) {
	info, ok := debug.ReadBuildInfo()
	require.True(t, ok)
	versions := map[string]string{}
	for _, m := range info.Deps {
		versions[m.Path] = m.Version
	}
	assert.NotEmpty(t, versions["k8s.io/client-go"])
	assert.Equal(t, versions["k8s.io/client-go"], versions["k8s.io/api"])
	assert.Equal(t, versions["k8s.io/client-go"], versions["k8s.io/apimachinery"])
}

func TestFactTwoBlanksDoNotReadKUBECONFIG(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	t.Setenv("KUBERNETES_SERVICE_PORT", "")
	path := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(path, []byte(`{"apiVersion":"v1","kind":"Config","current-context":"a",
		"clusters":[{"name":"a","cluster":{"server":"https://env.example.com"}}],
		"contexts":[{"name":"a","context":{"cluster":"a","user":"a"}}],"users":[{"name":"a","user":{}}]}`), 0o600))
	t.Setenv("KUBECONFIG", path)

	cfg, err := clientcmd.BuildConfigFromFlags("", "")
	if err == nil {
		assert.NotEqual(t, "https://env.example.com", cfg.Host)
	}
	cfg, err = clientcmd.NewNonInteractiveDeferredLoadingClientConfig(clientcmd.NewDefaultClientConfigLoadingRules(), nil).ClientConfig()
	require.NoError(t, err)
	assert.Equal(t, "https://env.example.com", cfg.Host)
}

func TestFactCloudAuthProvidersAreGone(t *testing.T) {
	_, err := kubernetes.NewForConfig(&rest.Config{AuthProvider: &clientcmdapi.AuthProviderConfig{Name: "gcp"}})
	assert.ErrorContains(t, err, "gcp")

	exec := &clientcmdapi.ExecConfig{Command: "get-a-token", InteractiveMode: clientcmdapi.NeverExecInteractiveMode}
	for version, served := range map[string]bool{"v1alpha1": false, "v1beta1": true, "v1": true} {
		exec := exec.DeepCopy()
		exec.APIVersion = "client.authentication.k8s.io/" + version
		_, err := kubernetes.NewForConfig(&rest.Config{ExecProvider: exec})
		assert.Equal(t, served, err == nil, "%s: %v", version, err)
	}
}

func TestFactAClientsetIsOneRESTClientPerGroupVersion(t *testing.T) {
	client, err := kubernetes.NewForConfig(&rest.Config{Host: "https://example.com"})
	require.NoError(t, err)
	core, apps := client.CoreV1().RESTClient().(*rest.RESTClient), client.AppsV1().RESTClient().(*rest.RESTClient)

	assert.NotSame(t, core, apps)
	assert.Equal(t, "v1", core.APIVersion().String())
	assert.Equal(t, "apps/v1", apps.APIVersion().String())
	assert.Equal(t, "/apis/apps/v1/namespaces/a/deployments", apps.Get().Namespace("a").Resource("deployments").URL().Path)
	assert.Same(t, core.Client, apps.Client, "one http.Client, and so one pool of connections")
	assert.Nil(t, (*appsv1client.AppsV1Client)(nil).RESTClient())
}

func TestFactTheClientsetSendsTheRESTClientsRequest(t *testing.T) {
	rec, client := factClientset(t)
	opts := metav1.ListOptions{LabelSelector: "k8s-app=kube-dns", Limit: 5}
	_, err := client.CoreV1().Pods("kube-system").List(t.Context(), opts)
	require.NoError(t, err)
	err = client.CoreV1().RESTClient().Get().Namespace("kube-system").Resource("pods").
		VersionedParams(&opts, scheme.ParameterCodec).Do(t.Context()).Into(&corev1.PodList{})
	require.NoError(t, err)

	sent := rec.Requests(check.Match{})
	require.Len(t, sent, 2)
	assert.Equal(t, sent[0].String(), sent[1].String())
	assert.Equal(t, "/api/v1/namespaces/kube-system/pods", sent[0].Path)
}

func TestFactQPSMakesOneLimiterForTheSet(t *testing.T) {
	limiters := func(qps float32, burst int) (core, apps interface{ QPS() float32 }) {
		client, err := kubernetes.NewForConfig(&rest.Config{Host: "https://example.com", QPS: qps, Burst: burst})
		require.NoError(t, err)
		if client.CoreV1().RESTClient().GetRateLimiter() == nil {
			return nil, nil
		}
		return client.CoreV1().RESTClient().GetRateLimiter(), client.AppsV1().RESTClient().GetRateLimiter()
	}
	core, apps := limiters(50, 100)
	assert.Same(t, core, apps)
	core, apps = limiters(0, 0)
	assert.NotSame(t, core, apps, "without QPS each group-version has its own")
	assert.EqualValues(t, 5, core.QPS())
	core, _ = limiters(-1, 0)
	assert.Nil(t, core, "a negative QPS turns the limit off")

	_, err := kubernetes.NewForConfig(&rest.Config{Host: "https://example.com", QPS: 50})
	assert.ErrorContains(t, err, "burst is required to be greater than 0")
}

func TestFactAWatchIsNotLimited(t *testing.T) {
	cfg, lists, watches := factServer(t)
	cfg.QPS, cfg.Burst = 0.001, 1
	client, err := kubernetes.NewForConfig(cfg)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	list := func() error {
		_, err := client.CoreV1().Pods("a").List(ctx, metav1.ListOptions{})
		return err
	}
	require.NoError(t, list())
	require.Error(t, list(), "the limiter's next token comes after the deadline")
	for range 3 {
		w, err := client.CoreV1().Pods("a").Watch(ctx, metav1.ListOptions{})
		require.NoError(t, err)
		w.Stop()
	}
	assert.EqualValues(t, 1, lists.Load())
	assert.EqualValues(t, 3, watches.Load())
}

func TestFactALoopWithoutAPauseIsSlowedByTheLimiterAlone(t *testing.T) {
	cfg, lists, _ := factServer(t)
	cfg.QPS, cfg.Burst = 0.001, 7
	client, err := kubernetes.NewForConfig(cfg)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for err == nil {
		_, err = client.CoreV1().Pods("a").List(ctx, metav1.ListOptions{})
	}
	assert.EqualValues(t, 7, lists.Load(), "the whole burst went out at once")
	assert.NoError(t, ctx.Err(), "a wait that is longer than the deadline is refused at once, though the server is idle")
}

func TestFactTheDiscoveryClientIsEmbedded(t *testing.T) {
	_, client := factClientset(t)
	direct, err := client.ServerVersion()
	require.NoError(t, err)
	through, err := client.Discovery().ServerVersion()
	require.NoError(t, err)
	assert.Equal(t, through, direct)
}

func TestFactTheBetaVersionsOfAutoscalingAreGone(t *testing.T) {
	set := reflect.TypeFor[kubernetes.Interface]()
	for name, there := range map[string]bool{"AutoscalingV1": true, "AutoscalingV2": true, "AutoscalingV2beta1": false,
		"AutoscalingV2beta2": false, "ResourceV1": true} {
		_, ok := set.MethodByName(name)
		assert.Equal(t, there, ok, name)
	}
}

func TestFactTheClientsetKnowsNoCustomResources(t *testing.T) {
	set := reflect.TypeFor[kubernetes.Interface]()
	for i := range set.NumMethod() {
		assert.False(t, strings.HasPrefix(set.Method(i).Name, "Apiextensions"), "not even CustomResourceDefinitions")
	}
	assert.False(t, scheme.Scheme.IsGroupRegistered("workshop.example.com"))
}

func TestFactTheTypedClientsAreGeneric(t *testing.T) {
	client, err := kubernetes.NewForConfig(&rest.Config{Host: "https://example.com"})
	require.NoError(t, err)
	deployments := reflect.TypeOf(client.AppsV1().Deployments("a")).Elem()
	require.Equal(t, "v1.deployments", deployments.String())
	assert.Contains(t, deployments.Field(0).Type.String(), "gentype.ClientWithListAndApply[")
	_, hasRESTClient := deployments.FieldByName("ns")
	assert.False(t, hasRESTClient, "the fields that old texts show")

	rec, client := factClientset(t)
	_, err = client.CoreV1().ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "fact-"}},
		metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}, FieldManager: "me"})
	require.NoError(t, err)
	sent := rec.Requests(check.Match{})
	require.Len(t, sent, 1)
	assert.Equal(t, "POST /api/v1/namespaces/default/configmaps?dryRun=All&fieldManager=me -> 201", sent[0].String())
}

func TestFactTheClientsetSpeaksProtobuf(t *testing.T) {
	create := func(options ...func(*rest.Config)) check.Request {
		rec, client := factClientset(t, options...)
		_, err := client.CoreV1().ConfigMaps("default").Create(t.Context(),
			&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "fact-"}},
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		require.NoError(t, err)
		return rec.Requests(check.Match{})[0]
	}
	req := create()
	assert.Equal(t, "application/vnd.kubernetes.protobuf", req.ContentType)
	assert.Equal(t, "application/vnd.kubernetes.protobuf,application/json", req.Accept)

	req = create(func(cfg *rest.Config) { cfg.ContentType = "application/json" })
	assert.Equal(t, "application/json", req.ContentType)
	assert.NotContains(t, req.Accept, "protobuf")
}

func TestFactNoNamespaceMeansAllNamespaces(t *testing.T) {
	one, two := check.FactNamespace(t), check.FactNamespace(t)
	rec, client := factClientset(t)
	for _, ns := range []string{one, two} {
		_, err := client.CoreV1().Pods(ns).Create(t.Context(), check.PendingPod("web", map[string]string{"run": one}), metav1.CreateOptions{})
		require.NoError(t, err)
	}
	all, err := client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{LabelSelector: "run=" + one})
	require.NoError(t, err)
	assert.Len(t, all.Items, 2)
	assert.Equal(t, "/api/v1/pods", rec.Requests(check.Match{Verb: "list"})[0].Path)
	none, err := client.CoreV1().Pods(metav1.NamespaceDefault).List(t.Context(), metav1.ListOptions{LabelSelector: "run=" + one})
	require.NoError(t, err)
	assert.Empty(t, none.Items, "the default namespace is another thing")
}

// threePods makes a namespace with three pods in it.
func threePods(t *testing.T, client kubernetes.Interface) string {
	t.Helper()
	ns := check.FactNamespace(t)
	for i := range 3 {
		_, err := client.CoreV1().Pods(ns).Create(t.Context(), check.PendingPod("web-"+strconv.Itoa(i), nil), metav1.CreateOptions{})
		require.NoError(t, err)
	}
	return ns
}

func TestFactAListComesInOnePieceUnlessYouLimitIt(t *testing.T) {
	_, client := factClientset(t)
	pods := client.CoreV1().Pods(threePods(t, client))

	whole, err := pods.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	assert.Len(t, whole.Items, 3)
	assert.Empty(t, whole.Continue)

	page, err := pods.List(t.Context(), metav1.ListOptions{Limit: 1})
	require.NoError(t, err)
	assert.Len(t, page.Items, 1)
	assert.NotEmpty(t, page.Continue)
}

func TestFactResourceVersion0TakesNoNoticeOfTheLimit(t *testing.T) {
	_, client := factClientset(t)
	pods := client.CoreV1().Pods(threePods(t, client))
	assert.EventuallyWithT(t, func(c *assert.CollectT) { // the cache may lag behind
		list, err := pods.List(t.Context(), metav1.ListOptions{Limit: 1, ResourceVersion: "0"})
		require.NoError(c, err)
		assert.Len(c, list.Items, 3)
		assert.Empty(c, list.Continue)
	}, 20*time.Second, 50*time.Millisecond)
}

func TestFactThePagerAsksForTheWholeListAfter410(t *testing.T) {
	rec, client := factClientset(t)
	pods := client.CoreV1().Pods(threePods(t, client))
	rec.Answer(check.Match{Verb: "list"}, 1, 1, http.StatusGone, metav1.StatusReasonExpired, "injected")
	p := pager.New(func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
		return pods.List(ctx, opts)
	})
	p.PageSize = 2
	_, _, err := p.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	var limits []string
	for _, req := range rec.Requests(check.Match{Verb: "list"}) {
		limits = append(limits, req.Query.Get("limit"))
	}
	assert.Equal(t, []string{"2", "2", ""}, limits)
}

func TestFactATypedResultHasNoKind(t *testing.T) {
	for _, contentType := range []string{"", "application/json"} {
		_, client := factClientset(t, func(cfg *rest.Config) { cfg.ContentType = contentType })
		d, err := client.AppsV1().Deployments("kube-system").Get(t.Context(), "coredns", metav1.GetOptions{})
		require.NoError(t, err)
		assert.Empty(t, d.Kind)
		assert.Empty(t, d.APIVersion)
		kinds, _, err := scheme.Scheme.ObjectKinds(d)
		require.NoError(t, err)
		assert.Equal(t, "apps/v1, Kind=Deployment", kinds[0].String())
	}
}

func TestFactAnEmptyNamespaceIsLeftToTheServer(t *testing.T) {
	rec, client := factClientset(t)
	_, err := client.AppsV1().Deployments("").Create(t.Context(), twoContainers("web", 0), metav1.CreateOptions{})
	assert.True(t, apierrors.IsMethodNotSupported(err), "%v", err)
	_, err = client.AppsV1().Deployments("").Get(t.Context(), "web", metav1.GetOptions{})
	assert.True(t, apierrors.IsNotFound(err), "%v", err)
	assert.Equal(t, 2, rec.Count(check.Match{}), "both requests were sent")
}

func TestFactACreateWithAResourceVersionIsRefused(t *testing.T) {
	ns := check.FactNamespace(t)
	_, client := factClientset(t)
	d := twoContainers("web", 0)
	d.ResourceVersion = "7"
	_, err := client.AppsV1().Deployments(ns).Create(t.Context(), d, metav1.CreateOptions{})
	assert.ErrorContains(t, err, "resourceVersion should not be set on objects to be created")
}

func TestFactAFailedGetReturnsAnEmptyObject(t *testing.T) {
	_, client := factClientset(t)
	d, err := client.AppsV1().Deployments("default").Get(t.Context(), "no-such-deployment", metav1.GetOptions{})
	assert.True(t, apierrors.IsNotFound(err))
	assert.NotNil(t, d, "so a nil check says nothing")
	assert.Empty(t, d.Name)
}

func TestFactWhatCreateReturnsIsSoonStale(t *testing.T) {
	ns := check.FactNamespace(t)
	_, client := factClientset(t)
	created, later := factDeployment(t, client, ns, twoContainers("web", 0))
	assert.NotEqual(t, created.ResourceVersion, later.ResourceVersion, "the controller wrote to it")
	_, err := client.AppsV1().Deployments(ns).Update(t.Context(), created, metav1.UpdateOptions{})
	assert.True(t, apierrors.IsConflict(err), "%v", err)
}

func TestFactAnUpdateWithoutAVersionOverwrites(t *testing.T) {
	ns := check.FactNamespace(t)
	_, client := factClientset(t)
	created, _ := factDeployment(t, client, ns, twoContainers("web", 0))
	require.NoError(t, patchDeployment(t.Context(), client, ns, "web", `{"metadata":{"labels":{"example.com/other":"yes"}}}`))

	created.ResourceVersion = ""
	updated, err := client.AppsV1().Deployments(ns).Update(t.Context(), created, metav1.UpdateOptions{})
	require.NoError(t, err)
	assert.NotContains(t, updated.Labels, "example.com/other", "the other's label is lost, and nobody was told")
}

func TestFactUpdateLeavesTheStatusAlone(t *testing.T) {
	ns := check.FactNamespace(t)
	_, client := factClientset(t)
	pod, err := client.CoreV1().Pods(ns).Create(t.Context(), check.PendingPod("web", nil), metav1.CreateOptions{})
	require.NoError(t, err)

	pod.Status.Message, pod.Labels = "by me", map[string]string{"by": "me"}
	updated, err := client.CoreV1().Pods(ns).Update(t.Context(), pod, metav1.UpdateOptions{})
	require.NoError(t, err)
	assert.Equal(t, "me", updated.Labels["by"])
	assert.Empty(t, updated.Status.Message)

	updated.Status.Message, updated.Spec.Containers[0].Image = "by me", "registry.k8s.io/pause:3.9"
	updated, err = client.CoreV1().Pods(ns).UpdateStatus(t.Context(), updated, metav1.UpdateOptions{})
	require.NoError(t, err)
	assert.Equal(t, "by me", updated.Status.Message)
	assert.Equal(t, "registry.k8s.io/pause:3.10", updated.Spec.Containers[0].Image)
}

func TestFactAScaleCarriesTheDeploymentsVersion(t *testing.T) {
	ns := check.FactNamespace(t)
	rec, client := factClientset(t)
	factDeployment(t, client, ns, twoContainers("web", 0))
	var scale *autoscalingv1.Scale
	require.EventuallyWithT(t, func(c *assert.CollectT) { // unless the controller writes in between
		d, err := client.AppsV1().Deployments(ns).Get(t.Context(), "web", metav1.GetOptions{})
		require.NoError(c, err)
		scale, err = client.AppsV1().Deployments(ns).GetScale(t.Context(), "web", metav1.GetOptions{})
		require.NoError(c, err)
		assert.Equal(c, d.UID, scale.UID)
		assert.Equal(c, d.ResourceVersion, scale.ResourceVersion)
	}, 20*time.Second, 50*time.Millisecond)

	require.NoError(t, patchDeployment(t.Context(), client, ns, "web", `{"metadata":{"labels":{"example.com/other":"yes"}}}`))
	_, err := client.AppsV1().Deployments(ns).UpdateScale(t.Context(), "web", scale, metav1.UpdateOptions{})
	assert.True(t, apierrors.IsConflict(err), "any write to the Deployment makes the Scale stale: %v", err)
	put := rec.Requests(check.Match{Verb: "update"})[0]
	assert.Equal(t, "/apis/apps/v1/namespaces/"+ns+"/deployments/web/scale", put.Path)
}

func TestFactAMergePatchReplacesTheContainers(t *testing.T) {
	ns := check.FactNamespace(t)
	_, client := factClientset(t)
	_, err := client.AppsV1().Deployments(ns).Create(t.Context(), twoContainers("web", 0), metav1.CreateOptions{})
	require.NoError(t, err)
	patch := func(kind types.PatchType, container string) (*appsv1.Deployment, error) {
		return client.AppsV1().Deployments(ns).Patch(t.Context(), "web", kind,
			[]byte(`{"spec":{"template":{"spec":{"containers":[`+container+`]}}}}`), metav1.PatchOptions{})
	}
	d, err := patch(types.StrategicMergePatchType, `{"name":"log","image":"registry.k8s.io/pause:3.9"}`)
	require.NoError(t, err)
	assert.Len(t, d.Spec.Template.Spec.Containers, 2)

	d, err = patch(types.MergePatchType, `{"name":"log","image":"registry.k8s.io/pause:3.9"}`)
	require.NoError(t, err)
	assert.Len(t, d.Spec.Template.Spec.Containers, 1, "container web is lost")
	_, err = patch(types.MergePatchType, `{"name":"log","env":[{"name":"A","value":"b"}]}`)
	assert.True(t, apierrors.IsInvalid(err), "and without an image there would be none: %v", err)
}

func TestFactATypedObjectNamesItsEmptyFields(t *testing.T) {
	typed, err := json.Marshal(&appsv1.Deployment{Spec: appsv1.DeploymentSpec{Replicas: new(int32(2))}})
	require.NoError(t, err)
	assert.Contains(t, string(typed), `"selector":null`)
	assert.Contains(t, string(typed), `"containers":null`)

	config, err := json.Marshal(appsv1apply.Deployment("web", "a").WithSpec(appsv1apply.DeploymentSpec().WithReplicas(2)))
	require.NoError(t, err)
	assert.JSONEq(t, `{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web","namespace":"a"},"spec":{"replicas":2}}`,
		string(config))
}

func TestFactTheManagerIsThePartOfTheUserAgentBeforeTheSlash(t *testing.T) {
	ns := check.FactNamespace(t)
	_, client := factClientset(t, func(cfg *rest.Config) { cfg.UserAgent = "shop-tool/v7" })
	created, err := client.AppsV1().Deployments(ns).Create(t.Context(), twoContainers("web", 0), metav1.CreateOptions{})
	require.NoError(t, err)
	require.Len(t, created.ManagedFields, 1)
	assert.Equal(t, "shop-tool", created.ManagedFields[0].Manager)
	assert.Equal(t, metav1.ManagedFieldsOperationUpdate, created.ManagedFields[0].Operation)
}

func TestFactAFieldLeftOutOfTheNextApplyIsGivenUp(t *testing.T) {
	ns := check.FactNamespace(t)
	_, client := factClientset(t)
	apply := func(data map[string]string) *corev1.ConfigMap {
		cm, err := client.CoreV1().ConfigMaps(ns).Apply(t.Context(), corev1apply.ConfigMap("web", ns).WithData(data),
			metav1.ApplyOptions{FieldManager: "me"})
		require.NoError(t, err)
		return cm
	}
	cm := apply(map[string]string{"a": "1", "b": "2"})
	assert.NotEmpty(t, cm.UID, "an apply creates what is not there")
	cm = apply(map[string]string{"a": "1"})
	assert.Equal(t, map[string]string{"a": "1"}, cm.Data, "b belonged to nobody else, and is gone")
}

func TestFactTheSameValueIsNoConflict(t *testing.T) {
	ns := check.FactNamespace(t)
	_, client := factClientset(t)
	_, err := client.AppsV1().Deployments(ns).Create(t.Context(), twoContainers("web", 0), metav1.CreateOptions{})
	require.NoError(t, err)
	apply := func(replicas int32) error {
		config := appsv1apply.Deployment("web", ns).WithSpec(appsv1apply.DeploymentSpec().WithReplicas(replicas))
		_, err := client.AppsV1().Deployments(ns).Apply(t.Context(), config, metav1.ApplyOptions{FieldManager: "me"})
		return err
	}
	require.NoError(t, apply(0), "two managers may own one field, as long as they agree")
	err = apply(2)
	assert.True(t, apierrors.IsConflict(err), "%v", err)
	assert.ErrorContains(t, err, ".spec.replicas")
}

func TestFactAClosedWatchGivesZeroEvents(t *testing.T) {
	rec, client := factClientset(t)
	rec.CutWatch(check.Match{Resource: "pods"}, 1, 0)
	w, err := client.CoreV1().Pods("kube-system").Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	defer w.Stop()
	for range 3 {
		event, open := <-w.ResultChan()
		assert.False(t, open)
		assert.Equal(t, watch.Event{}, event)
	}
}

func TestFactAnErrorEventHoldsAStatus(t *testing.T) {
	// What a server sends when it has forgotten the version that a watch begins at.
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w,
			`{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure",`+
				`"message":"too old resource version: 1 (9)","reason":"Expired","code":410}}`)
	}))
	t.Cleanup(server.Close)
	client, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL})
	require.NoError(t, err)
	w, err := client.AppsV1().Deployments("kube-system").Watch(t.Context(), metav1.ListOptions{ResourceVersion: "1"})
	require.NoError(t, err, "the request itself is answered with 200")
	defer w.Stop()
	select {
	case event := <-w.ResultChan():
		assert.Equal(t, watch.Error, event.Type)
		assert.IsType(t, &metav1.Status{}, event.Object)
		assert.True(t, apierrors.IsResourceExpired(apierrors.FromObject(event.Object)), "%v", event.Object)
	case <-time.After(20 * time.Second):
		t.Error("no event came")
	}
}

func TestFactTheVersionOfAnUnchangedObjectGrowsOld(t *testing.T) {
	ns := check.FactNamespace(t)
	_, client := factClientset(t)
	factDeployment(t, client, ns, twoContainers("web", 0))
	version := func(c require.TestingT, s string) uint64 {
		n, err := strconv.ParseUint(s, 10, 64)
		require.NoError(c, err)
		return n
	}
	assert.EventuallyWithT(t, func(c *assert.CollectT) { // unless the controller writes in between
		other := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "other-"}}
		other, err := client.CoreV1().ConfigMaps(ns).Create(t.Context(), other, metav1.CreateOptions{})
		require.NoError(c, err)
		list, err := client.AppsV1().Deployments(ns).List(t.Context(), metav1.ListOptions{})
		require.NoError(c, err)
		assert.GreaterOrEqual(c, version(c, list.ResourceVersion), version(c, other.ResourceVersion), "the list's is of now")
		assert.Less(c, version(c, list.Items[0].ResourceVersion), version(c, other.ResourceVersion), "the object's is of its last change")
	}, 20*time.Second, 50*time.Millisecond)
}

func TestFactAnAnnotationMovesADeploymentsGeneration(t *testing.T) {
	ns := check.FactNamespace(t)
	_, client := factClientset(t)
	_, before := factDeployment(t, client, ns, twoContainers("web", 0))
	patch := func(body string) int64 {
		d, err := client.AppsV1().Deployments(ns).Patch(t.Context(), "web", types.MergePatchType, []byte(body), metav1.PatchOptions{})
		require.NoError(t, err)
		return d.Generation
	}
	assert.Equal(t, before.Generation, patch(`{"metadata":{"labels":{"a":"b"}}}`))
	assert.Equal(t, before.Generation+1, patch(`{"metadata":{"annotations":{"a":"b"}}}`))
	assert.Equal(t, before.Generation+2, patch(`{"spec":{"minReadySeconds":1}}`))
}

// heldDeployment has a pod that a finalizer keeps.
func heldDeployment(name string) *appsv1.Deployment {
	d := twoContainers(name, 1)
	d.Spec.Template.Finalizers = []string{"workshop.example.com/hold"}
	return d
}

func TestFactTheDefaultIsToDeleteInTheBackground(t *testing.T) {
	ns := check.FactNamespace(t)
	_, client := factClientset(t)
	factDeployment(t, client, ns, heldDeployment("web"))
	require.NoError(t, client.AppsV1().Deployments(ns).Delete(t.Context(), "web", metav1.DeleteOptions{}))

	_, err := client.AppsV1().Deployments(ns).Get(t.Context(), "web", metav1.GetOptions{})
	assert.True(t, apierrors.IsNotFound(err), "the Deployment is gone with the answer: %v", err)
	pods, err := client.CoreV1().Pods(ns).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	assert.Len(t, pods.Items, 1, "its pod is not")
}

func TestFactADeletedJobLeavesItsPods(t *testing.T) {
	ns := check.FactNamespace(t)
	_, client := factClientset(t, func(cfg *rest.Config) { cfg.WarningHandler = rest.NoWarnings{} })
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "once"},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: check.PendingPod("", nil).Spec}}}
	job.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyNever
	_, err := client.BatchV1().Jobs(ns).Create(t.Context(), job, metav1.CreateOptions{})
	require.NoError(t, err)
	pods := func() []corev1.Pod {
		list, err := client.CoreV1().Pods(ns).List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		return list.Items
	}
	require.Eventually(t, func() bool { return len(pods()) == 1 }, 30*time.Second, 20*time.Millisecond)

	require.NoError(t, client.BatchV1().Jobs(ns).Delete(t.Context(), "once", metav1.DeleteOptions{}))
	require.Eventually(t, func() bool {
		_, err := client.BatchV1().Jobs(ns).Get(t.Context(), "once", metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	}, 30*time.Second, 20*time.Millisecond)
	left := pods()
	require.Len(t, left, 1)
	assert.Nil(t, left[0].DeletionTimestamp)
	assert.Empty(t, left[0].OwnerReferences, "nobody owns it any more, so nobody will delete it")
}
