//workshop:accept list-with-pager
//workshop:why client-go's pager follows the pages
//workshop:step ListPods

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/pager"
)

func ListPods(ctx context.Context, client rest.Interface, namespace, selector string, limit int64) ([]corev1.Pod, error) {
	p := pager.New(func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
		page := &corev1.PodList{}
		err := client.Get().Namespace(namespace).Resource("pods").VersionedParams(&opts, scheme.ParameterCodec).Do(ctx).Into(page)
		return page, err
	})
	p.PageSize = limit
	pods := []corev1.Pod{}
	err := p.EachListItem(ctx, metav1.ListOptions{LabelSelector: selector, Limit: limit}, func(obj runtime.Object) error {
		pods = append(pods, *obj.(*corev1.Pod))
		return nil
	})
	return pods, err
}
