//workshop:mutant clientset-host-only
//workshop:fault a new config takes over the host alone, and nobody is authenticated
//workshop:step 1
//workshop:want does not use the config that it was given

package main

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func NewClientset(cfg *rest.Config) (*kubernetes.Clientset, error) {
	return kubernetes.NewForConfig(&rest.Config{Host: cfg.Host, TLSClientConfig: rest.TLSClientConfig{Insecure: true}, QPS: 50, Burst: 100, UserAgent: "client-go-workshop/clientset"})
}
