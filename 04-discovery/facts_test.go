package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apidiscovery "k8s.io/api/apidiscovery/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilversion "k8s.io/apimachinery/pkg/util/version"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/disk"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"example.com/client-go-workshop/internal/check"
)

// fakeVersion is one group-version of a fakeServer; a stale one does not answer.
type fakeVersion struct {
	gv        schema.GroupVersion
	stale     bool
	resources []metav1.APIResource
}

// fakeServer answers discovery, aggregated for whoever accepts that, and keeps
// the paths that were asked for. A fact about order, counts or failures is not
// left to what a cluster serves at the moment.
type fakeServer struct {
	mu       sync.Mutex
	versions []fakeVersion
	paths    []string
}

func newFakeServer(t *testing.T, versions ...fakeVersion) (*fakeServer, *rest.Config) {
	t.Helper()
	core := fakeVersion{gv: schema.GroupVersion{Version: "v1"}, resources: []metav1.APIResource{
		{Name: "pods", SingularName: "pod", Namespaced: true, Kind: "Pod", ShortNames: []string{"po"},
			Verbs: metav1.Verbs{"get", "list", "watch"}},
	}}
	f := &fakeServer{versions: append([]fakeVersion{core}, versions...)}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	return f, &rest.Config{Host: server.URL, QPS: -1}
}

// asked returns the paths since the last call, in order.
func (f *fakeServer) asked() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	paths := f.paths
	f.paths = nil
	return paths
}

func (f *fakeServer) set(versions ...fakeVersion) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.versions = append(f.versions[:1:1], versions...)
}

func (f *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.paths = append(f.paths, r.URL.Path)
	answer := func(contentType string, code int, body any) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(body)
	}
	aggregated := strings.Contains(r.Header.Get("Accept"), "as=APIGroupDiscoveryList")
	path := strings.TrimSuffix(r.URL.Path, "/")
	switch {
	case path == "/version":
		answer("application/json", http.StatusOK, map[string]string{"gitVersion": "v1.37.2"})
		return
	case (path == "/api" || path == "/apis") && aggregated:
		answer("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", http.StatusOK, f.aggregated(path == "/api"))
		return
	case path == "/api":
		answer("application/json", http.StatusOK, metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}})
		return
	case path == "/apis":
		answer("application/json", http.StatusOK, f.groups())
		return
	}
	for _, v := range f.versions {
		if path != "/apis/"+v.gv.String() && path != "/api/"+v.gv.String() {
			continue
		}
		if v.stale {
			answer("application/json", http.StatusServiceUnavailable,
				metav1.Status{Status: metav1.StatusFailure, Reason: metav1.StatusReasonServiceUnavailable, Code: http.StatusServiceUnavailable})
			return
		}
		answer("application/json", http.StatusOK, metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
			GroupVersion: v.gv.String(), APIResources: v.resources})
		return
	}
	answer("application/json", http.StatusOK, map[string]any{"kind": "PodList", "apiVersion": "v1", "metadata": map[string]any{},
		"items": []any{}})
}

func (f *fakeServer) aggregated(core bool) apidiscovery.APIGroupDiscoveryList {
	list := apidiscovery.APIGroupDiscoveryList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupDiscoveryList", APIVersion: "apidiscovery.k8s.io/v2"}}
	for _, v := range f.versions {
		if (v.gv.Group == "") != core {
			continue
		}
		version := apidiscovery.APIVersionDiscovery{Version: v.gv.Version, Freshness: apidiscovery.DiscoveryFreshnessCurrent}
		if v.stale {
			version.Freshness = apidiscovery.DiscoveryFreshnessStale
		} else {
			for _, r := range v.resources {
				scope := apidiscovery.ScopeCluster
				if r.Namespaced {
					scope = apidiscovery.ScopeNamespace
				}
				version.Resources = append(version.Resources, apidiscovery.APIResourceDiscovery{
					Resource: r.Name, SingularResource: r.SingularName, Scope: scope, ShortNames: r.ShortNames, Verbs: r.Verbs,
					ResponseKind: &metav1.GroupVersionKind{Group: v.gv.Group, Version: v.gv.Version, Kind: r.Kind},
				})
			}
		}
		i := slices.IndexFunc(list.Items, func(g apidiscovery.APIGroupDiscovery) bool { return g.Name == v.gv.Group })
		if i < 0 {
			list.Items = append(list.Items, apidiscovery.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: v.gv.Group}})
			i = len(list.Items) - 1
		}
		list.Items[i].Versions = append(list.Items[i].Versions, version)
	}
	return list
}

