//workshop:mutant lead-everybody
//workshop:fault every replica runs
//workshop:step 8
//workshop:want same time

package main

import (
	"context"
	"errors"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func Lead(ctx context.Context, client kubernetes.Interface, election Election, run func(context.Context) error) error {
	if election.RenewDeadline > election.LeaseDuration {
		return errors.New("the deadline is too long")
	}
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: election.Namespace, Name: election.Name}}
	lease.Spec.HolderIdentity = &election.Identity
	_, err := client.CoordinationV1().Leases(election.Namespace).Create(ctx, lease, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	go func() {
		for ctx.Err() == nil {
			_, _ = client.CoordinationV1().Leases(election.Namespace).Update(ctx, lease, metav1.UpdateOptions{})
			time.Sleep(election.RetryPeriod)
		}
	}()
	return run(ctx)
}
