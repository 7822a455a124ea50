//workshop:mutant delete-conflict-is-gone
//workshop:fault a 409 on a conditional DELETE counts as gone
//workshop:step 7
//workshop:want A 409 alone does not

package main

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
)

func DeletePod(ctx context.Context, client rest.Interface, namespace, name string) error {
	old := &corev1.Pod{}
	err := client.Get().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Into(old)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	err = client.Delete().Namespace(namespace).Resource("pods").Name(name).Body(metav1.NewPreconditionDeleteOptions(string(old.UID))).Do(ctx).Error()
	if apierrors.IsConflict(err) {
		return nil
	}
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	gone := func(ctx context.Context) (bool, error) {
		now := &corev1.Pod{}
		err := client.Get().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Into(now)
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return err == nil && now.UID != old.UID, err
	}
	return wait.PollUntilContextCancel(ctx, 200*time.Millisecond, true, gone)
}
