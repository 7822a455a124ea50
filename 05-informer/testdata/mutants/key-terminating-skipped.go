//workshop:mutant key-terminating-skipped
//workshop:fault a pod whose deletion has begun is left to the delete
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
		UpdateFunc: func(_, pod *corev1.Pod) {
			if pod.DeletionTimestamp == nil {
				queue.Add(cache.MetaObjectToName(pod))
			}
		},
		DeleteFunc: func(pod coreinformers.DeletedPod) { queue.Add(pod.GetObjectName()) },
	}, nil
}
