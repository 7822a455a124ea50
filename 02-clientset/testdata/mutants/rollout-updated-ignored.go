//workshop:mutant rollout-updated-ignored
//workshop:fault updatedReplicas is not looked at
//workshop:step 8
//workshop:want updatedReplicas

package main

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
)

func rolledOut(deployment *appsv1.Deployment) (bool, error) {
	status := deployment.Status
	if status.ObservedGeneration < deployment.Generation {
		return false, nil
	}
	for _, c := range status.Conditions {
		if c.Type == appsv1.DeploymentProgressing && c.Reason == "ProgressDeadlineExceeded" {
			return false, fmt.Errorf("deployment %s makes no progress: %s", deployment.Name, c.Reason)
		}
	}
	want := *deployment.Spec.Replicas
	return status.Replicas == want && status.AvailableReplicas == want, nil
}
