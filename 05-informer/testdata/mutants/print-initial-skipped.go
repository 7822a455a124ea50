//workshop:mutant print-initial-skipped
//workshop:fault the pods of the first list are no news
//workshop:step 2
//workshop:want the first list

package main

import (
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func PrintPods(pods coreinformers.TypedPodInformer, w io.Writer) (cache.ResourceEventHandlerRegistration, error) {
	return pods.TypedInformer().AddTypedEventHandler(coreinformers.PodDetailedHandlerFuncs{
		AddFunc: func(pod *corev1.Pod, initial bool) {
			if !initial {
				fmt.Fprintf(w, "added %s %s\n", cache.MetaObjectToName(pod), podStatus(pod))
			}
		},
		UpdateFunc: func(_, pod *corev1.Pod) {
			fmt.Fprintf(w, "updated %s %s\n", cache.MetaObjectToName(pod), podStatus(pod))
		},
		DeleteFunc: func(pod coreinformers.DeletedPod) {
			if pod.FinalStateUnknown != nil {
				fmt.Fprintf(w, "deleted %s missed\n", pod.GetKey())
				return
			}
			fmt.Fprintf(w, "deleted %s\n", pod.GetKey())
		},
	})
}
