//workshop:accept scale-patch
//workshop:why a merge patch of the subresource, as kubectl scale does
//workshop:step ScaleDeployment

package main

import (
	"context"
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

func ScaleDeployment(ctx context.Context, client kubernetes.Interface, namespace, name string, replicas int32) (*autoscalingv1.Scale, error) {
	scale := &autoscalingv1.Scale{}
	err := client.AppsV1().RESTClient().Patch(types.MergePatchType).
		Namespace(namespace).Resource("deployments").Name(name).SubResource("scale").
		Body(fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas)).Do(ctx).Into(scale)
	if err != nil {
		return nil, err
	}
	return scale, nil
}
