//workshop:mutant keys-kind-alone
//workshop:fault a Service of another API counts
//workshop:step 4
//workshop:want look at the group

package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func isService(owner *metav1.OwnerReference) bool {
	group, err := schema.ParseGroupVersion(owner.APIVersion)
	return err == nil && group.Version != "" && owner.Kind == "Service"
}
