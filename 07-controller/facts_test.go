package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"reflect"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	networkingapply "k8s.io/client-go/applyconfigurations/networking/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	networkinglisters "k8s.io/client-go/listers/networking/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"

	"example.com/client-go-workshop/internal/check"
)

// fact is what most facts need: a namespace and a recorded client.
type fact struct {
	t   *testing.T
	ns  string
	api kubernetes.Interface
	rec *check.Recorder
}

func newFact(t *testing.T) *fact {
	t.Helper()
	f := &fact{t: t, ns: check.FactNamespace(t), rec: &check.Recorder{}}
	cfg := check.FactConfig(t)
	cfg.Wrap(f.rec.Wrap)
	api, err := kubernetes.NewForConfig(cfg)
	require.NoError(t, err)
	f.api = api
	return f
}

func (f *fact) service(name string) *corev1.Service {
	f.t.Helper()
	service, err := f.api.CoreV1().Services(f.ns).Create(f.t.Context(), newService(f.ns, name, nil), metav1.CreateOptions{})
	require.NoError(f.t, err)
	return service
}

func (f *fact) ingress(owner *corev1.Service) *networkingv1.Ingress {
	f.t.Helper()
	ingress, err := f.api.NetworkingV1().Ingresses(f.ns).Create(f.t.Context(), ingressFor(owner, "web.example.com"), metav1.CreateOptions{})
	require.NoError(f.t, err)
	return ingress
}

func (f *fact) gone(name string) bool {
	_, err := f.api.NetworkingV1().Ingresses(f.ns).Get(f.t.Context(), name, metav1.GetOptions{})
	return apierrors.IsNotFound(err)
}

func soon(t *testing.T, ok func() bool, what string) {
	t.Helper()
	require.Eventually(t, ok, 20*time.Second, 20*time.Millisecond, what)
}

func newFactQueue(t *testing.T) workqueue.TypedRateLimitingInterface[string] {
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	t.Cleanup(queue.ShutDown)
	return queue
}

// The API server itself stores the Service; no controller has to make it.
func TestFactTheServerMakesTheService(t *testing.T) {
	f := newFact(t)
	created := f.service("web")
	found, err := f.api.CoreV1().Services(f.ns).Get(t.Context(), "web", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, created.ResourceVersion, found.ResourceVersion)
	assert.NotEmpty(t, found.Spec.ClusterIP, "the server gave it an address as well")
}

func TestFactTheGarbageCollectorTakesTheIngress(t *testing.T) {
	f := newFact(t)
	f.ingress(f.service("web"))
	require.NoError(t, f.api.CoreV1().Services(f.ns).Delete(t.Context(), "web", metav1.DeleteOptions{}))
	soon(t, func() bool { return f.gone("web") }, "the Ingress goes with its owner")
}

func TestFactAnOwnerThatDoesNotExistCountsAsDeleted(t *testing.T) {
	f := newFact(t)
	never := newService(f.ns, "never", nil)
	never.UID = "6e1fb5ac-0000-4000-8000-00000000beef"
	f.ingress(never)
	soon(t, func() bool { return f.gone("never") }, "the Ingress of an owner that never was goes")
}

func TestFactAnObjectFromAListerHasNoKind(t *testing.T) {
	f := newFact(t)
	f.service("web")
	factory := informers.NewSharedInformerFactoryWithOptions(f.api, 0, informers.WithNamespace(f.ns))
	lister := factory.Core().V1().Services().Lister()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	factory.StartWithContext(ctx)
	require.NoError(t, factory.WaitForCacheSyncWithContext(ctx).AsError())
	service, err := lister.Services(f.ns).Get("web")
	require.NoError(t, err)
	assert.Empty(t, service.Kind)
	assert.Empty(t, service.APIVersion)

	ingress := ingressFor(service, "web.example.com")
	ingress.OwnerReferences[0].APIVersion, ingress.OwnerReferences[0].Kind = service.APIVersion, service.Kind
	_, err = f.api.NetworkingV1().Ingresses(f.ns).Create(t.Context(), ingress, metav1.CreateOptions{})
	assert.True(t, apierrors.IsInvalid(err), "an owner without a kind is refused: %v", err)
}

func TestFactNewControllerRefBlocksOwnerDeletion(t *testing.T) {
	owner := metav1.NewControllerRef(newService("ns", "web", nil), corev1.SchemeGroupVersion.WithKind("Service"))
	require.NotNil(t, owner.BlockOwnerDeletion)
	assert.True(t, *owner.BlockOwnerDeletion)
	assert.True(t, *owner.Controller)
}

