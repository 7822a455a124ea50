//workshop:accept table-sorted-verbs
//workshop:why the verbs of a copy may be sorted
//workshop:step ResourceTable

package main

import (
	"cmp"
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
				Namespaced: resource.Namespaced, Kind: resource.Kind, Verbs: slices.Sorted(slices.Values(resource.Verbs)),
			})
		}
	}
	slices.SortFunc(rows, func(a, b Row) int {
		first, _ := schema.ParseGroupVersion(a.GroupVersion)
		second, _ := schema.ParseGroupVersion(b.GroupVersion)
		return cmp.Or(cmp.Compare(first.Group, second.Group), cmp.Compare(a.Name, b.Name), cmp.Compare(first.Version, second.Version))
	})
	return rows, nil
}
