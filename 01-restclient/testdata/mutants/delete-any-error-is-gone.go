//workshop:mutant delete-any-error-is-gone
//workshop:fault any error of the GET is taken for the end
//workshop:step 7
//workshop:want an error was taken for
//workshop:want only NotFound

package main

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
)

func DeletePod(ctx context.Context, client rest.Interface, namespace, name string) error {
	err := client.Delete().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Error()
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for {
		if err := client.Get().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Into(&corev1.Pod{}); err != nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
}
