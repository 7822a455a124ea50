//workshop:accept key-own-type
//workshop:why a type of one's own implements the handler
//workshop:step KeyHandler

package main

import (
	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

func KeyHandler(queue workqueue.TypedInterface[cache.ObjectName]) cache.TypedResourceEventHandler[*corev1.Pod] {
	return keyQueue{queue}
}

type keyQueue struct {
	workqueue.TypedInterface[cache.ObjectName]
}

func (q keyQueue) OnAdd(pod *corev1.Pod, _ bool)  { q.Add(cache.NewObjectName(pod.Namespace, pod.Name)) }
func (q keyQueue) OnUpdate(before, _ *corev1.Pod) { q.Add(cache.MetaObjectToName(before)) }
func (q keyQueue) OnDelete(pod coreinformers.DeletedPod) {
	q.Add(cache.NewObjectName(pod.GetNamespace(), pod.GetName()))
}