func (f *fakeServer) groups() metav1.APIGroupList {
	list := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	for _, v := range f.versions {
		if v.gv.Group == "" {
			continue
		}
		version := metav1.GroupVersionForDiscovery{GroupVersion: v.gv.String(), Version: v.gv.Version}
		i := slices.IndexFunc(list.Groups, func(g metav1.APIGroup) bool { return g.Name == v.gv.Group })
		if i < 0 {
			list.Groups = append(list.Groups, metav1.APIGroup{Name: v.gv.Group, PreferredVersion: version})
			i = len(list.Groups) - 1
		}
		list.Groups[i].Versions = append(list.Groups[i].Versions, version)
	}
	return list
}

// zoo is one version of a made-up group with the resources named.
func zoo(version string, stale bool, resources ...string) fakeVersion {
	v := fakeVersion{gv: schema.GroupVersion{Group: "zoo.example.com", Version: version}, stale: stale}
	for _, name := range resources {
		kind := strings.ToUpper(name[:1]) + strings.TrimSuffix(name[1:], "s")
		v.resources = append(v.resources, metav1.APIResource{
			Name: name, SingularName: strings.ToLower(kind), Namespaced: true, Kind: kind,
			ShortNames: []string{name[:2]}, Verbs: metav1.Verbs{"get", "list"},
		})
	}
	return v
}

func factDiscovery(t *testing.T, cfg *rest.Config) *discovery.DiscoveryClient {
	t.Helper()
	client, err := discovery.NewDiscoveryClientForConfig(cfg)
	require.NoError(t, err)
	return client
}

func factDisk(t *testing.T, cfg *rest.Config, dir string, ttl time.Duration) discovery.CachedDiscoveryInterfaceWithContext {
	t.Helper()
	client, err := disk.NewCachedDiscoveryClientForConfig(cfg, dir, "", ttl)
	require.NoError(t, err)
	return client
}

func TestFactFieldsOfDiscoveryClient(t *testing.T) {
	client := reflect.TypeFor[discovery.DiscoveryClient]()
	var fields []string
	for i := range client.NumField() {
		fields = append(fields, client.Field(i).Name)
	}
	assert.Equal(t, []string{"restClient", "LegacyPrefix", "UseLegacyDiscovery", "NoPeerDiscovery"}, fields)
}

func TestFactTheDiscoveryClientHasItsOwnDefaults(t *testing.T) {
	var query string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query = r.URL.RawQuery
		_, _ = fmt.Fprint(w, `{"gitVersion":"v1.37.2"}`)
	}))
	t.Cleanup(server.Close)
	cfg := &rest.Config{Host: server.URL}
	client := factDiscovery(t, cfg)
	_, err := client.ServerVersionWithContext(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "timeout=32s", query)

	limiter, burst := client.RESTClient().GetRateLimiter(), 0
	for burst < 1000 && limiter.TryAccept() {
		burst++
	}
	assert.InDelta(t, 300, burst, 20)
	assert.Zero(t, cfg.Timeout, "the caller's config is not touched")
	assert.Zero(t, cfg.Burst)
}