func TestFactIsControlledByComparesUIDs(t *testing.T) {
	service := newService("ns", "web", nil)
	ingress := ingressFor(service, "web.example.com")
	assert.True(t, metav1.IsControlledBy(ingress, service))
	again := newService("ns", "web", nil)
	again.UID = "another"
	assert.False(t, metav1.IsControlledBy(ingress, again), "the same name is not enough")
	ingress.OwnerReferences[0].Controller = nil
	assert.False(t, metav1.IsControlledBy(ingress, service), "an owner that is not the controller is not enough")
}

func TestFactATombstoneHasItsOwnKeyFunction(t *testing.T) {
	tombstone := cache.DeletedFinalStateUnknown{Key: "shop/web", Obj: nil}
	_, err := cache.MetaNamespaceKeyFunc(tombstone)
	require.Error(t, err)
	name, err := cache.DeletionHandlingObjectToName(tombstone)
	require.NoError(t, err)
	assert.Equal(t, "shop/web", name.String())
}

func TestFactAResyncBringsTheSamePointerTwice(t *testing.T) {
	f := newFact(t)
	f.service("web")
	factory := informers.NewSharedInformerFactoryWithOptions(f.api, time.Second, informers.WithNamespace(f.ns))
	same := make(chan bool, 100)
	_, err := factory.Core().V1().Services().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(before, after any) { same <- before == after },
	})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	factory.StartWithContext(ctx)
	assert.True(t, <-same)
}

func TestFactTheWaitSaysWhetherItSucceeded(t *testing.T) {
	f := newFact(t)
	f.rec.Delay(check.Match{Resource: "services"}, check.Always, time.Minute)
	factory := informers.NewSharedInformerFactoryWithOptions(f.api, 0, informers.WithNamespace(f.ns))
	informer := factory.Core().V1().Services().Informer()
	ctx, stop := context.WithCancel(t.Context())
	factory.StartWithContext(ctx)
	soon(t, func() bool { return f.rec.Count(check.Match{Resource: "services"}) > 0 }, "the cache is filled by requests to the API server")
	time.AfterFunc(100*time.Millisecond, stop)
	assert.False(t, cache.WaitForCacheSync(ctx.Done(), informer.HasSynced), "false: the wait ended without a sync")
}

func TestFactTheWorkqueueKnowsNoInformer(t *testing.T) {
	queue := newFactQueue(t)
	queue.Add("shop/web")
	key, shutdown := queue.Get()
	assert.Equal(t, "shop/web", key)
	assert.False(t, shutdown)
	queue.Done(key)
}

func TestFactThreeAddsAreOneKey(t *testing.T) {
	queue := newFactQueue(t)
	for range 3 {
		queue.Add("shop/web")
	}
	assert.Equal(t, 1, queue.Len())
}

func TestFactAKeyInWorkWaitsForDone(t *testing.T) {
	queue := newFactQueue(t)
	queue.Add("shop/web")
	key, _ := queue.Get()
	queue.Add(key)
	assert.Equal(t, 0, queue.Len(), "no second worker gets the key, however many there are")
	queue.Done(key)
	assert.Equal(t, 1, queue.Len(), "and the event is not lost")
}

func TestFactWithoutDoneAKeyNeverComesBack(t *testing.T) {
	queue := newFactQueue(t)
	queue.Add("shop/web")
	key, _ := queue.Get()
	queue.Forget(key) // Forget is another thing than Done
	queue.Add(key)
	assert.Equal(t, 0, queue.Len())
}

func TestFactFailuresCountUntilForget(t *testing.T) {
	queue := newFactQueue(t)
	for range 3 {
		queue.AddRateLimited("shop/web")
	}
	assert.Equal(t, 3, queue.NumRequeues("shop/web"))
	soon(t, func() bool { return queue.Len() == 1 }, "the key comes back")
	key, _ := queue.Get()
	queue.Done(key)
	assert.Equal(t, 3, queue.NumRequeues("shop/web"), "Done does not reset it")
	queue.Forget(key)
	assert.Equal(t, 0, queue.NumRequeues("shop/web"))
}

func TestFactTheDefaultDelaysDouble(t *testing.T) {
	limiter := workqueue.DefaultTypedControllerRateLimiter[string]()
	want := 5 * time.Millisecond
	for range 10 {
		assert.Equal(t, want, limiter.When("shop/web"))
		want *= 2
	}
	for range 10 {
		limiter.When("shop/web")
	}
	assert.Equal(t, 1000*time.Second, limiter.When("shop/web"), "the longest delay")
}

