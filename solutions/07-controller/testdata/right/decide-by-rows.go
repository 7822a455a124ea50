//workshop:accept decide-by-rows
//workshop:why the rows of the table may be asked one by one
//workshop:step decide

package main

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
)

func decide(service *corev1.Service, existing, desired *networkingv1.Ingress) (action, error) {
	if existing == nil && desired == nil {
		return actionNone, nil
	}
	if existing == nil {
		return actionCreate, nil
	}
	change, err := NeedsChange(service, existing, desired)
	if err != nil {
		if desired == nil {
			err = nil
		}
		return actionNone, err
	}
	what := map[bool]action{true: actionApply, false: actionNone}[change]
	if change && desired == nil {
		what = actionDelete
	}
	return what, nil
}