func TestFactASemanticVersionCountsThePreRelease(t *testing.T) {
	const alpha = "v1.38.0-alpha.1"
	assert.False(t, utilversion.MustParseSemantic(alpha).AtLeast(utilversion.MustParseSemantic("v1.38.0")))
	assert.True(t, utilversion.MustParseGeneric(alpha).AtLeast(utilversion.MajorMinor(1, 38)), "the numbers alone")
	_, err := utilversion.ParseSemantic("v1.38")
	assert.Error(t, err, "a semantic version has three numbers")
}

func TestFactVersionsAreNotText(t *testing.T) {
	assert.Less(t, "v1.10.0", "v1.9.0")
	assert.True(t, utilversion.MustParseGeneric("v1.10.0").AtLeast(utilversion.MajorMinor(1, 9)))
}

func TestFactTheCoreGroupIsUnderAPI(t *testing.T) {
	client := factDiscovery(t, check.FactConfig(t)).RESTClient()
	get := func(path string) error { return client.Get().AbsPath(path).Do(t.Context()).Error() }
	assert.NoError(t, get("/api/v1/namespaces/default/pods"))
	assert.True(t, apierrors.IsNotFound(get("/apis/v1")))
	assert.True(t, apierrors.IsNotFound(get("/api/apps")))
	assert.NoError(t, get("/apis/apps/v1/namespaces/default/deployments"))
}

func TestFactEverythingIsTwoRequests(t *testing.T) {
	server, cfg := newFakeServer(t, zoo("v1", false, "ants"), zoo("v1beta1", false, "ants"))
	client := factDiscovery(t, cfg)

	_, lists, err := client.ServerGroupsAndResourcesWithContext(t.Context())
	require.NoError(t, err)
	assert.Len(t, lists, 3)
	assert.Equal(t, []string{"/api", "/apis"}, server.asked())

	_, lists, err = client.WithLegacyWithContext(t.Context()).ServerGroupsAndResourcesWithContext(t.Context())
	require.NoError(t, err)
	assert.Len(t, lists, 3)
	assert.Len(t, server.asked(), 5, "two, and one for each group-version")
}

func TestFactTheContextEndsADiscovery(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(release) })
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, _, err := factDiscovery(t, &rest.Config{Host: server.URL}).ServerGroupsAndResourcesWithContext(ctx)
	assert.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestFactAPartialFailureComesWithResults(t *testing.T) {
	client := factDiscovery(t, check.FactConfig(t))
	dead, remove := check.FactDeadAPI(t)
	groups, lists, err := client.ServerGroupsAndResourcesWithContext(t.Context())
	single := client.RESTClient().Get().AbsPath("/apis/" + dead.String()).Do(t.Context()).Error()
	remove()

	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	require.True(t, partial, "%v", err)
	assert.ErrorContains(t, failed[dead], "stale GroupVersion discovery: "+dead.String())
	assert.True(t, slices.ContainsFunc(lists, func(l *metav1.APIResourceList) bool { return l.GroupVersion == "apps/v1" }))
	assert.True(t, slices.ContainsFunc(groups, func(g *metav1.APIGroup) bool { return g.Name == dead.Group && len(g.Versions) == 0 }),
		"the group is there, without a version")
	assert.True(t, apierrors.IsServiceUnavailable(single), "asked for by itself: %v", single)
}

func TestFactAPartialFailureIsAskedForTwice(t *testing.T) {
	server, cfg := newFakeServer(t, zoo("v1", true))
	client := factDiscovery(t, cfg)
	_, _, err := client.ServerGroupsAndResourcesWithContext(t.Context())
	assert.True(t, discovery.IsGroupDiscoveryFailedError(err))
	assert.Equal(t, []string{"/api", "/apis", "/api", "/apis"}, server.asked())

	_, _, err = discovery.ServerGroupsAndResourcesWithContext(t.Context(), client)
	assert.True(t, discovery.IsGroupDiscoveryFailedError(err))
	assert.Equal(t, []string{"/api", "/apis"}, server.asked(), "the function of the package asks once")
}

