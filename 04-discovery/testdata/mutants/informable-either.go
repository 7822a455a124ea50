//workshop:mutant informable-either
//workshop:fault one of the two verbs is taken for enough
//workshop:step 6
//workshop:want needs list and watch, both

package main

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
)

func Informable(lists []*metav1.APIResourceList) ([]schema.GroupVersionResource, error) {
	var found []schema.GroupVersionResource
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, fmt.Errorf("read %q: %w", list.GroupVersion, err)
		}
		for _, resource := range list.APIResources {
			if !strings.Contains(resource.Name, "/") && sets.New([]string(resource.Verbs)...).HasAny("list", "watch") {
				found = append(found, gv.WithResource(resource.Name))
			}
		}
	}
	return found, nil
}
