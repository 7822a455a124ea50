// Chapter 03: work with objects that have no Go type, through client-go's
// DynamicClient: a Deployment without appsv1, and a Website, a kind of your own.
//
// Run it from the repository root: go run ./03-dynamic
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/util/retry"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/todo"
	"example.com/client-go-workshop/internal/trace"
)

// websiteGroup is the API group of the kind Website, whose version is v1 and
// whose resource is websites.
const websiteGroup = "workshop.example.com"

// Website is a custom resource as a Go type. No code is generated for it, so no
// typed client knows it.
type Website struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WebsiteSpec   `json:"spec,omitempty"`
	Status            WebsiteStatus `json:"status,omitempty"`
}

// WebsiteSpec is what somebody wants.
type WebsiteSpec struct {
	Host     string `json:"host"`
	Replicas *int32 `json:"replicas,omitempty"`
}

// WebsiteStatus is what there is.
type WebsiteStatus struct {
	Phase string `json:"phase,omitempty"`
	URL   string `json:"url,omitempty"`
}

// NewClient returns a DynamicClient for cfg.
//
// Step 1: build the DynamicClient.
//
// Return a DynamicClient (k8s.io/client-go/dynamic) for cfg. The caller goes on
// using cfg: leave it as it is, and work on a copy. Set the UserAgent of the copy
// to "client-go-workshop/dynamic". Make no request.
//
// One DynamicClient serves every resource of every group-version. There is no
// APIPath, no GroupVersion and no serializer to set.
func NewClient(cfg *rest.Config) (*dynamic.DynamicClient, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.UserAgent = "client-go-workshop/dynamic"

	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("build the dynamic client: %w", err)
	}
	return client, nil
}

// GetDeployment reads a Deployment through the dynamic client and returns it with
// its Go type.
//
// Step 2: get a Deployment and give it its type.
//
// Get the Deployment as an Unstructured, with one request. Return it as an
// *appsv1.Deployment, with every field:
//
//	GET /apis/apps/v1/namespaces/{namespace}/deployments/{name}
//
// DefaultUnstructuredConverter (k8s.io/apimachinery/pkg/runtime) converts. A server
// may be newer than your client-go: leave out a field that the Go type does not
// know. That is no error. A value that does not fit its field is an error. Wrap
// every error with %w. Return no Deployment with an error.
//
// Here and in each later step, hand ctx on to every request.
func GetDeployment(ctx context.Context, client dynamic.Interface, namespace, name string) (*appsv1.Deployment, error) {
	resource := appsv1.SchemeGroupVersion.WithResource("deployments")
	obj, err := client.Resource(resource).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("get deployment %s/%s: %w", namespace, name, err)
	}
	var deployment appsv1.Deployment
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(obj.Object, &deployment); err != nil {
		return nil, fmt.Errorf("convert deployment %s/%s: %w", namespace, name, err)
	}
	return &deployment, nil
}

// Summary is what step 3 finds in an object.
type Summary struct {
	Replicas int64
	Images   []string
}

// Summarize returns the replicas and the images of an object of any kind.
//
// Step 3: read fields of an object without a type.
//
// Return the number of replicas and the images of an object of any kind, from
// these fields:
//
//	.spec.replicas                             1 when it is absent
//	.spec.template.spec.containers[*].image    in the order of the containers
//
// A field that is absent is no error. Without a spec, a template or containers
// there are no images. A container without an image adds none. 0 replicas are not
// absent.
//
// A value of another type than expected is an error that names the field, such as
// "replicas" or "containers". This holds at the end of a path and on the way.
// Return Summary{} with an error.
//
// The Nested functions (k8s.io/apimachinery/pkg/apis/meta/v1/unstructured) tell the
// three apart: found, absent, wrong type. Leave obj as it is. Make no request.
func Summarize(obj *unstructured.Unstructured) (Summary, error) {
	replicas, found, err := unstructured.NestedInt64(obj.Object, "spec", "replicas")
	if err != nil {
		return Summary{}, fmt.Errorf("read %s %s: %w", obj.GetKind(), obj.GetName(), err)
	}
	if !found {
		replicas = 1
	}

	containers, _, err := unstructured.NestedSlice(obj.Object, "spec", "template", "spec", "containers")
	if err != nil {
		return Summary{}, fmt.Errorf("read %s %s: %w", obj.GetKind(), obj.GetName(), err)
	}
	summary := Summary{Replicas: replicas}
	for i, container := range containers {
		fields, ok := container.(map[string]any)
		if !ok {
			return Summary{}, fmt.Errorf("read %s %s: containers[%d] is a %T and not an object", obj.GetKind(), obj.GetName(), i, container)
		}
		image, found, err := unstructured.NestedString(fields, "image")
		if err != nil {
			return Summary{}, fmt.Errorf("read %s %s: containers[%d]: %w", obj.GetKind(), obj.GetName(), i, err)
		}
		if found {
			summary.Images = append(summary.Images, image)
		}
	}
	return summary, nil
}

