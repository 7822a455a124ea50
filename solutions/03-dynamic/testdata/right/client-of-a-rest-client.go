//workshop:accept client-of-a-rest-client
//workshop:why ConfigFor and a RESTClient make the same client
//workshop:step NewClient

package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

func NewClient(cfg *rest.Config) (*dynamic.DynamicClient, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.UserAgent = "client-go-workshop/dynamic"

	cfg = dynamic.ConfigFor(cfg)
	cfg.GroupVersion = &schema.GroupVersion{}
	restClient, err := rest.RESTClientFor(cfg)
	if err != nil {
		return nil, fmt.Errorf("build the dynamic client: %w", err)
	}
	return dynamic.New(restClient), nil
}
