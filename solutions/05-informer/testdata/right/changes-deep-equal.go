//workshop:accept changes-deep-equal
//workshop:why objects with the same resourceVersion are equal, so comparing all of them comes to the same
//workshop:step ChangesOnly

package main

import (
	"reflect"

	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func ChangesOnly(next cache.TypedResourceEventHandler[*corev1.Pod]) cache.TypedResourceEventHandler[*corev1.Pod] {
	return coreinformers.PodDetailedHandlerFuncs{
		AddFunc:    next.OnAdd,
		DeleteFunc: next.OnDelete,
		UpdateFunc: func(oldPod, newPod *corev1.Pod) {
			switch {
			case reflect.DeepEqual(oldPod, newPod):
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
	}
}