// CreateDeployment creates a Deployment through the dynamic client and returns the
// object that the server sends back.
//
// Step 4: create an object from a typed one.
//
// Create the Deployment in the namespace through the dynamic client. Return the
// object that the server sends back:
//
//	POST /apis/apps/v1/namespaces/{namespace}/deployments
//
// The body has apiVersion apps/v1 and kind Deployment. A typed object mostly has
// neither: its Go type says what it is, and the converter does not know. Leave the
// caller's deployment as it is. Post it once. Wrap errors with %w.
func CreateDeployment(ctx context.Context, client dynamic.Interface, namespace string,
	deployment *appsv1.Deployment) (*unstructured.Unstructured, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(deployment)
	if err != nil {
		return nil, fmt.Errorf("convert deployment %s: %w", deployment.Name, err)
	}
	obj := &unstructured.Unstructured{Object: content}
	obj.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("Deployment"))

	resource := appsv1.SchemeGroupVersion.WithResource("deployments")
	created, err := client.Resource(resource).Namespace(namespace).Create(ctx, obj, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("create deployment %s/%s: %w", namespace, deployment.Name, err)
	}
	return created, nil
}

// SetReplicas sets .spec.replicas of an object of any kind and returns the object
// that the server sends back.
//
// Step 5: change a number in an object that others write to as well.
//
// Set .spec.replicas of the object that has this name. The resource may be of any
// kind. Return the object that the server sends back:
//
//	GET the object
//	PUT the object, with the resourceVersion of the GET
//
// At 409 Conflict begin again with a fresh GET, so that nobody's change is lost: use
// RetryOnConflict (k8s.io/client-go/util/retry). When the conflicts do not end, give
// up and return one. Give a spec to an object without a spec. A spec that is no
// object is an error. Write nothing then. Wrap errors with %w.
//
// The numbers in an Unstructured are int64 and float64. An int is neither:
// SetNestedField makes a deep copy of it, and panics.
func SetReplicas(ctx context.Context, resource dynamic.ResourceInterface, name string, replicas int) (*unstructured.Unstructured, error) {
	var updated *unstructured.Unstructured
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		obj, err := resource.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if err := unstructured.SetNestedField(obj.Object, int64(replicas), "spec", "replicas"); err != nil {
			return err
		}
		updated, err = resource.Update(ctx, obj, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("set the replicas of %s to %d: %w", name, replicas, err)
	}
	return updated, nil
}