// The default limiter also has one bucket for all keys: after 100 retries at
// once, ten a second.
func TestFactTheDefaultLimiterHasOneBucketForAllKeys(t *testing.T) {
	limiter := workqueue.DefaultTypedControllerRateLimiter[int]()
	var last time.Duration
	for key := range 200 {
		last = limiter.When(key)
	}
	assert.Greater(t, last, 5*time.Second, "the first failure of the 200th key")
}

func TestFactOnlyShutDownWakesAWorker(t *testing.T) {
	queue := newFactQueue(t)
	ctx, cancel := context.WithCancel(t.Context())
	begun, ended := make(chan struct{}), make(chan struct{})
	go wait.UntilWithContext(ctx, func(context.Context) {
		close(begun)
		if _, shutdown := queue.Get(); shutdown {
			close(ended)
		}
	}, time.Hour)
	<-begun
	cancel()
	select {
	case <-ended:
		t.Fatal("the end of ctx woke the worker")
	case <-time.After(200 * time.Millisecond):
	}
	queue.ShutDown()
	<-ended
}

func TestFactGetAfterShutDownGivesAnEmptyKey(t *testing.T) {
	queue := newFactQueue(t)
	queue.Add("shop/web")
	queue.ShutDown()
	key, shutdown := queue.Get()
	assert.Equal(t, "shop/web", key, "what was in the queue still comes")
	assert.False(t, shutdown)
	queue.Done(key)
	key, shutdown = queue.Get()
	assert.Empty(t, key)
	assert.True(t, shutdown)
}

func TestFactUntilPausesWhenTheWorkerReturns(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	calls := make(chan struct{}, 10)
	go wait.UntilWithContext(ctx, func(context.Context) { calls <- struct{}{} }, time.Hour)
	<-calls
	select {
	case <-calls:
		t.Fatal("the worker was called again at once")
	case <-time.After(200 * time.Millisecond):
	}
}

func TestFactTheDefaultLimitIsFiveASecond(t *testing.T) {
	cfg := rest.CopyConfig(check.FactConfig(t))
	cfg.QPS = 0
	client, err := kubernetes.NewForConfig(cfg)
	require.NoError(t, err)
	limiter := client.NetworkingV1().RESTClient().GetRateLimiter()
	assert.InDelta(t, 5, limiter.QPS(), 0.001)
	accepted := 0
	for limiter.TryAccept() {
		accepted++
	}
	assert.Equal(t, 10, accepted, "requests at once, before the limit begins")

	cfg.QPS = -1
	client, err = kubernetes.NewForConfig(cfg)
	require.NoError(t, err)
	for range 1000 {
		limiter := client.NetworkingV1().RESTClient().GetRateLimiter()
		require.True(t, limiter == nil || limiter.TryAccept(), "below zero there is no limit")
	}
}

// One limiter is shared by all the clients of a clientset when QPS is set, so
// that more workers do not make more requests.
func TestFactAllClientsOfAClientsetShareTheLimit(t *testing.T) {
	cfg := rest.CopyConfig(check.FactConfig(t))
	cfg.QPS, cfg.Burst = 1, 10
	client, err := kubernetes.NewForConfig(cfg)
	require.NoError(t, err)
	for client.NetworkingV1().RESTClient().GetRateLimiter().TryAccept() {
	}
	assert.False(t, client.CoreV1().RESTClient().GetRateLimiter().TryAccept())
}

func TestFactADeleteCanHavePreconditions(t *testing.T) {
	f := newFact(t)
	ingress := f.ingress(f.service("web"))
	remove := func(uid types.UID, version string) error {
		return f.api.NetworkingV1().Ingresses(f.ns).Delete(t.Context(), "web",
			metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &version}})
	}
	assert.True(t, apierrors.IsConflict(remove("another", ingress.ResourceVersion)))
	assert.True(t, apierrors.IsConflict(remove(ingress.UID, "1")))
	assert.NoError(t, remove(ingress.UID, ingress.ResourceVersion))
}

