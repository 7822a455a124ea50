//workshop:mutant keys-group-prefix
//workshop:fault a group that begins with v counts as the core group
//workshop:step 4
//workshop:want vendor.example.com

package main

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func isService(owner *metav1.OwnerReference) bool {
	return strings.HasPrefix(owner.APIVersion, "v") && owner.Kind == "Service"
}
