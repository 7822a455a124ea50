//workshop:accept key-parsed
//workshop:why the key as a string, taken apart again
//workshop:step KeyHandler

package main

import (
	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

func KeyHandler(queue workqueue.TypedInterface[cache.ObjectName]) cache.TypedResourceEventHandler[*corev1.Pod] {
	add := func(key string) {
		if name, err := cache.ParseObjectName(key); err == nil {
			queue.Add(name)
		}
	}
	return &cache.TypedResourceEventHandlerFuncs[*corev1.Pod]{
		AddFunc:    func(pod *corev1.Pod) { add(pod.Namespace + "/" + pod.Name) },
		UpdateFunc: func(_, pod *corev1.Pod) { add(pod.Namespace + "/" + pod.Name) },
		DeleteFunc: func(pod coreinformers.DeletedPod) { add(pod.GetKey()) },
	}
}
