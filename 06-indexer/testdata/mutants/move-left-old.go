//workshop:mutant move-left-old
//workshop:fault the wait is for the old value only, which a pod without the label does not have
//workshop:step 7
//workshop:want returned before the index had the pod

package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

func MoveToApp(ctx context.Context, client kubernetes.Interface, indexer cache.TypedIndexer[*corev1.Pod], namespace, name, app string) error {
	obj, exists, err := indexer.GetByKey(namespace + "/" + name)
	if err != nil {
		return err
	}
	old := ""
	if exists {
		old = obj.(*corev1.Pod).Labels[AppLabel]
	}
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{"app":%q}}}`, app)
	if _, err := client.CoreV1().Pods(namespace).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("patch pod %s: %w", name, err)
	}
	if old == app {
		return nil
	}
	return wait.PollUntilContextCancel(ctx, 20*time.Millisecond, true, func(context.Context) (bool, error) {
		keys, err := indexer.IndexKeys(AppIndex, old)
		return !slices.Contains(keys, namespace+"/"+name), err
	})
}
