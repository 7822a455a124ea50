//workshop:mutant client-default-burst
//workshop:fault QPS is set and Burst is not
//workshop:step 2
//workshop:want Burst is not set

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
	cfg.QPS = 50
	cfg.UserAgent = "client-go-workshop/restclient"
	return rest.RESTClientFor(cfg)
}
