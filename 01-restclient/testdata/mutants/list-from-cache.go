//workshop:mutant list-from-cache
//workshop:fault the list is asked for with resourceVersion 0
//workshop:step 3
//workshop:want resourceVersion=0
//workshop:want from its cache

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
	opts := metav1.ListOptions{LabelSelector: selector, Limit: limit, ResourceVersion: "0"}
	for {
		var page corev1.PodList
		if err := client.Get().Namespace(namespace).Resource("pods").VersionedParams(&opts, scheme.ParameterCodec).Do(ctx).Into(&page); err != nil {
			return nil, err
		}
		pods = append(pods, page.Items...)
		if opts.Continue = page.Continue; opts.Continue == "" {
			return pods, nil
		}
		opts.ResourceVersion = ""
	}
}
