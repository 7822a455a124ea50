//workshop:accept update-own-loop
//workshop:why a bounded loop of one's own in place of RetryOnConflict
//workshop:step AnnotatePod

package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
)

func AnnotatePod(ctx context.Context, client rest.Interface, namespace, name, key, value string) (*corev1.Pod, error) {
	var last error
	for try := range 8 {
		pod := &corev1.Pod{}
		if err := client.Get().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Into(pod); err != nil {
			return nil, fmt.Errorf("get pod %s: %w", name, err)
		}
		if pod.Annotations == nil {
			pod.Annotations = map[string]string{}
		}
		pod.Annotations[key] = value
		err := client.Put().Namespace(namespace).Resource("pods").Name(name).Body(pod).Do(ctx).Into(pod)
		if err == nil {
			return pod, nil
		}
		if !apierrors.IsConflict(err) {
			return nil, err
		}
		last = err
		time.Sleep(time.Duration(try) * 10 * time.Millisecond)
	}
	return nil, fmt.Errorf("give up on pod %s: %w", name, last)
}
