//workshop:mutant list-ten-pages
//workshop:fault the list ends after ten pages
//workshop:step 3
//workshop:want with limit 1, ListPods gave 10 pods
//workshop:want a number of pages of its own

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

func ListPods(ctx context.Context, client rest.Interface, namespace, selector string, limit int64) ([]corev1.Pod, error) {
	var pods []corev1.Pod
	opts := metav1.ListOptions{LabelSelector: selector, Limit: limit}
	for range 10 {
		var page corev1.PodList
		if err := client.Get().Namespace(namespace).Resource("pods").VersionedParams(&opts, scheme.ParameterCodec).Do(ctx).Into(&page); err != nil {
			return nil, err
		}
		pods = append(pods, page.Items...)
		if opts.Continue = page.Continue; opts.Continue == "" {
			break
		}
	}
	return pods, nil
}
