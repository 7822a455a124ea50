//workshop:mutant table-kube-aware-order
//workshop:fault versions are sorted by their age, the newest first, and not as text
//workshop:step 5
//workshop:want not by age

package main

import (
	"fmt"
	"sort"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiversion "k8s.io/apimachinery/pkg/version"
)

func ResourceTable(lists []*metav1.APIResourceList) ([]Row, error) {
	rows := []Row{}
	gvs := map[string]schema.GroupVersion{}
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, fmt.Errorf("read %q: %w", list.GroupVersion, err)
		}
		gvs[list.GroupVersion] = gv
		for _, r := range list.APIResources {
			if strings.Contains(r.Name, "/") || len(r.Verbs) == 0 {
				continue
			}
			rows = append(rows, Row{r.Name, r.ShortNames, list.GroupVersion, r.Namespaced, r.Kind, r.Verbs})
		}
	}
	sort.SliceStable(rows, func(i, j int) bool {
		a, b := rows[i], rows[j]
		x, y := gvs[a.GroupVersion], gvs[b.GroupVersion]
		if x.Group != y.Group {
			return x.Group < y.Group
		}
		if a.Name != b.Name {
			return a.Name < b.Name
		}
		return apiversion.CompareKubeAwareVersionStrings(x.Version, y.Version) > 0
	})
	return rows, nil
}
