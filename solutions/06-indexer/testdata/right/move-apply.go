//workshop:accept move-apply
//workshop:why server-side apply of the one label, for a pod that exists
//workshop:step MoveToApp

package main

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

func MoveToApp(ctx context.Context, client kubernetes.Interface, indexer cache.TypedIndexer[*corev1.Pod], namespace, name, app string) error {
	pods := client.CoreV1().Pods(namespace)
	if _, err := pods.Get(ctx, name, metav1.GetOptions{}); err != nil {
		return err
	}
	pod := applycorev1.Pod(name, namespace).WithLabels(map[string]string{AppLabel: app})
	if _, err := pods.Apply(ctx, pod, metav1.ApplyOptions{FieldManager: "move", Force: true}); err != nil {
		return err
	}
	return wait.PollUntilContextCancel(ctx, 20*time.Millisecond, true, func(context.Context) (bool, error) {
		keys, err := indexer.IndexKeys(AppIndex, app)
		return slices.Contains(keys, namespace+"/"+name), err
	})
}
