//workshop:mutant read-fraction-cut
//workshop:fault a fraction is cut to a whole number
//workshop:step 3
//workshop:want replicas that are 2.5

package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func Summarize(obj *unstructured.Unstructured) (Summary, error) {
	value, found, err := unstructured.NestedFieldNoCopy(obj.Object, "spec", "replicas")
	if err != nil {
		return Summary{}, fmt.Errorf("read %s %s: %w", obj.GetKind(), obj.GetName(), err)
	}
	replicas := int64(1)
	if found {
		switch number := value.(type) {
		case int64:
			replicas = number
		case float64:
			replicas = int64(number)
		default:
			return Summary{}, fmt.Errorf("replicas is a %T", value)
		}
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
