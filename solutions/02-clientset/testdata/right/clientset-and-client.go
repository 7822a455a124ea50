//workshop:accept clientset-and-client
//workshop:why a shallow copy, the http client made first, rest.AddUserAgent not used
//workshop:step NewClientset

package main

import (
	"fmt"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func NewClientset(cfg *rest.Config) (*kubernetes.Clientset, error) {
	own := *cfg
	own.QPS, own.Burst, own.UserAgent = 50, 100, "client-go-workshop/clientset"
	httpClient, err := rest.HTTPClientFor(&own)
	if err != nil {
		return nil, fmt.Errorf("build the http client: %w", err)
	}
	return kubernetes.NewForConfigAndClient(&own, httpClient)
}
