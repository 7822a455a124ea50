//workshop:mutant changes-newer-only
//workshop:fault resourceVersions are compared as numbers
//workshop:step 6
//workshop:want compared for equality only

package main

import (
	"errors"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func ChangesOnly(next cache.TypedResourceEventHandler[*corev1.Pod]) (cache.TypedResourceEventHandler[*corev1.Pod], error) {
	if next == nil {
		return nil, errors.New("there is no handler")
	}
	return coreinformers.PodDetailedHandlerFuncs{
		AddFunc:    next.OnAdd,
		DeleteFunc: next.OnDelete,
		UpdateFunc: func(oldPod, newPod *corev1.Pod) {
			switch {
			case newerOrSame(oldPod.ResourceVersion, newPod.ResourceVersion):
			case oldPod.UID != newPod.UID:
				next.OnDelete(coreinformers.DeletedPod{
					OptionalObj:       oldPod,
					FinalStateUnknown: &cache.DeletedFinalStateUnknown{Key: cache.MetaObjectToName(oldPod).String(), Obj: oldPod},
				})
				next.OnAdd(newPod, false)
			default:
				next.OnUpdate(oldPod, newPod)
			}
		},
	}, nil
}

func newerOrSame(a, b string) bool {
	x, errX := strconv.ParseUint(a, 10, 64)
	y, errY := strconv.ParseUint(b, 10, 64)
	return errX == nil && errY == nil && x >= y
}
