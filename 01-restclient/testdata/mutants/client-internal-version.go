//workshop:mutant client-internal-version
//workshop:fault scheme.Codecs decodes to the internal version
//workshop:step 2
//workshop:want WithoutConversion

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
	cfg.NegotiatedSerializer = scheme.Codecs
	cfg.QPS, cfg.Burst = 50, 100
	cfg.UserAgent = "client-go-workshop/restclient"
	return rest.RESTClientFor(cfg)
}
