//workshop:accept delete-until-with-sync
//workshop:why an informer waits for the end
//workshop:step DeletePod

package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
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
	err = client.Delete().Namespace(namespace).Resource("pods").Name(name).
		Body(metav1.NewPreconditionDeleteOptions(string(old.UID))).Do(ctx).Error()
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	lw := cache.NewListWatchFromClient(client, "pods", namespace, fields.OneTermEqualSelector("metadata.name", name))
	_, err = watchtools.UntilWithSync(ctx, lw, &corev1.Pod{}, func(store cache.Store) (bool, error) {
		obj, exists, err := store.GetByKey(namespace + "/" + name)
		return !exists || obj.(*corev1.Pod).UID != old.UID, err
	}, func(event watch.Event) (bool, error) {
		pod, ok := event.Object.(*corev1.Pod)
		return ok && (event.Type == watch.Deleted || pod.UID != old.UID), nil
	})
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return fmt.Errorf("wait for pod %s: %w", name, err)
	}
	return nil
}
