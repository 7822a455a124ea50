//workshop:mutant version-sscanf
//workshop:fault Sscanf without a look at what it could not read
//workshop:step 2
//workshop:want gitVersion "v1"

package main

import (
	"context"
	"fmt"

	"k8s.io/client-go/discovery"
)

func ServerAtLeast(ctx context.Context, client discovery.DiscoveryInterfaceWithContext, major, minor uint) (string, bool, error) {
	info, err := client.ServerVersionWithContext(ctx)
	if err != nil {
		return "", false, fmt.Errorf("version: %w", err)
	}
	var a, b uint
	if n, err := fmt.Sscanf(info.GitVersion, "v%d.%d", &a, &b); n == 0 {
		return "", false, fmt.Errorf("parse %q: %w", info.GitVersion, err)
	}
	return info.GitVersion, a > major || a == major && b >= minor, nil
}
