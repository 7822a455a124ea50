//workshop:mutant factory-own-resync
//workshop:fault a resync period of 0 is replaced by one of the program's own
//workshop:step 1
//workshop:want with resync 0
//workshop:want no resync

package main

import (
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
)

func NewFactory(client kubernetes.Interface, namespace string, resync time.Duration) (informers.SharedInformerFactory, error) {
	if namespace == "" {
		return nil, errors.New("the namespace is empty")
	}
	strip := func(obj any) (any, error) {
		if object, err := meta.Accessor(obj); err == nil {
			object.SetManagedFields(nil)
		}
		return obj, nil
	}
	if resync == 0 {
		resync = time.Second
	}
	return informers.NewSharedInformerFactoryWithOptions(client, resync, informers.WithNamespace(namespace), informers.WithTransform(strip)), nil
}
