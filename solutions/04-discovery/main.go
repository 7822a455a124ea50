// Chapter 04: ask a cluster what it serves, with client-go's discovery client:
// its version, its groups and resources, the versions to use, and what a word
// such as "deploy" means.
//
// Run it from the repository root: go run ./04-discovery
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
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

// Resources are what a server offers, as far as it can say.
type Resources struct {
	// All has one list for each group-version, in any order, subresources among
	// the resources.
	All []*metav1.APIResourceList
	// Preferred has each resource once, in the version to use, in any order and
	// without subresources. Some of its lists may be empty.
	Preferred []*metav1.APIResourceList
	// Failed are the group-versions whose discovery failed, each with its error.
	Failed map[schema.GroupVersion]error
}

// NewClient returns a discovery client for cfg.
//
// Step 1: build the discovery client.
//
// k8s.io/client-go/discovery builds the client from a config: see
// `go doc k8s.io/client-go/discovery NewDiscoveryClientForConfig`.
//
//   - Set the UserAgent "client-go-workshop/discovery".
//   - The caller goes on using cfg. Leave it as it is, and work on a copy.
//   - Return the constructor's error, wrapped with %w.
//   - Make no request.
//
// A discovery client belongs to no group-version: there is no APIPath and no
// GroupVersion to set.
func NewClient(cfg *rest.Config) (discovery.DiscoveryInterfaceWithContext, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.UserAgent = "client-go-workshop/discovery"

	client, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("build the discovery client: %w", err)
	}
	return client, nil
}

// ServerAtLeast reports whether the server's minor release is major.minor or a
// later one.
//
// Step 2: compare the server's version.
//
//		GET /version
//
//	  - Compare gitVersion of the answer. Its fields major and minor may be empty,
//	    and minor may end in "+".
//	  - Compare the numbers major and minor, and nothing that follows them:
//	    "v1.27.3-gke.100" and "v1.27.0-alpha.1" are at least 1.27, and "v1.9.11" is
//	    not at least 1.10.
//	  - A version that cannot be parsed is an error. It is not an old version.
//	  - Return an error of the request, wrapped with %w.
//
// k8s.io/apimachinery/pkg/util/version can parse and compare.
func ServerAtLeast(ctx context.Context, client discovery.DiscoveryInterfaceWithContext, major, minor uint) (bool, error) {
	info, err := client.ServerVersionWithContext(ctx)
	if err != nil {
		return false, fmt.Errorf("read the server's version: %w", err)
	}
	// ParseGeneric takes the numbers and leaves the rest alone.
	version, err := utilversion.ParseGeneric(info.GitVersion)
	if err != nil {
		return false, fmt.Errorf("parse the server's version %q: %w", info.GitVersion, err)
	}
	return version.AtLeast(utilversion.MajorMinor(major, minor)), nil
}

// DiscoverResources returns the resources that the server offers, and the
// group-versions that it could not say anything about.
//
// Step 3: list the resources, and live with what is broken.
//
//   - All has the resources of every group-version, subresources among them:
//     one APIResourceList for each group-version.
//
//   - A resource is often served in several versions. These are the same objects
//     under several paths. Preferred has each resource once, namespaced or not,
//     in the version that its group prefers. A resource that this version does
//     not have stands there in the first version of its group that has it.
//
//   - One broken API must not hide the rest. client-go reports it as an error,
//     together with the results. Keep the results, return no error, and put each
//     group-version that failed into Failed, with its error.
//
//   - Each of client-go's calls reports its own failures. Failed has those of all
//     calls that you made.
//
//   - Any other error means that nothing is known. Return nil and the error,
//     wrapped with %w.
//
//   - Let client-go ask for everything at once. With today's servers a call sends
//     the two requests below, and not one for each group-version.
//
//     GET /api
//     GET /apis
//
// The package is k8s.io/client-go/discovery. The methods end in WithContext.
func DiscoverResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) (*Resources, error) {
	_, all, err := client.ServerGroupsAndResourcesWithContext(ctx)
	failed, err := failedGroups(err)
	if err != nil {
		return nil, fmt.Errorf("discover all resources: %w", err)
	}
	preferred, err := client.ServerPreferredResourcesWithContext(ctx)
	alsoFailed, err := failedGroups(err)
	if err != nil {
		return nil, fmt.Errorf("discover the preferred resources: %w", err)
	}
	maps.Copy(failed, alsoFailed)
	return &Resources{All: all, Preferred: preferred, Failed: failed}, nil
}

// failedGroups returns the group-versions that failed. An error of another kind
// is returned as it is.
func failedGroups(err error) (map[schema.GroupVersion]error, error) {
	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	if !partial {
		return map[schema.GroupVersion]error{}, err
	}
	return failed, nil
}

