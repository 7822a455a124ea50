//workshop:mutant version-as-text
//workshop:fault versions are compared as text
//workshop:step 2
//workshop:want versions are numbers, not text

package main

import (
	"context"
	"fmt"

	"k8s.io/client-go/discovery"
)

func ServerAtLeast(ctx context.Context, client discovery.DiscoveryInterfaceWithContext, major, minor uint) (string, bool, error) {
	info, err := client.ServerVersionWithContext(ctx)
	if err != nil {
		return "", false, fmt.Errorf("read the server's version: %w", err)
	}
	if len(info.GitVersion) < 2 {
		return "", false, fmt.Errorf("no version: %q", info.GitVersion)
	}
	return info.GitVersion, info.GitVersion >= fmt.Sprintf("v%d.%d", major, minor), nil
}