func TestFactOneOfTwoHelpersSeesThroughAWrap(t *testing.T) {
	gv := schema.GroupVersion{Group: "zoo.example.com", Version: "v1"}
	wrapped := fmt.Errorf("discover: %w", &discovery.ErrGroupDiscoveryFailed{Groups: map[schema.GroupVersion]error{gv: errors.New("down")}})
	assert.False(t, discovery.IsGroupDiscoveryFailedError(wrapped))
	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(wrapped)
	assert.True(t, partial)
	assert.Contains(t, failed, gv)
	assert.ErrorIs(t, wrapped, &discovery.ErrGroupDiscoveryFailed{})
}

func TestFactResourcesHaveNoOrder(t *testing.T) {
	var versions []fakeVersion
	for i := range 20 {
		versions = append(versions, zoo(fmt.Sprintf("v%d", i+1), false, "ants"))
	}
	_, cfg := newFakeServer(t, versions...)
	client := factDiscovery(t, cfg)
	order := func() (names []string) {
		_, lists, err := client.ServerGroupsAndResourcesWithContext(t.Context())
		require.NoError(t, err)
		for _, list := range lists {
			names = append(names, list.GroupVersion)
		}
		return names
	}
	first := order()
	for range 50 {
		if !slices.Equal(first, order()) {
			return
		}
	}
	t.Error("50 answers had one order: the lists no longer come from a Go map")
}

func TestFactSubresourcesStandAmongTheResources(t *testing.T) {
	client := factDiscovery(t, check.FactConfig(t))
	_, lists, err := client.ServerGroupsAndResourcesWithContext(t.Context())
	if !discovery.IsGroupDiscoveryFailedError(err) {
		require.NoError(t, err)
	}
	has := func(lists []*metav1.APIResourceList, gv, name string) bool {
		return slices.ContainsFunc(lists, func(l *metav1.APIResourceList) bool {
			return l.GroupVersion == gv && slices.ContainsFunc(l.APIResources, func(r metav1.APIResource) bool { return r.Name == name })
		})
	}
	assert.True(t, has(lists, "v1", "pods/log"))
	assert.True(t, has(lists, "apps/v1", "deployments/scale"))

	lists, err = client.ServerPreferredResourcesWithContext(t.Context())
	if !discovery.IsGroupDiscoveryFailedError(err) {
		require.NoError(t, err)
	}
	assert.True(t, has(lists, "v1", "pods"))
	assert.False(t, has(lists, "v1", "pods/log"))
}

// preferredOf maps each resource of the zoo to the version it is returned in.
func preferredOf(t *testing.T, client discovery.DiscoveryInterfaceWithContext) map[string]string {
	t.Helper()
	lists, err := client.ServerPreferredResourcesWithContext(t.Context())
	if !discovery.IsGroupDiscoveryFailedError(err) {
		require.NoError(t, err)
	}
	out := map[string]string{}
	for _, list := range lists {
		for _, resource := range list.APIResources {
			if group, version, ok := strings.Cut(list.GroupVersion, "/"); ok && group == "zoo.example.com" {
				out[resource.Name] = version
			}
		}
	}
	return out
}

func TestFactPreferredIsNotOnlyThePreferredVersion(t *testing.T) {
	_, cfg := newFakeServer(t, zoo("v1", false, "ants"), zoo("v1beta1", false, "ants", "bees"), zoo("v1alpha1", false, "ants", "bees"))
	assert.Equal(t, map[string]string{"ants": "v1", "bees": "v1beta1"}, preferredOf(t, factDiscovery(t, cfg)))
}

func TestFactADeadVersionIsNotPreferred(t *testing.T) {
	_, cfg := newFakeServer(t, zoo("v1", true), zoo("v1beta1", false, "ants"))
	assert.Equal(t, map[string]string{"ants": "v1beta1"}, preferredOf(t, factDiscovery(t, cfg)))
}