// CRDEstablished reports whether a CustomResourceDefinition is established.
//
// Step 6: read the conditions of a CRD.
//
// Decide from the object alone, and make no request. Its conditions are at
// .status.conditions. Each has a type, a status and a message.
//
//   - Return true when the condition Established has the status "True". With
//     another status, and without the condition, return false.
//   - The conditions of a new CRD can be absent, or null. That is no error:
//     return false.
//   - The condition NamesAccepted with the status "False" says that another CRD
//     has taken a name of this one, which will not be established. Return an
//     error with the condition's message.
//
// Leave crd as it is.
func CRDEstablished(crd *unstructured.Unstructured) (bool, error) {
	// A struct of only these fields, since the conditions of a new CRD are null,
	// which to unstructured.NestedSlice is a value of the wrong type.
	var definition struct {
		Status struct {
			Conditions []metav1.Condition `json:"conditions"`
		} `json:"status"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(crd.Object, &definition); err != nil {
		return false, fmt.Errorf("read the conditions of CRD %s: %w", crd.GetName(), err)
	}
	conditions := definition.Status.Conditions
	if c := meta.FindStatusCondition(conditions, "NamesAccepted"); c != nil && c.Status == metav1.ConditionFalse {
		return false, fmt.Errorf("the names of CRD %s are not accepted: %s: %s", crd.GetName(), c.Reason, c.Message)
	}
	return meta.IsStatusConditionTrue(conditions, "Established"), nil
}

// InstallCRD creates a CustomResourceDefinition and waits until the server serves
// its custom resources.
//
// Step 7: install a CRD and wait until its resource is served.
//
// Create the CRD. A CRD of this name that exists already is no error: leave it as
// it is. Then wait, and return nil as soon as the custom resources can be used:
//
//	POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions
//	GET  /apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}   (or a watch)
//	GET  /apis/{group}/{version}/{plural}?limit=1
//
// Two things must be true. The CRD on the server is established, as step 6 tells.
// And the server answers a list of each version that this CRD has as served:
// servedResources names them. A moment after the CRD is established the answer
// can still be 404. Of several servers, one may know the resource later than
// another.
//
// An error of step 6 ends the wait. An error of a list that is not NotFound does
// not mean "served". Pause between two looks. Leave crd as it is. When ctx ends
// first, return an error that wraps the error of ctx. Wrap every error with %w.
func InstallCRD(ctx context.Context, client dynamic.Interface, crd *unstructured.Unstructured) error {
	crds := client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	name := crd.GetName()
	_, err := crds.Create(ctx, crd, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create CRD %s: %w", name, err)
	}

	var found *unstructured.Unstructured
	established := func(ctx context.Context) (_ bool, err error) {
		found, err = crds.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		return CRDEstablished(found)
	}
	const pause = 100 * time.Millisecond
	if err := wait.PollUntilContextCancel(ctx, pause, true, established); err != nil {
		return fmt.Errorf("wait until CRD %s is established: %w", name, err)
	}
	resources, err := servedResources(found)
	if err != nil {
		return err
	}
	for _, resource := range resources {
		served := func(ctx context.Context) (bool, error) {
			_, err := client.Resource(resource).List(ctx, metav1.ListOptions{Limit: 1})
			if apierrors.IsNotFound(err) {
				return false, nil
			}
			return err == nil, err
		}
		if err := wait.PollUntilContextCancel(ctx, pause, true, served); err != nil {
			return fmt.Errorf("wait until %s are served: %w", resource, err)
		}
	}
	return nil
}

// servedResources returns the resource of a CRD in each version that it has as
// served.
func servedResources(crd *unstructured.Unstructured) ([]schema.GroupVersionResource, error) {
	var definition struct {
		Spec struct {
			Group string `json:"group"`
			Names struct {
				Plural string `json:"plural"`
			} `json:"names"`
			Versions []struct {
				Name   string `json:"name"`
				Served bool   `json:"served"`
			} `json:"versions"`
		} `json:"spec"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(crd.Object, &definition); err != nil {
		return nil, fmt.Errorf("read the versions of CRD %s: %w", crd.GetName(), err)
	}
	var resources []schema.GroupVersionResource
	for _, version := range definition.Spec.Versions {
		if version.Served {
			resources = append(resources, schema.GroupVersionResource{
				Group: definition.Spec.Group, Version: version.Name, Resource: definition.Spec.Names.Plural,
			})
		}
	}
	return resources, nil
}

// ResourceFor returns the client for the objects of a kind.
//
// Step 8: find the resource of a kind.
//
// Return the client for the objects of a kind, in exactly this version. For a
// namespaced kind return the client of the namespace. For a cluster-scoped kind
// return the client without a namespace, whatever namespace says.
//
// The name of a resource cannot be derived from its kind: the plural of Mouse is
// what its CRD says. The mapper knows the name and the scope from the server's
// discovery. A kind or a version that the mapper does not know is an error. Wrap it
// with %w, so that IsNoMatchError (k8s.io/apimachinery/pkg/api/meta) still finds it.
//
// Make no request yourself. The mapper makes its own when it has to.
func ResourceFor(ctx context.Context, client dynamic.Interface, mapper meta.RESTMapperWithContext, kind schema.GroupVersionKind,
	namespace string) (dynamic.ResourceInterface, error) {
	mapping, err := mapper.RESTMappingWithContext(ctx, kind.GroupKind(), kind.Version)
	if err != nil {
		return nil, fmt.Errorf("find the resource of %s: %w", kind, err)
	}
	resource := client.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return resource.Namespace(namespace), nil
	}
	return resource, nil
}

