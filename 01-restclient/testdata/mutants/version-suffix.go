//workshop:mutant version-suffix
//workshop:fault Suffix adds to the path
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
	raw, err := client.Get().Suffix("version").Do(ctx).Raw()
	if err != nil {
		return nil, err
	}
	info := &version.Info{}
	return info, json.Unmarshal(raw, info)
}
