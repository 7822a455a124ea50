//workshop:mutant client-default-limits
//workshop:fault QPS and Burst are left at 5 and 10
//workshop:step 2
//workshop:want QPS is not set

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
	cfg.UserAgent = "client-go-workshop/restclient"
	return rest.RESTClientFor(cfg)
}
