//workshop:mutant list-unregistered-options
//workshop:fault the parameter codec does not know ListOptions
//workshop:step 3
//workshop:want ListOptions
//workshop:want scheme.ParameterCodec

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
)

func ListPods(ctx context.Context, client rest.Interface, namespace, selector string, limit int64) ([]corev1.Pod, error) {
	own := runtime.NewScheme()
	if err := corev1.SchemeBuilder.AddToScheme(own); err != nil {
		return nil, err
	}
	var pods []corev1.Pod
	opts := metav1.ListOptions{LabelSelector: selector, Limit: limit}
	for {
		var page corev1.PodList
		if err := client.Get().Namespace(namespace).Resource("pods").VersionedParams(&opts, runtime.NewParameterCodec(runtime.NewScheme())).Do(ctx).Into(&page); err != nil {
			return nil, err
		}
		pods = append(pods, page.Items...)
		if opts.Continue = page.Continue; opts.Continue == "" {
			return pods, nil
		}
	}
}
