//workshop:mutant delete-dry-run
//workshop:fault the DELETE is a dry run
//workshop:step 7
//workshop:want DELETE is a dry run

package main

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
)

func DeletePod(ctx context.Context, client rest.Interface, namespace, name string) error {
	err := client.Delete().Namespace(namespace).Resource("pods").Name(name).
		Body(&metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}).Do(ctx).Error()
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return wait.PollUntilContextCancel(ctx, 100*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		err := client.Get().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Error()
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return false, err
	})
}
