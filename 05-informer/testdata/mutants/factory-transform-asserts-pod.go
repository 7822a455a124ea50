//workshop:mutant factory-transform-asserts-pod
//workshop:fault the transform panics at any other kind than a pod
//workshop:step 1
//workshop:want ended the program
//workshop:want *v1.ConfigMap

package main

import (
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
)

func NewFactory(client kubernetes.Interface, namespace string, resync time.Duration) (informers.SharedInformerFactory, error) {
	if namespace == "" {
		return nil, errors.New("the namespace is empty")
	}
	strip := func(obj any) (any, error) {
		pod := obj.(*corev1.Pod)
		pod.ManagedFields = nil
		return pod, nil
	}
	return informers.NewSharedInformerFactoryWithOptions(client, resync, informers.WithNamespace(namespace), informers.WithTransform(strip)), nil
}
