//workshop:accept version-sscanf-strict
//workshop:why Sscanf of two numbers
//workshop:step ServerAtLeast

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
	if _, err := fmt.Sscanf(info.GitVersion, "v%d.%d", &a, &b); err != nil {
		return info.GitVersion, false, fmt.Errorf("parse %q: %w", info.GitVersion, err)
	}
	return info.GitVersion, a > major || a == major && b >= minor, nil
}
