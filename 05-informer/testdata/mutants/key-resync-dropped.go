//workshop:mutant key-resync-dropped
//workshop:fault an update with the same resourceVersion adds no key
//workshop:step 5
//workshop:want judges none

package main

import (
	"errors"

	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

func KeyHandler(queue workqueue.TypedInterface[cache.ObjectName]) (cache.TypedResourceEventHandler[*corev1.Pod], error) {
	if queue == nil {
		return nil, errors.New("no queue")
	}
	return coreinformers.PodHandlerFuncs{
		AddFunc: func(pod *corev1.Pod) { queue.Add(cache.MetaObjectToName(pod)) },
		UpdateFunc: func(before, pod *corev1.Pod) {
			if before.ResourceVersion != pod.ResourceVersion {
				queue.Add(cache.MetaObjectToName(pod))
			}
		},
		DeleteFunc: func(pod coreinformers.DeletedPod) { queue.Add(pod.GetObjectName()) },
	}, nil
}
