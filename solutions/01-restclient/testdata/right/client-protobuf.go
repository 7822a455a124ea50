//workshop:accept client-protobuf
//workshop:why the client speaks protobuf
//workshop:step NewRESTClient

package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

func NewRESTClient(cfg *rest.Config) (*rest.RESTClient, error) {
	c := *cfg
	c.APIPath = "/api"
	c.GroupVersion = &corev1.SchemeGroupVersion
	c.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	c.ContentType = runtime.ContentTypeProtobuf
	c.QPS, c.Burst = 50, 100
	c.UserAgent = "client-go-workshop/restclient"
	c.RateLimiter = nil
	client, err := rest.RESTClientFor(&c)
	if err != nil {
		return nil, err
	}
	return client, nil
}
