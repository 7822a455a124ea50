//workshop:mutant list-410-is-the-end
//workshop:fault a token that has expired is taken for the end of the list
//workshop:step 2
//workshop:want 410 Gone is not the end of the list

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func ListPods(ctx context.Context, client kubernetes.Interface, namespace, selector string, pageSize int64) ([]corev1.Pod, error) {
	var pods []corev1.Pod
	opts := metav1.ListOptions{LabelSelector: selector, Limit: pageSize}
	for tries := 0; ; {
		page, err := client.CoreV1().Pods(namespace).List(ctx, opts)
		if apierrors.IsResourceExpired(err) && tries < 3 {
			return pods, nil
		}
		if err != nil {
			return nil, err
		}
		pods = append(pods, page.Items...)
		if page.Continue == "" {
			return pods, nil
		}
		opts.Continue = page.Continue
	}
}
