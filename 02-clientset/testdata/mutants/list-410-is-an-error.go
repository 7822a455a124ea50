//workshop:mutant list-410-is-an-error
//workshop:fault a token that has expired ends the list with an error
//workshop:step 2
//workshop:want answered with 410 Gone, once
//workshop:want begin again without a token

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
		if apierrors.IsResourceExpired(err) && tries < 0 {
			tries++
			pods, opts.Continue = nil, ""
			continue
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
