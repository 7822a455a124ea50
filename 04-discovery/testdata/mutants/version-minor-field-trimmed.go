//workshop:mutant version-minor-field-trimmed
//workshop:fault the field minor is taken without its plus, and is empty
//workshop:step 2
//workshop:want may be empty or end in

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
	haveMajor, err := strconv.Atoi(info.Major)
	if err != nil {
		return "", false, err
	}
	haveMinor, err := strconv.Atoi(strings.TrimSuffix(info.Minor, "+"))
	if err != nil {
		return "", false, err
	}
	return info.GitVersion, haveMajor > int(major) || haveMajor == int(major) && haveMinor >= int(minor), nil
}
