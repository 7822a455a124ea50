//workshop:mutant version-as-float
//workshop:fault 1.10 and 1.9 are compared as fractions
//workshop:step 2
//workshop:want versions are numbers, not text

package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"k8s.io/client-go/discovery"
)

func ServerAtLeast(ctx context.Context, client discovery.DiscoveryInterfaceWithContext, major, minor uint) (string, bool, error) {
	info, err := client.ServerVersionWithContext(ctx)
	if err != nil {
		return "", false, fmt.Errorf("read the server's version: %w", err)
	}
	parts := strings.Split(strings.TrimPrefix(info.GitVersion, "v"), ".")
	if len(parts) < 2 {
		return "", false, fmt.Errorf("no version: %q", info.GitVersion)
	}
	got, err := strconv.ParseFloat(parts[0]+"."+parts[1], 64)
	if err != nil {
		return "", false, err
	}
	want, err := strconv.ParseFloat(fmt.Sprintf("%d.%d", major, minor), 64)
	return info.GitVersion, got >= want, err
}