// ToWebsite returns an object as a Website, or an error that names its mistakes.
//
// Step 9: give an object its type, and let no mistake pass.
//
// A person wrote the object by hand. Return it as a *Website:
//
//   - A field that a Website does not have is an error that names the field with
//     its path, such as spec.replcias. When there are several such fields, the
//     error names each. Wrap the converter's error with %w: a caller that unwraps
//     it looks for one for which runtime.IsStrictDecodingError is true.
//   - An object of another apiVersion or kind is an error that says what it is.
//     The converter does not look at them.
//   - A value that does not fit its field is an error.
//
// Return no Website with an error. DefaultUnstructuredConverter
// (k8s.io/apimachinery/pkg/runtime) has a method that validates. Leave obj as it
// is. Make no request.
func ToWebsite(obj *unstructured.Unstructured) (*Website, error) {
	want := schema.GroupVersionKind{Group: websiteGroup, Version: "v1", Kind: "Website"}
	if kind := obj.GroupVersionKind(); kind != want {
		return nil, fmt.Errorf("object %s is a %s and not a %s", obj.GetName(), kind, want)
	}
	var website Website
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(obj.Object, &website, true); err != nil {
		return nil, fmt.Errorf("convert website %s: %w", obj.GetName(), err)
	}
	return &website, nil
}

// SetPhase sets .status.phase of a Website and returns the object that the server
// sends back.
//
// Step 10: report a status.
//
// Set .status.phase of the Website by a server-side apply to the subresource
// status, in the name of the field manager. Return the object that the server sends
// back:
//
//	PATCH /apis/workshop.example.com/v1/namespaces/{namespace}/websites/{name}/status?fieldManager=...&force=true
//	Content-Type: application/apply-patch+yaml
//
// websites is the client of one namespace. The applied object holds apiVersion,
// kind, the name and .status.phase, and nothing else: the manager owns the fields
// that it names. Force the apply, because the phase has one author. The resource
// itself, without the subresource, takes the same request and drops the status
// without a word.
//
// Send it once. Do not read the Website first. A Website that does not exist is an
// error that is NotFound. Create none. Wrap errors with %w.
func SetPhase(ctx context.Context, websites dynamic.ResourceInterface, name, manager, phase string) (*unstructured.Unstructured, error) {
	config := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": websiteGroup + "/v1",
		"kind":       "Website",
		"metadata":   map[string]any{"name": name},
		"status":     map[string]any{"phase": phase},
	}}
	applied, err := websites.ApplyStatus(ctx, name, config, metav1.ApplyOptions{FieldManager: manager, Force: true})
	if err != nil {
		return nil, fmt.Errorf("apply phase %s to website %s: %w", phase, name, err)
	}
	return applied, nil
}

// HasPhase reports whether a Website is in a phase.
//
// Step 11: read the phase of a Website.
//
// Return true when .status.phase is this phase, as a whole. A Website without a
// status, or without a phase, is not that far: return false and no error. A phase
// that is no text is an error that names the field. So is a status that is no
// object. Leave website as it is, and make no request.
func HasPhase(website *unstructured.Unstructured, phase string) (bool, error) {
	got, _, err := unstructured.NestedString(website.Object, "status", "phase")
	if err != nil {
		return false, fmt.Errorf("read website %s: %w", website.GetName(), err)
	}
	return got == phase, nil
}

