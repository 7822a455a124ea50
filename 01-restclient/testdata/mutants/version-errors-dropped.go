//workshop:mutant version-errors-dropped
//workshop:fault errors are dropped
//workshop:step 8
//workshop:want no error
//workshop:want 500

package main

import (
	"context"
	"encoding/json"

	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/rest"
)

func ServerVersion(ctx context.Context, client rest.Interface) (*version.Info, error) {
	raw, _ := client.Get().AbsPath("/version").Do(ctx).Raw()
	info := &version.Info{}
	_ = json.Unmarshal(raw, info)
	return info, nil
}
