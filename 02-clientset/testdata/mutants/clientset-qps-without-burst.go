//workshop:mutant clientset-qps-without-burst
//workshop:fault QPS is set and Burst is not
//workshop:step 1
//workshop:want QPS is set and Burst is 0

package main

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func NewClientset(cfg *rest.Config) (*kubernetes.Clientset, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.UserAgent = "client-go-workshop/clientset"
	cfg.QPS = 50
	return kubernetes.NewForConfig(cfg)
}
