// Chapter 02: take one Deployment through its life with the Clientset, which
// has a typed client for every built-in group-version.
//
// Run it from the repository root: go run ./02-clientset
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	appsv1apply "k8s.io/client-go/applyconfigurations/apps/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/todo"
	"example.com/client-go-workshop/internal/trace"
)

// NewClientset returns a Clientset for cfg whose clients share one rate limit.
//
// Step 1: build the Clientset.
//
// Return a Clientset that kubernetes.NewForConfig (k8s.io/client-go/kubernetes)
// makes from a copy of cfg. The caller goes on using cfg: leave it as it is. Set
// in the copy:
//
//   - QPS 50 and Burst 100. One limiter then serves all the clients of the set.
//     QPS without Burst is an error. Without both, each group-version has a
//     limiter of its own, with 5 and 10.
//   - UserAgent "client-go-workshop/clientset".
//
// Make no request.
func NewClientset(cfg *rest.Config) (*kubernetes.Clientset, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.QPS = 50
	cfg.Burst = 100
	cfg.UserAgent = "client-go-workshop/clientset"

	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("build the clientset: %w", err)
	}
	return client, nil
}

// ListPods returns the pods that the label selector picks, in one namespace or in
// all of them.
//
// Step 2: list pods to the end, also when the continue token expires.
//
// Return every pod that matches the label selector. An empty namespace means all
// namespaces. Ask for pageSize pods at a time and follow the continue token:
//
//	GET /api/v1/namespaces/{namespace}/pods?labelSelector=...&limit=...[&continue=...]
//	GET /api/v1/pods?labelSelector=...&limit=...[&continue=...]     (all namespaces)
//
// A token does not live for ever: the server can answer a further page with 410
// Gone. IsResourceExpired (k8s.io/apimachinery/pkg/api/errors) tells. Then drop
// the pods that you have, and begin again without a token. When the 410 comes again
// and again, give up and return it, wrapped with %w. Any other error ends the list:
// return it, wrapped with %w. Return no pods with an error.
func ListPods(ctx context.Context, client kubernetes.Interface, namespace, selector string, pageSize int64) ([]corev1.Pod, error) {
	const maxRestarts = 3
	var pods []corev1.Pod
	restarts := 0
	opts := metav1.ListOptions{LabelSelector: selector, Limit: pageSize}
	for {
		page, err := client.CoreV1().Pods(namespace).List(ctx, opts)
		if apierrors.IsResourceExpired(err) && restarts < maxRestarts {
			restarts++
			pods, opts.Continue = nil, ""
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list pods in namespace %q: %w", namespace, err)
		}
		pods = append(pods, page.Items...)
		if page.Continue == "" {
			return pods, nil
		}
		opts.Continue = page.Continue
	}
}

// CreateDeployment creates a Deployment and returns the object that the server
// sends back.
//
// Step 3: create a Deployment.
//
// Create a Deployment of this name, with this number of replicas of a pod that has
// these containers. Return the object that the server sends back.
//
//	POST /apis/apps/v1/namespaces/{namespace}/deployments
//
// A Deployment finds its pods by a label. Set the label app={name} in three
// places: the Deployment itself, the pod template, and the selector. Replicas is a
// pointer, because nil means 1. 0 replicas must stay 0. A name that is taken is an
// error. Wrap every error with %w.
func CreateDeployment(ctx context.Context, client kubernetes.Interface, namespace, name string, replicas int32,
	containers []corev1.Container) (*appsv1.Deployment, error) {
	labels := map[string]string{"app": name}
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: containers},
			},
		},
	}
	created, err := client.AppsV1().Deployments(namespace).Create(ctx, deployment, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("create deployment %s/%s: %w", namespace, name, err)
	}
	return created, nil
}

// SetImage sets the image of one container and returns the updated Deployment.
//
// Step 4: change the image of one container with a full update.
//
// Set the image of the container that has this name. Return the object that the
// server sends back:
//
//	GET /apis/apps/v1/namespaces/{namespace}/deployments/{name}
//	PUT /apis/apps/v1/namespaces/{namespace}/deployments/{name}
//
// Others write to a Deployment too, first of all its controller. Send the PUT with
// the resourceVersion of the GET. At 409 Conflict begin again with a fresh GET, so
// that nobody's change is lost: use RetryOnConflict (k8s.io/client-go/util/retry).
// When the conflicts do not end, return one. A Deployment without such a container
// is an error that names the container. Write nothing then. Wrap errors with %w.
func SetImage(ctx context.Context, client kubernetes.Interface, namespace, name, container, image string) (*appsv1.Deployment, error) {
	deployments := client.AppsV1().Deployments(namespace)
	var updated *appsv1.Deployment
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		deployment, err := deployments.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		containers := deployment.Spec.Template.Spec.Containers
		i := slices.IndexFunc(containers, func(c corev1.Container) bool { return c.Name == container })
		if i < 0 {
			return fmt.Errorf("no container is called %q", container)
		}
		containers[i].Image = image
		updated, err = deployments.Update(ctx, deployment, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("set the image of deployment %s/%s: %w", namespace, name, err)
	}
	return updated, nil
}

