//workshop:mutant informable-subresources
//workshop:fault subresources are among them
//workshop:step 6
//workshop:want which is a subresource

package main

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func Informable(lists []*metav1.APIResourceList) ([]schema.GroupVersionResource, error) {
	var found []schema.GroupVersionResource
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, fmt.Errorf("read %q: %w", list.GroupVersion, err)
		}
		for _, resource := range list.APIResources {
			if slices.Contains(resource.Verbs, "list") && slices.Contains(resource.Verbs, "watch") {
				found = append(found, gv.WithResource(resource.Name))
			}
		}
	}
	return found, nil
}
