//workshop:mutant factory-all-namespaces
//workshop:fault the factory is not limited to the namespace
//workshop:step 1
//workshop:want WithNamespace

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
	return informers.NewSharedInformerFactoryWithOptions(client, resync, informers.WithTransform(strip)), nil
}
