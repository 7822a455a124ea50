//workshop:mutant move-json-patch-replace
//workshop:fault a JSON patch replaces a label, which a pod without labels does not have
//workshop:step 7
//workshop:want returned an error

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
	patch := fmt.Appendf(nil, `[{"op":"replace","path":"/metadata/labels/app","value":%q}]`, app)
	if _, err := client.CoreV1().Pods(namespace).Patch(ctx, name, types.JSONPatchType, patch, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("patch pod %s: %w", name, err)
	}
	return wait.PollUntilContextCancel(ctx, 20*time.Millisecond, true, func(context.Context) (bool, error) {
		keys, err := indexer.IndexKeys(AppIndex, app)
		return slices.Contains(keys, namespace+"/"+name), err
	})
}
