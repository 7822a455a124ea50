// Chapter 04: ask a cluster what it serves, with client-go's discovery client:
// its version, its groups and resources, the versions to use, and what a word
// such as "deploy" means.
//
// Run it from the top of the repository: go run ./04-discovery
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/rand"
	utilversion "k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/disk"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/todo"
	"example.com/client-go-workshop/internal/trace"
)

// Row is one resource, as a line of `kubectl api-resources -o wide` shows it.
type Row struct {
	Name         string
	ShortNames   []string
	GroupVersion string
	Namespaced   bool
	Kind         string
	Verbs        []string
}

// Step 1: build the discovery client.
//
// Return a discovery client for cfg. The caller goes on using cfg, so leave it
// as it is and work on a copy, with the UserAgent
// "client-go-workshop/discovery".
//
// A discovery client belongs to no group-version: there is no APIPath and no
// GroupVersion to set. No request is made.
func NewClient(cfg *rest.Config) (discovery.DiscoveryInterfaceWithContext, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.UserAgent = "client-go-workshop/discovery"

	client, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("build the discovery client: %w", err)
	}
	return client, nil
}

// Step 2: compare the server's version.
//
// Return the server's gitVersion as it is, and whether the server's minor
// release is major.minor or a later one:
//
//	GET /version
//
// Go by gitVersion. The answer's own fields major and minor may be empty, and
// minor may end in "+". What follows major and minor does not count:
// "v1.27.3-gke.100" and "v1.27.0-alpha.1" are at least 1.27, "v1.9.11" is not
// at least 1.10. The package k8s.io/apimachinery/pkg/util/version can parse and
// compare.
//
// A version that cannot be parsed is an error, not an old version.
func ServerAtLeast(ctx context.Context, client discovery.DiscoveryInterfaceWithContext, major, minor uint) (string, bool, error) {
	info, err := client.ServerVersionWithContext(ctx)
	if err != nil {
		return "", false, fmt.Errorf("read the server's version: %w", err)
	}
	// ParseGeneric takes the numbers and leaves the rest alone.
	version, err := utilversion.ParseGeneric(info.GitVersion)
	if err != nil {
		return "", false, fmt.Errorf("parse the server's version %q: %w", info.GitVersion, err)
	}
	return info.GitVersion, version.AtLeast(utilversion.MajorMinor(major, minor)), nil
}

// Step 3: list everything that the server serves.
//
// Return the resources of every group-version, subresources among them, one
// APIResourceList for each, in any order, and the group-versions whose discovery
// failed, each with its error.
//
// One broken API must not hide the rest: when client-go reports that some
// group-versions failed, return what it found and name those in the map, with
// a nil error. Any other error means that nothing is known: return it, wrapped
// with %w, and no lists.
//
// Ask once for everything. With today's servers that is
//
//	GET /api
//	GET /apis
//
// and not one request for each group-version.
func ServerResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) ([]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	_, lists, err := client.ServerGroupsAndResourcesWithContext(ctx)
	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && !partial {
		return nil, nil, fmt.Errorf("discover all resources: %w", err)
	}
	return lists, failed, nil
}

// Step 4: list each resource once, in the version to use.
//
// A resource is often served in several versions: the same objects, under
// several paths. Return each resource of the server once, namespaced or not,
// without subresources, in the version that its group prefers. A resource that
// is not in that version is returned in the first version of its group that
// has it.
//
// The order does not matter, and neither does a list without resources.
// Group-versions that failed, errors and requests are as in step 3.
func PreferredResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) ([]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	lists, err := client.ServerPreferredResourcesWithContext(ctx)
	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && !partial {
		return nil, nil, fmt.Errorf("discover the preferred resources: %w", err)
	}
	return lists, failed, nil
}

