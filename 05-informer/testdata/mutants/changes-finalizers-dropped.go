//workshop:mutant changes-finalizers-dropped
//workshop:fault an update counts when spec, status, labels or annotations changed
//workshop:step 6
//workshop:want not some of the fields

package main

import (
	"errors"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func ChangesOnly(next cache.TypedResourceEventHandler[*corev1.Pod]) (cache.TypedResourceEventHandler[*corev1.Pod], error) {
	if next == nil {
		return nil, errors.New("no handler")
	}
	return coreinformers.PodDetailedHandlerFuncs{
		AddFunc:    next.OnAdd,
		DeleteFunc: next.OnDelete,
		UpdateFunc: func(a, b *corev1.Pod) {
			if a.UID != b.UID {
				next.OnDelete(coreinformers.DeletedPod{OptionalObj: a, FinalStateUnknown: &cache.DeletedFinalStateUnknown{Key: cache.MetaObjectToName(a).String(), Obj: a}})
				next.OnAdd(b, false)
				return
			}
			if a.ResourceVersion == b.ResourceVersion || equality.Semantic.DeepEqual(a.Spec, b.Spec) && equality.Semantic.DeepEqual(a.Status, b.Status) && maps.Equal(a.Labels, b.Labels) && maps.Equal(a.Annotations, b.Annotations) {
				return
			}
			next.OnUpdate(a, b)
		},
	}, nil
}