// ScaleDeployment sets the number of replicas of a Deployment and returns its
// Scale.
//
// Step 5: scale through the scale subresource.
//
// Set the number of replicas. Return the Scale that the server sends back. Send
// every request to the subresource: then the right to use deployments/scale is
// enough, and nothing else of the Deployment can change.
//
//	GET /apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale
//	PUT /apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale
//
// A Scale carries the Deployment's resourceVersion, so a 409 Conflict can come here
// as well. Answer it as in step 4. Wrap errors with %w.
func ScaleDeployment(ctx context.Context, client kubernetes.Interface, namespace, name string,
	replicas int32) (*autoscalingv1.Scale, error) {
	deployments := client.AppsV1().Deployments(namespace)
	var updated *autoscalingv1.Scale
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		scale, err := deployments.GetScale(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		scale.Spec.Replicas = replicas
		updated, err = deployments.UpdateScale(ctx, name, scale, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("scale deployment %s/%s to %d: %w", namespace, name, replicas, err)
	}
	return updated, nil
}

// SetEnv sets one environment variable of one container and returns the patched
// Deployment.
//
// Step 6: patch one container of several.
//
// Set the variable in a single strategic merge patch: StrategicMergePatchType
// (k8s.io/apimachinery/pkg/types). Do not read the Deployment first. Return the
// object that the server sends back.
//
//	PATCH /apis/apps/v1/namespaces/{namespace}/deployments/{name}
//	Content-Type: application/strategic-merge-patch+json
//
// The patch names the container and the variable, and nothing else: no image, no
// other container. Containers are at spec.template.spec.containers. A strategic
// merge patch finds a container by its name, and a variable by its name too. The
// value may hold any character. Wrap errors with %w.
func SetEnv(ctx context.Context, client kubernetes.Interface, namespace, name, container, key, value string) (*appsv1.Deployment, error) {
	patch, err := json.Marshal(map[string]any{
		"spec": map[string]any{"template": map[string]any{"spec": map[string]any{
			"containers": []any{map[string]any{
				"name": container,
				"env":  []any{map[string]any{"name": key, "value": value}},
			}},
		}}},
	})
	if err != nil {
		return nil, fmt.Errorf("encode the patch for deployment %s/%s: %w", namespace, name, err)
	}
	patched, err := client.AppsV1().Deployments(namespace).Patch(ctx, name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		return nil, fmt.Errorf("patch container %s of deployment %s/%s: %w", container, namespace, name, err)
	}
	return patched, nil
}

// ApplyReplicas sets the number of replicas by a server-side apply and returns the
// applied Deployment.
//
// Step 7: apply what you own, and no more.
//
// Set the number of replicas by a server-side apply in the name of the field
// manager. Return the object that the server sends back. Build an apply
// configuration (k8s.io/client-go/applyconfigurations/apps/v1) that holds
// spec.replicas and nothing else of the spec. The manager owns the fields that the
// configuration names.
//
//	PATCH /apis/apps/v1/namespaces/{namespace}/deployments/{name}?fieldManager=...&force=...
//	Content-Type: application/apply-patch+yaml
//
// Send it once. When another manager owns the field with another value, the server
// answers 409 Conflict, and another try changes nothing: return it, wrapped with
// %w. With force, the server takes the field from the other manager. Force is the
// caller's decision alone.
func ApplyReplicas(ctx context.Context, client kubernetes.Interface, namespace, name, manager string, replicas int32,
	force bool) (*appsv1.Deployment, error) {
	config := appsv1apply.Deployment(name, namespace).
		WithSpec(appsv1apply.DeploymentSpec().WithReplicas(replicas))
	opts := metav1.ApplyOptions{FieldManager: manager, Force: force}
	applied, err := client.AppsV1().Deployments(namespace).Apply(ctx, config, opts)
	if err != nil {
		return nil, fmt.Errorf("apply %d replicas to deployment %s/%s as %s: %w", replicas, namespace, name, manager, err)
	}
	return applied, nil
}

// RolloutComplete reports whether the cluster runs what the spec of a Deployment
// says.
//
// Step 8: tell a complete rollout from one that only looks complete.
//
// Decide from the object alone, and make no request. The rollout is complete when
// all of this holds:
//
//   - The controller has seen the spec: status.observedGeneration has reached
//     metadata.generation.
//   - Three counts of the status equal spec.replicas: updatedReplicas,
//     availableReplicas, and replicas, which counts old pods as well.
//
// A nil spec.replicas means 1.
//
// A condition Progressing with the reason ProgressDeadlineExceeded says that the
// controller has given up: return an error that names this reason. With another
// reason the controller has not given up, also when the condition is False.
//
// As long as the controller has not seen the spec, the conditions are about an
// older one: return false and no error.
func RolloutComplete(deployment *appsv1.Deployment) (bool, error) {
	status := deployment.Status
	if status.ObservedGeneration < deployment.Generation {
		return false, nil // the status is about an older spec
	}
	for _, c := range status.Conditions {
		if c.Type == appsv1.DeploymentProgressing && c.Reason == "ProgressDeadlineExceeded" {
			return false, fmt.Errorf("the rollout of deployment %s/%s makes no progress: %s: %s",
				deployment.Namespace, deployment.Name, c.Reason, c.Message)
		}
	}
	want := int32(1)
	if deployment.Spec.Replicas != nil {
		want = *deployment.Spec.Replicas
	}
	return status.UpdatedReplicas == want && status.Replicas == want && status.AvailableReplicas == want, nil
}

// WaitForRollout waits until the rollout of a Deployment is complete, and returns
// the Deployment as it is then.
//
// Step 9: watch until the rollout is complete.
//
// Wait until the cluster runs what the Deployment's spec says, as step 8 tells.
// Return the Deployment as it is then. Look at it first, then watch from there on:
//
//	GET /apis/apps/v1/namespaces/{namespace}/deployments?fieldSelector=metadata.name={name}
//	GET /apis/apps/v1/namespaces/{namespace}/deployments?fieldSelector=...&watch=true&resourceVersion=...
//
// A rollout that the controller has given up ends the wait. Return the error of
// step 8: it names ProgressDeadlineExceeded.
//
// A watch can end at any time. The server closes its channel, or it sends an event
// of the type Error. Such an event holds no Deployment but a Status, for example
// 410 Gone: your resourceVersion is too old. After each end pause for a moment, look
// again, and watch on from there. Watch from the resourceVersion of the list. The
// version of an unchanged object grows old, and the server refuses a watch from
// there again and again.
//
// A Deployment that does not exist is an error that is NotFound. So is one that is
// deleted during the wait. When ctx ends first, return an error that wraps the
// error of ctx.
func WaitForRollout(ctx context.Context, client kubernetes.Interface, namespace, name string) (*appsv1.Deployment, error) {
	deployments := client.AppsV1().Deployments(namespace)
	for {
		list, err := deployments.List(ctx, metav1.SingleObject(metav1.ObjectMeta{Name: name}))
		if err != nil {
			return nil, fmt.Errorf("look at deployment %s/%s: %w", namespace, name, err)
		}
		if len(list.Items) == 0 {
			return nil, apierrors.NewNotFound(appsv1.Resource("deployments"), name)
		}
		if done, err := RolloutComplete(&list.Items[0]); err != nil {
			return nil, err
		} else if done {
			return &list.Items[0], nil
		}

		// SingleObject: this name alone, from this resourceVersion on.
		w, err := deployments.Watch(ctx, metav1.SingleObject(metav1.ObjectMeta{Name: name, ResourceVersion: list.ResourceVersion}))
		if err != nil {
			return nil, fmt.Errorf("watch deployment %s/%s: %w", namespace, name, err)
		}
		deployment, err := watchRollout(w)
		if deployment != nil || err != nil {
			return deployment, err
		}

		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the rollout of deployment %s/%s: %w", namespace, name, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// watchRollout returns nothing when the watch ended before the rollout did.
func watchRollout(w watch.Interface) (*appsv1.Deployment, error) {
	defer w.Stop()
	for event := range w.ResultChan() {
		deployment, ok := event.Object.(*appsv1.Deployment)
		if !ok || event.Type == watch.Deleted {
			return nil, nil // the next list says what is true
		}
		if done, err := RolloutComplete(deployment); err != nil {
			return nil, err
		} else if done {
			return deployment, nil
		}
	}
	return nil, nil
}

// DeleteDeployment deletes a Deployment and waits until its pods are gone.
//
// Step 10: delete the Deployment and wait until its pods are gone.
//
// Delete it with foreground propagation. The Deployment then stays until the
// garbage collector has deleted its ReplicaSets and their pods. When the Deployment
// is gone, so are its pods.
//
//	DELETE /apis/apps/v1/namespaces/{namespace}/deployments/{name}
//	       with propagationPolicy Foreground
//	GET    /apis/apps/v1/namespaces/{namespace}/deployments/{name}   (or a watch)
//
// Return nil only when the Deployment is gone. It is gone when a GET says NotFound.
// It is also gone when a GET finds another UID: that is a new Deployment of the
// same name. A Deployment that does not exist to begin with is no error. Return any
// other error of the DELETE, wrapped with %w. An error that is not NotFound does
// not mean "gone". Pause between two GETs. When ctx ends first, return an error
// that wraps the error of ctx.
func DeleteDeployment(ctx context.Context, client kubernetes.Interface, namespace, name string) error {
	deployments := client.AppsV1().Deployments(namespace)
	deployment, err := deployments.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("get deployment %s/%s before its deletion: %w", namespace, name, err)
	}

	opts := metav1.DeleteOptions{
		PropagationPolicy: new(metav1.DeletePropagationForeground),
		Preconditions:     metav1.NewUIDPreconditions(string(deployment.UID)),
	}
	err = deployments.Delete(ctx, name, opts)
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("delete deployment %s/%s: %w", namespace, name, err)
	}

	gone := func(ctx context.Context) (bool, error) {
		left, err := deployments.Get(ctx, name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			return true, nil
		case err != nil:
			return false, err
		default:
			return left.UID != deployment.UID, nil
		}
	}
	if err := wait.PollUntilContextCancel(ctx, 200*time.Millisecond, true, gone); err != nil {
		return fmt.Errorf("wait until deployment %s/%s is gone: %w", namespace, name, err)
	}
	return nil
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
	flags := flag.NewFlagSet("02-clientset", flag.ContinueOnError)
	kubeconfig := flags.String("kubeconfig", path, "path of the kubeconfig; empty means the rules of kubectl")
	contextName := flags.String("context", "", "context to use in place of the current one")
	bodies := flags.Bool("trace", false, "speak JSON and print the bodies of the requests as well")
	if err := flags.Parse(args); err != nil {
		return err
	}

	// Only a cluster that `workshop up` has marked gets past this line.
	cfg, err := cluster.Load(ctx, *kubeconfig, *contextName)
	if err != nil {
		return err
	}
	// A loop that never ends ends here, and the trace shows what it did.
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	if *bodies {
		cfg.ContentType = "application/json" // the Clientset sends protobuf otherwise
	}
	requests := &trace.Trace{Bodies: *bodies}
	cfg.Wrap(requests.Wrap)
	defer requests.Print(os.Stdout)

	client, err := NewClientset(cfg)
	if err != nil {
		return err
	}
	apps, core := client.AppsV1().RESTClient(), client.CoreV1().RESTClient()
	fmt.Printf("1. clientset: %s and %s are two clients, one limiter for both: %t\n",
		apps.APIVersion(), core.APIVersion(), apps.GetRateLimiter() == core.GetRateLimiter())

	if err := lists(ctx, client); err != nil {
		return err
	}
	namespace, cleanUp, err := ownNamespace(ctx, client)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cleanUp()) }()
	return deploymentLife(ctx, client, namespace)
}

