//workshop:mutant key-initial-skipped
//workshop:fault pods of the initial list are left out
//workshop:step 5
//workshop:want initial list
//workshop:want holds []

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
		return nil, errors.New("there is no queue")
	}
	return coreinformers.PodDetailedHandlerFuncs{
		AddFunc: func(pod *corev1.Pod, initial bool) {
			if !initial {
				queue.Add(cache.MetaObjectToName(pod))
			}
		},
		UpdateFunc: func(_, pod *corev1.Pod) { queue.Add(cache.MetaObjectToName(pod)) },
		DeleteFunc: func(pod coreinformers.DeletedPod) { queue.Add(pod.GetObjectName()) },
	}, nil
}
