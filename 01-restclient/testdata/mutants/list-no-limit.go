//workshop:mutant list-no-limit
//workshop:fault the limit is not sent
//workshop:step 3
//workshop:want limit

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

func ListPods(ctx context.Context, client rest.Interface, namespace, selector string, limit int64) ([]corev1.Pod, error) {
	var page corev1.PodList
	opts := &metav1.ListOptions{LabelSelector: selector}
	err := client.Get().Namespace(namespace).Resource("pods").VersionedParams(opts, scheme.ParameterCodec).Do(ctx).Into(&page)
	return page.Items, err
}
