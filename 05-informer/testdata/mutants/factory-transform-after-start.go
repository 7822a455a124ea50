//workshop:mutant factory-transform-after-start
//workshop:fault the transform is set after the start, when it is too late, and the error dropped
//workshop:step 1
//workshop:want managedFields

package main

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
)

type lateTransform struct {
	informers.SharedInformerFactory
}

func (f lateTransform) StartWithContext(ctx context.Context) {
	f.SharedInformerFactory.StartWithContext(ctx)
	_ = f.Core().V1().Pods().Informer().SetTransform(func(obj any) (any, error) {
		if object, err := meta.Accessor(obj); err == nil {
			object.SetManagedFields(nil)
		}
		return obj, nil
	})
}

func NewFactory(client kubernetes.Interface, namespace string, resync time.Duration) (informers.SharedInformerFactory, error) {
	if namespace == "" {
		return nil, errors.New("the namespace is empty")
	}
	return lateTransform{informers.NewSharedInformerFactoryWithOptions(client, resync, informers.WithNamespace(namespace))}, nil
}
