//workshop:mutant factory-no-transform
//workshop:fault managedFields stay in the cache
//workshop:step 1
//workshop:want no transform is set
//workshop:want managedFields

package main

import (
	"errors"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
)

func NewFactory(client kubernetes.Interface, namespace string, resync time.Duration) (informers.SharedInformerFactory, error) {
	if namespace == "" {
		return nil, errors.New("the namespace is empty")
	}
	return informers.NewSharedInformerFactoryWithOptions(client, resync, informers.WithNamespace(namespace)), nil
}
