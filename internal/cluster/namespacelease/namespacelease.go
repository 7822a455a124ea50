// Package namespacelease lets the checks work in one namespace, for a user of a shared
// cluster who may not make any. A check elsewhere has a namespace of its own and
// nothing else in it; here it borrows the one that there is, empties it, and
// gives it back.
//
// A Lease in the namespace, see [LeaseName], says that the checks may empty it,
// and which of them is at work there. Only [Prepare] makes it, on the user's word.
package namespacelease

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"example.com/client-go-workshop/internal/cluster"
)

const (
	// LeaseName is the Lease that marks a namespace that the checks may borrow.
	LeaseName = "client-go-workshop-checks"

	// MadeByCheck is the label of objects that a check made of kinds which the
	// owner of a namespace may have put there: only those with it are removed.
	MadeByCheck = "workshop.example.com/check"

	managedByLabel = "app.kubernetes.io/managed-by"
	managedBy      = "client-go-workshop"
	// keepAnnotation names the ConfigMaps that were there before.
	keepAnnotation = "workshop.example.com/keep-configmaps"

	// borrowedFor is how long a check that was killed keeps others waiting. No
	// check takes as long, with what is removed after it.
	borrowedFor = 2 * time.Minute
	// Patience is how long a check waits for its turn. It is longer than borrowedFor,
	// so that a killed check costs others time and no verdict.
	Patience = borrowedFor + 20*time.Second
	pause    = 200 * time.Millisecond
	// finalizersKept is how long somebody's controller has for its own finalizer,
	// as that of a load balancer or an ingress controller.
	finalizersKept = 5 * time.Second
	// returnWithin bounds the one request that gives the namespace back.
	returnWithin = 5 * time.Second
)

var (
	// ErrNotPrepared is returned for a namespace without the Lease.
	ErrNotPrepared = errors.New("the namespace was not given to the checks")
	// ErrNotEmpty is returned for a namespace that holds what a check would remove.
	ErrNotEmpty = errors.New("the namespace is not empty")
	// ErrShared is returned for a namespace that is never one user's own.
	ErrShared = errors.New("the namespace belongs to all of the cluster")
)

// kind is what a chapter's step or check makes, or what could change that: a
// program may leave an autoscaler for the Deployment of the next check.
type kind struct {
	resource schema.GroupVersionResource
	// words say what it is to a person, in the plural.
	words string
	// owners is set for a kind of which the namespace's owner may have objects
	// there, as a quota: of it only what bears [MadeByCheck] counts.
	owners bool
}

// kinds has those that make others first.
func kinds() []kind {
	const workloads = "workloads"
	core, apps := schema.GroupVersion{Version: "v1"}, schema.GroupVersion{Group: "apps", Version: "v1"}
	rbac := schema.GroupVersion{Group: "rbac.authorization.k8s.io", Version: "v1"}
	return []kind{
		{resource: schema.GroupVersionResource{Group: "networking.k8s.io", Version: "v1", Resource: "ingresses"}, words: "Ingresses"},
		{resource: core.WithResource("services"), words: "Services"},
		{resource: schema.GroupVersionResource{Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"}, words: "autoscalers"},
		{resource: schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "cronjobs"}, words: workloads},
		{resource: apps.WithResource("deployments"), words: workloads},
		{resource: apps.WithResource("statefulsets"), words: workloads},
		{resource: apps.WithResource("daemonsets"), words: workloads},
		{resource: apps.WithResource("replicasets"), words: workloads},
		{resource: core.WithResource("replicationcontrollers"), words: workloads},
		{resource: schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}, words: workloads},
		{resource: core.WithResource("pods"), words: workloads},
		{resource: core.WithResource("configmaps"), words: "ConfigMaps"},
		{resource: schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}, words: "Leases"},
		{resource: core.WithResource("resourcequotas"), owners: true},
		{resource: core.WithResource("serviceaccounts"), owners: true},
		{resource: rbac.WithResource("rolebindings"), owners: true},
		{resource: rbac.WithResource("roles"), owners: true},
	}
}

// Removes are the resources of which a check removes the objects that it finds.
func Removes() []schema.GroupResource {
	var all []schema.GroupResource
	for _, k := range kinds() {
		all = append(all, k.resource.GroupResource())
	}
	return all
}

// RemovesInWords says what of a namespace's owner a check removes, each kind once.
func RemovesInWords() []string {
	var all []string
	for _, k := range kinds() {
		if !k.owners && !slices.Contains(all, k.words) {
			all = append(all, k.words)
		}
	}
	return all
}

// space is the namespace as one user sees it.
type space struct {
	name    string
	objects dynamic.Interface
	api     kubernetes.Interface
}