// lists reads the same list twice, with the Clientset and with the RESTClient
// inside of it: the two leave the same line among the requests. Then it reads
// the pods of every namespace.
func lists(ctx context.Context, client kubernetes.Interface) error {
	const selector = "k8s-app=kube-dns"
	typed, err := ListPods(ctx, client, metav1.NamespaceSystem, selector, 500)
	if err != nil {
		return err
	}
	var raw corev1.PodList
	err = client.CoreV1().RESTClient().Get().
		Namespace(metav1.NamespaceSystem).
		Resource("pods").
		VersionedParams(&metav1.ListOptions{LabelSelector: selector, Limit: 500}, scheme.ParameterCodec).
		Do(ctx).
		Into(&raw)
	if err != nil {
		return fmt.Errorf("list pods in %s with the RESTClient: %w", metav1.NamespaceSystem, err)
	}
	all, err := ListPods(ctx, client, metav1.NamespaceAll, "", 100)
	if err != nil {
		return err
	}
	fmt.Printf("2. list: %d DNS pods in %s, %d with the RESTClient; %d pods in all namespaces\n",
		len(typed), metav1.NamespaceSystem, len(raw.Items), len(all))
	return nil
}

// deploymentLife takes one Deployment from its creation to its end.
func deploymentLife(ctx context.Context, client kubernetes.Interface, namespace string) error {
	const name = "web"
	created, err := CreateDeployment(ctx, client, namespace, name, 2, []corev1.Container{
		{Name: "web", Image: "registry.k8s.io/pause:3.9"},
		{Name: "log", Image: "registry.k8s.io/pause:3.9"},
	})
	if err != nil {
		return err
	}
	fmt.Printf("3. create: deployment %s, generation %d\n", created.Name, created.Generation)

	updated, err := SetImage(ctx, client, namespace, name, "web", "registry.k8s.io/pause:3.10")
	if err != nil {
		return err
	}
	fmt.Printf("4. update: generation %d\n", updated.Generation)
	printContainers(updated)

	scale, err := ScaleDeployment(ctx, client, namespace, name, 3)
	if err != nil {
		return err
	}
	fmt.Printf("5. scale: %d replicas wanted, %d there\n", scale.Spec.Replicas, scale.Status.Replicas)

	patched, err := SetEnv(ctx, client, namespace, name, "web", "COLOUR", "blue")
	if err != nil {
		return err
	}
	fmt.Printf("6. patch: generation %d\n", patched.Generation)
	printContainers(patched)

	applied, err := applyTwice(ctx, client, namespace, name)
	if err != nil {
		return err
	}
	done, err := RolloutComplete(applied)
	if err != nil {
		return err
	}
	fmt.Printf("8. complete: %t; the spec has generation %d, the controller has seen %d\n",
		done, applied.Generation, applied.Status.ObservedGeneration)

	deadline, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	rolled, err := WaitForRollout(deadline, client, namespace, name)
	if err != nil {
		return err
	}
	fmt.Printf("9. rollout: generation %d, %d of %d pods updated and available\n",
		rolled.Status.ObservedGeneration, rolled.Status.AvailableReplicas, *rolled.Spec.Replicas)

	if err := DeleteDeployment(deadline, client, namespace, name); err != nil {
		return err
	}
	left, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: "app=" + name})
	if err != nil {
		return fmt.Errorf("list the pods that are left: %w", err)
	}
	fmt.Printf("10. delete: deployment %s is gone, %d of its pods are left\n", name, len(left.Items))
	return nil
}

