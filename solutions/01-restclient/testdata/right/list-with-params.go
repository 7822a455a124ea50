//workshop:accept list-with-params
//workshop:why the parameters are set one by one
//workshop:step ListPods

package main

import (
	"context"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
)

func ListPods(ctx context.Context, client rest.Interface, namespace, selector string, limit int64) ([]corev1.Pod, error) {
	var pods []corev1.Pod
	for token := ""; ; {
		req := client.Get().AbsPath("/api/v1/namespaces", namespace, "pods").Param("labelSelector", selector)
		if limit > 0 {
			req.Param("limit", strconv.FormatInt(limit, 10))
		}
		if token != "" {
			req.Param("continue", token)
		}
		page := corev1.PodList{}
		if err := req.Do(ctx).Into(&page); err != nil {
			return nil, err
		}
		pods = append(pods, page.Items...)
		if token = page.Continue; token == "" {
			return pods, nil
		}
	}
}
