//workshop:mutant print-resync-skipped
//workshop:fault an update with the same resourceVersion has no line
//workshop:step 2
//workshop:want each event is a line

package main

import (
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func PrintPods(pods coreinformers.TypedPodInformer, w io.Writer) (cache.ResourceEventHandlerRegistration, error) {
	registration, err := pods.TypedInformer().AddTypedEventHandler(coreinformers.PodHandlerFuncs{
		AddFunc: func(pod *corev1.Pod) { fmt.Fprintf(w, "added %s %s\n", cache.MetaObjectToName(pod), podStatus(pod)) },
		UpdateFunc: func(before, pod *corev1.Pod) {
			if before.ResourceVersion == pod.ResourceVersion {
				return
			}
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
	if err != nil {
		return nil, fmt.Errorf("add: %w", err)
	}
	return registration, nil
}
