//workshop:mutant clientset-asks-version
//workshop:fault the new client is tried with a request
//workshop:step 1
//workshop:want made a request

package main

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func NewClientset(cfg *rest.Config) (*kubernetes.Clientset, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.QPS, cfg.Burst = 50, 100
	cfg.UserAgent = "client-go-workshop/clientset"
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return nil, err
	}
	_, err = client.Discovery().ServerVersion()
	return client, err
}
