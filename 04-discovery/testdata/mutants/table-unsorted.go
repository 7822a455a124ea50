//workshop:mutant table-unsorted
//workshop:fault the rows stand in the order of the lists, which is none
//workshop:step 5
//workshop:want sort by group

package main

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func ResourceTable(lists []*metav1.APIResourceList) ([]Row, error) {
	var rows []Row
	for _, list := range lists {
		if _, err := schema.ParseGroupVersion(list.GroupVersion); err != nil {
			return nil, fmt.Errorf("read %q: %w", list.GroupVersion, err)
		}
		for _, resource := range list.APIResources {
			if strings.Contains(resource.Name, "/") || len(resource.Verbs) == 0 {
				continue
			}
			rows = append(rows, Row{
				Name: resource.Name, ShortNames: slices.Clone(resource.ShortNames), GroupVersion: list.GroupVersion,
				Namespaced: resource.Namespaced, Kind: resource.Kind, Verbs: slices.Clone(resource.Verbs),
			})
		}
	}
	return rows, nil
}
