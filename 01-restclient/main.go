// Chapter 01: create, read, update, patch and delete pods with client-go's
// RESTClient, the client that all the other clients stand on.
//
// Run it from the repository root: go run ./01-restclient
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/rest"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/todo"
	"example.com/client-go-workshop/internal/trace"
)

// LoadConfig returns the rest.Config of one context of a kubeconfig, and the
// namespace of that context.
//
// Step 1: load the kubeconfig.
//
//   - kubeconfig is a path. When it is empty, read what kubectl would read:
//     the files that the KUBECONFIG variable lists, merged, or else
//     ~/.kube/config. client-go knows these rules: start from
//     clientcmd.NewDefaultClientConfigLoadingRules
//     (k8s.io/client-go/tools/clientcmd).
//   - contextName overrides the current context. When it is empty, the
//     current context counts.
//   - The namespace is the context's, or "default" when the context has none.
//     It is not part of rest.Config.
//   - A file or a context that does not exist is an error that names it.
//   - Make no request.
func LoadConfig(kubeconfig, contextName string) (*rest.Config, string, error) {
	panic(todo.Step(1))
}

// NewRESTClient returns a client for core/v1, which is version v1 of the core
// group.
//
// Step 2: build the RESTClient for core/v1.
//
// Make it with rest.RESTClientFor (k8s.io/client-go/rest) from a copy of cfg. The
// caller goes on using cfg, so leave it as it is. Set in the copy:
//
//   - APIPath "/api" (the core group; every other group is under "/apis") and
//     GroupVersion v1;
//   - a NegotiatedSerializer that decodes into the versioned types, from
//     scheme.Codecs (k8s.io/client-go/kubernetes/scheme);
//   - QPS 50 and Burst 100 (client-go's defaults are 5 and 10);
//   - UserAgent "client-go-workshop/restclient".
//
// These hold whatever cfg has set. A RateLimiter in the config would win over QPS
// and Burst, so remove it from the copy. Everything else, TLS among it, is cfg's.
// Make no request.
func NewRESTClient(cfg *rest.Config) (*rest.RESTClient, error) {
	panic(todo.Step(2))
}

// ListPods returns every pod of the namespace that the label selector matches.
//
// Step 3: list pods, page by page.
//
// Ask for limit pods at a time (0 means no limit). Follow the list's continue
// token until it is empty:
//
//	GET /api/v1/namespaces/{namespace}/pods?labelSelector=...&limit=...[&continue=...]
//
// Hand the selector, the limit and the token over as metav1.ListOptions, with
// VersionedParams and scheme.ParameterCodec. When a page fails, return the
// error, wrapped with %w: part of a list must not look like the whole.
//
// Here and in each later step, hand ctx on to every request.
func ListPods(ctx context.Context, client rest.Interface, namespace, selector string, limit int64) ([]corev1.Pod, error) {
	panic(todo.Step(3))
}

// CreatePod creates a pod and returns the object that the server sends back.
//
// Step 4: create a pod.
//
//	POST /api/v1/namespaces/{namespace}/pods
//
// The server sets the name, the UID and defaults in the object that it sends back.
// Leave the caller's pod unchanged. Post it once: a POST that is repeated can make
// two pods.
//
// Wrap an error with %w, so that apierrors.IsInvalid and its like still work
// (k8s.io/apimachinery/pkg/api/errors).
func CreatePod(ctx context.Context, client rest.Interface, namespace string, pod *corev1.Pod) (*corev1.Pod, error) {
	panic(todo.Step(4))
}

// AnnotatePod sets one annotation of a pod and returns the object that the server
// sends back.
//
// Step 5: update a pod that others write to as well.
//
// Make a full update:
//
//	GET /api/v1/namespaces/{namespace}/pods/{name}
//	PUT /api/v1/namespaces/{namespace}/pods/{name}
//
// The PUT carries the resourceVersion of the GET. When somebody else wrote in
// between, the server answers 409 Conflict. Begin again with a fresh GET, so that
// nobody's change is lost: retry.RetryOnConflict (k8s.io/client-go/util/retry).
// When the conflicts do not end, give up and return one, wrapped with %w. After
// any other error, do not try again: return it, wrapped with %w.
func AnnotatePod(ctx context.Context, client rest.Interface, namespace, name, key, value string) (*corev1.Pod, error) {
	panic(todo.Step(5))
}

// RelabelPod sets one label of a pod, removes another, and returns the object that
// the server sends back.
//
// Step 6: patch a pod's labels.
//
// Do both in a single JSON merge patch (types.MergePatchType, in
// k8s.io/apimachinery/pkg/types), without reading the pod first. In a merge patch,
// null removes a key.
//
//	PATCH /api/v1/namespaces/{namespace}/pods/{name}
//	Content-Type: application/merge-patch+json
//
// The patch names these two labels and nothing else. It is no error to remove a
// label that the pod does not have. Wrap an error with %w.
func RelabelPod(ctx context.Context, client rest.Interface, namespace, name, setKey, setValue, removeKey string) (*corev1.Pod, error) {
	panic(todo.Step(6))
}

