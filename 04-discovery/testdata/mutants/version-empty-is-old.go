//workshop:mutant version-empty-is-old
//workshop:fault an empty version counts as an old one
//workshop:step 2
//workshop:want "not known" is not "too old"

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
	if info.GitVersion == "" {
		return "", false, nil
	}
	version, err := utilversion.ParseGeneric(info.GitVersion)
	if err != nil {
		return "", false, err
	}
	return info.GitVersion, version.AtLeast(utilversion.MajorMinor(major, minor)), nil
}
