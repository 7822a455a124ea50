//workshop:accept version-semantic-numbers
//workshop:why a semantic version has the same two numbers
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
	release := utilversion.MajorMinor(version.Major(), version.Minor())
	return !release.LessThan(utilversion.MajorMinor(major, minor)), nil
}
