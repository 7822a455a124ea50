//workshop:mutant client-no-user-agent
//workshop:fault the User-Agent is left at its default
//workshop:step 2
//workshop:want UserAgent is to be exactly

package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

func NewRESTClient(cfg *rest.Config) (*rest.RESTClient, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.APIPath = "/api"
	cfg.GroupVersion = &corev1.SchemeGroupVersion
	cfg.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	cfg.QPS, cfg.Burst = 50, 100
	return rest.RESTClientFor(cfg)
}
