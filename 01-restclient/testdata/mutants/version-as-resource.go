//workshop:mutant version-as-resource
//workshop:fault version is asked for as a resource of core/v1
//workshop:step 8
//workshop:want want /version
//workshop:want AbsPath

package main

import (
	"context"
	"encoding/json"

	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/rest"
)

func ServerVersion(ctx context.Context, client rest.Interface) (*version.Info, error) {
	raw, err := client.Get().Resource("version").Do(ctx).Raw()
	if err != nil {
		return nil, err
	}
	info := &version.Info{}
	return info, json.Unmarshal(raw, info)
}
