//workshop:accept move-strategic-by-uid
//workshop:why a strategic merge patch, and the UID in the index
//workshop:step MoveToApp

package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

func MoveToApp(ctx context.Context, client kubernetes.Interface, indexer cache.TypedIndexer[*corev1.Pod], namespace, name, app string) error {
	text := fmt.Appendf(nil, `{"metadata":{"labels":{%q:%q}}}`, AppLabel, app)
	patched, err := client.CoreV1().Pods(namespace).Patch(ctx, name, types.StrategicMergePatchType, text, metav1.PatchOptions{})
	if err != nil {
		return fmt.Errorf("patch: %w", err)
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		pods, err := indexer.ByIndex(AppIndex, app)
		if err != nil {
			return err
		}
		for _, obj := range pods {
			if pod, ok := obj.(*corev1.Pod); ok && pod.UID == patched.UID {
				return nil
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("wait: %w", context.Cause(ctx))
		}
	}
}
