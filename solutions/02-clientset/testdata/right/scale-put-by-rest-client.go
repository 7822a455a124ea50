//workshop:accept scale-put-by-rest-client
//workshop:why a copy is PUT by the RESTClient, and nothing is written when the number is that already
//workshop:step ScaleDeployment

package main

import (
	"context"
	"fmt"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func ScaleDeployment(ctx context.Context, client kubernetes.Interface, namespace, name string, replicas int32) (*autoscalingv1.Scale, error) {
	for tries := 0; ; tries++ {
		scale, err := client.AppsV1().Deployments(namespace).GetScale(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, fmt.Errorf("get scale: %w", err)
		}
		if scale.Spec.Replicas == replicas {
			return scale, nil
		}
		wanted := scale.DeepCopy()
		wanted.Spec.Replicas = replicas
		out := &autoscalingv1.Scale{}
		err = client.AppsV1().RESTClient().Put().Namespace(namespace).Resource("deployments").Name(name).SubResource("scale").Body(wanted).Do(ctx).Into(out)
		if err == nil {
			return out, nil
		}
		if !apierrors.IsConflict(err) || tries == 4 {
			return nil, fmt.Errorf("put scale: %w", err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
