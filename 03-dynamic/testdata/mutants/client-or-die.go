//workshop:mutant client-or-die
//workshop:fault NewForConfigOrDie panics where an error is asked for
//workshop:step 1
//workshop:want NewClient panicked

package main

import (
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

func NewClient(cfg *rest.Config) (*dynamic.DynamicClient, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.UserAgent = "client-go-workshop/dynamic"

	return dynamic.NewForConfigOrDie(cfg), nil
}
