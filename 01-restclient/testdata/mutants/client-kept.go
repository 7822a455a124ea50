//workshop:mutant client-kept
//workshop:fault the first client is kept for every later call
//workshop:step 2
//workshop:want second config
//workshop:want the first client is kept

package main

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

var clientOnce sync.Once
var keptClient *rest.RESTClient

func NewRESTClient(cfg *rest.Config) (*rest.RESTClient, error) {
	var err error
	clientOnce.Do(func() {
		cfg = rest.CopyConfig(cfg)
		cfg.APIPath = "/api"
		cfg.GroupVersion = &corev1.SchemeGroupVersion
		cfg.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
		cfg.QPS, cfg.Burst = 50, 100
		cfg.UserAgent = "client-go-workshop/restclient"
		keptClient, err = rest.RESTClientFor(cfg)
	})
	return keptClient, err
}