// WaitForPhase waits until a Website is in a phase, and returns the Website as it
// is then.
//
// Step 12: watch a custom resource until it is ready.
//
// Wait until the Website is in the phase, as step 11 tells. Return the Website as
// it is then. An error of step 11 ends the wait. Look at the Website first, then
// watch from there on:
//
//	GET .../websites?fieldSelector=metadata.name={name}
//	GET .../websites?fieldSelector=...&watch=true&resourceVersion=...
//
// Most events hold an *unstructured.Unstructured. An event of the type Error holds
// a *metav1.Status, for example 410 Gone: your resourceVersion is too old. After
// such an event, and when the channel is closed, pause for a moment, look again,
// and watch on from there. Watch from the resourceVersion of the list.
//
// A Website that does not exist is an error that is NotFound. So is one that is
// deleted during the wait. When ctx ends first, return an error that wraps the
// error of ctx.
func WaitForPhase(ctx context.Context, websites dynamic.ResourceInterface, name, phase string) (*unstructured.Unstructured, error) {
	for {
		list, err := websites.List(ctx, metav1.SingleObject(metav1.ObjectMeta{Name: name}))
		if err != nil {
			return nil, fmt.Errorf("look at website %s: %w", name, err)
		}
		if len(list.Items) == 0 {
			return nil, apierrors.NewNotFound(schema.GroupResource{Group: websiteGroup, Resource: "websites"}, name)
		}
		if reached, err := HasPhase(&list.Items[0], phase); err != nil {
			return nil, err
		} else if reached {
			return &list.Items[0], nil
		}

		// SingleObject: this name alone, from this resourceVersion on.
		w, err := websites.Watch(ctx, metav1.SingleObject(metav1.ObjectMeta{Name: name, ResourceVersion: list.GetResourceVersion()}))
		if err != nil && !apierrors.IsResourceExpired(err) {
			return nil, fmt.Errorf("watch website %s: %w", name, err)
		}
		if err == nil {
			website, err := watchPhase(w, phase)
			if website != nil || err != nil {
				return website, err
			}
		}

		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait until website %s is %s: %w", name, phase, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// watchPhase returns nothing when the watch ended before the phase was reached.
func watchPhase(w watch.Interface, phase string) (*unstructured.Unstructured, error) {
	defer w.Stop()
	for event := range w.ResultChan() {
		website, ok := event.Object.(*unstructured.Unstructured)
		if !ok || event.Type == watch.Deleted {
			return nil, nil // the next list says what is true
		}
		if reached, err := HasPhase(website, phase); err != nil {
			return nil, err
		} else if reached {
			return website, nil
		}
	}
	return nil, nil
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
	flags := flag.NewFlagSet("03-dynamic", flag.ContinueOnError)
	kubeconfig := flags.String("kubeconfig", path, "path of the kubeconfig; empty means the rules of kubectl")
	contextName := flags.String("context", "", "context to use in place of the current one")
	bodies := flags.Bool("trace", false, "print the bodies of the requests as well")
	if err := flags.Parse(args); err != nil {
		return err
	}
	// Only a cluster that `workshop up` has marked gets past this line.
	cfg, err := cluster.Load(ctx, *kubeconfig, *contextName)
	if err != nil {
		return err
	}
	requests := &trace.Trace{Bodies: *bodies}
	cfg.Wrap(requests.Wrap)
	defer requests.Print(os.Stdout)

	client, err := NewClient(cfg)
	if err != nil {
		return err
	}
	fmt.Printf("1. client: server %s, every group-version\n", cfg.Host)

	coredns, err := GetDeployment(ctx, client, metav1.NamespaceSystem, "coredns")
	if err != nil {
		return err
	}
	fmt.Printf("2. get: %s %s, strategy %s\n", coredns.Kind, coredns.Name, coredns.Spec.Strategy.Type)

	namespace, cleanUp, err := ownNamespace(ctx, client)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cleanUp()) }()
	if err := deploymentLife(ctx, client, namespace); err != nil {
		return err
	}
	return websiteLife(ctx, cfg, client, namespace)
}

