//workshop:mutant website-json-disallow
//workshop:fault encoding/json stops at the first field and names no path
//workshop:step 8
//workshop:want does not name spec.replcias

package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func ToWebsite(obj *unstructured.Unstructured) (*Website, error) {
	want := schema.GroupVersionKind{Group: websiteGroup, Version: "v1", Kind: "Website"}
	if kind := obj.GroupVersionKind(); kind != want {
		return nil, fmt.Errorf("object %s is a %s and not a %s", obj.GetName(), kind, want)
	}
	var website Website
	data, err := obj.MarshalJSON()
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&website); err != nil {
		return nil, fmt.Errorf("convert website %s: %w", obj.GetName(), err)
	}
	return &website, nil
}
