//workshop:mutant changes-initial-lost
//workshop:fault next does not learn what is part of the initial list
//workshop:step 6
//workshop:want initial list

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
		AddFunc:    func(pod *corev1.Pod, _ bool) { next.OnAdd(pod, false) },
		DeleteFunc: next.OnDelete,
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
