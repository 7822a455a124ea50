//workshop:mutant get-searches-list
//workshop:fault the whole namespace is listed for one object
//workshop:step 2
//workshop:want one Get brings the whole object

package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
)

func GetDeployment(ctx context.Context, client dynamic.Interface, namespace, name string) (*appsv1.Deployment, error) {
	list, err := client.Resource(appsv1.SchemeGroupVersion.WithResource("deployments")).Namespace(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list deployments: %w", err)
	}
	for _, item := range list.Items {
		if item.GetName() == name {
			var deployment appsv1.Deployment
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(item.Object, &deployment); err != nil {
				return nil, fmt.Errorf("convert deployment %s: %w", name, err)
			}
			return &deployment, nil
		}
	}
	return nil, apierrors.NewNotFound(appsv1.Resource("deployments"), name)
}
