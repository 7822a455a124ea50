//workshop:mutant move-writes-indexer
//workshop:fault the change is put into the cache by hand
//workshop:step 7
//workshop:want wrote to the indexer

package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

func MoveToApp(ctx context.Context, client kubernetes.Interface, indexer cache.TypedIndexer[*corev1.Pod], namespace, name, app string) error {
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{"app":%q}}}`, app)
	pod, err := client.CoreV1().Pods(namespace).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		return err
	}
	return indexer.Update(pod)
}