func TestFactApplyTouchesItsOwnFieldsOnly(t *testing.T) {
	f := newFact(t)
	f.ingress(f.service("web"))
	ingresses := f.api.NetworkingV1().Ingresses(f.ns)
	before, err := ingresses.Patch(t.Context(), "web", types.MergePatchType,
		[]byte(`{"metadata":{"labels":{"team":"red"}},"spec":{"tls":[{"secretName":"web"}]}}`), metav1.PatchOptions{})
	require.NoError(t, err)
	spec := networkingapply.IngressSpec().WithRules(networkingapply.IngressRule().WithHost("new.example.com"))
	config := networkingapply.Ingress("web", f.ns).WithSpec(spec)
	after, err := ingresses.Apply(t.Context(), config, metav1.ApplyOptions{FieldManager: "fact", Force: true})
	require.NoError(t, err)
	assert.Equal(t, "new.example.com", after.Spec.Rules[0].Host)
	assert.Equal(t, before.Labels, after.Labels)
	assert.Equal(t, before.Spec.TLS, after.Spec.TLS)
	assert.Equal(t, before.OwnerReferences, after.OwnerReferences)
}

func TestFactApplyCanHavePreconditions(t *testing.T) {
	f := newFact(t)
	ingress := f.ingress(f.service("web"))
	ingresses := f.api.NetworkingV1().Ingresses(f.ns)
	apply := func(name string, uid types.UID, version string) error {
		config := networkingapply.Ingress(name, f.ns).WithUID(uid).WithResourceVersion(version).
			WithSpec(networkingapply.IngressSpec().WithRules(networkingapply.IngressRule().WithHost("new.example.com")))
		_, err := ingresses.Apply(t.Context(), config, metav1.ApplyOptions{FieldManager: "fact", Force: true})
		return err
	}
	err := apply("web", "another", ingress.ResourceVersion)
	assert.True(t, apierrors.IsInvalid(err), "an object keeps its UID: %v", err)
	err = apply("web", ingress.UID, "1")
	assert.True(t, apierrors.IsConflict(err), "%v", err)
	err = apply("gone", ingress.UID, ingress.ResourceVersion)
	assert.True(t, apierrors.IsConflict(err), "with a UID, apply does not create: %v", err)
	assert.NoError(t, apply("web", ingress.UID, ingress.ResourceVersion))
}

func TestFactAnApplyThatChangesNothingIsNoWrite(t *testing.T) {
	f := newFact(t)
	f.ingress(f.service("web"))
	apply := func() string {
		spec := networkingapply.IngressSpec().WithRules(networkingapply.IngressRule().WithHost("new.example.com"))
		config := networkingapply.Ingress("web", f.ns).WithSpec(spec)
		after, err := f.api.NetworkingV1().Ingresses(f.ns).Apply(t.Context(), config, metav1.ApplyOptions{FieldManager: "fact", Force: true})
		require.NoError(t, err)
		return after.ResourceVersion
	}
	assert.Equal(t, apply(), apply(), "the resourceVersion stays, but the request was made")
}

func TestFactATerminatingNamespaceTakesNothingNew(t *testing.T) {
	f := newFact(t)
	pod := check.PendingPod("hold", nil)
	pod.Finalizers = []string{"workshop.example.com/hold"}
	_, err := f.api.CoreV1().Pods(f.ns).Create(t.Context(), pod, metav1.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, f.api.CoreV1().Namespaces().Delete(t.Context(), f.ns, metav1.DeleteOptions{}))
	soon(t, func() bool {
		_, err = f.api.NetworkingV1().Ingresses(f.ns).Create(t.Context(), ingressFor(newService(f.ns, "late", nil), "late.example.com"),
			metav1.CreateOptions{})
		return err != nil
	}, "the create is refused")
	assert.True(t, apierrors.IsForbidden(err), "it looks like a missing permission: %v", err)
	assert.True(t, apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause))
}

func TestFactARepeatedEventIsPatched(t *testing.T) {
	f := newFact(t)
	service := f.service("web")
	broadcaster := record.NewBroadcaster()
	defer broadcaster.Shutdown()
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: f.api.CoreV1().Events("")})
	recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "fact"})
	for range 3 {
		recorder.Event(service, corev1.EventTypeWarning, "Fact", "the same again")
	}
	requests := func(verb string) int { return f.rec.Count(check.Match{Resource: "events", Verb: verb}) }
	soon(t, func() bool { return requests("create") == 1 && requests("patch") == 2 }, "one Event, two patches of it")
	// The API server may warn of a new Service's address as well.
	list, err := f.api.CoreV1().Events(f.ns).List(t.Context(), metav1.ListOptions{FieldSelector: "reason=Fact"})
	require.NoError(t, err)
	require.Len(t, list.Items, 1)
}

