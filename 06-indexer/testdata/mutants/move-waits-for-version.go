//workshop:mutant move-waits-for-version
//workshop:fault the very version that the patch made is waited for
//workshop:step 7
//workshop:want though the index had it

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
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": map[string]any{AppLabel: app}}})
	if err != nil {
		return err
	}
	patched, err := client.CoreV1().Pods(namespace).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		return fmt.Errorf("patch: %w", err)
	}
	err = wait.PollUntilContextCancel(ctx, 20*time.Millisecond, true, func(context.Context) (bool, error) {
		pods, err := indexer.ByTypedIndex(AppIndex, app)
		return slices.ContainsFunc(pods, func(p *corev1.Pod) bool { return p.UID == patched.UID && p.ResourceVersion == patched.ResourceVersion }), err
	})
	if err != nil {
		return fmt.Errorf("wait: %w", err)
	}
	return nil
}
