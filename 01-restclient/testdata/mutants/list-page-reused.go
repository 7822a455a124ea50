//workshop:mutant list-page-reused
//workshop:fault every page is decoded into the same PodList, the token reset
//workshop:step 3
//workshop:want has the labels
//workshop:want same PodList

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
	var page corev1.PodList
	opts := metav1.ListOptions{LabelSelector: selector, Limit: limit}
	for {
		page.Continue = ""
		if err := client.Get().Namespace(namespace).Resource("pods").VersionedParams(&opts, scheme.ParameterCodec).Do(ctx).Into(&page); err != nil {
			return nil, err
		}
		pods = append(pods, page.Items...)
		if opts.Continue = page.Continue; opts.Continue == "" {
			return pods, nil
		}
	}
}
