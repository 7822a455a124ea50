//workshop:accept changes-embedded
//workshop:why a type that embeds the next handler and overrides one method
//workshop:step ChangesOnly

package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

func ChangesOnly(next cache.TypedResourceEventHandler[*corev1.Pod]) cache.TypedResourceEventHandler[*corev1.Pod] {
	return changeFilter{next}
}

type changeFilter struct {
	cache.TypedResourceEventHandler[*corev1.Pod]
}

func (f changeFilter) OnUpdate(before, after *corev1.Pod) {
	if before.GetResourceVersion() == after.GetResourceVersion() {
		return
	}
	if before.GetUID() == after.GetUID() {
		f.TypedResourceEventHandler.OnUpdate(before, after)
		return
	}
	key := cache.NewObjectName(before.Namespace, before.Name).String()
	f.OnDelete(cache.DeletedObject[*corev1.Pod]{OptionalObj: before, FinalStateUnknown: &cache.DeletedFinalStateUnknown{Key: key, Obj: before}})
	f.OnAdd(after, false)
}
