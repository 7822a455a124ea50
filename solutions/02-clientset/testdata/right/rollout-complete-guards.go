//workshop:accept rollout-complete-guards
//workshop:why one condition after the other, in the way of kubectl rollout status, with each count compared for itself
//workshop:step RolloutComplete

package main

import (
	"errors"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
)

func RolloutComplete(deployment *appsv1.Deployment) (bool, error) {
	if deployment.Generation > deployment.Status.ObservedGeneration {
		return false, nil
	}
	i := slices.IndexFunc(deployment.Status.Conditions, func(c appsv1.DeploymentCondition) bool {
		return c.Type == appsv1.DeploymentProgressing
	})
	if i >= 0 && deployment.Status.Conditions[i].Reason == "ProgressDeadlineExceeded" {
		return false, errors.New("exceeded its progress deadline: ProgressDeadlineExceeded")
	}
	want := new(int32(1))
	if deployment.Spec.Replicas != nil {
		want = deployment.Spec.Replicas
	}
	for _, count := range []int32{deployment.Status.UpdatedReplicas, deployment.Status.Replicas, deployment.Status.AvailableReplicas} {
		if count != *want {
			return false, nil
		}
	}
	return true, nil
}
