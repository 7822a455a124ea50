//workshop:accept crd-get-first
//workshop:why whether the CRD is there can be asked first, with a GET
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
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
)

func InstallCRD(ctx context.Context, client dynamic.Interface, crd *unstructured.Unstructured) error {
	crds := client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	name := crd.GetName()
	_, err := crds.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = crds.Create(ctx, crd, metav1.CreateOptions{})
	}
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