// deploymentLife reads a Deployment that is there, and makes one of its own.
func deploymentLife(ctx context.Context, client dynamic.Interface, namespace string) error {
	deployments := client.Resource(appsv1.SchemeGroupVersion.WithResource("deployments"))
	coredns, err := deployments.Namespace(metav1.NamespaceSystem).Get(ctx, "coredns", metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("get deployment %s/coredns: %w", metav1.NamespaceSystem, err)
	}
	summary, err := Summarize(coredns)
	if err != nil {
		return err
	}
	fmt.Printf("3. read: coredns has %d replicas of %s\n", summary.Replicas, strings.Join(summary.Images, ", "))

	created, err := CreateDeployment(ctx, client, namespace, webDeployment())
	if err != nil {
		return err
	}
	fmt.Printf("4. create: %s %s %s, UID %s\n", created.GetAPIVersion(), created.GetKind(), created.GetName(), created.GetUID())

	updated, err := SetReplicas(ctx, deployments.Namespace(namespace), created.GetName(), 2)
	if err != nil {
		return err
	}
	summary, err = Summarize(updated)
	if err != nil {
		return err
	}
	fmt.Printf("5. update: deployment %s wants %d replicas\n", updated.GetName(), summary.Replicas)
	return nil
}

// websiteLife takes one custom resource from its definition to its end.
func websiteLife(ctx context.Context, cfg *rest.Config, client dynamic.Interface, namespace string) error {
	deadline, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	crd := websiteCRD()
	established, err := CRDEstablished(crd)
	if err != nil {
		return err
	}
	fmt.Printf("6. conditions: %s is established before it is created: %t\n", crd.GetName(), established)
	if err := InstallCRD(deadline, client, crd); err != nil {
		return err
	}
	fmt.Printf("7. CRD: %s is established and served\n", crd.GetName())

	websites, err := websiteClient(deadline, cfg, client, namespace)
	if err != nil {
		return err
	}
	if err := createWebsite(deadline, websites); err != nil {
		return err
	}
	list, err := websites.List(deadline, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list websites in %s: %w", namespace, err)
	}
	fmt.Printf("   %d website in %s\n", len(list.Items), namespace)
	if _, err := SetReplicas(deadline, websites, "web", 3); err != nil {
		return err
	}
	if err := phases(deadline, websites); err != nil {
		return err
	}
	if err := websites.Delete(deadline, "web", metav1.DeleteOptions{}); err != nil {
		return fmt.Errorf("delete website %s/web: %w", namespace, err)
	}
	fmt.Printf("delete: website web; CRD %s stays, others may use it\n", crd.GetName())
	return nil
}

// websiteClient finds the resources of two kinds, and returns the client of one.
func websiteClient(ctx context.Context, cfg *rest.Config, client dynamic.Interface, namespace string) (dynamic.ResourceInterface, error) {
	discoveryClient, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("build the discovery client: %w", err)
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapperWithContext(memory.NewMemCacheClientWithContext(discoveryClient))

	namespaces, err := ResourceFor(ctx, client, mapper, corev1.SchemeGroupVersion.WithKind("Namespace"), namespace)
	if err != nil {
		return nil, err
	}
	own, err := namespaces.Get(ctx, namespace, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("get namespace %s: %w", namespace, err)
	}
	var websites dynamic.ResourceInterface
	kind := schema.GroupVersionKind{Group: websiteGroup, Version: "v1", Kind: "Website"}
	// Discovery may know a new CRD a moment later than the server serves it.
	err = wait.PollUntilContextCancel(ctx, 200*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		websites, err = ResourceFor(ctx, client, mapper, kind, namespace)
		if meta.IsNoMatchError(err) {
			mapper.ResetWithContext(ctx)
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return nil, err
	}
	fmt.Printf("8. resource: found those of the kinds %s and Website\n", own.GetKind())
	return websites, nil
}

// createWebsite creates a Website as somebody wrote it, at the second try.
func createWebsite(ctx context.Context, websites dynamic.ResourceInterface) error {
	_, err := ToWebsite(websiteManifest("replcias"))
	if !isStrict(err) {
		return errors.Join(errors.New("a website with a misspelled field was not refused for it"), err)
	}
	fmt.Printf("9. strict: refused: %v\n", err)

	manifest := websiteManifest("replicas")
	website, err := ToWebsite(manifest)
	if err != nil {
		return err
	}
	created, err := websites.Create(ctx, manifest, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("create website %s: %w", website.Name, err)
	}
	fmt.Printf("9. strict: created website %s for %s, generation %d\n", created.GetName(), website.Spec.Host, created.GetGeneration())
	return nil
}

// isStrict looks for the error of a strict conversion inside of err:
// runtime.IsStrictDecodingError by itself does not look inside.
func isStrict(err error) bool {
	for ; err != nil; err = errors.Unwrap(err) {
		if runtime.IsStrictDecodingError(err) {
			return true
		}
	}
	return false
}

// phases reports two phases, and waits for the second.
func phases(ctx context.Context, websites dynamic.ResourceInterface) error {
	const name, manager = "web", "builder"
	building, err := SetPhase(ctx, websites, name, manager, "Building")
	if err != nil {
		return err
	}
	fmt.Printf("10. status: %v, generation %d\n", building.Object["status"], building.GetGeneration())
	done, err := HasPhase(building, "Ready")
	if err != nil {
		return err
	}
	fmt.Printf("11. phase: it is Ready: %t\n", done)

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// A controller would do this: the phase comes while the program waits.
	go func() {
		select {
		case <-ctx.Done():
			return
		case <-time.After(500 * time.Millisecond):
		}
		if _, err := SetPhase(ctx, websites, name, manager, "Ready"); err != nil {
			cancel(err)
		}
	}()
	ready, err := WaitForPhase(ctx, websites, name, "Ready")
	if err != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	fmt.Printf("12. watch: %v at resourceVersion %s\n", ready.Object["status"], ready.GetResourceVersion())
	return nil
}

// webDeployment has no apiVersion and no kind: its Go type says both.
func webDeployment() *appsv1.Deployment {
	labels := map[string]string{"app": "web"}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Labels: labels},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "registry.k8s.io/pause:3.10"}}},
			},
		},
	}
}

