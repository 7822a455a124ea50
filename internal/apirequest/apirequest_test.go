package apirequest

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRead(t *testing.T) {
	for _, tc := range []struct {
		method, url string
		want        Info
	}{
		{"GET", "/api/v1/namespaces/a/pods", Info{Verb: "list", Version: "v1", Resource: "pods", Namespace: "a"}},
		{"GET", "/api/v1/namespaces/a/pods?watch=true", Info{Verb: "watch", Version: "v1", Resource: "pods", Namespace: "a"}},
		{"GET", "/api/v1/pods?watch=1", Info{Verb: "watch", Version: "v1", Resource: "pods"}},
		{"GET", "/api/v1/namespaces/a/pods/b", Info{Verb: "get", Version: "v1", Resource: "pods", Namespace: "a", Name: "b"}},
		{"PUT", "/api/v1/namespaces/a/pods/b/status", Info{Verb: "update", Version: "v1", Resource: "pods", Namespace: "a", Name: "b",
			Subresource: "status"}},
		{"POST", "/apis/apps/v1/namespaces/a/deployments", Info{Verb: "create", Group: "apps", Version: "v1", Resource: "deployments",
			Namespace: "a"}},
		{"PATCH", "/apis/apps/v1/namespaces/a/deployments/d/scale",
			Info{Verb: "patch", Group: "apps", Version: "v1", Resource: "deployments", Namespace: "a", Name: "d", Subresource: "scale"}},
		{"DELETE", "/api/v1/namespaces/a", Info{Verb: "delete", Version: "v1", Resource: "namespaces", Name: "a"}},
		{"PUT", "/api/v1/namespaces/a/finalize", Info{Verb: "update", Version: "v1", Resource: "namespaces", Name: "a", Subresource: "finalize"}},
		{"DELETE", "/api/v1/namespaces/a/pods", Info{Verb: "deletecollection", Version: "v1", Resource: "pods", Namespace: "a"}},
		{"DELETE", "/api/v1/namespaces/a/pods/b", Info{Verb: "delete", Version: "v1", Resource: "pods", Namespace: "a", Name: "b"}},
		{"HEAD", "/api/v1/namespaces/a/pods/b", Info{Verb: "get", Version: "v1", Resource: "pods", Namespace: "a", Name: "b"}},
		{"GET", "/version", Info{Verb: "get"}},
		{"GET", "/apis/apps/v1", Info{Verb: "get"}},
		{"GET", "/api/v1", Info{Verb: "get"}},
	} {
		assert.Equal(t, tc.want, Read(httptest.NewRequest(tc.method, tc.url, nil)), "%s %s", tc.method, tc.url)
	}
}

func TestWrites(t *testing.T) {
	for verb, want := range map[string]bool{
		"create": true, "update": true, "patch": true, "delete": true, "deletecollection": true,
		"get": false, "list": false, "watch": false, "post": false,
	} {
		assert.Equal(t, want, Info{Verb: verb}.Writes(), verb)
	}
}
