// Chapter 06: find objects in an informer's cache by what they are, not by what
// they are called: indexes, and when to use which.
//
// Run it from the repository root: go run ./06-indexer
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/todo"
	"example.com/client-go-workshop/internal/trace"
)

// The names of the indexes. A name that is misspelt is found out only when the
// index is asked, so each is written once.
const (
	AppIndex          = "byApp"
	NamespaceAppIndex = "byNamespaceApp"
	NodeIndex         = "byNode"
	OwnerIndex        = "byOwner"
)

// AppLabel is the label whose value AppIndex is about.
const AppLabel = "app"

// AppReport is what the index AppIndex says about one app.
type AppReport struct {
	// Pods are the pods of the app, sorted by namespace and name.
	Pods []*corev1.Pod
	// Keys are the keys of those pods, namespace/name, sorted.
	Keys []string
	// Apps are all apps that the index knows, sorted.
	Apps []string
}

// Query is a question about pods.
type Query struct {
	// Namespace is the one to look into; empty means all.
	Namespace string
	// App is the value of the label app; empty means any, and pods without it.
	App string
	// Selector says what else the labels must be; nil means nothing else.
	Selector labels.Selector
	// Fresh wants an answer that is not older than the question.
	Fresh bool
}

// AppIndexFunc is the function of the index AppIndex: it returns the values under
// which obj is found.
//
// Step 1: say under which values an object is indexed.
//
// A *corev1.Pod with a label app has one value, that label's value, which may be
// empty. Everything else has no value, and that is no error:
//
//   - a pod without the label, or without any labels;
//   - an object of another type, whatever labels it has;
//   - nil, also as a *corev1.Pod;
//   - a tombstone (cache.DeletedFinalStateUnknown), which is not the pod itself.
//
// No values means an empty slice: [""] is one value.
//
// The cache panics on an error of an index function, and a panic of the cache
// ends the program. Leave obj as it is.
func AppIndexFunc(obj any) ([]string, error) {
	panic(todo.Step(1))
}

// NewIndexedInformer returns the factory's pod informer, with the index AppIndex.
//
// Step 2: add an index to a factory's informer.
//
//   - Return the factory's own pod informer: everybody who asks that factory for
//     pods shares it.
//   - Add one index to it. Its name is AppIndex, its function is indexFunc.
//   - The index that the factory has put there already stays.
//   - An index of that name that is there already is an error: return it, wrapped
//     with %w.
//   - Start nothing: the caller starts the factory. Make no request.
func NewIndexedInformer(factory informers.SharedInformerFactory, indexFunc cache.IndexFunc) (coreinformers.PodIndexInformer, error) {
	panic(todo.Step(2))
}

// NewHandMadeInformer returns an informer on the pods of one namespace, without a
// factory.
//
// Step 3: make an informer by hand.
//
// An informer (k8s.io/client-go/tools/cache) needs
//
//   - a cache.ListWatch. Its two functions hand the context and the options
//     that they get on to client, unchanged;
//   - a word on whether client can stream the first list:
//     cache.ToListWatcherWithWatchListSemantics asks client and declares it;
//   - an example of the objects that it will hold;
//   - the indexes of the caller, and beside them the one that a factory adds
//     by itself: cache.NamespaceIndex with cache.MetaNamespaceIndexFunc.
//
// Leave the caller's map of indexers as it is: an informer keeps the map that it
// is given and adds to it. An index of the caller's that is called
// cache.NamespaceIndex is an error. Start nothing: the caller runs the informer.
// Make no request.
func NewHandMadeInformer(client kubernetes.Interface, namespace string, indexers cache.Indexers) (cache.SharedIndexInformer, error) {
	panic(todo.Step(3))
}

// ReportApp returns what the index AppIndex says about one app.
//
// Step 4: ask the index three ways.
//
//   - Fill the AppReport with the pods (ByTypedIndex), their keys (IndexKeys), and
//     all apps that the index knows (ListIndexFuncValues).
//   - Sort all three: an index has no order.
//   - An app that no pod has is no error. Pods and Keys are empty then.
//   - An indexer without the index AppIndex is an error, for every app.
//   - Ask the index each time: a pod that was relabelled or deleted leaves the
//     index by itself.
//   - Look at no pod of another app.
//   - Change no pod: they are the cache's own.
func ReportApp(indexer cache.TypedIndexer[*corev1.Pod], app string) (*AppReport, error) {
	panic(todo.Step(4))
}

