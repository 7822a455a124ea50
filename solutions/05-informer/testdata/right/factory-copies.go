//workshop:accept factory-copies
//workshop:why a transform may return a copy
//workshop:step NewFactory

package main

import (
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
)

func NewFactory(client kubernetes.Interface, namespace string, resync time.Duration) (informers.SharedInformerFactory, error) {
	if namespace == "" {
		return nil, errors.New("the namespace is empty")
	}
	strip := func(obj any) (any, error) {
		original, ok := obj.(interface{ DeepCopyObject() runtime.Object })
		if !ok {
			return obj, nil
		}
		fresh := original.DeepCopyObject()
		object, err := meta.Accessor(fresh)
		if err != nil {
			return obj, nil
		}
		object.SetManagedFields(nil)
		return fresh, nil
	}
	return informers.NewSharedInformerFactoryWithOptions(client, resync, informers.WithTransform(strip), informers.WithNamespace(namespace)), nil
}
