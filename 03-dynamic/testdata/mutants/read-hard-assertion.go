//workshop:mutant read-hard-assertion
//workshop:fault an assertion with one result
//workshop:step 3
//workshop:want second result

package main

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func Summarize(obj *unstructured.Unstructured) (Summary, error) {
	spec := obj.Object["spec"].(map[string]any)
	summary := Summary{Replicas: spec["replicas"].(int64)}
	template := spec["template"].(map[string]any)["spec"].(map[string]any)
	for _, container := range template["containers"].([]any) {
		summary.Images = append(summary.Images, container.(map[string]any)["image"].(string))
	}
	return summary, nil
}
