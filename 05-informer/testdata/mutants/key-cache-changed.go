//workshop:mutant key-cache-changed
//workshop:fault the handler marks the pod as queued, in the cache
//workshop:step 5
//workshop:want changed the pod that it was told of

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
	add := func(pod *corev1.Pod) {
		if pod.Annotations == nil {
			pod.Annotations = map[string]string{}
		}
		pod.Annotations["example.com/queued"] = "true"
		queue.Add(cache.MetaObjectToName(pod))
	}
	return coreinformers.PodHandlerFuncs{
		AddFunc:    add,
		UpdateFunc: func(_, pod *corev1.Pod) { add(pod) },
		DeleteFunc: func(pod coreinformers.DeletedPod) { queue.Add(pod.GetObjectName()) },
	}, nil
}