// ResourceTable returns a row for each resource of the lists.
//
// Step 4: make a table of resources.
//
//   - GroupVersion is that of the list that the resource is in. The resource's
//     own fields Group and Version are those of its kind, and often empty.
//   - Leave out subresources: their names have a slash in them.
//   - Leave out a resource without verbs.
//   - Sort the rows by group, then by name, then by version, each as plain text.
//     The core group, "", comes first.
//   - Leave the lists as they are, their order too: a cached client hands out
//     its own lists.
//   - A list whose GroupVersion cannot be parsed is an error that names it.
//   - Make no request.
//
// schema.ParseGroupVersion is in k8s.io/apimachinery/pkg/runtime/schema.
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

// Informable returns the resources of the lists that an informer can follow.
//
// Step 5: find what an informer can follow.
//
// An informer lists and watches.
//
//   - Return each resource that offers both verbs, as a GroupVersionResource: the
//     group and the version of the list, and the resource's name.
//   - The order does not matter. Each resource is there once.
//   - Leave out subresources, whatever verbs they offer.
//   - Leave the lists as they are.
//   - A list whose GroupVersion cannot be parsed is an error that names it.
//   - Make no request.
//
// k8s.io/client-go/discovery has a predicate for verbs:
// `go doc k8s.io/client-go/discovery SupportsAllVerbs`.
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

// NewCachedClient returns a client that answers the second question from what it
// remembers.
//
// Step 6: keep what was discovered.
//
//   - With an empty dir, the client remembers in memory, until somebody calls
//     InvalidateWithContext.
//   - Else the client remembers in files below dir, for ttl. Another client can
//     use the files, also one of another process.
//   - dir is for all clusters. Give each cfg.Host a folder of its own in it: two
//     clusters must not answer for each other. Two addresses may differ by the
//     port alone, or by the path behind a proxy.
//   - Leave cfg as it is.
//   - Return a constructor's error, wrapped with %w.
//   - Make no request.
//
// client-go has both: k8s.io/client-go/discovery/cached/memory and
// k8s.io/client-go/discovery/cached/disk.
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

// ResolveWord returns the RESTMapping of a word that a user may type for kubectl:
// its resource, its kind and its scope.
//
// Step 7: find out what a word means, from what is known.
//
//		deployments  deployment  deploy  deployments.apps  deployments.v1.apps
//		Deployment   Deployment.apps     Deployment.v1.apps
//
//	  - A word without a version means the version that the group prefers.
//	  - A Kind with its group is found, whatever its singular name is. A Kind
//	    without a group may be read as a singular name: kubectl does so.
//	  - A word that can be read in two ways means the first reading that the server
//	    has: "deployments.v1.apps" is version v1 of group apps, or group v1.apps.
//	  - client is a cached client. What it remembers is enough for a word that it
//	    knows: make no request then.
//	  - When no reading matches, return client-go's error, wrapped with %w, so that
//	    meta.IsNoMatchError is true for it. Do not make the client forget: that is
//	    step 8.
//	  - One broken API must not hide the others.
//	  - Any other error of the discovery does not mean that there is no match.
//	    Return it, wrapped with %w.
//
// A RESTMapper reads what client remembers: k8s.io/client-go/restmapper.
// ParseResourceArg and ParseKindArg, in k8s.io/apimachinery/pkg/runtime/schema,
// take a word apart.
func ResolveWord(ctx context.Context, client discovery.CachedDiscoveryInterfaceWithContext, word string) (*meta.RESTMapping, error) {
	mapper := restmapper.NewShortcutExpanderWithContext(
		restmapper.NewDeferredDiscoveryRESTMapperWithContext(client), client, nil)
	mapping, err := mappingFor(ctx, mapper, word)
	if err != nil {
		return nil, fmt.Errorf("find a resource for %q: %w", word, err)
	}
	return mapping, nil
}

// mappingFor tries one reading of the word after the other.
func mappingFor(ctx context.Context, mapper meta.RESTMapperWithContext, word string) (*meta.RESTMapping, error) {
	resource, groupResource := schema.ParseResourceArg(word)
	readings := []schema.GroupVersionResource{groupResource.WithVersion("")}
	if resource != nil {
		readings = slices.Insert(readings, 0, *resource)
	}
	for _, reading := range readings {
		kind, err := mapper.KindForWithContext(ctx, reading)
		if err == nil {
			return mapper.RESTMappingWithContext(ctx, kind.GroupKind(), kind.Version)
		}
		if !meta.IsNoMatchError(err) {
			return nil, err
		}
	}

	kind, groupKind := schema.ParseKindArg(word)
	if kind != nil {
		mapping, err := mapper.RESTMappingWithContext(ctx, kind.GroupKind(), kind.Version)
		if !meta.IsNoMatchError(err) {
			return mapping, err
		}
	}
	return mapper.RESTMappingWithContext(ctx, groupKind)
}