// applyTwice wants another number of replicas than step 5 did, in the name of
// another manager: first politely, then by force.
func applyTwice(ctx context.Context, client kubernetes.Interface, namespace, name string) (*appsv1.Deployment, error) {
	const manager, replicas = "autoscaler", 2
	applied, err := ApplyReplicas(ctx, client, namespace, name, manager, replicas, false)
	if apierrors.IsConflict(err) {
		fmt.Printf("7. apply: refused, %s\n", conflicts(err))
		applied, err = ApplyReplicas(ctx, client, namespace, name, manager, replicas, true)
	}
	if err != nil {
		return nil, err
	}
	fmt.Printf("7. apply: %d replicas\n", *applied.Spec.Replicas)
	return applied, nil
}

// conflicts names the fields that other managers own.
func conflicts(err error) string {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return err.Error()
	}
	var fields []string
	for _, cause := range status.Status().Details.Causes {
		fields = append(fields, cause.Field+": "+cause.Message)
	}
	return strings.Join(fields, "; ")
}

func printContainers(deployment *appsv1.Deployment) {
	for _, c := range deployment.Spec.Template.Spec.Containers {
		fmt.Printf("   container %s: image %s", c.Name, c.Image)
		for _, env := range c.Env {
			fmt.Printf(", %s=%s", env.Name, env.Value)
		}
		fmt.Println()
	}
}

// ownNamespace makes a namespace for this run alone. The function that it
// returns deletes it again, also after an interrupt.
func ownNamespace(ctx context.Context, client kubernetes.Interface) (string, func() error, error) {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "clientset-"}}
	// An interrupt must not lose the answer: without the name there is no clean-up.
	ns, err := client.CoreV1().Namespaces().Create(context.WithoutCancel(ctx), ns, metav1.CreateOptions{})
	if err != nil {
		return "", nil, fmt.Errorf("create a namespace for this run: %w", err)
	}
	cleanUp := func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		if err := client.CoreV1().Namespaces().Delete(ctx, ns.Name, metav1.DeleteOptions{}); err != nil {
			return fmt.Errorf("delete namespace %s: %w", ns.Name, err)
		}
		fmt.Printf("clean-up: namespace %s is being deleted\n", ns.Name)
		return nil
	}
	return ns.Name, cleanUp, nil
}