// NamespaceAppIndexFunc is the function of the index NamespaceAppIndex, in the
// typed form: it gets pods only.
//
// Step 5: index by two things at once.
//
// An index spans all namespaces that the informer sees, and two namespaces may
// both have an app web. Return one value that holds both: namespace, a slash, app,
// for example "shop/web". (Neither a namespace nor a label's value can hold a
// slash.)
//
// A pod without the label app has no value, and that is no error.
func NamespaceAppIndexFunc(pod *corev1.Pod) ([]string, error) {
	panic(todo.Step(5))
}

// AddSecondIndex adds an index to an informer that runs, and returns its name.
//
// Step 6: add an index of your choice to an informer that runs.
//
// Choose one of two:
//
//   - NodeIndex: the name of the node that the pod is bound to. A pod that is
//     not bound yet has no value.
//   - OwnerIndex: the UID of each owner in the pod's ownerReferences. A pod with
//     two owners has two values, one without owners has none.
//
// The informer has been running for a while. Its cache puts the pods that it
// holds into the new index at once. An index of that name that is there already
// is an error: return it, wrapped with %w.
func AddSecondIndex(informer coreinformers.PodIndexInformer) (string, error) {
	panic(todo.Step(6))
}

// MoveToApp sets a pod's label app, and returns when the index AppIndex has the pod
// under its new app.
//
// Step 7: move a pod to another app, and wait until the index knows.
//
//		PATCH /api/v1/namespaces/{namespace}/pods/{name}
//
//	  - Set the label on the server, with a patch, for example. Leave the pod's other
//	    labels as they are.
//	  - Return when the index has the pod's key under the new app. The informer
//	    receives the change a moment after you.
//	  - The cache belongs to the informer: change neither the pod in it nor the
//	    indexer.
//	  - Wait by asking the index again and again, with a pause. That costs no request.
//	  - A pod that does not exist is an error for which apierrors.IsNotFound is true.
//	  - When ctx ends first, return an error that wraps ctx's.
func MoveToApp(ctx context.Context, client kubernetes.Interface, indexer cache.TypedIndexer[*corev1.Pod],
	namespace, name, app string) error {
	panic(todo.Step(7))
}

// FindPods returns the pods that match q, sorted by namespace and name.
//
// Step 8: choose the cheapest way to an answer.
//
// The indexer has AppIndex, NamespaceAppIndex and cache.NamespaceIndex. The first
// of these that fits is the way:
//
//   - Fresh: a cache is always a little behind, so ask the server, with one
//     request. It does the filtering: App and Selector both go into
//     labelSelector.
//
//     GET /api/v1/[namespaces/{namespace}/]pods?labelSelector=...
//
//   - App: an index. Look at no pod of another app. Narrow down what the index
//     gives by what else q says.
//
//   - Neither: a lister, which looks at every pod of the namespace, or of all.
//
// A Selector that matches nothing (labels.Nothing) is empty as text, and to the
// server an empty one matches all. Return no pods then, without a request.
//
// Only Fresh makes a request. Return an error wrapped with %w.
func FindPods(ctx context.Context, client kubernetes.Interface, indexer cache.TypedIndexer[*corev1.Pod], q Query) ([]*corev1.Pod, error) {
	panic(todo.Step(8))
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal ends ctx and the program cleans up; a second one ends it at once.
	context.AfterFunc(ctx, stop)

	err := todo.Run(ctx, func(ctx context.Context) error { return run(ctx, os.Args[1:]) })
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// runLabel marks the pods of one run, so that two runs at once do not see each
// other's.
const runLabel = "workshop.example.com/run"

// run calls the steps in order and stops at the first error.
func run(ctx context.Context, args []string) (err error) {
	cfg, err := loadConfig(ctx, args)
	if err != nil {
		return err
	}
	requests := &trace.Trace{}
	cfg.Wrap(requests.Wrap)
	defer requests.Print(os.Stdout)
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return fmt.Errorf("build the clientset: %w", err)
	}

	values, err := AppIndexFunc(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{AppLabel: "web"}}})
	if err != nil {
		return err
	}
	fmt.Printf("1. index function: a pod with the label app=web has the values %v\n", values)

	blue, cleanUpBlue, err := ownNamespace(ctx, client)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cleanUpBlue()) }()
	green, cleanUpGreen, err := ownNamespace(ctx, client)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cleanUpGreen()) }()

	ofThisRun := runLabel + "=" + blue
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTweakListOptions(func(opts *metav1.ListOptions) {
		opts.LabelSelector = ofThisRun
	}))
	informer, err := NewIndexedInformer(factory, AppIndexFunc)
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	// In this order: the informers run until their context ends.
	defer factory.Shutdown()
	defer stop()
	if err := fillCache(running, client, factory, informer, blue, green); err != nil {
		return err
	}
	fmt.Printf("2. informer: %d pods in the cache, indexes %v\n", len(informer.GetStore().ListKeys()), indexNames(informer))

	if err := handMade(running, client, blue); err != nil {
		return err
	}
	return ask(ctx, client, informer, blue, green)
}

