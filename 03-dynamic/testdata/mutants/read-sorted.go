//workshop:mutant read-sorted
//workshop:fault the images are sorted
//workshop:step 3
//workshop:want in their order

package main

import (
	"fmt"
	"slices"

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

	containers, _, err := unstructured.NestedSlice(obj.Object, "spec", "template", "spec", "containers")
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
	slices.Sort(summary.Images)
	return summary, nil
}
