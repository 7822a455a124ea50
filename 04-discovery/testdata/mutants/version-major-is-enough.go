//workshop:mutant version-major-is-enough
//workshop:fault a major of 2 or more is late enough, whatever was asked for
//workshop:step 2
//workshop:want at least 2.5 gave true

package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/client-go/discovery"
)

func ServerAtLeast(ctx context.Context, client discovery.DiscoveryInterfaceWithContext, major, minor uint) (string, bool, error) {
	info, err := client.ServerVersionWithContext(ctx)
	if err != nil {
		return "", false, fmt.Errorf("version: %w", err)
	}
	v, err := version.ParseGeneric(info.GitVersion)
	if err != nil {
		return "", false, fmt.Errorf("parse: %w", err)
	}
	ok := v.Major() > 1 || v.Major() >= major && v.Minor() >= minor
	return info.GitVersion, ok, nil
}