func open(cfg *rest.Config, namespace string) (*space, error) {
	objects, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("open namespace %s: %w", namespace, err)
	}
	api, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("open namespace %s: %w", namespace, err)
	}
	return &space{name: namespace, objects: objects, api: api}, nil
}

// Prepared says whether the namespace was given to the checks.
func Prepared(ctx context.Context, cfg *rest.Config, namespace string) (bool, error) {
	s, err := open(cfg, namespace)
	if err != nil {
		return false, err
	}
	_, err = s.lease(ctx)
	if errors.Is(err, ErrNotPrepared) {
		return false, nil
	}
	return err == nil, err
}

// Prepare gives a namespace to the checks, which from then on remove what they
// find in it. The error matches [ErrNotEmpty] when there is something: then
// nothing was changed. ConfigMaps that are there stay for good. It matches
// [ErrShared] for a namespace of the cluster's own or of all learners.
func Prepare(ctx context.Context, cfg *rest.Config, namespace string) error {
	if namespace == metav1.NamespaceDefault || namespace == cluster.Namespace || strings.HasPrefix(namespace, "kube-") {
		return fmt.Errorf("%w: %s; name one that is yours", ErrShared, namespace)
	}
	s, err := open(cfg, namespace)
	if err != nil {
		return err
	}
	found, err := s.find(ctx, nil)
	if err != nil {
		return err
	}
	var keep, others []string
	for _, obj := range found {
		if obj.GetKind() == "ConfigMap" {
			keep = append(keep, obj.GetName())
		} else {
			others = append(others, obj.GetKind()+" "+obj.GetName())
		}
	}
	if len(others) > 0 {
		return fmt.Errorf("%w: namespace %s holds %s; a check would remove all of it: name a namespace that holds nothing",
			ErrNotEmpty, namespace, some(others))
	}
	_, err = s.api.CoordinationV1().Leases(namespace).Create(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{
		Name:        LeaseName,
		Labels:      map[string]string{managedByLabel: managedBy},
		Annotations: map[string]string{keepAnnotation: strings.Join(keep, ",")},
	}}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create lease %s/%s: %w", namespace, LeaseName, err)
	}
	return nil
}

// some names the first of many.
func some(names []string) string {
	const shown = 5
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}

// Borrow waits until no other check is at work in the namespace, empties it, and
// holds it for holder until [Return]. The error matches [ErrNotPrepared] when the
// namespace was not given to the checks.
func Borrow(ctx context.Context, cfg *rest.Config, namespace, holder string) error {
	s, err := open(cfg, namespace)
	if err != nil {
		return err
	}
	var lease *coordinationv1.Lease
	err = wait.PollUntilContextCancel(ctx, pause, true, func(ctx context.Context) (held bool, err error) {
		if lease, err = s.lease(ctx); err != nil || !free(lease, time.Now()) {
			return false, err
		}
		update, err := s.hold(ctx, lease, holder)
		if apierrors.IsConflict(err) {
			return false, nil
		}
		lease = update
		return err == nil, err
	})
	if wait.Interrupted(err) {
		return fmt.Errorf("another check is at work in namespace %s; wait until it is done: %w", namespace, err)
	}
	if err != nil {
		return err
	}
	if err := s.empty(ctx, lease); err != nil {
		return errors.Join(err, s.release(ctx, lease))
	}
	// What was there may have taken long to go.
	_, err = s.hold(ctx, lease, holder)
	return err
}

// Return empties the namespace and lets others have it, if holder has borrowed
// it. They have it also when something stays: who borrows it empties it as well.
func Return(ctx context.Context, cfg *rest.Config, namespace, holder string) error {
	s, err := open(cfg, namespace)
	if err != nil {
		return err
	}
	lease, err := s.lease(ctx)
	if err != nil {
		return err
	}
	if lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity != holder {
		return nil
	}
	return errors.Join(s.empty(ctx, lease), s.release(ctx, lease))
}

func (s *space) release(ctx context.Context, lease *coordinationv1.Lease) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), returnWithin)
	defer cancel()
	_, err := s.hold(ctx, lease, "")
	return err
}

func (s *space) lease(ctx context.Context) (*coordinationv1.Lease, error) {
	lease, err := s.api.CoordinationV1().Leases(s.name).Get(ctx, LeaseName, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil, fmt.Errorf("namespace %s: %w", s.name, ErrNotPrepared)
	case err != nil:
		return nil, fmt.Errorf("get lease %s/%s: %w", s.name, LeaseName, err)
	case lease.Labels[managedByLabel] != managedBy:
		return nil, fmt.Errorf("lease %s/%s was not made by the workshop: %w", s.name, LeaseName, ErrNotPrepared)
	}
	return lease, nil
}