func TestFactSomeResourcesAreListedAndNotWatched(t *testing.T) {
	cfg := check.FactConfig(t)
	cfg.WarningHandler = rest.NoWarnings{} // the server calls the resource deprecated
	client, err := kubernetes.NewForConfig(cfg)
	require.NoError(t, err)
	_, err = client.CoreV1().ComponentStatuses().List(t.Context(), metav1.ListOptions{})
	assert.NoError(t, err)
	_, err = client.CoreV1().ComponentStatuses().Watch(t.Context(), metav1.ListOptions{})
	assert.True(t, apierrors.IsMethodNotSupported(err), "%v", err)
}

func TestFactTwoCachesRememberDiscovery(t *testing.T) {
	server, cfg := newFakeServer(t, zoo("v1", false, "ants"))
	dir := t.TempDir()
	for name, client := range map[string]discovery.CachedDiscoveryInterfaceWithContext{
		"memory": memory.NewMemCacheClientWithContext(factDiscovery(t, cfg)),
		"disk":   factDisk(t, cfg, dir, time.Hour),
	} {
		_, _, err := client.ServerGroupsAndResourcesWithContext(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"/api", "/apis"}, server.asked(), name)
		_, _, err = client.ServerGroupsAndResourcesWithContext(t.Context())
		require.NoError(t, err)
		assert.Empty(t, server.asked(), name)
	}
	assert.FileExists(t, filepath.Join(dir, "servergroups.json"))
	assert.FileExists(t, filepath.Join(dir, "zoo.example.com", "v1", "serverresources.json"))

	_, _, err := factDisk(t, cfg, dir, time.Hour).ServerGroupsAndResourcesWithContext(t.Context())
	require.NoError(t, err)
	assert.Empty(t, server.asked(), "another client reads the files")
}

func TestFactACacheIsNotForEver(t *testing.T) {
	server, cfg := newFakeServer(t)
	dir := t.TempDir()
	inMemory := memory.NewMemCacheClientWithContext(factDiscovery(t, cfg))
	onDisk := factDisk(t, cfg, dir, time.Hour)
	ask := func(client discovery.CachedDiscoveryInterfaceWithContext) []string {
		_, err := client.ServerGroupsWithContext(t.Context())
		require.NoError(t, err)
		return server.asked()
	}
	ask(inMemory)
	ask(onDisk)
	server.set(zoo("v1", false, "ants"))
	for _, client := range []discovery.CachedDiscoveryInterfaceWithContext{inMemory, onDisk} {
		groups, err := client.ServerGroupsWithContext(t.Context())
		require.NoError(t, err)
		assert.Len(t, groups.Groups, 1, "a group that appeared later is not seen")
		client.InvalidateWithContext(t.Context())
		groups, err = client.ServerGroupsWithContext(t.Context())
		require.NoError(t, err)
		assert.Len(t, groups.Groups, 2)
		assert.NotEmpty(t, server.asked())
	}
	assert.NotEmpty(t, ask(factDisk(t, cfg, dir, time.Nanosecond)), "the files are older than ttl")
}

func TestFactTheVersionIsNeverCached(t *testing.T) {
	server, cfg := newFakeServer(t)
	for name, client := range map[string]discovery.CachedDiscoveryInterfaceWithContext{
		"memory": memory.NewMemCacheClientWithContext(factDiscovery(t, cfg)),
		"disk":   factDisk(t, cfg, t.TempDir(), time.Hour),
	} {
		for range 2 {
			_, err := client.ServerVersionWithContext(t.Context())
			require.NoError(t, err)
		}
		assert.Equal(t, []string{"/version", "/version"}, server.asked(), name)
	}
}

func TestFactAMemoryCacheHandsOutItsOwnLists(t *testing.T) {
	_, cfg := newFakeServer(t, zoo("v1", false, "ants", "bees"))
	client := memory.NewMemCacheClientWithContext(factDiscovery(t, cfg))
	list := func() *metav1.APIResourceList {
		list, err := client.ServerResourcesForGroupVersionWithContext(t.Context(), "zoo.example.com/v1")
		require.NoError(t, err)
		return list
	}
	list().APIResources[0].Name = "changed"
	assert.Equal(t, "changed", list().APIResources[0].Name, "the next caller sees it")
}

