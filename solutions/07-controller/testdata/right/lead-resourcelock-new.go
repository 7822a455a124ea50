//workshop:accept lead-resourcelock-new
//workshop:why resourcelock.New makes the same lock
//workshop:step electionConfig

package main

import (
	"context"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"
)

func electionConfig(client kubernetes.Interface, election Election, started func(context.Context)) leaderelection.LeaderElectionConfig {
	// The only error is about the type of the lock.
	lock, _ := resourcelock.New(resourcelock.LeasesResourceLock, election.Namespace, election.Name, client.CoreV1(), client.CoordinationV1(),
		resourcelock.ResourceLockConfig{Identity: election.Identity})
	return leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: election.LeaseDuration, RenewDeadline: election.RenewDeadline, RetryPeriod: election.RetryPeriod,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) { started(ctx) },
			OnStoppedLeading: func() { klog.Background().Info("Stopped leading") },
			OnNewLeader:      func(identity string) { klog.Background().Info("A replica leads", "leader", identity) },
		},
	}
}
