//workshop:mutant delete-forced
//workshop:fault the pod is deleted with a grace period of 0
//workshop:step 7
//workshop:want gracePeriodSeconds
//workshop:want grace period

package main

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

func DeletePod(ctx context.Context, client rest.Interface, namespace, name string) error {
	zero := int64(0)
	err := client.Delete().Namespace(namespace).Resource("pods").Name(name).Body(&metav1.DeleteOptions{GracePeriodSeconds: &zero}).Do(ctx).Error()
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for {
		err := client.Get().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Into(&corev1.Pod{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}
