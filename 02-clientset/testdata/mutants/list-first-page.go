//workshop:mutant list-first-page
//workshop:fault the list stops after the first page
//workshop:step 2
//workshop:want the list holds 3 pods
//workshop:want continue token

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func ListPods(ctx context.Context, client kubernetes.Interface, namespace, selector string, pageSize int64) ([]corev1.Pod, error) {
	page, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: selector, Limit: pageSize})
	if err != nil {
		return nil, err
	}
	return page.Items, nil
}
