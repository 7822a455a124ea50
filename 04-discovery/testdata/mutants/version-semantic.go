//workshop:mutant version-semantic
//workshop:fault a pre-release counts as older than its release
//workshop:step 2
//workshop:want pre-release

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
	version, err := utilversion.ParseSemantic(info.GitVersion)
	if err != nil {
		return "", false, err
	}
	return info.GitVersion, version.AtLeast(utilversion.MustParseSemantic(fmt.Sprintf("%d.%d.0", major, minor))), nil
}
