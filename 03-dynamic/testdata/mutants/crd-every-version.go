//workshop:mutant crd-every-version
//workshop:fault a version that is not served is waited for
//workshop:step 6
//workshop:want a version that is not served (served: false) never answers a list

package main

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
)

func InstallCRD(ctx context.Context, client dynamic.Interface, crd *unstructured.Unstructured) error {
	crds := client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	name := crd.GetName()
	_, err := crds.Create(ctx, crd, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create CRD %s: %w", name, err)
	}

	var resources []schema.GroupVersionResource
	established := func(ctx context.Context) (done bool, err error) {
		found, err := crds.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		resources, done, err = establishedResources(found)
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

func establishedResources(crd *unstructured.Unstructured) ([]schema.GroupVersionResource, bool, error) {
	// A struct of only these fields, since the conditions of a new CRD are null,
	// which to unstructured.NestedSlice is a value of the wrong type.
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
		Status struct {
			Conditions []metav1.Condition `json:"conditions"`
		} `json:"status"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(crd.Object, &definition); err != nil {
		return nil, false, err
	}
	conditions := definition.Status.Conditions
	if c := meta.FindStatusCondition(conditions, "NamesAccepted"); c != nil && c.Status == metav1.ConditionFalse {
		return nil, false, fmt.Errorf("its names are not accepted: %s: %s", c.Reason, c.Message)
	}
	var resources []schema.GroupVersionResource
	for _, version := range definition.Spec.Versions {
		if version.Name != "" {
			resources = append(resources, schema.GroupVersionResource{
				Group: definition.Spec.Group, Version: version.Name, Resource: definition.Spec.Names.Plural,
			})
		}
	}
	return resources, meta.IsStatusConditionTrue(conditions, "Established"), nil
}
