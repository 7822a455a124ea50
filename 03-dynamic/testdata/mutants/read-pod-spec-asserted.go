//workshop:mutant read-pod-spec-asserted
//workshop:fault a pod spec of a wrong type is taken for an absent one
//workshop:step 3
//workshop:want a template whose spec is text

package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func Summarize(obj *unstructured.Unstructured) (Summary, error) {
	replicas, found, err := unstructured.NestedInt64(obj.Object, "spec", "replicas")
	if err != nil {
		return Summary{}, fmt.Errorf("read %s %s: %w", obj.GetKind(), obj.GetName(), err)
	}
	if !found {
		replicas = 1
	}

	template, _, err := unstructured.NestedMap(obj.Object, "spec", "template")
	if err != nil {
		return Summary{}, fmt.Errorf("read %s %s: %w", obj.GetKind(), obj.GetName(), err)
	}
	podSpec, _ := template["spec"].(map[string]any)
	containers, _, err := unstructured.NestedSlice(podSpec, "containers")
	if err != nil {
		return Summary{}, fmt.Errorf("read %s %s: %w", obj.GetKind(), obj.GetName(), err)
	}
	summary := Summary{Replicas: replicas}
	for i, container := range containers {
		fields, ok := container.(map[string]any)
		if !ok {
			return Summary{}, fmt.Errorf("read %s %s: containers[%d] is a %T and not an object", obj.GetKind(), obj.GetName(), i, container)
		}
		image, found, err := unstructured.NestedString(fields, "image")
		if err != nil {
			return Summary{}, fmt.Errorf("read %s %s: containers[%d]: %w", obj.GetKind(), obj.GetName(), i, err)
		}
		if found {
			summary.Images = append(summary.Images, image)
		}
	}
	return summary, nil
}
