//workshop:mutant crd-established-only
//workshop:fault Established is taken for served
//workshop:step 6
//workshop:want only an answer to a list proves it

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

	established := func(ctx context.Context) (done bool, err error) {
		found, err := crds.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		_, done, err = establishedResources(found)
		return done, err
	}
	const pause = 100 * time.Millisecond
	if err := wait.PollUntilContextCancel(ctx, pause, true, established); err != nil {
		return fmt.Errorf("wait until CRD %s is established: %w", name, err)
	}
	return nil
}
