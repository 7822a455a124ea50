//workshop:mutant key-waits-for-room
//workshop:fault the handler works slowly: it waits until the workers have taken the last key
//workshop:step 5
//workshop:want did not return

package main

import (
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

func KeyHandler(queue workqueue.TypedInterface[cache.ObjectName]) (cache.TypedResourceEventHandler[*corev1.Pod], error) {
	if queue == nil {
		return nil, errors.New("there is no queue")
	}
	hand := func(name cache.ObjectName) {
		for queue.Len() > 0 {
			time.Sleep(10 * time.Millisecond)
		}
		queue.Add(name)
	}
	return coreinformers.PodHandlerFuncs{
		AddFunc:    func(pod *corev1.Pod) { hand(cache.MetaObjectToName(pod)) },
		UpdateFunc: func(_, pod *corev1.Pod) { hand(cache.MetaObjectToName(pod)) },
		DeleteFunc: func(pod coreinformers.DeletedPod) { hand(pod.GetObjectName()) },
	}, nil
}
