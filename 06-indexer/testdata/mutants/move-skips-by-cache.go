//workshop:mutant move-skips-by-cache
//workshop:fault nothing is sent when the cache says that it is so
//workshop:step 7
//workshop:want whatever the cache says

package main

import (
	"context"
	"encoding/json"
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
	key := namespace + "/" + name
	keys, err := indexer.IndexKeys(AppIndex, app)
	if err != nil {
		return err
	}
	if slices.Contains(keys, key) {
		return nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": map[string]any{AppLabel: app}}})
	if err != nil {
		return err
	}
	if _, err := client.CoreV1().Pods(namespace).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("patch: %w", err)
	}
	err = wait.PollUntilContextCancel(ctx, 20*time.Millisecond, true, func(context.Context) (bool, error) {
		keys, err := indexer.IndexKeys(AppIndex, app)
		return slices.Contains(keys, key), err
	})
	if err != nil {
		return fmt.Errorf("wait: %w", err)
	}
	return nil
}
