package check

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// clusterServer holds cluster-scoped objects, by the path of their list, and
// serves what discovery says.
type clusterServer struct {
	mu      sync.Mutex
	objects map[string][]map[string]any
	deleted []string
	// discovery answers GET /api and everything below /apis that is no object.
	discovery func(path string, aggregated bool) any
}

const (
	apiServicesPath = "/apis/apiregistration.k8s.io/v1/apiservices"
	crdsPath        = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
)

func (c *clusterServer) config(t *testing.T) *rest.Config {
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	return &rest.Config{Host: server.URL, QPS: -1}
}

func (c *clusterServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	answer := func(code int, contentType string, body any) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(body)
	}
	for _, list := range []string{apiServicesPath, crdsPath} {
		name, below := strings.CutPrefix(r.URL.Path, list)
		switch {
		case !below:
		case r.Method == http.MethodPost:
			var obj map[string]any
			_ = json.NewDecoder(r.Body).Decode(&obj)
			c.objects[list] = append(c.objects[list], obj)
			answer(http.StatusCreated, "application/json", obj)
			return
		case r.Method == http.MethodDelete:
			c.deleted = append(c.deleted, strings.TrimPrefix(name, "/"))
			answer(http.StatusOK, "application/json", map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Success"})
			return
		default:
			answer(http.StatusOK, "application/json", map[string]any{"kind": "List", "apiVersion": "v1", "items": c.objects[list]})
			return
		}
	}
	aggregated := strings.Contains(r.Header.Get("Accept"), "APIGroupDiscoveryList")
	body := c.discovery(r.URL.Path, aggregated)
	if body == nil {
		answer(http.StatusNotFound, "application/json", map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure",
			"reason": "NotFound", "code": 404})
		return
	}
	contentType := "application/json"
	if aggregated {
		contentType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	}
	answer(http.StatusOK, contentType, body)
}

func labelled(kind, name, run string, age time.Duration) map[string]any {
	return map[string]any{
		"apiVersion": "x/v1", "kind": kind,
		"metadata": map[string]any{
			"name": name, "labels": map[string]any{runLabel: run},
			"creationTimestamp": time.Now().Add(-age).UTC().Format(time.RFC3339),
		},
	}
}

func TestSweepClusterRemovesItsOwnAndTheStale(t *testing.T) {
	const domain = ".workshop.example.com"
	server := &clusterServer{objects: map[string][]map[string]any{
		apiServicesPath: {
			labelled("APIService", "v1.mine"+domain, "r1", 0),
			labelled("APIService", "v1.others"+domain, "r2", time.Minute),
			labelled("APIService", "v1.stale"+domain, "r3", 3*time.Minute),
			labelled("APIService", "v1.foreign.example.org", "r1", time.Hour),
		},
		crdsPath: {
			labelled("CustomResourceDefinition", "as.mine"+domain, "r1", 0),
			labelled("CustomResourceDefinition", "as.others"+domain, "r2", 3*time.Minute),
			labelled("CustomResourceDefinition", "as.stale"+domain, "fact", time.Hour),
		},
	}}
	require.NoError(t, sweepCluster(t.Context(), server.config(t), "r1"))
	assert.Equal(t, []string{"v1.mine" + domain, "v1.stale" + domain, "as.mine" + domain, "as.stale" + domain}, server.deleted,
		"dead APIs first: they hold up the deletion of namespaces")
}

// apiGroups is the aggregated document of one group with one version.
func apiGroups(gv schema.GroupVersion, freshness string, resources ...any) any {
	return map[string]any{"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": []any{map[string]any{
		"metadata": map[string]any{"name": gv.Group},
		"versions": []any{map[string]any{"version": gv.Version, "freshness": freshness, "resources": resources}},
	}}}
}

func TestDeadAPIWaitsUntilDiscoveryNamesIt(t *testing.T) {
	server := &clusterServer{objects: map[string][]map[string]any{}}
	asked := 0
	server.discovery = func(path string, aggregated bool) any {
		switch {
		case !aggregated:
			return map[string]any{"kind": "APIGroupList", "apiVersion": "v1"}
		case path == "/api":
			return apiGroups(schema.GroupVersion{Version: "v1"}, "Current")
		}
		asked++
		if asked < 3 {
			return apiGroups(schema.GroupVersion{Group: "apps", Version: "v1"}, "Current")
		}
		made := server.objects[apiServicesPath][0]["spec"].(map[string]any)
		return apiGroups(schema.GroupVersion{Group: made["group"].(string), Version: "v1"}, "Stale")
	}

	gv, remove, err := deadAPI(t.Context(), server.config(t), "r1")
	require.NoError(t, err)
	assert.GreaterOrEqual(t, asked, 3)
	require.Len(t, server.objects[apiServicesPath], 1)
	made := server.objects[apiServicesPath][0]["metadata"].(map[string]any)
	assert.Equal(t, "v1."+gv.Group, made["name"])
	assert.Equal(t, map[string]any{runLabel: "r1"}, made["labels"], "the parent finds it by its label")
	require.NoError(t, remove())
	assert.Equal(t, []string{"v1." + gv.Group}, server.deleted)
}

func TestInstallCRDWaitsForBothFormsOfDiscovery(t *testing.T) {
	crd := CRD{Group: RandomGroup(), Plural: "mice", Singular: "mouse", Kind: "Mouse", ShortNames: []string{"mc"}, Versions: []string{"v1"}}
	gv := schema.GroupVersion{Group: crd.Group, Version: "v1"}
	server := &clusterServer{objects: map[string][]map[string]any{}}
	older := 0
	server.discovery = func(path string, aggregated bool) any {
		switch {
		case path == "/api" && aggregated:
			return apiGroups(schema.GroupVersion{Version: "v1"}, "Current")
		case path == "/api":
			return map[string]any{"kind": "APIVersions", "versions": []any{"v1"}}
		case path == "/apis" && aggregated:
			return apiGroups(gv, "Current", map[string]any{
				"resource": "mice", "scope": "Namespaced", "verbs": []any{"list"}, "responseKind": map[string]any{"group": gv.Group, "version": "v1",
					"kind": "Mouse"},
			})
		case path == "/apis":
			return map[string]any{"kind": "APIGroupList", "apiVersion": "v1", "groups": []any{map[string]any{
				"name": gv.Group, "versions": []any{map[string]any{"groupVersion": gv.String(), "version": "v1"}},
			}}}
		}
		older++
		if older < 2 {
			return nil // the last form to know the resource
		}
		return map[string]any{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": gv.String(),
			"resources": []any{map[string]any{"name": "mice", "kind": "Mouse"}}}
	}

	remove, err := installCRD(t.Context(), server.config(t), crd, "r1")
	require.NoError(t, err)
	assert.Equal(t, 2, older)
	require.NoError(t, remove())
	assert.Equal(t, []string{crd.Name()}, server.deleted)
}
