//workshop:accept version-discovery-client
//workshop:why the discovery client does it on top of the same RESTClient
//workshop:step ServerVersion

package main

import (
	"context"

	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

func ServerVersion(ctx context.Context, client rest.Interface) (*version.Info, error) {
	return discovery.NewDiscoveryClient(client).ServerVersionWithContext(ctx)
}
