//workshop:mutant print-tombstone-asserted
//workshop:fault the deleted object is asserted to be a pod
//workshop:step 2
//workshop:want ended the program
//workshop:want DeletedFinalStateUnknown
//workshop:want the informer did not see itself brings

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
			pod := obj.(*corev1.Pod)
			fmt.Fprintf(w, "deleted %s/%s\n", pod.Namespace, pod.Name)
		},
	})
}
