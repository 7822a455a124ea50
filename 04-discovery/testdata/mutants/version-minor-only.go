//workshop:mutant version-minor-only
//workshop:fault the major version is not compared
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
	return info.GitVersion, version.Minor() >= minor, nil
}
