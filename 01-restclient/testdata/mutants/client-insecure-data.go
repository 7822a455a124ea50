//workshop:mutant client-insecure-data
//workshop:fault clears the CA data and switches verification off, with CAFile kept
//workshop:step 2
//workshop:want certificate is not verified

package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

func NewRESTClient(cfg *rest.Config) (*rest.RESTClient, error) {
	c := rest.CopyConfig(cfg)
	c.APIPath = "/api"
	c.GroupVersion = &corev1.SchemeGroupVersion
	c.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	c.QPS, c.Burst = 50, 100
	c.UserAgent = "client-go-workshop/restclient"
	c.Insecure = true
	c.CAData = nil
	return rest.RESTClientFor(c)
}
