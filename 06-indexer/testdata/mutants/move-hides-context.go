//workshop:mutant move-hides-context
//workshop:fault the error of the wait hides that ctx ended
//workshop:step 7
//workshop:want wrap ctx.Err()

package main

import (
	"context"
	"errors"
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
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{"app":%q}}}`, app)
	if _, err := client.CoreV1().Pods(namespace).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("patch pod %s: %w", name, err)
	}
	err := wait.PollUntilContextCancel(ctx, 20*time.Millisecond, true, func(context.Context) (bool, error) {
		keys, err := indexer.IndexKeys(AppIndex, app)
		return slices.Contains(keys, namespace+"/"+name), err
	})
	if err != nil {
		return errors.New("timed out")
	}
	return nil
}
