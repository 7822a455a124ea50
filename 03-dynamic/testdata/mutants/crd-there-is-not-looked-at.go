//workshop:mutant crd-there-is-not-looked-at
//workshop:fault of a CRD that is there no condition is looked at
//workshop:step 6
//workshop:want a CRD of this name was there, and another CRD has the kind

package main

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
)

func InstallCRD(ctx context.Context, client dynamic.Interface, crd *unstructured.Unstructured) error {
	crds := client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	name := crd.GetName()
	_, createErr := crds.Create(ctx, crd, metav1.CreateOptions{})
	if createErr != nil && !apierrors.IsAlreadyExists(createErr) {
		return fmt.Errorf("create CRD %s: %w", name, createErr)
	}

	var resources []schema.GroupVersionResource
	established := func(ctx context.Context) (done bool, err error) {
		found, err := crds.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		resources, done, err = establishedResources(found)
		if apierrors.IsAlreadyExists(createErr) {
			done, err = true, nil
			var all []schema.GroupVersionResource
			versions, _, _ := unstructured.NestedSlice(found.Object, "spec", "versions")
			for _, v := range versions {
				if v := v.(map[string]any); v["served"] == true {
					group, _, _ := unstructured.NestedString(found.Object, "spec", "group")
					plural, _, _ := unstructured.NestedString(found.Object, "spec", "names", "plural")
					all = append(all, schema.GroupVersionResource{Group: group, Version: v["name"].(string), Resource: plural})
				}
			}
			resources = all
		}
		return done, err
	}
	const pause = 100 * time.Millisecond
	if err := wait.PollUntilContextCancel(ctx, pause, true, established); err != nil {
		return fmt.Errorf("wait until CRD %s is established: %w", name, err)
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
