//workshop:mutant changes-unknown-dropped
//workshop:fault a deletion of which only the key is known is dropped
//workshop:step 6
//workshop:want only the key is known

package main

import (
	"errors"

	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func ChangesOnly(next cache.TypedResourceEventHandler[*corev1.Pod]) (cache.TypedResourceEventHandler[*corev1.Pod], error) {
	if next == nil {
		return nil, errors.New("there is no handler")
	}
	return coreinformers.PodDetailedHandlerFuncs{
		AddFunc: next.OnAdd,
		DeleteFunc: func(pod coreinformers.DeletedPod) {
			if pod.OptionalObj != nil {
				next.OnDelete(pod)
			}
		},
		UpdateFunc: func(oldPod, newPod *corev1.Pod) {
			switch {
			case oldPod.ResourceVersion == newPod.ResourceVersion:
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
