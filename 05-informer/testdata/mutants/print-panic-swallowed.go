//workshop:mutant print-panic-swallowed
//workshop:fault the panic at a tombstone is caught, and the deletion lost
//workshop:step 2
//workshop:want got "no line"
//workshop:want did not see itself

package main

import (
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func PrintPods(pods coreinformers.TypedPodInformer, w io.Writer) (cache.ResourceEventHandlerRegistration, error) {
	registration, err := pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			pod := obj.(*corev1.Pod)
			fmt.Fprintf(w, "added %s/%s %s\n", pod.Namespace, pod.Name, podStatus(pod))
		},
		UpdateFunc: func(_, obj any) {
			pod := obj.(*corev1.Pod)
			fmt.Fprintf(w, "updated %s/%s %s\n", pod.Namespace, pod.Name, podStatus(pod))
		},
		DeleteFunc: func(obj any) {
			defer func() { _ = recover() }()
			pod := obj.(*corev1.Pod)
			fmt.Fprintf(w, "deleted %s/%s\n", pod.Namespace, pod.Name)
		},
	})
	if err != nil {
		return nil, fmt.Errorf("add the printing handler: %w", err)
	}
	return registration, nil
}
