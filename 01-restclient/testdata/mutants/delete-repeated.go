//workshop:mutant delete-repeated
//workshop:fault DELETE is repeated by name until NotFound
//workshop:step 7
//workshop:want new pod of the same name was deleted
//workshop:want DELETE is repeated

package main

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
)

func DeletePod(ctx context.Context, client rest.Interface, namespace, name string) error {
	for {
		err := client.Delete().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Error()
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}
