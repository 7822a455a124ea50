//workshop:accept print-own-type
//workshop:why a type of one's own implements TypedResourceEventHandler
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
	return pods.TypedInformer().AddTypedEventHandler(printer{w}, cache.HandlerOptions{})
}

type printer struct{ w io.Writer }

func (p printer) say(what string, key any, more string) {
	fmt.Fprintf(p.w, "%-8s %s %s\n", what, key, more)
}

func (p printer) OnAdd(pod *corev1.Pod, _ bool) {
	p.say("added", cache.MetaObjectToName(pod), podStatus(pod))
}

func (p printer) OnUpdate(_, pod *corev1.Pod) {
	p.say("updated", cache.MetaObjectToName(pod), podStatus(pod))
}

func (p printer) OnDelete(pod cache.DeletedObject[*corev1.Pod]) {
	more := ""
	if pod.FinalStateUnknown != nil {
		more = "missed"
	}
	p.say("deleted", pod.GetObjectName(), more)
}
