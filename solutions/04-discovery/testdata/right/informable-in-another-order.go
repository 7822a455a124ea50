//workshop:accept informable-in-another-order
//workshop:why what an informer can follow has no order
//workshop:step Informable

package main

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func Informable(lists []*metav1.APIResourceList) ([]schema.GroupVersionResource, error) {
	var found []schema.GroupVersionResource
	for _, list := range slices.Backward(lists) {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, fmt.Errorf("read the list of %q: %w", list.GroupVersion, err)
		}
		for _, resource := range slices.Backward(list.APIResources) {
			verbs := resource.Verbs
			if !strings.Contains(resource.Name, "/") && slices.Contains(verbs, "watch") && slices.Contains(verbs, "list") {
				found = append(found, gv.WithResource(resource.Name))
			}
		}
	}
	return found, nil
}
