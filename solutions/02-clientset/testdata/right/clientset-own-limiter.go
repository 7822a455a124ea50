//workshop:accept clientset-own-limiter
//workshop:why a limiter of one's own in the config
//workshop:step NewClientset

package main

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
)

func NewClientset(cfg *rest.Config) (*kubernetes.Clientset, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(50, 100)
	cfg.UserAgent = "client-go-workshop/clientset"
	return kubernetes.NewForConfig(cfg)
}
