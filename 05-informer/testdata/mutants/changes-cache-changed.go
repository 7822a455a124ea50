//workshop:mutant changes-cache-changed
//workshop:fault the old and the new pod are made equal in what does not matter, in the cache
//workshop:step 6
//workshop:want changed the pod that it was told of
//workshop:want DeepCopy

package main

import (
	"errors"

	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func ChangesOnly(next cache.TypedResourceEventHandler[*corev1.Pod]) (cache.TypedResourceEventHandler[*corev1.Pod], error) {
	if next == nil {
		return nil, errors.New("there is no handler to pass changes to")
	}
	return coreinformers.PodDetailedHandlerFuncs{
		AddFunc:    next.OnAdd,
		DeleteFunc: next.OnDelete,
		UpdateFunc: func(oldPod, newPod *corev1.Pod) {
			if oldPod.ResourceVersion == newPod.ResourceVersion {
				return
			}
			oldPod.Annotations, newPod.Annotations = nil, nil
			if oldPod.UID == newPod.UID {
				next.OnUpdate(oldPod, newPod)
				return
			}
			next.OnDelete(coreinformers.DeletedPod{
				OptionalObj:       oldPod,
				FinalStateUnknown: &cache.DeletedFinalStateUnknown{Key: cache.MetaObjectToName(oldPod).String(), Obj: oldPod},
			})
			next.OnAdd(newPod, false)
		},
	}, nil
}
