//workshop:mutant list-410-from-cache
//workshop:fault after a 410 the list comes from the cache
//workshop:step 2
//workshop:want resourceVersion=0

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
			pods, opts.Continue, opts.ResourceVersion = nil, "", "0"
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list pods: %w", err)
		}
		pods = append(pods, page.Items...)
		if page.Continue == "" {
			return pods, nil
		}
		opts.Continue = page.Continue
		opts.ResourceVersion = ""
	}
}