// websiteManifest is what somebody might write, with the name of one field to choose.
func websiteManifest(replicasField string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": websiteGroup + "/v1",
		"kind":       "Website",
		"metadata":   map[string]any{"name": "web", "labels": map[string]any{"app": "web"}},
		"spec":       map[string]any{"host": "web.example.com", replicasField: int64(1)},
	}}
}

// websiteCRD defines the kind Website. All runs share it, so that none removes it.
func websiteCRD() *unstructured.Unstructured {
	text := map[string]any{"type": "string"}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1",
		"kind":       "CustomResourceDefinition",
		"metadata":   map[string]any{"name": "websites." + websiteGroup},
		"spec": map[string]any{
			"group": websiteGroup,
			"scope": "Namespaced",
			"names": map[string]any{
				"plural": "websites", "singular": "website", "kind": "Website", "shortNames": []any{"ws"},
			},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"subresources": map[string]any{"status": map[string]any{}},
				"schema": map[string]any{"openAPIV3Schema": map[string]any{
					"type": "object",
					"properties": map[string]any{
						"spec": map[string]any{
							"type": "object",
							"properties": map[string]any{
								"host":     text,
								"replicas": map[string]any{"type": "integer", "format": "int32", "minimum": int64(0)},
							},
						},
						"status": map[string]any{
							"type":       "object",
							"properties": map[string]any{"phase": text, "url": text},
						},
					},
				}},
			}},
		},
	}}
}

// ownNamespace makes a namespace for this run alone. The function that it
// returns deletes it again with all that it holds, also after an interrupt.
func ownNamespace(ctx context.Context, client dynamic.Interface) (string, func() error, error) {
	namespaces := client.Resource(corev1.SchemeGroupVersion.WithResource("namespaces"))
	ns := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"generateName": "dynamic-"},
	}}
	// An interrupt must not lose the answer: without the name there is no clean-up.
	ns, err := namespaces.Create(context.WithoutCancel(ctx), ns, metav1.CreateOptions{})
	if err != nil {
		return "", nil, fmt.Errorf("create a namespace for this run: %w", err)
	}
	cleanUp := func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		if err := namespaces.Delete(ctx, ns.GetName(), metav1.DeleteOptions{}); err != nil {
			return fmt.Errorf("delete namespace %s: %w", ns.GetName(), err)
		}
		fmt.Printf("clean-up: namespace %s is being deleted\n", ns.GetName())
		return nil
	}
	return ns.GetName(), cleanUp, nil
}
