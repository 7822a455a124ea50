//workshop:mutant client-apis-path
//workshop:fault the core group is asked for under /apis
//workshop:step 2
//workshop:want core/v1 is under /api

package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

func NewRESTClient(cfg *rest.Config) (*rest.RESTClient, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.APIPath = "/apis"
	cfg.GroupVersion = &corev1.SchemeGroupVersion
	cfg.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	cfg.QPS, cfg.Burst = 50, 100
	cfg.UserAgent = "client-go-workshop/restclient"
	return rest.RESTClientFor(cfg)
}
