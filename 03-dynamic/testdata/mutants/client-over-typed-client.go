//workshop:mutant client-over-typed-client
//workshop:fault the RESTClient of a typed client speaks protobuf
//workshop:step 1
//workshop:want that decodes JSON into Unstructured

package main

import (
	"fmt"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func NewClient(cfg *rest.Config) (*dynamic.DynamicClient, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.UserAgent = "client-go-workshop/dynamic"

	clientset, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("build the dynamic client: %w", err)
	}
	return dynamic.New(clientset.CoreV1().RESTClient()), nil
}
