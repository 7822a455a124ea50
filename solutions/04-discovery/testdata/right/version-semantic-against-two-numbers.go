//workshop:accept version-semantic-against-two-numbers
//workshop:why two numbers are no semantic version, so the pre-release does not count
//workshop:step ServerAtLeast

package main

import (
	"context"
	"fmt"

	utilversion "k8s.io/apimachinery/pkg/util/version"
	"k8s.io/client-go/discovery"
)

func ServerAtLeast(ctx context.Context, client discovery.DiscoveryInterfaceWithContext, major, minor uint) (bool, error) {
	info, err := client.ServerVersionWithContext(ctx)
	if err != nil {
		return false, fmt.Errorf("read the server's version: %w", err)
	}
	version, err := utilversion.ParseSemantic(info.GitVersion)
	if err != nil {
		return false, err
	}
	return version.AtLeast(utilversion.MajorMinor(major, minor)), nil
}
