//workshop:accept decide-wraps
//workshop:why the *ForeignError may be wrapped
//workshop:step decide

package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
)

func decide(service *corev1.Service, existing, desired *networkingv1.Ingress) (action, error) {
	switch {
	case existing == nil && desired != nil:
		return actionCreate, nil
	case existing == nil:
		return actionNone, nil
	}
	change, err := NeedsChange(service, existing, desired)
	if err != nil && desired != nil {
		return actionNone, fmt.Errorf("decide on ingress %s: %w", existing.Name, err)
	}
	if err != nil || !change {
		return actionNone, nil
	}
	if desired == nil {
		return actionDelete, nil
	}
	return actionApply, nil
}
