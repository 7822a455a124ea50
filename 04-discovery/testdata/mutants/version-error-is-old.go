//workshop:mutant version-error-is-old
//workshop:fault a server that does not answer counts as an old one
//workshop:step 2
//workshop:want is not an old server

package main

import (
	"context"

	utilversion "k8s.io/apimachinery/pkg/util/version"
	"k8s.io/client-go/discovery"
)

func ServerAtLeast(ctx context.Context, client discovery.DiscoveryInterfaceWithContext, major, minor uint) (string, bool, error) {
	info, err := client.ServerVersionWithContext(ctx)
	if err != nil {
		return "", false, nil
	}
	version, err := utilversion.ParseGeneric(info.GitVersion)
	if err != nil {
		return "", false, err
	}
	return info.GitVersion, version.AtLeast(utilversion.MajorMinor(major, minor)), nil
}