func TestFactADiskCacheHidesAFailedGroupVersion(t *testing.T) {
	_, cfg := newFakeServer(t, zoo("v1", false, "ants"), zoo("v2", true))
	_, _, err := memory.NewMemCacheClientWithContext(factDiscovery(t, cfg)).ServerGroupsAndResourcesWithContext(t.Context())
	failed, _ := discovery.GroupDiscoveryFailedErrorGroups(err)
	assert.Contains(t, failed, schema.GroupVersion{Group: "zoo.example.com", Version: "v2"})

	_, lists, err := factDisk(t, cfg, t.TempDir(), time.Hour).ServerGroupsAndResourcesWithContext(t.Context())
	assert.NoError(t, err, "the group-version that failed is missing without a word")
	assert.Len(t, lists, 2)
}

func TestFactAMapperHidesAFailedGroup(t *testing.T) {
	_, cfg := newFakeServer(t, zoo("v1", true))
	groups, err := restmapper.GetAPIGroupResourcesWithContext(t.Context(), factDiscovery(t, cfg))
	require.NoError(t, err, "one group failed, and there is no error")
	_, err = restmapper.NewDiscoveryRESTMapperWithContext(groups).ResourceForWithContext(t.Context(),
		schema.GroupVersionResource{Group: "zoo.example.com", Resource: "ants"})
	assert.True(t, meta.IsNoMatchError(err), "it says that there is no such resource: %v", err)
}

func TestFactADeferredMapperOverMemoryDoesNotLookAgain(t *testing.T) {
	server, cfg := newFakeServer(t)
	ants := schema.GroupVersionResource{Group: "zoo.example.com", Resource: "ants"}
	client := memory.NewMemCacheClientWithContext(factDiscovery(t, cfg))
	mapper := restmapper.NewDeferredDiscoveryRESTMapperWithContext(client)
	_, err := mapper.ResourceForWithContext(t.Context(), ants)
	require.True(t, meta.IsNoMatchError(err))
	server.set(zoo("v1", false, "ants"))
	server.asked()

	_, err = mapper.ResourceForWithContext(t.Context(), ants)
	assert.True(t, meta.IsNoMatchError(err), "the resource is there by now")
	assert.Empty(t, server.asked())

	mapper.ResetWithContext(t.Context())
	got, err := mapper.ResourceForWithContext(t.Context(), ants)
	assert.NoError(t, err)
	assert.Equal(t, "v1", got.Version)
}

func TestFactADeferredMapperOverOldFilesLooksAgain(t *testing.T) {
	server, cfg := newFakeServer(t)
	dir := t.TempDir()
	_, _, err := factDisk(t, cfg, dir, time.Hour).ServerGroupsAndResourcesWithContext(t.Context()) // an earlier process
	require.NoError(t, err)
	server.set(zoo("v1", false, "ants"))
	server.asked()

	mapper := restmapper.NewDeferredDiscoveryRESTMapperWithContext(factDisk(t, cfg, dir, time.Hour))
	_, err = mapper.ResourceForWithContext(t.Context(), schema.GroupVersionResource{Group: "zoo.example.com", Resource: "ants"})
	assert.NoError(t, err)
	assert.NotEmpty(t, server.asked())
}

func TestFactAShortNameLosesItsVersion(t *testing.T) {
	_, cfg := newFakeServer(t, zoo("v1", false, "ants"), zoo("v1beta1", false, "ants"))
	client := memory.NewMemCacheClientWithContext(factDiscovery(t, cfg))
	mapper := restmapper.NewShortcutExpanderWithContext(restmapper.NewDeferredDiscoveryRESTMapperWithContext(client), client, nil)
	version := func(word string) string {
		full, _ := schema.ParseResourceArg(word)
		require.NotNil(t, full)
		gvr, err := mapper.ResourceForWithContext(t.Context(), *full)
		require.NoError(t, err)
		return gvr.Version
	}
	assert.Equal(t, "v1beta1", version("ants.v1beta1.zoo.example.com"))
	assert.Equal(t, "v1", version("an.v1beta1.zoo.example.com"))
}

