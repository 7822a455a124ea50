//workshop:mutant factory-transform-fails
//workshop:fault the transform returns an error for what has no metadata
//workshop:step 1
//workshop:want return it unchanged

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
		object, err := meta.Accessor(obj)
		if err != nil {
			return nil, err
		}
		object.SetManagedFields(nil)
		return obj, nil
	}
	return informers.NewSharedInformerFactoryWithOptions(client, resync, informers.WithNamespace(namespace), informers.WithTransform(strip)), nil
}
