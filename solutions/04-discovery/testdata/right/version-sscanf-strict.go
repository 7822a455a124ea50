//workshop:accept version-sscanf-strict
//workshop:why Sscanf of two numbers
//workshop:step ServerAtLeast

package main

import (
	"context"
	"fmt"

	"k8s.io/client-go/discovery"
)

func ServerAtLeast(ctx context.Context, client discovery.DiscoveryInterfaceWithContext, major, minor uint) (bool, error) {
	info, err := client.ServerVersionWithContext(ctx)
	if err != nil {
		return false, fmt.Errorf("version: %w", err)
	}
	var a, b uint
	if _, err := fmt.Sscanf(info.GitVersion, "v%d.%d", &a, &b); err != nil {
		return false, fmt.Errorf("parse %q: %w", info.GitVersion, err)
	}
	return a > major || a == major && b >= minor, nil
}