// RefreshOnNoMatch calls lookUp, and once more with a client that has forgotten
// what it knew, when lookUp finds no match.
//
// Step 8: forget once, and look again.
//
// A word that lookUp does not know may be new on the server, because a CRD
// appeared a moment ago. lookUp reads what client remembers.
//
//   - Call lookUp with ctx. Return its mapping, when it has one.
//   - When meta.IsNoMatchError is true for its error, make client forget
//     (InvalidateWithContext) and call lookUp a second time. Return what the
//     second call returns: a mapping, or its error, wrapped with %w. Do not call
//     it a third time.
//   - The second call may find no match because a part of the discovery failed,
//     and the word is in that part. ServerGroupsAndResourcesWithContext of client
//     tells you. When it returns an error, return that one, wrapped with %w, and
//     not "no match".
//   - Any other error says nothing about the word. Return it, wrapped with %w,
//     and let client remember.
func RefreshOnNoMatch(
	ctx context.Context,
	client discovery.CachedDiscoveryInterfaceWithContext,
	lookUp func(context.Context) (*meta.RESTMapping, error),
) (*meta.RESTMapping, error) {
	mapping, err := lookUp(ctx)
	if meta.IsNoMatchError(err) {
		client.InvalidateWithContext(ctx)
		mapping, err = lookUp(ctx)
	}
	if meta.IsNoMatchError(err) {
		// A mapper does not tell of a group-version that failed.
		if _, _, failed := client.ServerGroupsAndResourcesWithContext(ctx); failed != nil {
			return nil, fmt.Errorf("%v, as far as discovery knows: %w", err, failed)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("look up a resource: %w", err)
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

	recent, err := ServerAtLeast(ctx, client, 1, 30)
	if err != nil {
		return err
	}
	fmt.Printf("2. version: at least 1.30: %t\n", recent)

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
	resources, err := DiscoverResources(ctx, client)
	if err != nil {
		return err
	}
	fmt.Printf("3. resources: %d group-versions with %d entries, subresources among them; %d resources, each in one version\n",
		len(resources.All), entries(resources.All), entries(resources.Preferred))
	for gv, err := range resources.Failed {
		fmt.Printf("   %s failed: %v\n", gv, err)
	}

	rows, err := ResourceTable(resources.Preferred)
	if err != nil {
		return err
	}
	fmt.Printf("4. table: %d rows\n", len(rows))
	if err := printTable(os.Stdout, rows); err != nil {
		return err
	}

	followed, err := Informable(resources.Preferred)
	if err != nil {
		return err
	}
	fmt.Printf("5. informable: %d of them\n", len(followed))
	return nil
}

// entries counts what the lists hold.
func entries(lists []*metav1.APIResourceList) int {
	n := 0
	for _, list := range lists {
		n += len(list.APIResources)
	}
	return n
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
		if _, err := DiscoverResources(ctx, question.client); err != nil {
			return nil, err
		}
		fmt.Printf("6. cache: %s: %d requests\n", question.what, requests.Count()-before)
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
		printMapping("7. word", word, mapping)
	}

	crd := websiteCRD()
	group := strings.TrimPrefix(crd.GetName(), "websites.")
	word := "ws." + group
	lookUp := func(ctx context.Context) (*meta.RESTMapping, error) { return ResolveWord(ctx, client, word) }
	deadline, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	err = wait.PollUntilContextCancel(deadline, 200*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		_, err := RefreshOnNoMatch(ctx, client, lookUp)
		if isPartial(err) || meta.IsNoMatchError(err) {
			return !isPartial(err), nil
		}
		return false, fmt.Errorf("before the CRD exists, want no match for %q, got: %w", word, err)
	})
	if err != nil {
		return err
	}
	fmt.Printf("8. refresh: %s: no match yet\n", word)

	dynamicClient, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return fmt.Errorf("build the dynamic client: %w", err)
	}
	crds := dynamicClient.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1",
		Resource: "customresourcedefinitions"})
	defer func() { err = errors.Join(err, deleteCRD(ctx, crds, crd.GetName())) }()
	// An interrupt must not let the CRD come after its own clean-up.
	if _, err := crds.Create(context.WithoutCancel(ctx), crd, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create CRD %s: %w", crd.GetName(), err)
	}

	// The server needs a moment until it serves a new CRD.
	var mapping *meta.RESTMapping
	var noMatch error
	err = wait.PollUntilContextCancel(deadline, 200*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		mapping, err = RefreshOnNoMatch(ctx, client, lookUp)
		if isPartial(err) || meta.IsNoMatchError(err) {
			noMatch = err
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return fmt.Errorf("wait until RefreshOnNoMatch finds %q, CRD %s is created: %w", word, crd.GetName(), errors.Join(err, noMatch))
	}
	printMapping("8. refresh", word, mapping)
	return nil
}

// isPartial says of an error that a part of the discovery failed: nobody knows
// what is in that part.
func isPartial(err error) bool {
	_, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	return partial
}

func printMapping(what, word string, mapping *meta.RESTMapping) {
	fmt.Printf("%s: %s: %s, kind %s, %s scope\n", what, word, mapping.Resource, mapping.GroupVersionKind.Kind, mapping.Scope.Name())
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
