//workshop:mutant version-decode-error-dropped
//workshop:fault an answer that is no JSON is taken for a version
//workshop:step 8
//workshop:want no JSON
//workshop:want json.Unmarshal

package main

import (
	"context"
	"encoding/json"

	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/rest"
)

func ServerVersion(ctx context.Context, client rest.Interface) (*version.Info, error) {
	raw, err := client.Get().AbsPath("/version").Do(ctx).Raw()
	if err != nil {
		return nil, err
	}
	info := &version.Info{}
	_ = json.Unmarshal(raw, info)
	return info, nil
}
