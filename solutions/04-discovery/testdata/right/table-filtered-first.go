//workshop:accept table-filtered-first
//workshop:why client-go's filter makes new lists
//workshop:step ResourceTable

package main

import (
	"sort"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

func ResourceTable(lists []*metav1.APIResourceList) ([]Row, error) {
	kept := discovery.FilteredBy(discovery.ResourcePredicateFunc(func(_ string, resource *metav1.APIResource) bool {
		return !strings.Contains(resource.Name, "/") && len(resource.Verbs) > 0
	}), lists)
	rows := []Row{}
	groups := map[string]schema.GroupVersion{}
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, err
		}
		groups[list.GroupVersion] = gv
	}
	for _, list := range kept {
		for _, resource := range list.APIResources {
			rows = append(rows, Row{resource.Name, resource.ShortNames, list.GroupVersion, resource.Namespaced, resource.Kind, resource.Verbs})
		}
	}
	sort.SliceStable(rows, func(i, j int) bool {
		a, b := groups[rows[i].GroupVersion], groups[rows[j].GroupVersion]
		if a.Group != b.Group {
			return a.Group < b.Group
		}
		if rows[i].Name != rows[j].Name {
			return rows[i].Name < rows[j].Name
		}
		return a.Version < b.Version
	})
	return rows, nil
}
