//workshop:accept keys-no-slash
//workshop:why the core group is the one without a slash
//workshop:step ServiceKeys

package main

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func isService(owner *metav1.OwnerReference) bool {
	return !strings.Contains(owner.APIVersion, "/") && owner.Kind == "Service"
}
