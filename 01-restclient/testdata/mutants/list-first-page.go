//workshop:mutant list-first-page
//workshop:fault the list stops after the first page
//workshop:step 3
//workshop:want continue token
//workshop:want the list holds 5 pods

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
	opts := &metav1.ListOptions{LabelSelector: selector, Limit: limit}
	err := client.Get().Namespace(namespace).Resource("pods").VersionedParams(opts, scheme.ParameterCodec).Do(ctx).Into(&page)
	return page.Items, err
}
