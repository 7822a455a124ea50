//workshop:accept read-through-json
//workshop:why a struct of the few fields, filled from JSON
//workshop:step Summarize

package main

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func Summarize(obj *unstructured.Unstructured) (Summary, error) {
	var content struct {
		Spec struct {
			Replicas *int64 `json:"replicas"`
			Template struct {
				Spec struct {
					Containers []struct {
						Image *string `json:"image"`
					} `json:"containers"`
				} `json:"spec"`
			} `json:"template"`
		} `json:"spec"`
	}
	data, err := json.Marshal(obj.Object)
	if err != nil {
		return Summary{}, fmt.Errorf("encode %s: %w", obj.GetName(), err)
	}
	if err := json.Unmarshal(data, &content); err != nil {
		return Summary{}, fmt.Errorf("read %s: %w", obj.GetName(), err)
	}
	summary := Summary{Replicas: 1}
	if content.Spec.Replicas != nil {
		summary.Replicas = *content.Spec.Replicas
	}
	for _, container := range content.Spec.Template.Spec.Containers {
		if container.Image != nil {
			summary.Images = append(summary.Images, *container.Image)
		}
	}
	return summary, nil
}