func TestFactABareKindIsASingularName(t *testing.T) {
	odd := zoo("v1", false, "ants")
	odd.resources[0].Kind = "Insect"
	_, cfg := newFakeServer(t, odd)
	client := memory.NewMemCacheClientWithContext(factDiscovery(t, cfg))
	mapper := restmapper.NewDeferredDiscoveryRESTMapperWithContext(client)

	_, err := mapper.KindForWithContext(t.Context(), schema.GroupVersionResource{Resource: "Ant"})
	assert.NoError(t, err, "written large or small, the singular name is known")
	_, err = mapper.KindForWithContext(t.Context(), schema.GroupVersionResource{Resource: "Insect"})
	assert.True(t, meta.IsNoMatchError(err))
	_, err = mapper.RESTMappingWithContext(t.Context(), schema.GroupKind{Kind: "Insect"})
	assert.True(t, meta.IsNoMatchError(err), "no group means the core group")
	_, err = mapper.RESTMappingWithContext(t.Context(), schema.GroupKind{Group: "zoo.example.com", Kind: "Insect"})
	assert.NoError(t, err)
}

// kubectl runs kubectl with a home and a cache of the test's own. A machine
// without kubectl skips the fact.
func kubectl(t *testing.T, kubeconfig, cache string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	path, err := exec.LookPath("kubectl")
	if err != nil {
		t.Skip("this fact is about kubectl, and there is none in PATH: install it to run the fact")
	}
	cmd := exec.CommandContext(t.Context(), path, append([]string{"--kubeconfig", kubeconfig, "--cache-dir", cache}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "KUBECONFIG=")
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err = cmd.Run()
	return out.String(), errOut.String(), err
}

func writeFakeKubeconfig(t *testing.T, host string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	content := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"c",
		"clusters":[{"name":"c","cluster":{"server":%q}}],"users":[{"name":"c","user":{}}],
		"contexts":[{"name":"c","context":{"cluster":"c","user":"c"}}]}`, host)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestFactKubectlAPIVersionsAsksEveryTime(t *testing.T) {
	server, cfg := newFakeServer(t, zoo("v1", false, "ants"))
	config, cache := writeFakeKubeconfig(t, cfg.Host), t.TempDir()
	run := func(args ...string) []string {
		_, stderr, err := kubectl(t, config, cache, args...)
		require.NoError(t, err, stderr)
		return server.asked()
	}
	for range 2 {
		paths := run("api-versions")
		assert.Contains(t, paths, "/api")
		assert.Contains(t, paths, "/apis")
	}
	run("get", "pods")
	paths := run("get", "pods")
	assert.NotContains(t, paths, "/apis", "kubectl get answers from the files")
}

func TestFactKubectlAPIResourcesAreThePreferredResources(t *testing.T) {
	server, cfg := newFakeServer(t, zoo("v1", false, "ants"), zoo("v1beta1", false, "ants", "bees"))
	stdout, stderr, err := kubectl(t, writeFakeKubeconfig(t, cfg.Host), t.TempDir(), "api-resources", "--no-headers", "-o", "wide")
	require.NoError(t, err, stderr)
	assert.Contains(t, server.asked(), "/apis")

	var got []string
	for line := range strings.Lines(stdout) {
		fields := strings.Fields(line) // name, short name, version, namespaced, kind, verbs
		require.Len(t, fields, 6, line)
		got = append(got, strings.Join([]string{fields[0], fields[2], fields[3], fields[4], fields[5]}, " "))
	}
	assert.Equal(t, []string{
		"pods v1 true Pod get,list,watch",
		"ants zoo.example.com/v1 true Ant get,list",
		"bees zoo.example.com/v1beta1 true Bee get,list",
	}, got)
}
