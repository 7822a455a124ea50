//workshop:mutant version-minor-field
//workshop:fault the field minor is taken for a number
//workshop:step 2
//workshop:want may be empty or end in

package main

import (
	"context"
	"fmt"
	"strconv"

	"k8s.io/client-go/discovery"
)

func ServerAtLeast(ctx context.Context, client discovery.DiscoveryInterfaceWithContext, major, minor uint) (string, bool, error) {
	info, err := client.ServerVersionWithContext(ctx)
	if err != nil {
		return "", false, fmt.Errorf("read the server's version: %w", err)
	}
	haveMajor, err := strconv.Atoi(info.Major)
	if err != nil {
		return "", false, err
	}
	haveMinor, err := strconv.Atoi(info.Minor)
	if err != nil {
		return "", false, err
	}
	return info.GitVersion, haveMajor > int(major) || haveMajor == int(major) && haveMinor >= int(minor), nil
}
