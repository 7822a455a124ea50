//workshop:accept key-both-objects
//workshop:why an update adds the key of both objects, which is the same
//workshop:step KeyHandler

package main

import (
	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

func KeyHandler(queue workqueue.TypedInterface[cache.ObjectName]) cache.TypedResourceEventHandler[*corev1.Pod] {
	add := func(pods ...*corev1.Pod) {
		for _, pod := range pods {
			queue.Add(cache.ObjectName{Namespace: pod.GetNamespace(), Name: pod.GetName()})
		}
	}
	return coreinformers.PodDetailedHandlerFuncs{
		AddFunc:    func(pod *corev1.Pod, _ bool) { add(pod) },
		UpdateFunc: func(before, after *corev1.Pod) { add(before, after) },
		DeleteFunc: func(pod coreinformers.DeletedPod) {
			queue.Add(cache.NewObjectName(pod.GetNamespace(), pod.GetName()))
		},
	}
}
