//workshop:mutant list-notfound-is-empty
//workshop:fault 404 and 403 count as an empty list
//workshop:step 3
//workshop:want error of a page is dropped

package main

import (
	"context"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

func ListPods(ctx context.Context, client rest.Interface, namespace, selector string, limit int64) ([]corev1.Pod, error) {
	var pods []corev1.Pod
	opts := metav1.ListOptions{LabelSelector: selector, Limit: limit}
	for {
		var page corev1.PodList
		err := client.Get().Namespace(namespace).Resource("pods").VersionedParams(&opts, scheme.ParameterCodec).Do(ctx).Into(&page)
		if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		pods = append(pods, page.Items...)
		if opts.Continue = page.Continue; opts.Continue == "" {
			return pods, nil
		}
	}
}
