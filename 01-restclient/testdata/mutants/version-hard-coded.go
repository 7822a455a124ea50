//workshop:mutant version-hard-coded
//workshop:fault the version is made up
//workshop:step 8
//workshop:want no request was sent

package main

import (
	"context"

	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/rest"
)

func ServerVersion(ctx context.Context, client rest.Interface) (*version.Info, error) {
	return &version.Info{Major: "1", Minor: "37", GitVersion: "v1.37.2"}, nil
}