// Step 5: make a table of resources.
//
// Return a row for each resource of the lists:
//
//   - GroupVersion is that of the list that the resource is in; the resource's
//     own fields Group and Version are those of its kind, and often empty;
//   - subresources, which have a slash in their name, are left out, and so is a
//     resource without verbs;
//   - rows are sorted by group, then by name, then by version, each as plain
//     text. The core group, "", comes first.
//
// Leave the lists as they are, their order too: a cached client hands out its
// own. A list whose GroupVersion cannot be parsed is an error that names it. No
// request is made.
func ResourceTable(lists []*metav1.APIResourceList) ([]Row, error) {
	type keyed struct {
		gv  schema.GroupVersion
		row Row
	}
	var found []keyed
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, fmt.Errorf("read the list of %q: %w", list.GroupVersion, err)
		}
		for _, resource := range list.APIResources {
			if strings.Contains(resource.Name, "/") || len(resource.Verbs) == 0 {
				continue
			}
			found = append(found, keyed{gv, Row{
				Name:         resource.Name,
				ShortNames:   slices.Clone(resource.ShortNames),
				GroupVersion: list.GroupVersion,
				Namespaced:   resource.Namespaced,
				Kind:         resource.Kind,
				Verbs:        slices.Clone(resource.Verbs),
			}})
		}
	}
	slices.SortFunc(found, func(a, b keyed) int {
		return cmp.Or(
			strings.Compare(a.gv.Group, b.gv.Group),
			strings.Compare(a.row.Name, b.row.Name),
			strings.Compare(a.gv.Version, b.gv.Version),
		)
	})
	var rows []Row
	for _, f := range found {
		rows = append(rows, f.row)
	}
	return rows, nil
}

// Step 6: find what an informer can follow.
//
// An informer lists and watches. Return, in any order, the resources of the
// lists that offer both verbs, as GroupVersionResources: the group and version
// of the list, and the resource's name. No subresource is among them.
//
// Leave the lists as they are. A list whose GroupVersion cannot be parsed is an
// error that names it. No request is made.
func Informable(lists []*metav1.APIResourceList) ([]schema.GroupVersionResource, error) {
	var found []schema.GroupVersionResource
	both := discovery.SupportsAllVerbs{Verbs: []string{"list", "watch"}}
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, fmt.Errorf("read the list of %q: %w", list.GroupVersion, err)
		}
		for _, resource := range list.APIResources {
			if !strings.Contains(resource.Name, "/") && both.Match(list.GroupVersion, &resource) {
				found = append(found, gv.WithResource(resource.Name))
			}
		}
	}
	return found, nil
}

// Step 7: keep what was discovered.
//
// Return a client that answers the second question from what it remembers:
//
//   - with an empty dir, in memory, until somebody calls InvalidateWithContext;
//   - else in files below dir, for ttl, so that another client, also one of
//     another process, can use them. dir is for all clusters: give each cfg.Host
//     a folder of its own in it, or else two clusters answer for each other. Two
//     addresses may differ by nothing but the port, or the path behind a proxy.
//
// client-go has both, in discovery/cached/memory and discovery/cached/disk.
// Leave cfg as it is. No request is made here.
func NewCachedClient(cfg *rest.Config, dir string, ttl time.Duration) (discovery.CachedDiscoveryInterfaceWithContext, error) {
	if dir == "" {
		client, err := discovery.NewDiscoveryClientForConfig(cfg)
		if err != nil {
			return nil, fmt.Errorf("build the discovery client: %w", err)
		}
		return memory.NewMemCacheClientWithContext(client), nil
	}

	// An address has slashes and colons; escaped, it is one file name on every system.
	folder := filepath.Join(dir, url.QueryEscape(cfg.Host))
	client, err := disk.NewCachedDiscoveryClientForConfig(cfg, folder, "", ttl)
	if err != nil {
		return nil, fmt.Errorf("build the cached discovery client in %s: %w", folder, err)
	}
	return client, nil
}

