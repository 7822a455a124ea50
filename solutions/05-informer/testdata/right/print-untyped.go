//workshop:accept print-untyped
//workshop:why the untyped handler, right on a tombstone
//workshop:step PrintPods

package main

import (
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func PrintPods(pods coreinformers.TypedPodInformer, w io.Writer) (cache.ResourceEventHandlerRegistration, error) {
	return pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			pod := obj.(*corev1.Pod)
			fmt.Fprintf(w, "added %s/%s %s\n", pod.Namespace, pod.Name, podStatus(pod))
		},
		UpdateFunc: func(_, obj any) {
			pod := obj.(*corev1.Pod)
			fmt.Fprintf(w, "updated %s/%s %s\n", pod.Namespace, pod.Name, podStatus(pod))
		},
		DeleteFunc: func(obj any) {
			key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
			if err != nil {
				return
			}
			if _, missed := obj.(cache.DeletedFinalStateUnknown); missed {
				key += " missed"
			}
			fmt.Fprintf(w, "deleted %s\n", key)
		},
	})
}
