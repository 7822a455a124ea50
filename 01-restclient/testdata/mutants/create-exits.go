//workshop:mutant create-exits
//workshop:fault an error ends the program
//workshop:step 4
//workshop:want os.Exit or log.Fatal

package main

import (
	"context"
	"log"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
)

func CreatePod(ctx context.Context, client rest.Interface, namespace string, pod *corev1.Pod) (*corev1.Pod, error) {
	created := &corev1.Pod{}
	if err := client.Post().Namespace(namespace).Resource("pods").Body(pod).Do(ctx).Into(created); err != nil {
		log.Fatalln("create:", err)
	}
	return created, nil
}
