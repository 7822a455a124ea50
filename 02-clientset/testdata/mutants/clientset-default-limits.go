//workshop:mutant clientset-default-limits
//workshop:fault QPS and Burst are left at their defaults, one limiter for each group-version
//workshop:step 1
//workshop:want QPS of the set's clients is 5
//workshop:want its own limiter

package main

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func NewClientset(cfg *rest.Config) (*kubernetes.Clientset, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.UserAgent = "client-go-workshop/clientset"
	return kubernetes.NewForConfig(cfg)
}
