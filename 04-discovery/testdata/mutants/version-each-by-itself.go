//workshop:mutant version-each-by-itself
//workshop:fault major and minor are compared each by itself
//workshop:step 2
//workshop:want major version is compared first

package main

import (
	"context"
	"fmt"

	utilversion "k8s.io/apimachinery/pkg/util/version"
	"k8s.io/client-go/discovery"
)

func ServerAtLeast(ctx context.Context, client discovery.DiscoveryInterfaceWithContext, major, minor uint) (string, bool, error) {
	info, err := client.ServerVersionWithContext(ctx)
	if err != nil {
		return "", false, fmt.Errorf("read the server's version: %w", err)
	}
	version, err := utilversion.ParseGeneric(info.GitVersion)
	if err != nil {
		return "", false, err
	}
	return info.GitVersion, version.Major() >= major && version.Minor() >= minor, nil
}