func TestFactManyEventsOnOneObjectAreDropped(t *testing.T) {
	f := newFact(t)
	service := f.service("web")
	broadcaster := record.NewBroadcaster()
	defer broadcaster.Shutdown()
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: f.api.CoreV1().Events("")})
	recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "fact"})
	for range 60 {
		recorder.Event(service, corev1.EventTypeWarning, "Fact", "the same again")
	}
	sent := func() int { return f.rec.Count(check.Match{Resource: "events"}) }
	soon(t, func() bool { return sent() >= 25 }, "the first 25 are sent")
	other := f.service("other")
	recorder.Event(other, corev1.EventTypeNormal, "Fact", "the end")
	soon(t, func() bool {
		list, err := f.api.CoreV1().Events(f.ns).List(t.Context(), metav1.ListOptions{FieldSelector: "involvedObject.name=other,reason=Fact"})
		return err == nil && len(list.Items) == 1
	}, "what comes after them is sent")
	assert.Less(t, f.rec.Count(check.Match{Resource: "events", Verb: "patch"})+f.rec.Count(check.Match{Resource: "events", Verb: "create"}),
		30)
}

func TestFactAReleasedLeaseHasNoHolder(t *testing.T) {
	f := newFact(t)
	ctx, cancel := context.WithCancel(t.Context())
	config := electorFor(f, time.Hour, func(context.Context) { cancel() })
	config.ReleaseOnCancel = true
	elector, err := leaderelection.NewLeaderElector(config)
	require.NoError(t, err)
	elector.Run(ctx)
	lease, err := f.api.CoordinationV1().Leases(f.ns).Get(t.Context(), "fact", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Empty(t, deref(lease.Spec.HolderIdentity))
}

// The elector releases the Lease as soon as its context ends, and does not wait
// for what OnStartedLeading still does.
func TestFactTheElectorDoesNotWaitForTheWork(t *testing.T) {
	f := newFact(t)
	ctx, cancel := context.WithCancel(t.Context())
	working := make(chan struct{})
	config := electorFor(f, time.Hour, func(context.Context) { cancel(); <-working })
	config.ReleaseOnCancel = true
	elector, err := leaderelection.NewLeaderElector(config)
	require.NoError(t, err)
	elector.Run(ctx)
	lease, err := f.api.CoordinationV1().Leases(f.ns).Get(t.Context(), "fact", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Empty(t, deref(lease.Spec.HolderIdentity), "released, and the work still runs")
	close(working)
}

func TestFactTheElectorReleasesBeforeTheWorkHears(t *testing.T) {
	f := newFact(t)
	released := make(chan int, 1)
	config := electorFor(f, 3*time.Second, func(leading context.Context) {
		f.rec.Refuse(check.Match{Resource: "leases", Verb: "update"}, http.StatusInternalServerError)
		<-leading.Done()
		released <- releasesIn(f.rec)
	})
	config.ReleaseOnCancel = true
	elector, err := leaderelection.NewLeaderElector(config)
	require.NoError(t, err)
	elector.Run(t.Context())
	assert.Positive(t, <-released, "sent before the context of the work ended")
}

func TestFactOneHungRequestDoesNotLoseTheLease(t *testing.T) {
	election := Election{LeaseDuration: 4 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 200 * time.Millisecond}
	for timeout, lost := range map[time.Duration]bool{election.requestTimeout(): false, election.RenewDeadline: true} {
		t.Run(timeout.String(), func(t *testing.T) {
			f := newFact(t)
			cfg := check.FactConfig(t)
			cfg.Timeout = timeout
			cfg.Wrap(f.rec.Wrap)
			api, err := kubernetes.NewForConfig(cfg)
			require.NoError(t, err)
			f.api = api
			ended := make(chan struct{})
			elector, err := leaderelection.NewLeaderElector(electorFor(f, election.LeaseDuration, func(leading context.Context) {
				f.rec.Delay(check.Match{Resource: "leases", Verb: "update"}, 1, time.Minute)
				<-leading.Done()
				close(ended)
			}))
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
			defer cancel()
			elector.Run(ctx)
			<-ended
			assert.Equal(t, lost, ctx.Err() == nil, "the context of the work ended before that of the elector")
		})
	}
}

// electorFor is an elector's configuration with the times of a fast election.
func electorFor(f *fact, lease time.Duration, started func(context.Context)) leaderelection.LeaderElectionConfig {
	return leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{LeaseMeta: metav1.ObjectMeta{Namespace: f.ns, Name: "fact"}, Client: f.api.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: "me"}},
		LeaseDuration: lease, RenewDeadline: 2 * time.Second, RetryPeriod: 200 * time.Millisecond,
		Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: started, OnStoppedLeading: func() {}},
	}
}

func TestFactABrokenKubeconfigIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(file, []byte("clusters: [nothing, of, use"), 0o600))
	_, err := clientcmd.BuildConfigFromFlags("", file)
	require.Error(t, err)
	assert.False(t, errors.Is(err, rest.ErrNotInCluster))
	_, err = clientcmd.BuildConfigFromFlags("", filepath.Join(t.TempDir(), "missing"))
	require.Error(t, err)
}

func TestFactAForbiddenListIsRetriedWithoutEnd(t *testing.T) {
	f := newFact(t)
	for _, verb := range []string{"list", "watch"} {
		f.rec.Answer(check.Match{Resource: "services", Verb: verb}, 0, check.Always, http.StatusForbidden, metav1.StatusReasonForbidden,
			"the fact says no")
	}
	factory := informers.NewSharedInformerFactoryWithOptions(f.api, 0, informers.WithNamespace(f.ns))
	informer := factory.Core().V1().Services().Informer()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	factory.StartWithContext(ctx)
	soon(t, func() bool { return f.rec.Count(check.Match{Resource: "services"}) >= 4 }, "it asks again and again")
	assert.False(t, informer.HasSynced(), "and who waits for it waits for ever")
}

func TestFactAnAnnotationIsText(t *testing.T) {
	f := newFact(t)
	services := f.api.CoreV1().Services(f.ns)
	service, err := services.Create(t.Context(), newService(f.ns, "web", map[string]string{askFor: "false"}), metav1.CreateOptions{})
	require.NoError(t, err)
	value, there := service.Annotations[askFor]
	assert.True(t, there, "who asks only whether it is there takes this for a yes")
	assert.Equal(t, "false", value)
	_, err = services.Patch(t.Context(), "web", types.MergePatchType, []byte(`{"metadata":{"annotations":{"`+askFor+`":true}}}`),
		metav1.PatchOptions{})
	assert.ErrorContains(t, err, "cannot unmarshal bool", "a true without quotes is no annotation")
}

func TestFactTheServerFollowsNoReferenceOfAnIngress(t *testing.T) {
	f := newFact(t)
	first := f.ingress(f.service("web"))
	second := ingressFor(f.service("shop"), first.Spec.Rules[0].Host)
	second.Spec.IngressClassName = new("no-such-class")
	second.Spec.Rules[0].HTTP.Paths[0].Backend.Service.Port.Number = 81 // the Service has 8080
	created, err := f.api.NetworkingV1().Ingresses(f.ns).Create(t.Context(), second, metav1.CreateOptions{})
	require.NoError(t, err)
	assert.Equal(t, first.Spec.Rules[0].Host, created.Spec.Rules[0].Host, "two Ingresses have one host and one path")
	assert.Equal(t, "no-such-class", deref(created.Spec.IngressClassName))
	assert.EqualValues(t, 81, created.Spec.Rules[0].HTTP.Paths[0].Backend.Service.Port.Number)
}

func TestFactAnIngressTakesFewerPortNamesThanAService(t *testing.T) {
	f := newFact(t)
	for _, name := range []string{"longer-than-15-characters", "8080", "web--admin"} {
		service := newService(f.ns, "web", nil, corev1.ServicePort{Name: name, Port: 8080})
		_, err := f.api.CoreV1().Services(f.ns).Create(t.Context(), service, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		require.NoError(t, err)
		ingress := ingressFor(service, "web.example.com")
		ingress.Spec.Rules[0].HTTP.Paths[0].Backend.Service.Port = networkingv1.ServiceBackendPort{Name: name}
		_, err = f.api.NetworkingV1().Ingresses(f.ns).Create(t.Context(), ingress, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		assert.ErrorContains(t, err, "backend.service.port.name", "%q", name)
	}
}

func TestFactTheFakeTakesWhatTheServerRefuses(t *testing.T) {
	f := newFact(t)
	var client kubernetes.Interface = fake.NewClientset()
	_, isClientset := client.(*kubernetes.Clientset)
	assert.False(t, isClientset, "who wants a *kubernetes.Clientset cannot be given a fake")

	ingress := ingressFor(newService(f.ns, "web", nil), "web.example.com")
	ingress.Spec.Rules[0].HTTP.Paths[0].PathType = nil
	ingress.OwnerReferences[0].Kind = ""
	_, err := client.NetworkingV1().Ingresses(f.ns).Create(t.Context(), ingress, metav1.CreateOptions{})
	assert.NoError(t, err)
	_, err = f.api.NetworkingV1().Ingresses(f.ns).Create(t.Context(), ingress, metav1.CreateOptions{})
	assert.True(t, apierrors.IsInvalid(err), "%v", err)
}

// outageFactory has informers of Ingresses whose watch the test cuts.
func (f *fact) outageFactory() (informers.SharedInformerFactory, *check.Outage) {
	outage := f.rec.Outage(check.Match{Resource: "ingresses"})
	return informers.NewSharedInformerFactoryWithOptions(f.api, 0, informers.WithNamespace(f.ns)), outage
}

func TestFactADeletionThatNobodySawIsATombstone(t *testing.T) {
	f := newFact(t)
	f.ingress(f.service("web"))
	factory, outage := f.outageFactory()
	deleted := make(chan any, 10)
	handler := cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) { deleted <- obj }}
	_, err := factory.Networking().V1().Ingresses().Informer().AddEventHandler(handler)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	factory.StartWithContext(ctx)
	require.NoError(t, factory.WaitForCacheSyncWithContext(ctx).AsError())

	outage.Expire(func() error {
		return f.api.NetworkingV1().Ingresses(f.ns).Delete(ctx, "web", metav1.DeleteOptions{})
	})
	select {
	case obj := <-deleted:
		tombstone, ok := obj.(cache.DeletedFinalStateUnknown)
		require.True(t, ok, "a handler that asserts an Ingress panics here: %T", obj)
		assert.Equal(t, f.ns+"/web", tombstone.Key)
		assert.IsType(t, &networkingv1.Ingress{}, tombstone.Obj, "the last known state")
	case <-time.After(20 * time.Second):
		t.Fatal("nobody heard of the deletion")
	}
}