// fillCache makes the pods of this run, starts the factory, and returns when
// its cache holds them all.
func fillCache(ctx context.Context, client kubernetes.Interface, factory informers.SharedInformerFactory,
	informer cache.SharedIndexInformer, blue, green string) error {
	want := 0
	for _, d := range []struct {
		namespace, app string
		replicas       int32
	}{{blue, "web", 3}, {blue, "db", 1}, {green, "web", 2}} {
		_, err := client.AppsV1().Deployments(d.namespace).Create(ctx, deployment(d.app, blue, d.replicas), metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("create deployment %s/%s: %w", d.namespace, d.app, err)
		}
		want += int(d.replicas)
	}

	factory.StartWithContext(ctx)
	deadline, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := factory.WaitForCacheSyncWithContext(deadline).AsError(); err != nil {
		return err
	}
	full := func(context.Context) (bool, error) {
		return len(informer.GetStore().ListKeys()) == want, nil
	}
	if err := wait.PollUntilContextCancel(deadline, 50*time.Millisecond, true, full); err != nil {
		return fmt.Errorf("wait for %d pods in the cache, which has %d: %w", want, len(informer.GetStore().ListKeys()), err)
	}
	return nil
}

// handMade runs the informer that belongs to no factory, and asks it once.
func handMade(ctx context.Context, client kubernetes.Interface, namespace string) error {
	informer, err := NewHandMadeInformer(client, namespace, cache.Indexers{AppIndex: AppIndexFunc})
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	var running wait.Group
	running.StartWithContext(ctx, informer.RunWithContext)
	defer running.Wait()
	defer stop()
	if !cache.WaitFor(ctx, "", informer.HasSyncedChecker()) {
		return fmt.Errorf("sync the informer on pods in %s: %w", namespace, context.Cause(ctx))
	}
	apps := informer.GetIndexer().ListIndexFuncValues(AppIndex)
	slices.Sort(apps)
	fmt.Printf("3. informer made by hand: the apps of %s are %v, indexes %v\n", namespace, apps, indexNames(informer))
	return nil
}

// ask puts questions to the informer that runs.
func ask(ctx context.Context, client kubernetes.Interface, informer coreinformers.PodIndexInformer, blue, green string) error {
	indexer := informer.GetTypedIndexer()
	report, err := ReportApp(indexer, "web")
	if err != nil {
		return err
	}
	fmt.Printf("4. index: app web has %d pods, all apps are %v\n", len(report.Pods), report.Apps)
	if len(report.Pods) == 0 {
		return errors.New("report app web: the index has no pod of it")
	}
	for _, key := range report.Keys {
		fmt.Printf("   %s\n", key)
	}

	if _, err := NamespaceAppIndexFunc(report.Pods[0]); err != nil {
		return err
	}
	if err := informer.AddTypedIndexers(coreinformers.PodIndexers{NamespaceAppIndex: NamespaceAppIndexFunc}); err != nil {
		return err
	}
	for _, namespace := range []string{blue, green} {
		keys, err := indexer.IndexKeys(NamespaceAppIndex, namespace+"/web")
		if err != nil {
			return err
		}
		fmt.Printf("5. index by namespace and app: %s/web has %d pods\n", namespace, len(keys))
	}

	second, err := AddSecondIndex(informer)
	if err != nil {
		return err
	}
	fmt.Printf("6. index added to the running informer: %s\n", second)
	values := indexer.ListIndexFuncValues(second)
	slices.Sort(values)
	for _, value := range values {
		keys, err := indexer.IndexKeys(second, value)
		if err != nil {
			return err
		}
		fmt.Printf("   %s has %d pods\n", value, len(keys))
	}

	// The ReplicaSet lets go of the pod, since its selector no longer matches,
	// and makes another one in its place.
	pods, err := indexer.ByTypedIndex(NamespaceAppIndex, blue+"/web")
	if err != nil {
		return err
	}
	if len(pods) == 0 {
		return fmt.Errorf("move a pod: the index %s has none for %s/web", NamespaceAppIndex, blue)
	}
	pod := pods[0]
	deadline, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := MoveToApp(deadline, client, indexer, pod.Namespace, pod.Name, "quarantine"); err != nil {
		return err
	}
	keys, err := indexer.IndexKeys(AppIndex, "quarantine")
	if err != nil {
		return err
	}
	fmt.Printf("7. move: app quarantine has the pods %v\n", keys)
	return choose(ctx, client, indexer, green)
}

