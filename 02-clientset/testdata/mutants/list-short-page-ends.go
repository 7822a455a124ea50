//workshop:mutant list-short-page-ends
//workshop:fault a page with fewer pods than asked for is taken for the last
//workshop:step 2
//workshop:want fewer than the limit

package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func ListPods(ctx context.Context, client kubernetes.Interface, namespace, selector string, pageSize int64) ([]corev1.Pod, error) {
	var pods []corev1.Pod
	opts := metav1.ListOptions{LabelSelector: selector, Limit: pageSize}
	for restarts := 0; ; {
		page, err := client.CoreV1().Pods(namespace).List(ctx, opts)
		if apierrors.IsResourceExpired(err) && restarts < 3 {
			restarts++
			pods, opts.Continue = nil, ""
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list pods: %w", err)
		}
		pods = append(pods, page.Items...)
		if page.Continue == "" || int64(len(page.Items)) < pageSize {
			return pods, nil
		}
		opts.Continue = page.Continue
	}
}
