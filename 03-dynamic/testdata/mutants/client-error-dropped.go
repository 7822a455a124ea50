//workshop:mutant client-error-dropped
//workshop:fault the error of the constructor is dropped
//workshop:step 1
//workshop:want the error of dynamic.NewForConfig is dropped

package main

import (
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

func NewClient(cfg *rest.Config) (*dynamic.DynamicClient, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.UserAgent = "client-go-workshop/dynamic"

	client, _ := dynamic.NewForConfig(cfg)
	return client, nil
}
