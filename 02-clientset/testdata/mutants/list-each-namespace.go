//workshop:mutant list-each-namespace
//workshop:fault all namespaces are read one by one
//workshop:step 2
//workshop:want want /api/v1/pods

package main

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func ListPods(ctx context.Context, client kubernetes.Interface, namespace, selector string, pageSize int64) ([]corev1.Pod, error) {
	namespaces := []string{namespace}
	if namespace == "" {
		all, err := client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, err
		}
		namespaces = nil
		for _, ns := range all.Items {
			if strings.HasPrefix(ns.Name, "check-") {
				namespaces = append(namespaces, ns.Name)
			}
		}
	}
	var pods []corev1.Pod
	for _, ns := range namespaces {
		opts := metav1.ListOptions{LabelSelector: selector, Limit: pageSize}
		for {
			page, err := client.CoreV1().Pods(ns).List(ctx, opts)
			if err != nil {
				return nil, err
			}
			pods = append(pods, page.Items...)
			if page.Continue == "" {
				break
			}
			opts.Continue = page.Continue
		}
	}
	return pods, nil
}
