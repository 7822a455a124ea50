//workshop:mutant read-default-in-place
//workshop:fault absent replicas are filled in, in the map of the object that is read
//workshop:step 3
//workshop:want hand out the object itself

package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func Summarize(obj *unstructured.Unstructured) (Summary, error) {
	if spec, ok := obj.Object["spec"].(map[string]any); ok && spec["replicas"] == nil {
		spec["replicas"] = int64(1)
	}
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
	return summary, nil
}