func free(lease *coordinationv1.Lease, now time.Time) bool {
	holder, since := lease.Spec.HolderIdentity, lease.Spec.AcquireTime
	return holder == nil || *holder == "" || since == nil || now.Sub(since.Time) > borrowedFor
}

// hold names the holder in the Lease, unless it has changed since it was read.
func (s *space) hold(ctx context.Context, lease *coordinationv1.Lease, holder string) (*coordinationv1.Lease, error) {
	update := lease.DeepCopy()
	now, seconds := metav1.NowMicro(), int32(borrowedFor/time.Second)
	update.Spec = coordinationv1.LeaseSpec{HolderIdentity: &holder, AcquireTime: &now, LeaseDurationSeconds: &seconds}
	update, err := s.api.CoordinationV1().Leases(s.name).Update(ctx, update, metav1.UpdateOptions{})
	if err != nil {
		return nil, fmt.Errorf("update lease %s/%s: %w", s.name, LeaseName, err)
	}
	return update, nil
}

// empty removes what checks and steps make, again and again until none is left:
// what owns others may make one more before it is gone itself.
func (s *space) empty(ctx context.Context, lease *coordinationv1.Lease) error {
	keep := strings.Split(lease.Annotations[keepAnnotation], ",")
	patient := time.Now().Add(finalizersKept)
	var left []found
	err := wait.PollUntilContextCancel(ctx, pause, true, func(ctx context.Context) (empty bool, err error) {
		if left, err = s.find(ctx, keep); err != nil {
			return false, err
		}
		for _, obj := range left {
			if err := s.remove(ctx, obj, time.Now().After(patient)); err != nil {
				return false, err
			}
		}
		return len(left) == 0, nil
	})
	if wait.Interrupted(err) && len(left) > 0 {
		return fmt.Errorf("empty namespace %s: %s %s stays: %w", s.name, left[0].GetKind(), left[0].GetName(), err)
	}
	return err
}

// find lists what a check would remove. A kind that the user may not list is one
// that no check has made.
func (s *space) find(ctx context.Context, keep []string) ([]found, error) {
	var all []found
	for _, k := range kinds() {
		options := metav1.ListOptions{}
		if k.owners {
			options.LabelSelector = MadeByCheck
		}
		list, err := s.objects.Resource(k.resource).Namespace(s.name).List(ctx, options)
		if apierrors.IsForbidden(err) || apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list %s in namespace %s: %w", k.resource.Resource, s.name, err)
		}
		for i := range list.Items {
			obj := found{&list.Items[i], k.resource}
			if !obj.stays(keep) {
				all = append(all, obj)
			}
		}
	}
	return all, nil
}

type found struct {
	*unstructured.Unstructured
	resource schema.GroupVersionResource
}

// stays is said of the Lease itself and of the ConfigMaps that were there before
// or that the cluster puts into every namespace.
func (f found) stays(keep []string) bool {
	switch f.GetKind() {
	case "Lease":
		return f.GetName() == LeaseName
	case "ConfigMap":
		return f.GetName() == rootCA || slices.Contains(keep, f.GetName())
	}
	return false
}

// rootCA is the ConfigMap that kube-controller-manager keeps in every namespace.
const rootCA = "kube-root-ca.crt"

// remove deletes at once, and takes off what holds a deletion up: the finalizers
// of checks and steps, whose controllers run no longer, and with force all others.
func (s *space) remove(ctx context.Context, obj found, force bool) error {
	client := s.objects.Resource(obj.resource).Namespace(s.name)
	uid, now := obj.GetUID(), int64(0)
	background := metav1.DeletePropagationBackground
	err := client.Delete(ctx, obj.GetName(), metav1.DeleteOptions{
		GracePeriodSeconds: &now, PropagationPolicy: &background, Preconditions: &metav1.Preconditions{UID: &uid},
	})
	if err == nil && slices.ContainsFunc(obj.GetFinalizers(), func(f string) bool { return ofCheck(f) || force && !ofCollector(f) }) {
		_, err = client.Patch(ctx, obj.GetName(), types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	}
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("remove %s %s/%s: %w", obj.GetKind(), s.name, obj.GetName(), err)
	}
	return nil
}

func ofCheck(finalizer string) bool {
	domain, _, _ := strings.Cut(finalizer, "/")
	return domain == "example.com" || strings.HasSuffix(domain, ".example.com")
}

// ofCollector says whether it is one that the garbage collector itself takes off.
func ofCollector(finalizer string) bool {
	return finalizer == metav1.FinalizerDeleteDependents || finalizer == metav1.FinalizerOrphanDependents
}
