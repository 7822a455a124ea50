//workshop:mutant version-kept
//workshop:fault the first answer is kept for every later call
//workshop:step 8
//workshop:want a second call sent no request
//workshop:want the first answer is kept

package main

import (
	"context"
	"encoding/json"
	"sync"

	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/rest"
)

var versionOnce sync.Once
var keptVersion version.Info

func ServerVersion(ctx context.Context, client rest.Interface) (*version.Info, error) {
	var err error
	versionOnce.Do(func() {
		var raw []byte
		if raw, err = client.Get().AbsPath("/version").Do(ctx).Raw(); err == nil {
			err = json.Unmarshal(raw, &keptVersion)
		}
	})
	return &keptVersion, err
}
