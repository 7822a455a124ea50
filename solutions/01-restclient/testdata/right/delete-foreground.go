//workshop:accept delete-foreground
//workshop:why a propagation policy is allowed, the pause may grow and the answers may come from a list
//workshop:step DeletePod

package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

func DeletePod(ctx context.Context, client rest.Interface, namespace, name string) error {
	find := func() (*corev1.Pod, error) {
		list := &corev1.PodList{}
		err := client.Get().Namespace(namespace).Resource("pods").
			VersionedParams(&metav1.ListOptions{FieldSelector: "metadata.name=" + name}, scheme.ParameterCodec).
			Do(ctx).Into(list)
		if err != nil || len(list.Items) == 0 {
			return nil, err
		}
		return &list.Items[0], nil
	}
	old, err := find()
	if err != nil || old == nil {
		return err
	}
	policy := metav1.DeletePropagationForeground
	err = client.Delete().Namespace(namespace).Resource("pods").Name(name).
		Body(&metav1.DeleteOptions{PropagationPolicy: &policy}).Do(ctx).Error()
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		now, err := find()
		if err != nil {
			return err
		}
		if now == nil || now.UID != old.UID {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for pod %s: %w", name, ctx.Err())
		case <-time.After(pause):
		}
	}
}
