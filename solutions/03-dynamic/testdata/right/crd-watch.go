//workshop:accept crd-watch
//workshop:why a watch can tell of Established
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
	_, err := crds.Create(ctx, crd, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create CRD %s: %w", name, err)
	}

	var established *unstructured.Unstructured
	const pause = 100 * time.Millisecond
	for done := false; !done; {
		list, err := crds.List(ctx, metav1.SingleObject(metav1.ObjectMeta{Name: name}))
		if err != nil {
			return fmt.Errorf("list CRD %s: %w", name, err)
		}
		if len(list.Items) == 0 {
			return fmt.Errorf("CRD %s is gone", name)
		}
		established = &list.Items[0]
		if done, err = CRDEstablished(established); done || err != nil {
			if err != nil {
				return err
			}
			break
		}
		w, err := crds.Watch(ctx, metav1.SingleObject(metav1.ObjectMeta{Name: name, ResourceVersion: list.GetResourceVersion()}))
		if err != nil {
			return fmt.Errorf("watch CRD %s: %w", name, err)
		}
		for event := range w.ResultChan() {
			found, ok := event.Object.(*unstructured.Unstructured)
			if !ok {
				break
			}
			established = found
			if done, err = CRDEstablished(found); done || err != nil {
				break
			}
		}
		w.Stop()
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait until CRD %s is established: %w", name, ctx.Err())
		case <-time.After(pause):
		}
	}
	resources, err := servedResources(established)
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
