//workshop:mutant key-worked-off-in-handler
//workshop:fault the handler takes the key out again and does the work itself, while its events heap up
//workshop:step 5
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
	hand := func(name cache.ObjectName) {
		queue.Add(name)
		key, _ := queue.Get()
		queue.Done(key)
	}
	return coreinformers.PodHandlerFuncs{
		AddFunc:    func(pod *corev1.Pod) { hand(cache.MetaObjectToName(pod)) },
		UpdateFunc: func(_, pod *corev1.Pod) { hand(cache.MetaObjectToName(pod)) },
		DeleteFunc: func(pod coreinformers.DeletedPod) { hand(pod.GetObjectName()) },
	}, nil
}
