package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

const (
	// deadStaleAfter is the age at which a dead aggregated API that a killed check
	// left behind is removed. It is longer than a step may take, and short,
	// because a dead API disturbs the discovery of everybody on the cluster.
	deadStaleAfter = 2 * time.Minute
	// servedWithin is how long the server may take to serve what was made.
	servedWithin = 30 * time.Second
	// groupSuffix ends the API groups that checks make.
	groupSuffix = ".workshop.example.com"
	// factRun marks what a TestFact made.
	factRun = "fact"
)

var (
	crdResource        = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	apiServiceResource = schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}
)

// CRD describes a custom resource definition of a check's own.
type CRD struct {
	Group, Plural, Singular, Kind string
	ShortNames                    []string
	// Versions are all served; the first is the storage version.
	Versions []string
	// Cluster makes the resource cluster-scoped.
	Cluster bool
}

// Name is the object's name.
func (c CRD) Name() string { return c.Plural + "." + c.Group }

// RandomGroup is an API group that no other run uses.
func RandomGroup() string { return "check-" + rand.String(8) + groupSuffix }

// OfCheck says whether an API group is one that a check has made, this one or another.
func OfCheck(group string) bool { return strings.HasSuffix(group, groupSuffix) }

// InstallCRD makes c and returns when the server's discovery shows it. It is
// removed when the step is judged.
func (s *S) InstallCRD(c CRD) {
	remove, err := installCRD(s.ctx, s.Config(), c, s.run)
	s.t.Cleanup(func() { logError(s.t, remove()) })
	s.Setup(err, "install CRD "+c.Name())
}

// DeadAPI makes an aggregated API whose backend does not exist, and returns its
// group-version when the server's discovery says that it failed. While it
// exists, every discovery on the cluster fails in part: remove it as soon as
// possible. It is removed in any case when the step is judged.
func (s *S) DeadAPI() (gv schema.GroupVersion, remove func()) {
	gv, end, err := deadAPI(s.ctx, s.Config(), s.run)
	remove = func() { logError(s.t, end()) }
	s.t.Cleanup(remove)
	s.Setup(err, "make an aggregated API without a backend")
	return gv, remove
}

// FactDeadAPI is DeadAPI for a TestFact.
func FactDeadAPI(t *testing.T) (gv schema.GroupVersion, remove func()) {
	t.Helper()
	gv, end, err := deadAPI(t.Context(), FactConfig(t), factRun)
	remove = func() { logError(t, end()) }
	t.Cleanup(remove)
	if err != nil {
		t.Fatal(err)
	}
	return gv, remove
}

func logError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Logf("clean up: %v", err)
	}
}

func installCRD(ctx context.Context, cfg *rest.Config, c CRD, run string) (remove func() error, err error) {
	remove = removal(ctx, cfg, crdResource, c.Name())
	versions := make([]any, 0, len(c.Versions))
	for i, version := range c.Versions {
		versions = append(versions, map[string]any{
			"name": version, "served": true, "storage": i == 0,
			"schema": map[string]any{"openAPIV3Schema": map[string]any{
				"type": "object", "x-kubernetes-preserve-unknown-fields": true,
			}},
		})
	}
	shortNames := make([]any, 0, len(c.ShortNames))
	for _, name := range c.ShortNames {
		shortNames = append(shortNames, name)
	}
	scope := "Namespaced"
	if c.Cluster {
		scope = "Cluster"
	}
	err = createLabelled(ctx, cfg, crdResource, run, map[string]any{
		"apiVersion": crdResource.GroupVersion().String(),
		"kind":       "CustomResourceDefinition",
		"metadata":   map[string]any{"name": c.Name()},
		"spec": map[string]any{
			"group": c.Group, "scope": scope, "versions": versions,
			"names": map[string]any{"plural": c.Plural, "singular": c.Singular, "kind": c.Kind, "shortNames": shortNames},
		},
	})
	if err != nil {
		return remove, err
	}
	return remove, untilDiscovered(ctx, cfg, func(d documents) error {
		for _, version := range c.Versions {
			gv := schema.GroupVersion{Group: c.Group, Version: version}
			if !d.serves(gv, c.Plural) {
				return fmt.Errorf("%s is not served in %s yet", c.Plural, gv)
			}
		}
		return nil
	})
}

func deadAPI(ctx context.Context, cfg *rest.Config, run string) (gv schema.GroupVersion, remove func() error, err error) {
	gv = schema.GroupVersion{Group: "dead-" + rand.String(8) + groupSuffix, Version: "v1"}
	name := gv.Version + "." + gv.Group
	remove = removal(ctx, cfg, apiServiceResource, name)
	err = createLabelled(ctx, cfg, apiServiceResource, run, map[string]any{
		"apiVersion": apiServiceResource.GroupVersion().String(),
		"kind":       "APIService",
		"metadata":   map[string]any{"name": name},
		"spec": map[string]any{
			"group": gv.Group, "version": gv.Version,
			"groupPriorityMinimum": int64(1), "versionPriority": int64(1),
			"insecureSkipTLSVerify": true,
			"service":               map[string]any{"namespace": metav1.NamespaceDefault, "name": "nobody-" + rand.String(8), "port": int64(443)},
		},
	})
	if err != nil {
		return gv, remove, err
	}
	return gv, remove, untilDiscovered(ctx, cfg, func(d documents) error {
		if d.failed[gv] == nil {
			return fmt.Errorf("the discovery of %s does not fail yet", gv)
		}
		return nil
	})
}

