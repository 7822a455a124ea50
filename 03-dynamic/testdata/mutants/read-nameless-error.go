//workshop:mutant read-nameless-error
//workshop:fault the error does not say which field
//workshop:step 3
//workshop:want does not name the field

package main

import (
	"errors"
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

	containers, _, err := unstructured.NestedSlice(obj.Object, "spec", "template", "spec", "containers")
	if err != nil {
		return Summary{}, fmt.Errorf("read %s %s: %w", obj.GetKind(), obj.GetName(), err)
	}
	summary := Summary{Replicas: replicas}
	for _, container := range containers {
		fields, ok := container.(map[string]any)
		if !ok {
			return Summary{}, errors.New("wrong type")
		}
		image, found, err := unstructured.NestedString(fields, "image")
		if err != nil {
			return Summary{}, errors.New("wrong type")
		}
		if found {
			summary.Images = append(summary.Images, image)
		}
	}
	return summary, nil
}
