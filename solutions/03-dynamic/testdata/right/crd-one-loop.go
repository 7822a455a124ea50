//workshop:accept crd-one-loop
//workshop:why one loop can look at everything, in maps, with a growing pause
//workshop:step InstallCRD

package main

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

func InstallCRD(ctx context.Context, client dynamic.Interface, crd *unstructured.Unstructured) error {
	crds := client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	if _, err := crds.Create(ctx, crd, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create CRD %s: %w", crd.GetName(), err)
	}
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		ready, err := ready(ctx, client, crds, crd.GetName())
		if err != nil {
			return fmt.Errorf("wait for CRD %s: %w", crd.GetName(), err)
		}
		if ready {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for CRD %s: %w", crd.GetName(), ctx.Err())
		case <-time.After(pause):
		}
	}
}

func ready(ctx context.Context, client dynamic.Interface, crds dynamic.ResourceInterface, name string) (bool, error) {
	crd, err := crds.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return false, err
	}
	resources, established, err := inMaps(crd)
	if err != nil || !established {
		return false, err
	}
	for _, resource := range resources {
		_, err := client.Resource(resource).List(ctx, metav1.ListOptions{})
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

func inMaps(crd *unstructured.Unstructured) ([]schema.GroupVersionResource, bool, error) {
	group, _, err := unstructured.NestedString(crd.Object, "spec", "group")
	if err != nil {
		return nil, false, err
	}
	plural, _, err := unstructured.NestedString(crd.Object, "spec", "names", "plural")
	if err != nil {
		return nil, false, err
	}
	versions, _, err := unstructured.NestedSlice(crd.Object, "spec", "versions")
	if err != nil {
		return nil, false, err
	}
	var resources []schema.GroupVersionResource
	for _, version := range versions {
		fields, ok := version.(map[string]any)
		if ok && fields["served"] == true {
			resources = append(resources, schema.GroupVersionResource{Group: group, Version: fmt.Sprint(fields["name"]), Resource: plural})
		}
	}
	value, _, err := unstructured.NestedFieldNoCopy(crd.Object, "status", "conditions")
	if err != nil {
		return nil, false, err
	}
	conditions, _ := value.([]any)
	for _, condition := range conditions {
		fields, ok := condition.(map[string]any)
		if ok && fields["type"] == "Established" && fields["status"] == "True" {
			return resources, true, nil
		}
		if ok && fields["type"] == "NamesAccepted" && fields["status"] == "False" {
			return nil, false, fmt.Errorf("its names are not accepted: %v", fields["message"])
		}
	}
	return nil, false, nil
}