func createLabelled(ctx context.Context, cfg *rest.Config, resource schema.GroupVersionResource, run string, content map[string]any) error {
	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return fmt.Errorf("build a dynamic client: %w", err)
	}
	obj := &unstructured.Unstructured{Object: content}
	obj.SetLabels(map[string]string{runLabel: run})
	if _, err := client.Resource(resource).Create(ctx, obj, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create %s %s: %w", resource.Resource, obj.GetName(), err)
	}
	return nil
}

// removal deletes one object, also after the end of ctx. An object that is gone is no error.
func removal(ctx context.Context, cfg *rest.Config, resource schema.GroupVersionResource, name string) func() error {
	return func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		client, err := dynamic.NewForConfig(cfg)
		if err != nil {
			return fmt.Errorf("build a dynamic client: %w", err)
		}
		return deleteObject(ctx, client, resource, name)
	}
}

func deleteObject(ctx context.Context, client dynamic.Interface, resource schema.GroupVersionResource, name string) error {
	err := client.Resource(resource).Delete(ctx, name, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete %s %s: %w", resource.Resource, name, err)
	}
	return nil
}

// documents are what the server's discovery says at one moment, in its
// aggregated form and in the older one.
type documents struct {
	failed     map[schema.GroupVersion]error
	aggregated map[schema.GroupVersion]*metav1.APIResourceList
	groups     []string
	resources  func(gv schema.GroupVersion) *metav1.APIResourceList
}

// serves says whether both forms know the resource: a step may use either.
func (d documents) serves(gv schema.GroupVersion, resource string) bool {
	has := func(list *metav1.APIResourceList) bool {
		return list != nil && slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Name == resource })
	}
	return has(d.aggregated[gv]) && slices.Contains(d.groups, gv.String()) && has(d.resources(gv))
}

func untilDiscovered(ctx context.Context, cfg *rest.Config, ready func(documents) error) error {
	ctx, cancel := context.WithTimeout(ctx, servedWithin)
	defer cancel()
	client, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		return fmt.Errorf("build a discovery client: %w", err)
	}
	var last error
	err = wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		var d documents
		if d, last = readDocuments(ctx, client); last == nil {
			last = ready(d)
		}
		return last == nil, nil
	})
	if err != nil {
		return errors.Join(fmt.Errorf("wait for the server's discovery: %w", err), last)
	}
	return nil
}

func readDocuments(ctx context.Context, client *discovery.DiscoveryClient) (documents, error) {
	_, aggregated, failed, err := client.GroupsAndMaybeResourcesWithContext(ctx)
	if err != nil {
		return documents{}, fmt.Errorf("discover: %w", err)
	}
	groups, err := client.WithLegacyWithContext(ctx).ServerGroupsWithContext(ctx)
	if err != nil {
		return documents{}, fmt.Errorf("discover groups: %w", err)
	}
	return documents{
		failed: failed, aggregated: aggregated, groups: metav1.ExtractGroupVersions(groups),
		resources: func(gv schema.GroupVersion) *metav1.APIResourceList {
			list, err := client.ServerResourcesForGroupVersionWithContext(ctx, gv.String())
			if err != nil {
				return nil
			}
			return list
		},
	}, nil
}

// sweepCluster removes the cluster-scoped objects of this judgement and those
// that killed checks left: dead APIs first, since they hold up the deletion of
// every namespace.
func sweepCluster(ctx context.Context, cfg *rest.Config, run string) error {
	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return fmt.Errorf("build a dynamic client: %w", err)
	}
	var errs []error
	for _, kind := range []struct {
		resource schema.GroupVersionResource
		stale    time.Duration
	}{{apiServiceResource, deadStaleAfter}, {crdResource, staleAfter}} {
		list, err := client.Resource(kind.resource).List(ctx, metav1.ListOptions{LabelSelector: runLabel})
		if apierrors.IsForbidden(err) {
			continue // who may not list them has not made any
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("list %s: %w", kind.resource.Resource, err))
			continue
		}
		for _, obj := range list.Items {
			mine := obj.GetLabels()[runLabel] == run
			stale := time.Since(obj.GetCreationTimestamp().Time) > kind.stale
			// The label alone could be somebody else's.
			ours := OfCheck(obj.GetName()) // a CRD and an APIService end in their group
			if ours && (mine || stale) && obj.GetDeletionTimestamp() == nil {
				errs = append(errs, deleteObject(ctx, client, kind.resource, obj.GetName()))
			}
		}
	}
	return errors.Join(errs...)
}
