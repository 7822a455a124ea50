//workshop:mutant delete-accepted-is-gone
//workshop:fault DELETE is taken for the end
//workshop:step 7
//workshop:want accepted DELETE is not the end

package main

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
)

func DeletePod(ctx context.Context, client rest.Interface, namespace, name string) error {
	err := client.Delete().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Error()
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