// choose asks one question in three ways.
func choose(ctx context.Context, client kubernetes.Interface, indexer cache.TypedIndexer[*corev1.Pod], namespace string) error {
	isWeb, err := labels.Parse(AppLabel + "=web")
	if err != nil {
		return err
	}
	for _, way := range []struct {
		name string
		q    Query
	}{
		{"index", Query{Namespace: namespace, App: "web"}},
		{"selector over the lister", Query{Namespace: namespace, Selector: isWeb}},
		{"API server", Query{Namespace: namespace, App: "web", Fresh: true}},
	} {
		start := time.Now()
		pods, err := FindPods(ctx, client, indexer, way.q)
		if err != nil {
			return err
		}
		fmt.Printf("8. %s: %d pods of web in %s, %v\n", way.name, len(pods), namespace, time.Since(start).Round(time.Microsecond))
	}
	return nil
}

// indexNames are the names of an informer's indexes, sorted.
func indexNames(informer cache.SharedIndexInformer) []string {
	return slices.Sorted(maps.Keys(informer.GetIndexer().GetIndexers()))
}

// deployment runs an app with so many replicas.
func deployment(app, run string, replicas int32) *appsv1.Deployment {
	podLabels := map[string]string{AppLabel: app, runLabel: run}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: app, Labels: podLabels},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: podLabels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: podLabels},
				Spec: corev1.PodSpec{
					Containers: []corev1.Container{{Name: app, Image: "registry.k8s.io/pause:3.10"}},
				},
			},
		},
	}
}

// ownNamespace makes a namespace for this run alone. The function that it
// returns deletes it again, also after an interrupt.
func ownNamespace(ctx context.Context, client kubernetes.Interface) (string, func() error, error) {
	namespaces := client.CoreV1().Namespaces()
	// An interrupt must not lose the answer: without the name there is no clean-up.
	ns, err := namespaces.Create(context.WithoutCancel(ctx),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "indexer-"}}, metav1.CreateOptions{})
	if err != nil {
		return "", nil, fmt.Errorf("create a namespace for this run: %w", err)
	}
	cleanUp := func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		if err := namespaces.Delete(ctx, ns.Name, metav1.DeleteOptions{}); err != nil {
			return fmt.Errorf("delete namespace %s: %w", ns.Name, err)
		}
		fmt.Printf("clean-up: namespace %s is being deleted\n", ns.Name)
		return nil
	}
	return ns.Name, cleanUp, nil
}

// loadConfig reads the flags and the kubeconfig. Only a cluster that `workshop
// up` has marked is let through.
func loadConfig(ctx context.Context, args []string) (*rest.Config, error) {
	path, err := cluster.DefaultKubeconfig()
	if err != nil {
		return nil, err
	}
	flags := flag.NewFlagSet("06-indexer", flag.ContinueOnError)
	kubeconfig := flags.String("kubeconfig", path, "path of the kubeconfig; empty means the rules of kubectl")
	contextName := flags.String("context", "", "context to use in place of the current one")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = *kubeconfig
	overrides := &clientcmd.ConfigOverrides{CurrentContext: *contextName}
	cfg, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("load kubeconfig %q: %w", *kubeconfig, err)
	}
	return cluster.Guard(ctx, cfg)
}
