//workshop:accept version-by-hand
//workshop:why two numbers can be read without a package
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
		return false, fmt.Errorf("read the server's version: %w", err)
	}
	var haveMajor, haveMinor uint
	if _, err := fmt.Sscanf(info.GitVersion, "v%d.%d", &haveMajor, &haveMinor); err != nil {
		return false, fmt.Errorf("parse %q: %w", info.GitVersion, err)
	}
	if haveMajor != major {
		return haveMajor > major, nil
	}
	return haveMinor >= minor, nil
}
