//workshop:mutant informable-error-dropped
//workshop:fault a list that cannot be read is left out without a word
//workshop:step 6
//workshop:want error of schema.ParseGroupVersion is dropped

package main

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func Informable(lists []*metav1.APIResourceList) ([]schema.GroupVersionResource, error) {
	var found []schema.GroupVersionResource
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			continue
		}
		for _, resource := range list.APIResources {
			if !strings.Contains(resource.Name, "/") && slices.Contains(resource.Verbs, "list") && slices.Contains(resource.Verbs, "watch") {
				found = append(found, gv.WithResource(resource.Name))
			}
		}
	}
	return found, nil
}
