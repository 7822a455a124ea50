//workshop:accept print-in-pieces
//workshop:why a line may be written in several pieces
//workshop:step PrintPods

package main

import (
	"io"

	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func PrintPods(pods coreinformers.TypedPodInformer, w io.Writer) (cache.ResourceEventHandlerRegistration, error) {
	line := func(words ...string) {
		for _, word := range words {
			_, _ = io.WriteString(w, word+" ")
		}
		_, _ = io.WriteString(w, "\n")
	}
	return pods.TypedInformer().AddTypedEventHandler(coreinformers.PodHandlerFuncs{
		AddFunc:    func(pod *corev1.Pod) { line("added", pod.Namespace+"/"+pod.Name, podStatus(pod)) },
		UpdateFunc: func(_, pod *corev1.Pod) { line("updated", pod.Namespace+"/"+pod.Name, podStatus(pod)) },
		DeleteFunc: func(pod coreinformers.DeletedPod) {
			words := []string{"deleted", pod.GetNamespace() + "/" + pod.GetName()}
			if pod.FinalStateUnknown != nil {
				words = append(words, "missed")
			}
			line(words...)
		},
	})
}
