//workshop:mutant list-same-page-for-ever
//workshop:fault the token is not sent, so the first page comes again and again
//workshop:step 3
//workshop:want again and again
//workshop:want continue token

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
	for {
		var page corev1.PodList
		opts := metav1.ListOptions{LabelSelector: selector, Limit: limit}
		if err := client.Get().Namespace(namespace).Resource("pods").VersionedParams(&opts, scheme.ParameterCodec).Do(ctx).Into(&page); err != nil {
			return nil, err
		}
		pods = append(pods, page.Items...)
		if page.Continue == "" {
			return pods, nil
		}
	}
}
