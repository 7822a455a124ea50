//workshop:mutant clientset-unlimited
//workshop:fault a negative QPS turns the limit off
//workshop:step 1
//workshop:want no rate limit

package main

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func NewClientset(cfg *rest.Config) (*kubernetes.Clientset, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.UserAgent = "client-go-workshop/clientset"
	cfg.QPS = -1
	return kubernetes.NewForConfig(cfg)
}
