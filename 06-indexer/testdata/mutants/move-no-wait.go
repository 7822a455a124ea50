//workshop:mutant move-no-wait
//workshop:fault the answer of the server is taken for the cache
//workshop:step 7
//workshop:want returned before the index had the pod

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
	if _, err := client.CoreV1().Pods(namespace).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("patch pod %s: %w", name, err)
	}
	return nil
}
