//workshop:mutant print-tombstone-object
//workshop:fault the deleted pod is used where it may be nil
//workshop:step 2
//workshop:want panicked
//workshop:want nil pointer

package main

import (
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func PrintPods(pods coreinformers.TypedPodInformer, w io.Writer) (cache.ResourceEventHandlerRegistration, error) {
	return pods.TypedInformer().AddTypedEventHandler(coreinformers.PodHandlerFuncs{
		AddFunc: func(pod *corev1.Pod) { fmt.Fprintf(w, "added %s %s\n", cache.MetaObjectToName(pod), podStatus(pod)) },
		UpdateFunc: func(_, pod *corev1.Pod) {
			fmt.Fprintf(w, "updated %s %s\n", cache.MetaObjectToName(pod), podStatus(pod))
		},
		DeleteFunc: func(pod coreinformers.DeletedPod) {
			text := fmt.Sprintf("deleted %s/%s", pod.OptionalObj.Namespace, pod.OptionalObj.Name)
			if pod.FinalStateUnknown != nil {
				text += " missed"
			}
			fmt.Fprintln(w, text)
		},
	})
}
