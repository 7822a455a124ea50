//workshop:mutant version-context-ignored
//workshop:fault the context of the caller is not used
//workshop:step 8
//workshop:want ctx is not handed on

package main

import (
	"context"
	"encoding/json"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/rest"
)

func ServerVersion(ctx context.Context, client rest.Interface) (*version.Info, error) {
	raw, err := client.Get().AbsPath("/version").DoRaw(context.TODO())
	if err != nil {
		return nil, err
	}
	info := &version.Info{}
	return info, json.Unmarshal(raw, info)
}
