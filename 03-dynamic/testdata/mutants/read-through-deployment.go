//workshop:mutant read-through-deployment
//workshop:fault any object is squeezed into a Deployment
//workshop:step 3
//workshop:want the number is an int64

package main

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

func Summarize(obj *unstructured.Unstructured) (Summary, error) {
	var deployment appsv1.Deployment
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(obj.Object, &deployment); err != nil {
		return Summary{}, fmt.Errorf("convert %s: %w", obj.GetName(), err)
	}
	summary := Summary{Replicas: 1}
	if deployment.Spec.Replicas != nil {
		summary.Replicas = int64(*deployment.Spec.Replicas)
	}
	for _, container := range deployment.Spec.Template.Spec.Containers {
		if container.Image != "" {
			summary.Images = append(summary.Images, container.Image)
		}
	}
	return summary, nil
}