// Step 8: find out what a user's word means.
//
// Return the RESTMapping, which is resource, kind and scope, of a word that a
// user may type for kubectl:
//
//	deployments  deployment  deploy  deployments.apps  deployments.v1.apps
//	Deployment   Deployment.apps     Deployment.v1.apps
//
// A word without a version means the version that the group prefers. A Kind
// without a group may be read as a singular name, which it mostly is when it is
// written small; with its group it is found whatever the singular name is.
//
// client is a cached client, and what it remembers is enough for a word that it
// knows: no request. A word that it does not know may be new on the server: make
// the client forget once, and look again. When there is still no match, return
// the error that says so, wrapped with %w, so that meta.IsNoMatchError, or
// errors.As, still finds it. An error of the discovery itself is returned,
// wrapped with %w; it does not mean that there is no match.
func ResolveWord(ctx context.Context, client discovery.CachedDiscoveryInterfaceWithContext, word string) (*meta.RESTMapping, error) {
	lookUp := func() (*meta.RESTMapping, error) {
		mapper := restmapper.NewShortcutExpanderWithContext(
			restmapper.NewDeferredDiscoveryRESTMapperWithContext(client), client, nil)

		// "deployments.v1.apps" can be read in two ways: version v1 of group
		// apps, or group v1.apps. The same goes for a kind.
		full, resource := schema.ParseResourceArg(word)
		candidates := []schema.GroupVersionResource{resource.WithVersion("")}
		if full != nil {
			candidates = slices.Insert(candidates, 0, *full)
		}
		for _, candidate := range candidates {
			kind, err := mapper.KindForWithContext(ctx, candidate)
			if err == nil {
				return mapper.RESTMappingWithContext(ctx, kind.GroupKind(), kind.Version)
			}
			if !meta.IsNoMatchError(err) {
				return nil, err
			}
		}

		fullKind, kind := schema.ParseKindArg(word)
		if fullKind != nil {
			mapping, err := mapper.RESTMappingWithContext(ctx, fullKind.GroupKind(), fullKind.Version)
			if !meta.IsNoMatchError(err) {
				return mapping, err
			}
		}
		return mapper.RESTMappingWithContext(ctx, kind)
	}

	mapping, err := lookUp()
	if meta.IsNoMatchError(err) {
		client.InvalidateWithContext(ctx)
		mapping, err = lookUp()
	}
	if err != nil {
		return nil, fmt.Errorf("find a resource for %q: %w", word, err)
	}
	return mapping, nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal ends ctx and the program cleans up; a second one ends it at once.
	context.AfterFunc(ctx, stop)

	err := todo.Run(ctx, func(ctx context.Context) error { return run(ctx, os.Args[1:]) })
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run calls the steps in order and stops at the first error.
func run(ctx context.Context, args []string) (err error) {
	path, err := cluster.DefaultKubeconfig()
	if err != nil {
		return err
	}
	flags := flag.NewFlagSet("04-discovery", flag.ContinueOnError)
	kubeconfig := flags.String("kubeconfig", path, "path of the kubeconfig; empty means the rules of kubectl")
	contextName := flags.String("context", "", "context to use in place of the current one")
	if err := flags.Parse(args); err != nil {
		return err
	}
	cfg, err := loadConfig(*kubeconfig, *contextName)
	if err != nil {
		return err
	}
	// Only a cluster that `workshop up` has marked gets past this line.
	cfg, err = cluster.Guard(ctx, cfg)
	if err != nil {
		return err
	}
	requests := &trace.Trace{}
	cfg.Wrap(requests.Wrap)
	defer requests.Print(os.Stdout)

	client, err := NewClient(cfg)
	if err != nil {
		return err
	}
	fmt.Printf("1. client: server %s\n", cfg.Host)

	version, recent, err := ServerAtLeast(ctx, client, 1, 30)
	if err != nil {
		return err
	}
	fmt.Printf("2. version: %s, at least 1.30: %t\n", version, recent)

	if err := showResources(ctx, client); err != nil {
		return err
	}
	cached, err := showCaches(ctx, cfg, requests)
	if err != nil {
		return err
	}
	return showWords(ctx, cfg, cached)
}

func loadConfig(kubeconfig, contextName string) (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	overrides := &clientcmd.ConfigOverrides{CurrentContext: contextName}
	cfg, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("load kubeconfig %q: %w", kubeconfig, err)
	}
	return cfg, nil
}

// showResources prints what the server offers, as far as it can say.
func showResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) error {
	all, failed, err := ServerResources(ctx, client)
	if err != nil {
		return err
	}
	entries := 0
	for _, list := range all {
		entries += len(list.APIResources)
	}
	fmt.Printf("3. resources: %d group-versions with %d entries, subresources among them\n", len(all), entries)
	for gv, err := range failed {
		fmt.Printf("   %s failed: %v\n", gv, err)
	}

	preferred, _, err := PreferredResources(ctx, client)
	if err != nil {
		return err
	}
	entries = 0
	for _, list := range preferred {
		entries += len(list.APIResources)
	}
	fmt.Printf("4. preferred: %d resources, each in one version\n", entries)

	rows, err := ResourceTable(preferred)
	if err != nil {
		return err
	}
	fmt.Printf("5. table: %d rows\n", len(rows))
	if err := printTable(os.Stdout, rows); err != nil {
		return err
	}

	followed, err := Informable(preferred)
	if err != nil {
		return err
	}
	fmt.Printf("6. informable: %d of %d resources\n", len(followed), entries)
	return nil
}

func printTable(w io.Writer, rows []Row) error {
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "   NAME\tSHORTNAMES\tAPIVERSION\tNAMESPACED\tKIND\tVERBS")
	for _, row := range rows {
		fmt.Fprintf(table, "   %s\t%s\t%s\t%t\t%s\t%s\n", row.Name, strings.Join(row.ShortNames, ","),
			row.GroupVersion, row.Namespaced, row.Kind, strings.Join(row.Verbs, ","))
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("print the table: %w", err)
	}
	return nil
}

