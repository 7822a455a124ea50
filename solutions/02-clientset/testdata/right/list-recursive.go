//workshop:accept list-recursive
//workshop:why recursion, pages put together from behind
//workshop:step ListPods

package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
)

func ListPods(ctx context.Context, client kubernetes.Interface, namespace, selector string, pageSize int64) ([]corev1.Pod, error) {
	var from func(token string) ([]corev1.Pod, error)
	from = func(token string) ([]corev1.Pod, error) {
		page, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: selector, Limit: pageSize, Continue: token})
		if err != nil {
			return nil, err
		}
		if page.Continue == "" {
			return page.Items, nil
		}
		rest, err := from(page.Continue)
		if err != nil {
			return nil, err
		}
		return append(rest, page.Items...), nil
	}
	var pods []corev1.Pod
	err := retry.OnError(retry.DefaultBackoff, apierrors.IsResourceExpired, func() (err error) {
		pods, err = from("")
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list: %w", err)
	}
	return pods, nil
}
