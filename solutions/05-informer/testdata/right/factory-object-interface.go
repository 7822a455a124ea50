//workshop:accept factory-object-interface
//workshop:why metav1.Object can be asserted, without meta.Accessor
//workshop:step NewFactory

package main

import (
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
)

func NewFactory(client kubernetes.Interface, namespace string, resync time.Duration) (informers.SharedInformerFactory, error) {
	if namespace == "" {
		return nil, errors.New("the namespace is empty")
	}
	return informers.NewSharedInformerFactoryWithOptions(client, resync,
		informers.WithTransform(func(obj any) (any, error) {
			if object, ok := obj.(metav1.Object); ok && object.GetManagedFields() != nil {
				object.SetManagedFields(nil)
			}
			return obj, nil
		}),
		informers.WithNamespace(namespace)), nil
}