// showCaches asks cached clients twice and counts the requests. It returns the
// client that remembers in memory.
func showCaches(ctx context.Context, cfg *rest.Config, requests *trace.Trace) (_ discovery.CachedDiscoveryInterfaceWithContext, err error) {
	dir, err := os.MkdirTemp("", "discovery-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the cache: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	inMemory, err := NewCachedClient(cfg, "", 0)
	if err != nil {
		return nil, err
	}
	onDisk, err := NewCachedClient(cfg, dir, time.Hour)
	if err != nil {
		return nil, err
	}
	other, err := NewCachedClient(cfg, dir, time.Hour)
	if err != nil {
		return nil, err
	}
	for _, question := range []struct {
		what   string
		client discovery.CachedDiscoveryInterfaceWithContext
		forget bool
	}{
		{"memory, first question", inMemory, false},
		{"memory, second question", inMemory, false},
		{"memory, after InvalidateWithContext", inMemory, true},
		{"disk, first question", onDisk, false},
		{"disk, second question", onDisk, false},
		{"disk, another client's first question", other, false},
	} {
		before := requests.Count()
		if question.forget {
			question.client.InvalidateWithContext(ctx)
		}
		if _, _, err := ServerResources(ctx, question.client); err != nil {
			return nil, err
		}
		fmt.Printf("7. cache: %s: %d requests\n", question.what, requests.Count()-before)
	}
	return inMemory, nil
}

// showWords resolves words, the last ones while a CRD appears.
func showWords(ctx context.Context, cfg *rest.Config, client discovery.CachedDiscoveryInterfaceWithContext) (err error) {
	for _, word := range []string{"deploy", "deployments.apps", "Deployment", "no"} {
		mapping, err := ResolveWord(ctx, client, word)
		if err != nil {
			return err
		}
		printMapping(word, mapping)
	}

	crd := websiteCRD()
	group := strings.TrimPrefix(crd.GetName(), "websites.")
	word := "ws." + group
	_, err = ResolveWord(ctx, client, word)
	if !meta.IsNoMatchError(err) {
		return fmt.Errorf("before the CRD exists, want no match for %q, got: %w", word, err)
	}
	fmt.Printf("8. word: %s: no match yet\n", word)

	dynamicClient, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return fmt.Errorf("build the dynamic client: %w", err)
	}
	crds := dynamicClient.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	defer func() { err = errors.Join(err, deleteCRD(ctx, crds, crd.GetName())) }()
	// An interrupt must not let the CRD come after its own clean-up.
	if _, err := crds.Create(context.WithoutCancel(ctx), crd, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create CRD %s: %w", crd.GetName(), err)
	}

	// The server needs a moment until it serves a new CRD.
	deadline, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var mapping *meta.RESTMapping
	var noMatch error
	err = wait.PollUntilContextCancel(deadline, 200*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		mapping, err = ResolveWord(ctx, client, word)
		if meta.IsNoMatchError(err) {
			noMatch = err
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return fmt.Errorf("wait until ResolveWord finds %q, CRD %s is created: %w", word, crd.GetName(), errors.Join(err, noMatch))
	}
	printMapping(word, mapping)
	return nil
}

func printMapping(word string, mapping *meta.RESTMapping) {
	fmt.Printf("8. word: %s: %s, kind %s, %s scope\n", word, mapping.Resource, mapping.GroupVersionKind.Kind, mapping.Scope.Name())
}

// websiteCRD has a group of this run's own, so that two runs do not collide. The
// group does not end in chapter 03's either: "ws.run-1.GROUP" can be read as the
// version run-1 of GROUP, and a short name finds it there in any version.
func websiteCRD() *unstructured.Unstructured {
	group := "run-" + rand.String(6) + ".discovery.example.com"
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1",
		"kind":       "CustomResourceDefinition",
		"metadata":   map[string]any{"name": "websites." + group},
		"spec": map[string]any{
			"group": group,
			"scope": "Namespaced",
			"names": map[string]any{
				"plural": "websites", "singular": "website", "kind": "Website", "shortNames": []any{"ws"},
			},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object"}},
			}},
		},
	}}
}

// deleteCRD removes this run's CRD, also after an interrupt.
func deleteCRD(ctx context.Context, crds dynamic.ResourceInterface, name string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err := crds.Delete(ctx, name, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete CRD %s: %w", name, err)
	}
	fmt.Printf("clean-up: CRD %s is deleted\n", name)
	return nil
}
