//workshop:accept list-with-pager
//workshop:why client-go's pager follows the pages, and asks for the whole list when a token has expired
//workshop:step ListPods

package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/pager"
)

func ListPods(ctx context.Context, client kubernetes.Interface, namespace, selector string, pageSize int64) ([]corev1.Pod, error) {
	p := pager.New(func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
		return client.CoreV1().Pods(namespace).List(ctx, opts)
	})
	p.PageSize = pageSize
	list, _, err := p.List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return nil, fmt.Errorf("list pods: %w", err)
	}
	pods := []corev1.Pod{}
	err = meta.EachListItem(list, func(obj runtime.Object) error {
		pods = append(pods, *obj.(*corev1.Pod))
		return nil
	})
	return pods, err
}
