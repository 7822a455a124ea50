//workshop:mutant version-ignores-context
//workshop:fault the end of ctx does not end the question
//workshop:step 2
//workshop:want did not return within

package main

import (
	"context"
	"fmt"

	utilversion "k8s.io/apimachinery/pkg/util/version"
	"k8s.io/client-go/discovery"
)

func ServerAtLeast(ctx context.Context, client discovery.DiscoveryInterfaceWithContext, major, minor uint) (string, bool, error) {
	info, err := client.ServerVersionWithContext(context.Background())
	if err != nil {
		return "", false, fmt.Errorf("read the server's version: %w", err)
	}
	version, err := utilversion.ParseGeneric(info.GitVersion)
	if err != nil {
		return "", false, err
	}
	return info.GitVersion, version.AtLeast(utilversion.MajorMinor(major, minor)), nil
}
