//workshop:mutant version-greater
//workshop:fault the same version is not enough
//workshop:step 2
//workshop:want AtLeast, not GreaterThan

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
	return info.GitVersion, version.GreaterThan(utilversion.MajorMinor(major, minor)), nil
}
