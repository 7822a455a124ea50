//workshop:mutant list-empty-is-default
//workshop:fault an empty namespace is taken for the default one
//workshop:step 2
//workshop:want an empty namespace means all namespaces

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func ListPods(ctx context.Context, client kubernetes.Interface, namespace, selector string, pageSize int64) ([]corev1.Pod, error) {
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	var pods []corev1.Pod
	opts := metav1.ListOptions{LabelSelector: selector, Limit: pageSize}
	for tries := 0; ; {
		page, err := client.CoreV1().Pods(namespace).List(ctx, opts)
		if apierrors.IsResourceExpired(err) && tries < 3 {
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
