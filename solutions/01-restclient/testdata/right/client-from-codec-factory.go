//workshop:accept client-from-codec-factory
//workshop:why a codec factory of one's own scheme, and a limiter of one's own
//workshop:step NewRESTClient

package main

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
)

func NewRESTClient(cfg *rest.Config) (*rest.RESTClient, error) {
	own := runtime.NewScheme()
	if err := corev1.AddToScheme(own); err != nil {
		return nil, err
	}
	metav1.AddToGroupVersion(own, corev1.SchemeGroupVersion)
	c := rest.CopyConfig(cfg)
	c.APIPath = "api"
	c.ContentConfig = rest.ContentConfig{
		GroupVersion:         &schema.GroupVersion{Version: "v1"},
		NegotiatedSerializer: serializer.NewCodecFactory(own).WithoutConversion(),
	}
	c.UserAgent = "client-go-workshop/restclient"
	c.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(50, 100)
	return rest.RESTClientFor(c)
}
