//workshop:mutant move-only-cache
//workshop:fault the server is never told
//workshop:step 7
//workshop:want wrote to the indexer

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

func MoveToApp(ctx context.Context, client kubernetes.Interface, indexer cache.TypedIndexer[*corev1.Pod], namespace, name, app string) error {
	obj, exists, err := indexer.GetByKey(namespace + "/" + name)
	if err != nil || !exists {
		return apierrors.NewNotFound(corev1.Resource("pods"), name)
	}
	pod := obj.(*corev1.Pod).DeepCopy()
	pod.Labels = map[string]string{AppLabel: app}
	_, _ = ctx, client
	return indexer.Update(pod)
}
