//workshop:accept read-no-copy
//workshop:why reading without a copy changes nothing
//workshop:step Summarize

package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func Summarize(obj *unstructured.Unstructured) (Summary, error) {
	summary := Summary{Replicas: 1}
	value, found, err := unstructured.NestedFieldNoCopy(obj.Object, "spec", "replicas")
	if err != nil {
		return Summary{}, fmt.Errorf("read the replicas: %w", err)
	}
	if found {
		number, ok := value.(int64)
		if !ok {
			return Summary{}, fmt.Errorf("replicas is a %T", value)
		}
		summary.Replicas = number
	}
	value, found, err = unstructured.NestedFieldNoCopy(obj.Object, "spec", "template", "spec", "containers")
	if err != nil || !found {
		if err != nil {
			summary = Summary{}
		}
		return summary, err
	}
	containers, ok := value.([]any)
	if !ok {
		return Summary{}, fmt.Errorf("containers is a %T", value)
	}
	for _, item := range containers {
		container, ok := item.(map[string]any)
		if !ok {
			return Summary{}, fmt.Errorf("one of the containers is a %T", item)
		}
		value, found := container["image"]
		if !found {
			continue
		}
		image, ok := value.(string)
		if !ok {
			return Summary{}, fmt.Errorf("image is a %T", value)
		}
		summary.Images = append(summary.Images, image)
	}
	return summary, nil
}