func TestFactAStaleCacheIsToldByAlreadyExists(t *testing.T) {
	f := newFact(t)
	service := f.service("web")
	factory, outage := f.outageFactory()
	lister := factory.Networking().V1().Ingresses().Lister()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	factory.StartWithContext(ctx)
	require.NoError(t, factory.WaitForCacheSyncWithContext(ctx).AsError())

	answers := make(chan [2]error, 1)
	outage.Expire(func() error {
		ingresses := f.api.NetworkingV1().Ingresses(f.ns)
		_, err := ingresses.Create(ctx, ingressFor(service, "somebody.example.com"), metav1.CreateOptions{})
		if err != nil {
			return err
		}
		_, cached := lister.Ingresses(f.ns).Get("web")
		_, again := ingresses.Create(ctx, ingressFor(service, "web.example.com"), metav1.CreateOptions{})
		answers <- [2]error{cached, again}
		return nil
	})
	select {
	case got := <-answers:
		assert.True(t, apierrors.IsNotFound(got[0]), "the cache has no Ingress: %v", got[0])
		assert.True(t, apierrors.IsAlreadyExists(got[1]), "the server has one: %v", got[1])
	case <-time.After(20 * time.Second):
		t.Fatal("the watch did not come back")
	}
}

func TestFactTheHandlersAreInSyncAfterTheCaches(t *testing.T) {
	f := newFact(t)
	f.service("web")
	factory := informers.NewSharedInformerFactoryWithOptions(f.api, 0, informers.WithNamespace(f.ns))
	release := make(chan struct{})
	handler := cache.ResourceEventHandlerFuncs{AddFunc: func(any) { <-release }}
	registration, err := factory.Core().V1().Services().Informer().AddEventHandler(handler)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	factory.StartWithContext(ctx)
	require.NoError(t, factory.WaitForCacheSyncWithContext(ctx).AsError())
	time.Sleep(100 * time.Millisecond)
	assert.False(t, registration.HasSynced(), "the cache is whole, and the handler has not seen it yet")
	close(release)
	soon(t, registration.HasSynced, "only the registration knows when it has")
}

func TestFactGetControllerOfLooksAtNoKind(t *testing.T) {
	ingress := ingressFor(newService("shop", "web", nil), "web.example.com")
	ingress.Name = "web-public"
	owner := metav1.GetControllerOf(ingress)
	require.NotNil(t, owner)
	assert.Equal(t, "web", owner.Name, "the owner's name, which need not be the Ingress's")

	ingress.OwnerReferences[0].APIVersion = "serving.example.com/v1"
	owner = metav1.GetControllerOf(ingress)
	require.NotNil(t, owner, "a Service of another API is returned as well")
	assert.Equal(t, "Service", owner.Kind)
	ingress.OwnerReferences[0].Controller = nil
	assert.Nil(t, metav1.GetControllerOf(ingress))
}

// brokenIndexer is a cache that cannot answer.
type brokenIndexer struct{ cache.Indexer }

func (brokenIndexer) GetByKey(string) (any, bool, error) { return nil, false, errors.New("broken") }

