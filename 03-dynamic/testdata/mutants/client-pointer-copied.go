//workshop:mutant client-pointer-copied
//workshop:fault the pointer is copied and not the config
//workshop:step 1
//workshop:want work on rest.CopyConfig

package main

import (
	"fmt"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

func NewClient(cfg *rest.Config) (*dynamic.DynamicClient, error) {
	mine := cfg
	mine.UserAgent = "client-go-workshop/dynamic"

	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("build the dynamic client: %w", err)
	}
	return client, nil
}