// DeletePod deletes a pod and returns when it is gone.
//
// Step 7: delete a pod and wait until it is gone.
//
// DELETE answers as soon as the server has accepted the deletion. The pod stays,
// with a deletionTimestamp, until its containers have stopped and its finalizers
// are done. Return nil only when it is gone: a GET says NotFound, or finds a pod
// of another UID, which is a new one of the same name.
//
//		DELETE /api/v1/namespaces/{namespace}/pods/{name}
//		GET    /api/v1/namespaces/{namespace}/pods/{name}   (or a watch)
//
//	  - Leave the pod its own grace period and its finalizers. You may set a
//	    propagation policy.
//	  - A pod that does not exist to begin with is no error.
//	  - An error that is not NotFound does not mean "gone". A 409 Conflict alone
//	    does not mean it either.
//	  - Pause between two GETs.
//	  - Wait as long as ctx lasts. When the server closes a watch, do not give up.
//	  - When ctx ends first, return promptly, with an error that wraps ctx's.
//
// k8s.io/apimachinery/pkg/util/wait repeats a function with a pause.
func DeletePod(ctx context.Context, client rest.Interface, namespace, name string) error {
	panic(todo.Step(7))
}

// ServerVersion returns the server's version.
//
// Step 8: read the server's version.
//
// Some paths belong to no resource. AbsPath replaces the whole path that the
// client would build:
//
//	GET /version
//
// The answer is JSON for version.Info, which is not a runtime.Object. Take
// the raw bytes and decode them with encoding/json. Wrap an error with %w.
func ServerVersion(ctx context.Context, client rest.Interface) (*version.Info, error) {
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

// run calls the steps in order and stops at the first error.
func run(ctx context.Context, args []string) (err error) {
	path, err := cluster.DefaultKubeconfig()
	if err != nil {
		return err
	}
	flags := flag.NewFlagSet("01-restclient", flag.ContinueOnError)
	kubeconfig := flags.String("kubeconfig", path, "path of the kubeconfig; empty means the rules of kubectl")
	contextName := flags.String("context", "", "context to use in place of the current one")
	bodies := flags.Bool("trace", false, "print the bodies of the requests as well")
	if err := flags.Parse(args); err != nil {
		return err
	}

	cfg, namespace, err := LoadConfig(*kubeconfig, *contextName)
	if err != nil {
		return err
	}
	fmt.Printf("1. config: server %s, namespace %s\n", cfg.Host, namespace)

	// Only a cluster that `workshop up` has marked gets past this line.
	cfg, err = cluster.Guard(ctx, cfg)
	if err != nil {
		return err
	}
	// A loop that never ends ends here, and the trace shows what it did.
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	requests := &trace.Trace{Bodies: *bodies}
	cfg.Wrap(requests.Wrap)
	defer requests.Print(os.Stdout)

	client, err := NewRESTClient(cfg)
	if err != nil {
		return err
	}
	fmt.Printf("2. client: group-version %s\n", client.APIVersion())

	pods, err := ListPods(ctx, client, metav1.NamespaceSystem, "k8s-app=kube-dns", 1)
	if err != nil {
		return err
	}
	fmt.Printf("3. list: %d DNS pods in %s, one a page\n", len(pods), metav1.NamespaceSystem)
	for _, pod := range pods {
		fmt.Printf("   %s %s\n", pod.Name, pod.Status.Phase)
	}

	namespace, cleanUp, err := ownNamespace(ctx, client)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cleanUp()) }()
	return podLife(ctx, client, namespace)
}

// podLife takes one pod from its creation to its end.
func podLife(ctx context.Context, client rest.Interface, namespace string) error {
	created, err := CreatePod(ctx, client, namespace, webPod())
	if err != nil {
		return err
	}
	fmt.Printf("4. create: pod %s, UID %s\n", created.Name, created.UID)

	updated, err := AnnotatePod(ctx, client, namespace, created.Name, "workshop.example.com/chapter", "01")
	if err != nil {
		return err
	}
	fmt.Printf("5. update: resourceVersion %s, annotations %v\n", updated.ResourceVersion, updated.Annotations)

	patched, err := RelabelPod(ctx, client, namespace, created.Name, "tier", "front", "draft")
	if err != nil {
		return err
	}
	fmt.Printf("6. patch: labels %v\n", patched.Labels)

	deadline, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := DeletePod(deadline, client, namespace, created.Name); err != nil {
		return err
	}
	fmt.Printf("7. delete: pod %s is gone\n", created.Name)

	info, err := ServerVersion(ctx, client)
	if err != nil {
		return err
	}
	fmt.Printf("8. version: %s\n", info.GitVersion)
	return nil
}

// webPod has a generateName: the server adds a random end, so that two runs do
// not collide.
func webPod() *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			GenerateName: "web-",
			Labels:       map[string]string{"app": "web", "draft": "true"},
		},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{Name: "web", Image: "registry.k8s.io/pause:3.10"}},
		},
	}
}

// ownNamespace makes a namespace for this run alone. The function that it
// returns deletes it again, also after an interrupt.
func ownNamespace(ctx context.Context, client rest.Interface) (string, func() error, error) {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "restclient-"}}
	// An interrupt must not lose the answer: without the name there is no clean-up.
	if err := client.Post().Resource("namespaces").Body(ns).Do(context.WithoutCancel(ctx)).Into(ns); err != nil {
		return "", nil, fmt.Errorf("create a namespace for this run: %w", err)
	}
	cleanUp := func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		if err := client.Delete().Resource("namespaces").Name(ns.Name).Do(ctx).Error(); err != nil {
			return fmt.Errorf("delete namespace %s: %w", ns.Name, err)
		}
		fmt.Printf("clean-up: namespace %s is being deleted\n", ns.Name)
		return nil
	}
	return ns.Name, cleanUp, nil
}