func TestFactAListerHasThreeAnswers(t *testing.T) {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	require.NoError(t, indexer.Add(ingressFor(newService("shop", "web", nil), "web.example.com")))
	lister := networkinglisters.NewIngressLister(indexer).Ingresses("shop")
	ingress, err := lister.Get("web")
	require.NoError(t, err)
	assert.Equal(t, "web", ingress.Name)
	_, err = lister.Get("none")
	assert.True(t, apierrors.IsNotFound(err), "%v", err)

	_, err = networkinglisters.NewIngressLister(brokenIndexer{indexer}).Ingresses("shop").Get("web")
	require.Error(t, err)
	assert.False(t, apierrors.IsNotFound(err), "an error that says nothing about the Ingress: %v", err)
}

func TestFactADeletingServiceOutlivesItsIngress(t *testing.T) {
	f := newFact(t)
	service := f.service("web")
	held := ingressFor(service, "web.example.com")
	held.OwnerReferences[0].BlockOwnerDeletion = new(true)
	held.Finalizers = []string{"workshop.example.com/hold"}
	ingresses, services := f.api.NetworkingV1().Ingresses(f.ns), f.api.CoreV1().Services(f.ns)
	_, err := ingresses.Create(t.Context(), held, metav1.CreateOptions{})
	require.NoError(t, err)
	foreground := metav1.DeletePropagationForeground
	require.NoError(t, services.Delete(t.Context(), "web", metav1.DeleteOptions{PropagationPolicy: &foreground}))
	soon(t, func() bool {
		ingress, err := ingresses.Get(t.Context(), "web", metav1.GetOptions{})
		return err == nil && ingress.DeletionTimestamp != nil
	}, "the garbage collector deletes the Ingress first")
	service, err = services.Get(t.Context(), "web", metav1.GetOptions{})
	require.NoError(t, err, "and the Service is still there, annotation and all")
	assert.NotNil(t, service.DeletionTimestamp)
	assert.Equal(t, "true", service.Annotations[askFor])

	_, err = ingresses.Patch(t.Context(), "web", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	require.NoError(t, err)
	soon(t, func() bool {
		_, err := services.Get(t.Context(), "web", metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	}, "the Service goes when its Ingress has gone")
}

func TestFactTheEndOfAContextEndsItsRequests(t *testing.T) {
	f := newFact(t)
	service := f.service("web")
	f.rec.Delay(check.Match{Verb: "create", Resource: "ingresses"}, check.Always, time.Minute)
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, stop)
	_, err := f.api.NetworkingV1().Ingresses(f.ns).Create(ctx, ingressFor(service, "web.example.com"), metav1.CreateOptions{})
	assert.ErrorIs(t, err, context.Canceled, "a request with context.TODO() would be waited for")
}

func TestFactTheOldQueueNamesAreTheQueueOfAny(t *testing.T) {
	//nolint:staticcheck // the deprecated names are what this fact is about
	old := workqueue.NewNamedRateLimitingQueue(workqueue.DefaultControllerRateLimiter(), "fact")
	defer old.ShutDown()
	var queue workqueue.TypedRateLimitingInterface[any] = old
	queue.Add("shop/web")
	queue.Add(7)
	assert.Equal(t, 2, queue.Len(), "no compiler looks at the keys")

	get, ok := reflect.TypeFor[workqueue.TypedRateLimitingInterface[string]]().MethodByName("Get")
	require.True(t, ok)
	assert.Equal(t, reflect.TypeFor[string](), get.Type.Out(0), "a typed queue gives out keys that need no assertion")
}

func TestFactASignalEndsNothingButItsContext(t *testing.T) {
	f := newFact(t)
	factory := informers.NewSharedInformerFactoryWithOptions(f.api, 0, informers.WithNamespace(f.ns))
	factory.Core().V1().Services().Informer()
	ctx, stop := signal.NotifyContext(t.Context(), syscall.SIGTERM)
	defer stop()
	factory.StartWithContext(ctx)
	require.NoError(t, factory.WaitForCacheSyncWithContext(ctx).AsError())
	ended := make(chan struct{})
	go func() {
		factory.Shutdown() // waits, and ends nothing itself
		close(ended)
	}()
	select {
	case <-ended:
		t.Fatal("the informers ended by themselves")
	case <-time.After(200 * time.Millisecond):
	}
	self, err := os.FindProcess(os.Getpid())
	require.NoError(t, err)
	require.NoError(t, self.Signal(syscall.SIGTERM))
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Fatal("SIGTERM did not reach the informers")
	}
}
