//workshop:mutant informable-guessed-plural
//workshop:fault the resource is guessed from the kind
//workshop:step 6
//workshop:want which is in no list

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
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, fmt.Errorf("read %q: %w", list.GroupVersion, err)
		}
		for _, resource := range list.APIResources {
			if !strings.Contains(resource.Name, "/") && slices.Contains(resource.Verbs, "list") && slices.Contains(resource.Verbs, "watch") {
				found = append(found, gv.WithResource(strings.ToLower(resource.Kind)+"s"))
			}
		}
	}
	return found, nil
}
