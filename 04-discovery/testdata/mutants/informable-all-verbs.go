//workshop:mutant informable-all-verbs
//workshop:fault only what offers every verb is returned
//workshop:step 6
//workshop:want with or without others

package main

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

func Informable(lists []*metav1.APIResourceList) ([]schema.GroupVersionResource, error) {
	var found []schema.GroupVersionResource
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, fmt.Errorf("read %q: %w", list.GroupVersion, err)
		}
		for _, resource := range list.APIResources {
			if !strings.Contains(resource.Name, "/") && (discovery.SupportsAllVerbs{Verbs: []string{"get", "list", "watch", "create"}}).Match(list.GroupVersion, &resource) {
				found = append(found, gv.WithResource(resource.Name))
			}
		}
	}
	return found, nil
}
