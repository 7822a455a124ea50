//workshop:mutant print-cache-changed
//workshop:fault the handler changes the pod that it is given, which is the cached one
//workshop:step 2
//workshop:want pod first in the cache
//workshop:want the cached object itself
//workshop:want DeepCopy

package main

import (
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func PrintPods(pods coreinformers.TypedPodInformer, w io.Writer) (cache.ResourceEventHandlerRegistration, error) {
	print := func(what string, pod *corev1.Pod) {
		if pod.Status.Reason == "" {
			pod.Status.Reason = string(pod.Status.Phase)
		}
		fmt.Fprintf(w, "%s %s %s\n", what, cache.MetaObjectToName(pod), podStatus(pod))
	}
	return pods.TypedInformer().AddTypedEventHandler(coreinformers.PodHandlerFuncs{
		AddFunc:    func(pod *corev1.Pod) { print("added", pod) },
		UpdateFunc: func(_, pod *corev1.Pod) { print("updated", pod) },
		DeleteFunc: func(pod coreinformers.DeletedPod) {
			if pod.FinalStateUnknown != nil {
				fmt.Fprintf(w, "deleted %s missed\n", pod.GetKey())
				return
			}
			fmt.Fprintf(w, "deleted %s\n", pod.GetKey())
		},
	})
}
