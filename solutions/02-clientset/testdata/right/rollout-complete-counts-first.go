//workshop:accept rollout-complete-counts-first
//workshop:why the counts are compared before the conditions are looked at, and the error says more than it must
//workshop:step RolloutComplete

package main

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
)

func RolloutComplete(deployment *appsv1.Deployment) (bool, error) {
	want, status := int32(1), deployment.Status
	if r := deployment.Spec.Replicas; r != nil {
		want = *r
	}
	seen := status.ObservedGeneration >= deployment.Generation
	if seen && status.UpdatedReplicas == want && status.Replicas == want && status.AvailableReplicas == want {
		return true, nil
	}
	for _, c := range status.Conditions {
		if seen && c.Type == appsv1.DeploymentProgressing && c.Reason == "ProgressDeadlineExceeded" {
			return false, fmt.Errorf("deployment %s wants %d replicas and has %d: %s", deployment.Name, want, status.UpdatedReplicas, c.Reason)
		}
	}
	return false, nil
}
