//workshop:accept list-two-functions
//workshop:why an inner function reads one list, the outer one begins again, with a pause
//workshop:step ListPods

package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func ListPods(ctx context.Context, client kubernetes.Interface, namespace, selector string, pageSize int64) ([]corev1.Pod, error) {
	var err error
	for range 4 {
		var pods []corev1.Pod
		pods, err = listOnce(ctx, client.CoreV1().Pods(namespace), selector, pageSize)
		if err == nil {
			return pods, nil
		}
		if !apierrors.IsResourceExpired(err) {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil, fmt.Errorf("list pods: %w", err)
}

func listOnce(ctx context.Context, client interface {
	List(context.Context, metav1.ListOptions) (*corev1.PodList, error)
}, selector string, pageSize int64) ([]corev1.Pod, error) {
	pods := []corev1.Pod{}
	for token, first := "", true; first || token != ""; first = false {
		page, err := client.List(ctx, metav1.ListOptions{LabelSelector: selector, Limit: pageSize, Continue: token})
		if err != nil {
			return nil, err
		}
		pods, token = append(pods, page.Items...), page.Continue
	}
	return pods, nil
}
