//workshop:mutant changes-missed-dropped
//workshop:fault a delete goes on with the object and without what says that it was missed
//workshop:step 6
//workshop:want FinalStateUnknown with it

package main

import (
	"errors"

	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func ChangesOnly(next cache.TypedResourceEventHandler[*corev1.Pod]) (cache.TypedResourceEventHandler[*corev1.Pod], error) {
	if next == nil {
		return nil, errors.New("no handler")
	}
	return coreinformers.PodDetailedHandlerFuncs{
		AddFunc: next.OnAdd,
		DeleteFunc: func(pod coreinformers.DeletedPod) {
			if pod.OptionalObj != nil {
				next.OnDelete(coreinformers.DeletedPod{OptionalObj: pod.OptionalObj})
				return
			}
			next.OnDelete(pod)
		},
		UpdateFunc: func(a, b *corev1.Pod) {
			switch {
			case a.UID != b.UID:
				next.OnDelete(coreinformers.DeletedPod{OptionalObj: a, FinalStateUnknown: &cache.DeletedFinalStateUnknown{Key: cache.MetaObjectToName(a).String(), Obj: a}})
				next.OnAdd(b, false)
			case a.ResourceVersion != b.ResourceVersion:
				next.OnUpdate(a, b)
			}
		},
	}, nil
}
