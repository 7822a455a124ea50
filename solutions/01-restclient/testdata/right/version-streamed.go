//workshop:accept version-streamed
//workshop:why the answer is streamed into a decoder
//workshop:step ServerVersion

package main

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/rest"
)

func ServerVersion(ctx context.Context, client rest.Interface) (*version.Info, error) {
	body, err := client.Get().AbsPath("version").Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	info := &version.Info{}
	if err := json.NewDecoder(body).Decode(info); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	return info, nil
}
