//workshop:accept crd-conditions-in-maps
//workshop:why the conditions can be read as maps, where null is no list and so holds none
//workshop:step CRDEstablished

package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func CRDEstablished(crd *unstructured.Unstructured) (bool, error) {
	value, _, err := unstructured.NestedFieldNoCopy(crd.Object, "status", "conditions")
	if err != nil {
		return false, fmt.Errorf("read CRD %s: %w", crd.GetName(), err)
	}
	conditions, _ := value.([]any)
	established := false
	for _, condition := range conditions {
		fields, _ := condition.(map[string]any)
		switch {
		case fields["type"] == "NamesAccepted" && fields["status"] == "False":
			return false, fmt.Errorf("the names are taken: %v", fields["message"])
		case fields["type"] == "Established":
			established = fields["status"] == "True"
		}
	}
	return established, nil
}
