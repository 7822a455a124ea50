//workshop:mutant changes-nil-next
//workshop:fault a nil handler is found out at the first event
//workshop:step 6
//workshop:want for a nil handler

package main

import (
	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func ChangesOnly(next cache.TypedResourceEventHandler[*corev1.Pod]) (cache.TypedResourceEventHandler[*corev1.Pod], error) {
	return coreinformers.PodDetailedHandlerFuncs{
		AddFunc:    func(pod *corev1.Pod, initial bool) { next.OnAdd(pod, initial) },
		DeleteFunc: func(pod coreinformers.DeletedPod) { next.OnDelete(pod) },
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
