//workshop:mutant client-config-changed
//workshop:fault the caller's config is changed
//workshop:step 2
//workshop:want caller's config was changed
//workshop:want rest.CopyConfig

package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

func NewRESTClient(cfg *rest.Config) (*rest.RESTClient, error) {
	cfg.APIPath = "/api"
	cfg.GroupVersion = &corev1.SchemeGroupVersion
	cfg.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	cfg.QPS, cfg.Burst = 50, 100
	cfg.UserAgent = "client-go-workshop/restclient"
	return rest.RESTClientFor(cfg)
}
