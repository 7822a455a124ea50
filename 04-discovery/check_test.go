package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"example.com/client-go-workshop/internal/check"
)

// newDiscovery is the client of the check's own making: a step is judged whether
// or not step 1 is written.
func newDiscovery(s *check.S, cfg *rest.Config) *discovery.DiscoveryClient {
	client, err := discovery.NewDiscoveryClientForConfig(cfg)
	s.Setup(err, "build a discovery client")
	return client
}

type cachedDiscovery = discovery.CachedDiscoveryInterfaceWithContext

var (
	appsV1 = schema.GroupVersion{Group: "apps", Version: "v1"}
	coreV1 = schema.GroupVersion{Version: "v1"}
	// groupLists are the requests with which a discovery finds out what there is.
	groupLists = check.Match{Path: "/apis"}
)

// judgeHang has a server that does not answer any more, after skip requests for the groups.
func judgeHang(s *check.S, skip int, call func(ctx context.Context, cfg *rest.Config) error) {
	rec, cfg := undisturbed(s)
	if skip > 0 {
		rec.Pass(check.Match{Path: "/api"}, 2*skip) // of /api and of /apis
	}
	rec.Delay(check.Match{}, check.Always, time.Minute)
	err := s.CallWithin(6*time.Second, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
		defer cancel()
		return call(ctx, cfg)
	})
	if skip > 0 && rec.Count(check.Match{}) <= 2*skip {
		return // nothing more was asked for
	}
	rec.Requiref(err != nil, "the end of ctx is an error: return it",
		"ctx ended while the server did not answer, and %s returned no error", s.Name())
	s.Requiref(errors.Is(err, context.DeadlineExceeded), "wrap the error with %w, and hand ctx to the method whose name ends in WithContext",
		"ctx ended while the server did not answer, and errors.Is(err, context.DeadlineExceeded) is false: %v", err)
}

func TestStep1_NewClient(t *testing.T) {
	check.Step(t, 1, "NewClient", func(s *check.S) {
		rec, cfg := s.Recorder()
		cfg.QPS, cfg.Burst = 0, 0
		cfg.UserAgent = "the-caller/1.0"
		before := rest.CopyConfig(cfg)
		client := check.Must(s, "client", func(context.Context) (discovery.DiscoveryInterfaceWithContext, error) { return NewClient(cfg) })
		s.RequireNoRequest(rec, "a client is built without asking the server")
		s.RequireSameConfig(before, cfg)
		judgeGroupsRequest(s, rec, client)
		check.JudgeConstructor(s, cfg, "", NewClient, askVersion)
	})
}

func askVersion[C discovery.DiscoveryInterfaceWithContext](ctx context.Context, client C) error {
	_, err := client.ServerVersionWithContext(ctx)
	return err
}

// judgeGroupsRequest judges what the client sends.
func judgeGroupsRequest(s *check.S, rec *check.Recorder, client discovery.DiscoveryInterfaceWithContext) {
	const agent = "client-go-workshop/discovery"
	err := s.Call(func(ctx context.Context) error {
		_, err := client.ServerGroupsWithContext(ctx)
		return err
	})
	sent := rec.Requests(check.Match{})
	for _, req := range sent {
		rec.Requiref(slices.Contains([]string{"/api", "/api/v1", "/apis"}, req.Path) || strings.HasPrefix(req.Path, "/apis/"),
			"discovery lies at the top of the server: no APIPath and no GroupVersion is set",
			"the client asked for %s, want /api and /apis", req.Path)
		s.Requiref(req.UserAgent == agent, "UserAgent is not set in the copy of the config; the one that the caller had does not count",
			"the User-Agent is %q, want %q", req.UserAgent, agent)
	}
	rec.Requiref(err == nil && len(sent) > 0,
		"the client is not built from cfg: discovery.NewDiscoveryClientForConfig takes it whole, with TLS, credentials and wrappers",
		"ServerGroupsWithContext of the client gave %s", check.ErrorText(err))
}

func serverAtLeast(s *check.S, major, minor uint, faults ...func(*check.Recorder)) (*check.Recorder, bool, error) {
	return check.Recorded(s, check.CallTimeout, func(ctx context.Context, cfg *rest.Config) (bool, error) {
		return ServerAtLeast(ctx, newDiscovery(s, cfg), major, minor)
	}, faults...)
}

// versionAnswer is the answer of a server of that version.
func versionAnswer(git, major, minor string) func(*check.Recorder) {
	return func(rec *check.Recorder) {
		rec.AnswerRaw(check.Match{Path: "/version"}, http.StatusOK, "application/json",
			fmt.Sprintf(`{"major":%q,"minor":%q,"gitVersion":%q,"platform":"linux/amd64"}`, major, minor, git))
	}
}

func TestStep2_ServerAtLeast(t *testing.T) {
	check.Step(t, 2, "ServerAtLeast", func(s *check.S) {
		rec, _, err := serverAtLeast(s, 1, 0)
		rec.Requiref(rec.Count(check.Match{}) > 0, "the version must come from the server: ServerVersionWithContext", "no request was sent")
		for _, req := range rec.Requests(check.Match{}) {
			rec.Requiref(req.Path == "/version", "ServerVersionWithContext asks for /version and nothing else",
				"the request went to %s, want /version", req.Path)
		}
		s.RequireNoError(err, rec, "")
		judgeVersions(s)
		for _, git := range []string{"unknown", "", "v1"} {
			_, _, err := serverAtLeast(s, 1, 30, versionAnswer(git, "", ""))
			s.Requiref(err != nil, "a version that cannot be parsed says nothing: \"not known\" is not \"too old\", so return the error",
				"for a server of gitVersion %q, ServerAtLeast returned no error", git)
		}
		rec, _, err = serverAtLeast(s, 1, 30, check.Refusing("get", http.StatusInternalServerError))
		rec.Requiref(apierrors.IsInternalError(err), "a server that does not answer is not an old server: return the error, wrapped with %w",
			"the server answered 500; want an error that wraps its status, got %s", check.ErrorText(err))
		judgeHang(s, 0, func(ctx context.Context, cfg *rest.Config) error {
			_, err := ServerAtLeast(ctx, newDiscovery(s, cfg), 1, 30)
			return err
		})
	})
}

// judgeVersions compares servers of many versions, which are hard to read.
func judgeVersions(s *check.S) {
	const (
		numbers = "versions are numbers, not text: as text \"9\" comes after \"10\", and a float has no place for 1.10"
		suffix  = "what follows major and minor does not count: version.ParseGeneric reads the numbers and leaves the rest, " +
			"ParseSemantic puts a pre-release before its release"
		fields = "the fields major and minor of the answer cannot be relied on, they may be empty or end in \"+\": parse gitVersion"
		parts  = "the major version is compared first, and the minor only when the majors are equal: version.MajorMinor and AtLeast do both"
		patch  = "only major and minor count: a patch release is at least its minor release"
	)
	for _, tc := range []struct {
		git, major, minor    string
		wantMajor, wantMinor uint
		want                 bool
		cause                string
	}{
		{"v1.31.4", "1", "31", 1, 31, true, patch},
		{"v1.31.4", "1", "31", 1, 30, true, "a later minor release is at least an earlier one"},
		{"v1.31.4", "1", "31", 1, 32, false, patch},
		{"v1.31.0", "1", "31", 1, 31, true, "the same release is \"at least\": AtLeast, not GreaterThan"},
		{"v1.9.11", "1", "9", 1, 10, false, numbers},
		{"v1.9.11", "1", "9", 1, 9, true, numbers},
		{"v1.10.0", "1", "10", 1, 9, true, numbers},
		{"v1.27.3-gke.100", "1", "27+", 1, 27, true, fields},
		{"v1.27.3-gke.100", "1", "27+", 1, 28, false, fields},
		{"v1.37.2", "", "", 1, 37, true, fields},
		{"v1.37.2", "", "", 1, 38, false, fields},
		{"v1.30.0+k3s1", "1", "30", 1, 30, true, suffix},
		{"v1.38.0-alpha.1", "1", "38+", 1, 38, true, suffix},
		{"v1.28.5-eks-5e0fdde", "1", "28+", 1, 28, true, suffix},
		{"v2.0.1", "2", "0", 1, 37, true, parts},
		{"v2.0.1", "2", "0", 2, 5, false, parts},
		{"v1.37.2", "1", "37", 2, 0, false, parts},
	} {
		_, got, err := serverAtLeast(s, tc.wantMajor, tc.wantMinor, versionAnswer(tc.git, tc.major, tc.minor))
		server := fmt.Sprintf("a server of gitVersion %q, major %q, minor %q", tc.git, tc.major, tc.minor)
		s.Requiref(err == nil, tc.cause, "for %s, ServerAtLeast returned an error: %v", server, err)
		s.Requiref(got == tc.want, tc.cause, "%s: at least %d.%d gave %t, want %t", server, tc.wantMajor, tc.wantMinor, got, tc.want)
	}
}

// snapshot is what the server's discovery says at one moment. Others make and
// remove APIs at the same time, so a result is compared with two snapshots, one
// before and one after: only what both say is certain.
type snapshot struct {
	groups []metav1.APIGroup
	lists  map[schema.GroupVersion]*metav1.APIResourceList
}

func snapshotOf(s *check.S) snapshot {
	groups, lists, _, err := newDiscovery(s, s.Config()).GroupsAndMaybeResourcesWithContext(s.Context())
	if err == nil && lists == nil {
		err = errors.New("the server has no aggregated discovery")
	}
	s.Setup(err, "discover what the server serves")
	return snapshot{groups.Groups, lists}
}

// resources are the names in each list, without subresources.
func (d snapshot) resources() map[schema.GroupVersionResource]bool {
	out := map[schema.GroupVersionResource]bool{}
	for gv, list := range d.lists {
		for _, resource := range list.APIResources {
			if !strings.Contains(resource.Name, "/") {
				out[gv.WithResource(resource.Name)] = true
			}
		}
	}
	return out
}

// preferred is the version to use of each resource.
func (d snapshot) preferred() map[schema.GroupResource]string {
	out := map[schema.GroupResource]string{}
	for _, group := range d.groups {
		versions := []string{group.PreferredVersion.Version}
		for _, version := range group.Versions {
			versions = append(versions, version.Version)
		}
		for _, version := range versions {
			list := d.lists[schema.GroupVersion{Group: group.Name, Version: version}]
			if list == nil {
				continue
			}
			for _, resource := range list.APIResources {
				gr := schema.GroupResource{Group: group.Name, Resource: resource.Name}
				if _, known := out[gr]; !known && !strings.Contains(resource.Name, "/") {
					out[gr] = version
				}
			}
		}
	}
	return out
}

// inBoth are the keys of a that b has with the same value.
func inBoth[K, V comparable](a, b map[K]V) map[K]V {
	out := map[K]V{}
	for key, value := range a {
		if other, ok := b[key]; ok && other == value {
			out[key] = value
		}
	}
	return out
}

// discover calls DiscoverResources. Not for long: an API that is dead for this
// call is dead for everybody.
func discover(s *check.S, client discovery.DiscoveryInterfaceWithContext) (*Resources, error) {
	return check.CallWithin(s, 10*time.Second, func(ctx context.Context) (*Resources, error) { return DiscoverResources(ctx, client) })
}

// counted are the resources of the lists, and in how many lists each is.
func counted(lists []*metav1.APIResourceList) map[schema.GroupVersionResource]int {
	out := map[schema.GroupVersionResource]int{}
	for _, list := range lists {
		if gv, err := schema.ParseGroupVersion(list.GroupVersion); err == nil {
			for _, resource := range list.APIResources {
				out[gv.WithResource(resource.Name)]++
			}
		}
	}
	return out
}

const (
	partialCause = "part of the discovery failed, and the whole of it was given up: ErrGroupDiscoveryFailed comes together with the " +
		"results. Keep them, and put its groups into Failed (discovery.GroupDiscoveryFailedErrorGroups)"
	droppedCause = "the failure is dropped: whoever reads the result takes the missing group for absent. " +
		"discovery.GroupDiscoveryFailedErrorGroups(err) names what failed; restmapper.GetAPIGroupResources does not tell"
	manyCause = "one request for each group-version is what old servers need. ServerGroupsAndResourcesWithContext and " +
		"ServerPreferredResourcesWithContext get everything with two"
)

func TestStep3_DiscoverResources(t *testing.T) {
	check.Step(t, 3, "DiscoverResources", func(s *check.S) {
		judgeDeadAPI(s)
		group := judgeVersionsOf(s)
		judgeGroupPrefers(s, group)
		judgeStale(s)
		judgeOldServer(s)
		for _, skip := range []int{0, 1} {
			judgeWholeFailure(s, skip)
			judgeHang(s, skip, func(ctx context.Context, cfg *rest.Config) error {
				_, err := DiscoverResources(ctx, newDiscovery(s, cfg))
				return err
			})
		}
	})
}

// undisturbed is a Recorder whose client does not see the APIs of other checks.
// While one of these is dead, client-go repeats its requests, and what is to fail
// in the second call would fail in the first.
func undisturbed(s *check.S) (*check.Recorder, *rest.Config) {
	rec, cfg := s.Recorder()
	outer := &check.Recorder{}
	outer.Rewrite(groupLists, check.Always, changeGroups(func(groups []any) []any {
		return slices.DeleteFunc(groups, func(group any) bool { return check.OfCheck(groupName(group)) })
	}))
	cfg.Wrap(outer.Wrap)
	return rec, cfg
}

// judgeDeadAPI has one dead API among the living, for as short a time as possible.
func judgeDeadAPI(s *check.S) {
	rec, cfg := s.Recorder()
	client := newDiscovery(s, cfg)
	before := snapshotOf(s)
	dead, remove := s.DeadAPI()
	got, err := discover(s, client)
	remove()
	after := snapshotOf(s)
	judgePartly(s, rec, fmt.Sprintf("the backend of the aggregated API %s does not answer", dead), got, err, dead, appsV1)
	judgeComplete(rec, got, inBoth(before.resources(), after.resources()))
	judgeFewRequests(s, rec)
}

// judgeVersionsOf has two versions of one resource, and another that only older
// versions have. It returns their group.
func judgeVersionsOf(s *check.S) string {
	group := check.RandomGroup()
	newest, relic := []string{"v1", "v1beta1", "v1alpha1"}, []string{"v1alpha1", "v1beta1"}
	s.InstallCRD(check.CRD{Group: group, Plural: "mice", Singular: "mouse", Kind: "Mouse", Versions: newest})
	s.InstallCRD(check.CRD{Group: group, Plural: "relics", Singular: "relic", Kind: "Relic", Versions: relic, Cluster: true})
	// A result that depends on the order of a Go map is wrong once in a while.
	for range 5 {
		rec, cfg := s.Recorder()
		before := snapshotOf(s)
		got, err := discover(s, newDiscovery(s, cfg))
		after := snapshotOf(s)
		s.RequireNoError(err, rec, partialCause)
		judgeFewRequests(s, rec)
		judgePreferred(rec, got.Preferred, before, after, group)
	}
	return group
}

// judgeGroupPrefers has the group prefer an older version.
func judgeGroupPrefers(s *check.S, group string) {
	rec, cfg := s.Recorder()
	rec.Rewrite(groupLists, check.Always, preferring(group, "v1beta1"))
	got, err := discover(s, newDiscovery(s, cfg))
	s.RequireNoError(err, rec, partialCause)
	mice := schema.GroupVersionResource{Group: group, Version: "v1beta1", Resource: "mice"}
	rec.Requiref(counted(got.Preferred)[mice] == 1,
		"PreferredVersion of the APIGroup says what the group prefers, and that need not be the newest: the names of the versions say nothing",
		"group %s has v1 and prefers v1beta1, and mice are not in Preferred in v1beta1", group)
}

// judgeStale has the discovery of apps/v1 fail: always, at first, and later on.
// Where it fails for one of several calls, what is missing must be named.
func judgeStale(s *check.S) {
	batch := schema.GroupVersion{Group: "batch", Version: "v1"}
	const always, once = "the discovery of apps/v1 fails", "the discovery of apps/v1 fails for one of two calls"
	for _, tc := range []struct {
		what       string
		pass, fail int
	}{{always, 0, check.Always}, {once, 0, 2}, {once, 1, check.Always}} {
		rec, cfg := undisturbed(s)
		rec.RefuseSome(check.Match{Path: "/apis/apps/v1"}, 0, check.Always, http.StatusServiceUnavailable)
		rec.Pass(groupLists, tc.pass)
		rec.Rewrite(groupLists, tc.fail, stale(appsV1))
		got, err := discover(s, newDiscovery(s, cfg))
		if tc.what == always {
			judgePartly(s, rec, tc.what, got, err, appsV1, batch)
			judgeFewRequests(s, rec)
			continue
		}
		s.Requiref(err == nil, partialCause, "%s, and %s returned an error: %v", tc.what, s.Name(), err)
		deployments := appsV1.WithResource("deployments")
		whole := counted(got.All)[deployments] > 0 && counted(got.Preferred)[deployments] > 0
		rec.Requiref(whole || got.Failed[appsV1] != nil, droppedCause+". Failed has the failures of each call",
			"%s, it is missing in All or in Preferred, and Failed does not name it: %s", tc.what, namesOf(got.Failed))
	}
}

// judgePartly judges a result while group-version down fails and up is served.
func judgePartly(s *check.S, rec *check.Recorder, what string, got *Resources, err error, down, up schema.GroupVersion) {
	rec.Requiref(err == nil, partialCause, "%s, and %s did not return the rest but an error: %v", what, s.Name(), err)
	s.Requiref(got != nil, "the resources are not returned", "%s, and %s returned neither resources nor an error", what, s.Name())
	judgePartlyListed(rec, what+", and All", got.All, down, up)
	judgePartlyListed(rec, what+", and Preferred", got.Preferred, down, up)
	cause, named := got.Failed[down]
	s.Requiref(named, droppedCause, "%s, and Failed does not name it: %s", what, namesOf(got.Failed))
	s.Requiref(cause != nil, "hand on the error that client-go gives for the group-version", "%s, and Failed names it with a nil error", what)
	_, named = got.Failed[up]
	s.Requiref(!named, "only the group-versions in ErrGroupDiscoveryFailed failed", "%s, and Failed names %s, which is served", what, up)
}

// judgePartlyListed wants the list of up, and none of down.
func judgePartlyListed(rec *check.Recorder, what string, lists []*metav1.APIResourceList, down, up schema.GroupVersion) {
	isUp := false
	for _, list := range lists {
		rec.Requiref(list != nil, "a group-version that failed has no list: leave it out", "%s has a list that is nil", what)
		isUp = isUp || list.GroupVersion == up.String() && len(list.APIResources) > 0
		rec.Requiref(list.GroupVersion != down.String() || len(list.APIResources) == 0, "the resources do not come from the server",
			"%s has a list with the resources of %s", what, down)
	}
	rec.Requiref(isUp, partialCause, "%s does not have %s, which is served, among its %d lists", what, up, len(lists))
}

func namesOf(failed map[schema.GroupVersion]error) string {
	var names []string
	for gv := range failed {
		names = append(names, gv.String())
	}
	slices.Sort(names)
	return "[" + strings.Join(names, " ") + "]"
}

// judgeFewRequests allows the two that aggregated discovery needs, for each of two
// calls, their repetition after a partial failure, and a little more.
func judgeFewRequests(s *check.S, rec *check.Recorder) {
	all, single := rec.Count(check.Match{}), 0
	for _, req := range rec.Requests(check.Match{}) {
		if req.Path != "/api" && req.Path != "/apis" {
			single++
		}
	}
	rec.Requiref(all > 0, "the resources must come from the server", "%s sent no request", s.Name())
	rec.Requiref(single <= 5, manyCause, "%d requests were sent, %d of them for one group-version; want GET /api and GET /apis", all, single)
	rec.Requiref(all <= 16, "a partial failure is an answer, not a reason to ask until it is over",
		"%d requests were sent for two questions", all)
}

// judgeOldServer has an old server's discovery, one request for each
// group-version, of which one fails.
func judgeOldServer(s *check.S) {
	rec, cfg := s.Recorder()
	rec.Refuse(check.Match{Path: "/apis/apps/v1"}, http.StatusServiceUnavailable)
	got, err := discover(s, newDiscovery(s, cfg).WithLegacyWithContext(s.Context()))
	judgePartly(s, rec, "on a server without aggregated discovery, GET /apis/apps/v1 was answered with 503", got, err, appsV1, coreV1)
}

// judgeWholeFailure fails /apis, after skip requests for it: then nothing is known.
func judgeWholeFailure(s *check.S, skip int) {
	rec, cfg := undisturbed(s)
	rec.RefuseSome(groupLists, skip, check.Always, http.StatusInternalServerError)
	got, err := discover(s, newDiscovery(s, cfg))
	if rec.Count(groupLists) <= skip {
		return // nothing more was asked for
	}
	rec.Requiref(err != nil,
		"only ErrGroupDiscoveryFailed is a partial failure; any other error means that nothing is known, and no lists would say \"the server "+
			"has nothing\"", "GET /apis was answered with 500, and %s returned no error", s.Name())
	s.Requiref(apierrors.IsInternalError(err), "wrap the error with %w",
		"GET /apis was answered with 500; want an error that wraps its status, got %s", check.ErrorText(err))
	s.Requiref(got == nil, "with an error there are no resources",
		"GET /apis was answered with 500, and %s returned resources with its error", s.Name())
}

// judgeComplete wants every resource in every version, each list once.
func judgeComplete(rec *check.Recorder, got *Resources, want map[schema.GroupVersionResource]bool) {
	all := counted(got.All)
	versions := map[schema.GroupResource]bool{}
	for gvr := range all {
		versions[gvr.GroupResource()] = true
	}
	for gvr := range want {
		cause := "what client-go returns is the whole: filter nothing here"
		if versions[gvr.GroupResource()] {
			cause = "the task asks for every version; only one of them is here. ServerPreferredResources picks one, " +
				"ServerGroupsAndResources does not"
		}
		rec.Requiref(all[gvr] > 0, cause, "%s is served and is not in All", gvr)
		_, failed := got.Failed[gvr.GroupVersion()]
		rec.Requiref(!failed, "only the group-versions in ErrGroupDiscoveryFailed failed", "Failed names %s, which is served", gvr.GroupVersion())
	}
	seen := map[string]bool{}
	for _, list := range got.All {
		rec.Requiref(!seen[list.GroupVersion], "one list for each group-version", "All has two lists for %s", list.GroupVersion)
		seen[list.GroupVersion] = true
	}
	log := coreV1.WithResource("pods/log")
	rec.Requiref(all[log] > 0, "subresources stand among the resources, and everything is asked for here: filter nothing",
		"%s is served and is not in All", log)
}

// stale marks a group-version in an aggregated discovery document as the server
// does when its backend does not answer.
func stale(gv schema.GroupVersion) func([]byte) ([]byte, error) {
	return changeVersions(gv.Group, func(versions []any) {
		for _, v := range versions {
			if version, ok := v.(map[string]any); ok && version["version"] == gv.Version {
				delete(version, "resources")
				version["freshness"] = "Stale"
			}
		}
	})
}

// preferring moves a group's version to the front, which is the place of the one
// that it prefers.
func preferring(group, version string) func([]byte) ([]byte, error) {
	return changeVersions(group, func(versions []any) {
		slices.SortStableFunc(versions, func(a, b any) int {
			first := func(v any) int {
				if m, ok := v.(map[string]any); ok && m["version"] == version {
					return 0
				}
				return 1
			}
			return first(a) - first(b)
		})
	})
}

// changeVersions changes a group's versions in an aggregated discovery document.
func changeVersions(group string, change func(versions []any)) func([]byte) ([]byte, error) {
	return changeGroups(func(groups []any) []any {
		for _, entry := range groups {
			if groupName(entry) == group {
				versions, _ := entry.(map[string]any)["versions"].([]any)
				change(versions)
			}
		}
		return groups
	})
}

// changeGroups changes an aggregated discovery document. It leaves every other
// document alone.
func changeGroups(change func(groups []any) []any) func([]byte) ([]byte, error) {
	return func(body []byte) ([]byte, error) {
		var doc map[string]any
		if err := json.Unmarshal(body, &doc); err != nil || doc["kind"] != "APIGroupDiscoveryList" {
			return body, nil
		}
		groups, _ := doc["items"].([]any)
		doc["items"] = change(groups)
		return json.Marshal(doc)
	}
}

// groupName is the name of an entry of such a document.
func groupName(entry any) string {
	group, _ := entry.(map[string]any)
	metadata, _ := group["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	return name
}

// judgePreferred compares Preferred with what the server prefers.
func judgePreferred(rec *check.Recorder, lists []*metav1.APIResourceList, before, after snapshot, group string) {
	got := versionsIn(rec, lists)
	// Own resources first: their messages are the same on every cluster.
	own := func(resource, want, cause string) {
		gr := schema.GroupResource{Group: group, Resource: resource}
		versions := got[gr]
		rec.Requiref(len(versions) > 0, cause, "%s is served and is not in Preferred", gr)
		rec.Requiref(len(versions) == 1, "each resource once: its versions are the same objects",
			"%s is in the lists of several versions: %v", gr, versions)
		rec.Requiref(versions[0] == want, cause, "%s is in Preferred in version %s, want %s", gr, versions[0], want)
	}
	own("mice", "v1", "the group prefers v1: PreferredVersion of its APIGroup says so. The order of the lists says nothing, "+
		"and neither does that of the names")
	own("relics", "v1beta1", "a group's preferred version need not have every resource: this one is only in v1beta1 and v1alpha1, "+
		"and the first of them in its APIGroup counts. The order of the lists says nothing")

	preferredBefore, preferredAfter := before.preferred(), after.preferred()
	for gr, version := range inBoth(preferredBefore, preferredAfter) {
		if gr.Group != group && check.OfCheck(gr.Group) {
			continue // another check's, whose messages are not the same on every cluster
		}
		own := got[gr]
		rec.Requiref(len(own) == 1, "each resource once", "%s is served and is in the lists of %d versions: %v", gr, len(own), own)
		rec.Requiref(own[0] == version, "the version that the group prefers; the order of the lists says nothing",
			"%s is in Preferred in version %s, want %s", gr, own[0], version)
	}
	for gr := range got {
		if gr.Group != group && check.OfCheck(gr.Group) {
			continue // another check's, which may have come and gone meanwhile
		}
		_, known := preferredBefore[gr]
		_, knownAfter := preferredAfter[gr]
		rec.Requiref(known || knownAfter, "the resources must come from the server", "%s is in Preferred and the server does not serve it", gr)
	}
}

// versionsIn are the versions in which each resource is in the lists.
func versionsIn(rec *check.Recorder, lists []*metav1.APIResourceList) map[schema.GroupResource][]string {
	got := map[schema.GroupResource][]string{}
	clusterScoped := false
	for _, list := range lists {
		rec.Requiref(list != nil, "leave out what is not there", "one of the lists in Preferred is nil")
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		rec.Requiref(err == nil, "GroupVersion is group/version, or version alone for the core group",
			"a list in Preferred has the GroupVersion %q", list.GroupVersion)
		for _, resource := range list.APIResources {
			rec.Requiref(!strings.Contains(resource.Name, "/"),
				"a list of discovery has the subresources among the resources, as names with a slash: skip them",
				"%s of %s, in Preferred, is a subresource", resource.Name, list.GroupVersion)
			gr := schema.GroupResource{Group: gv.Group, Resource: resource.Name}
			got[gr] = append(got[gr], gv.Version)
			clusterScoped = clusterScoped || !resource.Namespaced
		}
	}
	rec.Requiref(len(got) > 0, "return what client-go found", "there is no resource in Preferred")
	rec.Requiref(clusterScoped, "ServerPreferredNamespacedResources leaves them out; the task asks for both",
		"Preferred holds no cluster-scoped resource, not even nodes")
	return got
}

// craftedLists are lists as a server sends them, with every trap that a table
// can fall into.
func craftedLists() []*metav1.APIResourceList {
	all := metav1.Verbs{"watch", "create", "list", "get", "delete"}
	mice := metav1.APIResource{Name: "mice", SingularName: "mouse", Namespaced: true, Kind: "Mouse", Verbs: all}
	return []*metav1.APIResourceList{
		{GroupVersion: "zoo.example.com/v1beta1", APIResources: []metav1.APIResource{
			mice,
			{Name: "cages", Namespaced: false, Kind: "Cage", Verbs: metav1.Verbs{"get", "list"}},
		}},
		{GroupVersion: "apps.example.com/v1", APIResources: []metav1.APIResource{
			{Name: "deployments", Namespaced: true, Kind: "Deployment", Verbs: metav1.Verbs{"create", "get", "watch"}},
		}},
		{GroupVersion: "v1", APIResources: []metav1.APIResource{
			{Name: "pods/log", Namespaced: true, Kind: "Pod", Verbs: metav1.Verbs{"get"}},
			{Name: "pods", SingularName: "pod", Namespaced: true, Kind: "Pod", ShortNames: []string{"po"}, Verbs: all},
			{Name: "bindings", Namespaced: true, Kind: "Binding", Verbs: metav1.Verbs{"create"}},
			{Name: "ghosts", Namespaced: true, Kind: "Ghost"},
		}},
		{GroupVersion: "apps/v1", APIResources: []metav1.APIResource{
			// The kind of a resource can come from another group than the resource.
			{Name: "deployments", Namespaced: true, Group: "kinds.example.com", Version: "v9", Kind: "Deployment",
				ShortNames: []string{"deploy", "dep"}, Verbs: metav1.Verbs{"watch", "list"}},
			{Name: "deployments/scale", Namespaced: true, Group: "autoscaling", Version: "v1", Kind: "Scale",
				Verbs: metav1.Verbs{"get", "list", "watch"}},
		}},
		{GroupVersion: "empty.example.com/v1"},
		{GroupVersion: "zoo.example.com/v2", APIResources: []metav1.APIResource{mice}},
		{GroupVersion: "zoo.example.com/v1", APIResources: []metav1.APIResource{
			mice,
			{Name: "ants", Namespaced: true, Kind: "Ant", Verbs: metav1.Verbs{"watch", "get"}},
		}},
	}
}

// serverLists are the preferred resources of the groups that come with the
// server, so that nobody else changes them while a check runs.
func serverLists(s *check.S) []*metav1.APIResourceList {
	lists, err := newDiscovery(s, s.Config()).ServerPreferredResourcesWithContext(s.Context())
	if !discovery.IsGroupDiscoveryFailedError(err) {
		s.Setup(err, "discover the server's resources")
	}
	return slices.DeleteFunc(lists, func(list *metav1.APIResourceList) bool {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		builtIn := !strings.Contains(gv.Group, ".") || strings.HasSuffix(gv.Group, ".k8s.io")
		return err != nil || !builtIn
	})
}

// judgePure calls a step that reads lists and leaves them as they are.
func judgePure[T any](s *check.S, lists []*metav1.APIResourceList, call func([]*metav1.APIResourceList) (T, error)) (T, error) {
	var before []*metav1.APIResourceList
	for _, list := range lists {
		before = append(before, list.DeepCopy())
	}
	got, err := check.Call(s, func(context.Context) (T, error) { return call(lists) })
	s.Require(reflect.DeepEqual(before, lists), "the lists that the caller handed over were changed, or their order was",
		"a cached client hands out its own lists, and the next caller would see the change: sort and filter a slice of your own")
	return got, err
}

// judgeBadList has a list whose group-version has one part too many.
func judgeBadList[T any](s *check.S, call func([]*metav1.APIResourceList) (T, error)) {
	things := []metav1.APIResource{{Name: "things", Kind: "Thing", Verbs: metav1.Verbs{"list", "watch"}}}
	_, err := judgePure(s, append(craftedLists(), &metav1.APIResourceList{GroupVersion: "a/b/c", APIResources: things}), call)
	s.Requiref(err != nil, "the error of schema.ParseGroupVersion is dropped",
		"a list has the GroupVersion \"a/b/c\", and %s returned no error", s.Name())
	s.Requiref(strings.Contains(err.Error(), "a/b/c"), "name the list in the error",
		"a list has the GroupVersion \"a/b/c\", and the error does not name it: %v", err)
}

func TestStep4_ResourceTable(t *testing.T) {
	check.Step(t, 4, "ResourceTable", func(s *check.S) {
		rows, err := judgePure(s, craftedLists(), ResourceTable)
		s.Requiref(err == nil, goodListsCause, "ResourceTable returned an error: %v", err)
		all := []string{"watch", "create", "list", "get", "delete"}
		judgeRows(s, rows, []Row{
			{"bindings", nil, "v1", true, "Binding", []string{"create"}},
			{"pods", []string{"po"}, "v1", true, "Pod", all},
			{"deployments", []string{"deploy", "dep"}, "apps/v1", true, "Deployment", []string{"watch", "list"}},
			{"deployments", nil, "apps.example.com/v1", true, "Deployment", []string{"create", "get", "watch"}},
			{"ants", nil, "zoo.example.com/v1", true, "Ant", []string{"watch", "get"}},
			{"cages", nil, "zoo.example.com/v1beta1", false, "Cage", []string{"get", "list"}},
			{"mice", nil, "zoo.example.com/v1", true, "Mouse", all},
			{"mice", nil, "zoo.example.com/v1beta1", true, "Mouse", all},
			{"mice", nil, "zoo.example.com/v2", true, "Mouse", all},
		})
		judgeBadList(s, ResourceTable)
		rows, err = judgePure(s, nil, ResourceTable)
		s.Requiref(err == nil && len(rows) == 0, "no lists are no rows and no error",
			"for no lists, ResourceTable gave %d rows and %s", len(rows), check.ErrorText(err))
		judgeServerTable(s)
	})
}

const goodListsCause = "lists without resources, and resources without verbs, are no error"

// judgeServerTable compares the rows of the server's own resources with what its
// documents say, read without client-go's conversion.
func judgeServerTable(s *check.S) {
	lists := serverLists(s)
	rows, err := judgePure(s, lists, ResourceTable)
	s.Requiref(err == nil, "every one of them is a good list", "for the server's own resources, ResourceTable returned an error: %v", err)
	got := map[string]Row{}
	for _, row := range rows {
		got[rowKey(row)] = row
	}
	want := 0
	for _, list := range lists {
		chosen := map[string]bool{}
		for _, resource := range list.APIResources {
			chosen[resource.Name] = true
		}
		for _, resource := range documentOf(s, list.GroupVersion).APIResources {
			if !chosen[resource.Name] || len(resource.Verbs) == 0 {
				continue
			}
			want++
			wanted := Row{resource.Name, resource.ShortNames, list.GroupVersion, resource.Namespaced, resource.Kind, resource.Verbs}
			row, ok := got[rowKey(wanted)]
			s.Requiref(ok, "a row for each resource of the lists", "the server's resource %s of %s has no row", resource.Name, list.GroupVersion)
			judgeRow(s, row, wanted)
		}
	}
	s.Requiref(len(rows) == want, "one row for each resource that has verbs and no slash in its name",
		"the server's own resources gave %d rows, want %d", len(rows), want)
}

// documentOf reads a group-version's document as JSON.
func documentOf(s *check.S, groupVersion string) (doc metav1.APIResourceList) {
	path := "/apis/" + groupVersion
	if !strings.Contains(groupVersion, "/") {
		path = "/api/" + groupVersion
	}
	client := s.Clientset().Discovery().RESTClient()
	raw, err := client.Get().AbsPath(path).SetHeader("Accept", "application/json").Do(s.Context()).Raw()
	s.Setup(err, "read "+path)
	s.Setup(json.Unmarshal(raw, &doc), "decode "+path)
	return doc
}

func rowKey(row Row) string { return row.GroupVersion + " " + row.Name }

func judgeRows(s *check.S, rows, want []Row) {
	wanted := map[string]Row{}
	var order, got []string
	for _, row := range want {
		wanted[rowKey(row)] = row
		order = append(order, rowKey(row))
	}
	for _, row := range rows {
		s.Requiref(!strings.Contains(row.Name, "/"), "discovery lists subresources among the resources: skip a name with a slash",
			"there is a row for %s, which is a subresource", row.Name)
		s.Require(row.Name != "ghosts", "there is a row for ghosts, which has no verbs",
			"a resource without verbs can be asked for nothing: skip it")
		_, ok := wanted[rowKey(row)]
		s.Requiref(ok,
			"the group-version is that of the list; the resource's own Group and Version are those of its kind, often empty, and sometimes others",
			"there is a row for %s with the group-version %q; no list has it", row.Name, row.GroupVersion)
		judgeRow(s, row, wanted[rowKey(row)])
		got = append(got, rowKey(row))
	}
	for _, name := range order {
		s.Requiref(slices.Contains(got, name), "one row for each resource of each list, also when two lists have a resource of the same name",
			"there is no row for %s; the rows are\n  %s", name, strings.Join(got, "\n  "))
	}
	s.Requiref(slices.Equal(got, order),
		"sort by group, then by name, then by version, each as plain text and not by age: the text \"group/version\" sorts otherwise, with v1 "+
			"after apps/v1 and apps.example.com/v1 before apps/v1",
		"the rows are in the order\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(order, "\n  "))
}

func judgeRow(s *check.S, row, want Row) {
	where := fmt.Sprintf("the row of %s in %s has", want.Name, want.GroupVersion)
	s.Requiref(row.Namespaced == want.Namespaced, "take Namespaced of the APIResource",
		"%s Namespaced %t, want %t", where, row.Namespaced, want.Namespaced)
	s.Requiref(row.Kind == want.Kind, "take Kind of the APIResource", "%s Kind %q, want %q", where, row.Kind, want.Kind)
	s.Requiref(check.SameElements(row.ShortNames, want.ShortNames), "take ShortNames of the APIResource, all of them",
		"%s ShortNames %v, want %v", where, row.ShortNames, want.ShortNames)
	s.Requiref(check.SameElements(row.Verbs, want.Verbs), "take Verbs of the APIResource",
		"%s Verbs %v, want %v", where, row.Verbs, want.Verbs)
}

func TestStep5_Informable(t *testing.T) {
	check.Step(t, 5, "Informable", func(s *check.S) {
		judgeInformable(s)
		judgeBadList(s, Informable)
		gvrs, err := judgePure(s, nil, Informable)
		s.Requiref(err == nil && len(gvrs) == 0, "no lists are no resources and no error",
			"for no lists, Informable gave %v and %s", gvrs, check.ErrorText(err))

		lists := serverLists(s)
		gvrs, err = judgePure(s, lists, Informable)
		s.Requiref(err == nil, "every one of them is a good list", "for the server's own resources, Informable returned an error: %v", err)
		for gvr, verbs := range verbsOf(s, lists) {
			want := slices.Contains(verbs, "list") && slices.Contains(verbs, "watch")
			s.Requiref(slices.Contains(gvrs, gvr) == want, "list and watch, both, are what an informer needs",
				"of the server's resources, the result holds %s: %t, want %t; its verbs are %v", gvr, !want, want, verbs)
		}
	})
}

// verbsOf are the verbs of each resource in the lists.
func verbsOf(s *check.S, lists []*metav1.APIResourceList) map[schema.GroupVersionResource]metav1.Verbs {
	verbs := map[schema.GroupVersionResource]metav1.Verbs{}
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		s.Setup(err, "read the lists")
		for _, resource := range list.APIResources {
			verbs[gv.WithResource(resource.Name)] = resource.Verbs
		}
	}
	return verbs
}

func judgeInformable(s *check.S) {
	lists := craftedLists()
	gvrs, err := judgePure(s, lists, Informable)
	s.Requiref(err == nil, goodListsCause, "Informable returned an error: %v", err)
	want := []schema.GroupVersionResource{
		{Version: "v1", Resource: "pods"},
		{Group: "apps", Version: "v1", Resource: "deployments"},
		{Group: "zoo.example.com", Version: "v1", Resource: "mice"},
		{Group: "zoo.example.com", Version: "v1beta1", Resource: "mice"},
		{Group: "zoo.example.com", Version: "v2", Resource: "mice"},
	}
	verbs := verbsOf(s, lists)
	for i, gvr := range gvrs {
		offered, known := verbs[gvr]
		s.Requiref(known,
			"group and version are those of the list, the resource is the name: Group, Version and Kind of an APIResource are those of its kind",
			"the result holds %s, which is in no list", gvr)
		s.Requiref(!strings.Contains(gvr.Resource, "/"), "skip a name with a slash", "the result holds %s, which is a subresource", gvr)
		s.Requiref(slices.Contains(want, gvr), "an informer needs list and watch, both: discovery.SupportsAllVerbs",
			"the result holds %s, which offers %v", gvr, offered)
		s.Requiref(!slices.Contains(gvrs[:i], gvr), "two informers would follow the same objects: each once", "the result holds %s twice", gvr)
	}
	for _, gvr := range want {
		s.Requiref(slices.Contains(gvrs, gvr), "what counts is that list and watch are among the verbs, in any order and with or without others",
			"the result does not hold %s, which offers %v; it holds %v", gvr, verbs[gvr], gvrs)
	}
}

func TestStep6_NewCachedClient(t *testing.T) {
	check.Step(t, 6, "NewCachedClient", func(s *check.S) {
		// A cache without a folder must not land in the working directory.
		cwd := s.T().TempDir()
		s.T().Chdir(cwd)
		judgeMemory(s)
		s.Requiref(len(files(s, cwd)) == 0,
			"with an empty folder the disk cache means the working directory: use memory.NewMemCacheClientWithContext",
			"a client with an empty dir wrote files into the working directory: %v", files(s, cwd))
		dir := filepath.Join(s.T().TempDir(), "cache")
		judgeDisk(s, dir)
		s.Requiref(len(files(s, cwd)) == 0,
			"NewCachedDiscoveryClientForConfig takes two folders: the first is for discovery, the second for HTTP",
			"a client for %s wrote files into the working directory: %v", dir, files(s, cwd))
		judgeFolders(s, dir)

		_, cfg := s.Recorder()
		for what, dir := range map[string]string{" with an empty dir": "", " with a folder": dir} {
			build := func(cfg *rest.Config) (cachedDiscovery, error) {
				return NewCachedClient(cfg, dir, time.Hour)
			}
			check.JudgeConstructor(s, cfg, what, build, askVersion)
		}
	})
}

func newCached(s *check.S, rec *check.Recorder, cfg *rest.Config, dir string, ttl time.Duration) cachedDiscovery {
	before := rest.CopyConfig(cfg)
	client := check.Must(s, "client", func(context.Context) (cachedDiscovery, error) {
		return NewCachedClient(cfg, dir, ttl)
	})
	s.RequireSameConfig(before, cfg)
	if rec != nil {
		s.RequireNoRequest(rec, "a client is built without asking the server: the first question does that")
	}
	return client
}

// question asks for the groups and for two lists that every server has, not for
// everything: an API that is dead for somebody else is not this step's business.
func question(s *check.S, client cachedDiscovery) (groups []string) {
	err := s.Call(func(ctx context.Context) error {
		list, err := client.ServerGroupsWithContext(ctx)
		if err != nil {
			return err
		}
		for _, group := range list.Groups {
			groups = append(groups, group.Name)
		}
		for _, gv := range []string{"v1", "apps/v1"} {
			resources, err := client.ServerResourcesForGroupVersionWithContext(ctx, gv)
			if err == nil && len(resources.APIResources) == 0 {
				err = errors.New("the list is empty")
			}
			if err != nil {
				return fmt.Errorf("list the resources of %s: %w", gv, err)
			}
		}
		return nil
	})
	s.Requiref(err == nil, check.CauseOf(err), "the client did not answer: %v", err)
	return groups
}

// judgeTwice asks twice: the first answer comes from the server, the second does not.
func judgeTwice(s *check.S, rec *check.Recorder, client cachedDiscovery, with, cause string) {
	question(s, client)
	first := rec.Count(check.Match{})
	rec.Requiref(first > 0, "the first answer comes from the server", "%s the first question cost no request", with)
	question(s, client)
	rec.Requiref(rec.Count(check.Match{}) == first, "the answers are not kept: "+cause,
		"%s, the second question cost %d requests, want none", with, rec.Count(check.Match{})-first)
}

// judgeForgets has the client forget, and asks once more.
func judgeForgets(s *check.S, rec *check.Recorder, client cachedDiscovery) {
	before := rec.Count(check.Match{})
	s.Must(func(ctx context.Context) error { client.InvalidateWithContext(ctx); return nil })
	question(s, client)
	rec.Requiref(rec.Count(check.Match{}) > before,
		"InvalidateWithContext must reach the cache: what is remembered is forgotten, and the server is asked again",
		"after InvalidateWithContext the question cost no request")
}

func judgeMemory(s *check.S) {
	rec, cfg := s.Recorder()
	client := newCached(s, rec, cfg, "", 0)
	judgeTwice(s, rec, client, "with an empty dir",
		"memory.NewMemCacheClientWithContext wraps a discovery client and keeps them. ttl is for the files")
	judgeForgets(s, rec, client)
}

func judgeDisk(s *check.S, dir string) {
	rec, cfg := s.Recorder()
	judgeTwice(s, rec, newCached(s, rec, cfg, dir, time.Hour), "with a new folder", "disk.NewCachedDiscoveryClientForConfig keeps them")
	s.Requiref(len(files(s, dir)) > 0, "the folder is not used: disk.NewCachedDiscoveryClientForConfig writes into its first one",
		"after a question there is no file below %s", dir)

	// Another process would begin like this.
	rec, cfg = s.Recorder()
	other := newCached(s, rec, cfg, dir, time.Hour)
	question(s, other)
	rec.Requiref(rec.Count(check.Match{}) == 0,
		"the files are not found again: the folder's name must depend on the server's address and on nothing else",
		"another client with the same folder and the same server asked the server, %d requests", rec.Count(check.Match{}))
	judgeForgets(s, rec, other)

	rec, cfg = s.Recorder()
	question(s, newCached(s, rec, cfg, dir, time.Nanosecond))
	rec.Requiref(rec.Count(check.Match{}) > 0, "ttl is how long a file is good: hand it over",
		"with a ttl of 1ns, a client answered from old files")
}

func files(s *check.S, dir string) []string {
	var out []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			out = append(out, path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	s.Setup(err, "read "+dir)
	return out
}

// otherServer answers discovery for one made-up server, without a network.
func otherServer(host, group string) (*rest.Config, *atomic.Int64) {
	var asked atomic.Int64
	cfg := &rest.Config{Host: host, QPS: -1}
	cfg.Wrap(func(http.RoundTripper) http.RoundTripper {
		return roundTrip(func(req *http.Request) (*http.Response, error) {
			asked.Add(1)
			data, err := json.Marshal(otherDocument(req.URL.Path, group))
			if err != nil {
				return nil, err
			}
			header := http.Header{"Content-Type": {"application/json"}}
			return &http.Response{StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
				Header: header, Body: io.NopCloser(bytes.NewReader(data)), ContentLength: int64(len(data)), Request: req}, nil
		})
	})
	return cfg, &asked
}

// otherDocument is what the made-up server says at a path.
func otherDocument(path, group string) map[string]any {
	version := func(group string) map[string]any {
		gv := map[string]any{"groupVersion": group + "/v1", "version": "v1"}
		return map[string]any{"name": group, "versions": []any{gv}, "preferredVersion": gv}
	}
	things := map[string]any{"name": "things", "kind": "Thing", "namespaced": true, "verbs": []any{"get"}}
	body := map[string]any{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "v1", "resources": []any{things}}
	switch {
	case strings.HasSuffix(path, "/api"):
		return map[string]any{"kind": "APIVersions", "versions": []any{"v1"}}
	case strings.HasSuffix(path, "/apis"):
		return map[string]any{"kind": "APIGroupList", "apiVersion": "v1", "groups": []any{version("apps"), version(group)}}
	case strings.Contains(path, "/apis/"):
		_, body["groupVersion"], _ = strings.Cut(path, "/apis/")
	}
	return body
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// judgeFolders has several servers share dir.
func judgeFolders(s *check.S, dir string) {
	const (
		share = "two clusters share the files of dir: each needs a folder of its own in it"
		path  = "behind a proxy, clusters differ by the path of their address: it belongs into the folder's name"
	)
	for i, tc := range []struct{ host, cause string }{
		{"https://one.example.com:6443", share},
		{"https://one.example.com:7443", "two servers on one host differ by their port: it belongs into the folder's name"},
		{"https://one.example.com:6443/clusters/a", path},
		{"https://one.example.com:6443/clusters/b", path},
		{"https://two.example.com:6443/clusters/a", "two addresses may end alike: all of cfg.Host belongs into the folder's name"},
	} {
		group := fmt.Sprintf("only-on-%d.example.com", i+1)
		cfg, asked := otherServer(tc.host, group)
		groups := question(s, newCached(s, nil, cfg, dir, time.Hour))
		s.Requiref(asked.Load() > 0 && slices.Contains(groups, group), tc.cause,
			"the client for %s, a server that nobody has asked before, answered from files with the groups %v; that server has %s", tc.host, groups,
			group)
	}
	cfg, asked := otherServer("https://two.example.com", "only-on-two.example.com")
	groups := question(s, newCached(s, nil, cfg, "", 0))
	s.Requiref(asked.Load() > 0 && slices.Contains(groups, "only-on-two.example.com"),
		"each client needs a memory of its own: a package-level variable is shared by all",
		"with an empty dir, the client for another server answered with the groups %v", groups)

	rec, cfg := s.Recorder()
	groups = question(s, newCached(s, rec, cfg, dir, time.Hour))
	s.Requiref(!slices.ContainsFunc(groups, func(g string) bool { return strings.HasPrefix(g, "only-on-") }), share,
		"the client for this cluster answered with another server's groups: %v", groups)
	_, err := os.Stat(dir)
	s.Setup(err, "look at the folder")
}

// forgetful counts how often a cached client was made to forget.
type forgetful struct {
	cachedDiscovery
	forgot atomic.Int64
}

func newForgetful(s *check.S, cfg *rest.Config) *forgetful {
	return &forgetful{cachedDiscovery: memory.NewMemCacheClientWithContext(newDiscovery(s, cfg))}
}

func (f *forgetful) InvalidateWithContext(ctx context.Context) {
	f.forgot.Add(1)
	f.cachedDiscovery.InvalidateWithContext(ctx)
}

func resolve(s *check.S, client cachedDiscovery, word string) (*meta.RESTMapping, error) {
	return check.Call(s, func(ctx context.Context) (*meta.RESTMapping, error) { return ResolveWord(ctx, client, word) })
}

// meaning is a word, and what it means on the server.
type meaning struct {
	word  string
	want  schema.GroupVersionResource
	kind  string
	scope meta.RESTScope
	cause string
}

const (
	plainCause = "a word without a group is looked up in all groups: ParseResourceArg gives the parts, the mapper's KindFor finds it"
	shortCause = "short names stand in the discovery documents; a plain RESTMapper does not know them: " +
		"wrap it in restmapper.NewShortcutExpanderWithContext"
	groupCause   = "the part after the first dot is the group: schema.ParseResourceArg and ParseGroupResource take it apart"
	versionCause = "with three parts the second can be the version: schema.ParseResourceArg and ParseKindArg return both readings. " +
		"Hand the version on to RESTMapping"
	readingsCause = groupCause + ". Of three parts the second need not be a version: when the mapper does not know the first reading of " +
		"ParseResourceArg, try the second"
	kindsCause = "the word is a Kind, and this Kind is not the singular written large: what KindFor does not know, RESTMapping may, " +
		"with schema.ParseKindArg"
	preferCause  = "without a version, the one that the group prefers"
	guessedCause = "the plural cannot be guessed from the word: a RESTMapper made from discovery knows it"
)

// builtInWords are words of every server.
func builtInWords() []meaning {
	deployments, apps := appsV1.WithResource("deployments"), meta.RESTScopeNamespace
	hpa := schema.GroupVersionResource{Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"}
	events := schema.GroupVersionResource{Group: "events.k8s.io", Version: "v1", Resource: "events"}
	ingresses := schema.GroupVersionResource{Group: "networking.k8s.io", Version: "v1", Resource: "ingresses"}
	words := []meaning{
		{"deployments", deployments, "Deployment", apps, plainCause},
		{"deployment", deployments, "Deployment", apps, plainCause},
		{"deploy", deployments, "Deployment", apps, shortCause},
		{"deployments.apps", deployments, "Deployment", apps, groupCause},
		{"deploy.apps", deployments, "Deployment", apps, shortCause},
		{"deployments.v1.apps", deployments, "Deployment", apps, versionCause},
		{"events.events.k8s.io", events, "Event", apps, readingsCause},
		{"Deployment", deployments, "Deployment", apps, kindsCause},
		{"Deployment.apps", deployments, "Deployment", apps, kindsCause},
		{"Deployment.v1.apps", deployments, "Deployment", apps, versionCause},
		{"po", coreV1.WithResource("pods"), "Pod", apps, shortCause},
		{"endpoints", coreV1.WithResource("endpoints"), "Endpoints", apps, guessedCause},
		{"no", coreV1.WithResource("nodes"), "Node", meta.RESTScopeRoot, shortCause},
		{"ingress", ingresses, "Ingress", apps, guessedCause},
		{"horizontalpodautoscalers", hpa, "HorizontalPodAutoscaler", apps, preferCause},
	}
	hpa.Version = "v1"
	return append(words, meaning{"horizontalpodautoscalers.v1.autoscaling", hpa, "HorizontalPodAutoscaler", apps, versionCause})
}

// rodentWords are words of a CRD whose Kind differs from its singular name.
func rodentWords(crd check.CRD) []meaning {
	mice := schema.GroupVersionResource{Group: crd.Group, Version: "v1", Resource: crd.Plural}
	alpha := schema.GroupVersionResource{Group: crd.Group, Version: "v1alpha1", Resource: crd.Plural}
	root := meta.RESTScopeRoot
	return []meaning{
		{crd.Plural, mice, crd.Kind, root, plainCause},
		{crd.Singular, mice, crd.Kind, root, guessedCause},
		{crd.ShortNames[0], mice, crd.Kind, root, shortCause},
		{crd.Plural + "." + crd.Group, mice, crd.Kind, root, groupCause},
		{crd.Kind + "." + crd.Group, mice, crd.Kind, root, kindsCause},
		{crd.Plural + ".v1alpha1." + crd.Group, alpha, crd.Kind, root, versionCause},
		{crd.Kind + ".v1alpha1." + crd.Group, alpha, crd.Kind, root, versionCause},
	}
}

func TestStep7_ResolveWord(t *testing.T) {
	check.Step(t, 7, "ResolveWord", func(s *check.S) {
		mark := "x" + rand.String(5)
		rodents := check.CRD{
			Group: check.RandomGroup(), Plural: "mice" + mark, Singular: "mouse" + mark, Kind: "Rodent" + mark,
			ShortNames: []string{"mc" + mark}, Versions: []string{"v1", "v1alpha1"}, Cluster: true,
		}
		s.InstallCRD(rodents)
		rec, cfg := s.Recorder()
		client := newForgetful(s, cfg)
		words := append(builtInWords(), rodentWords(rodents)...)
		for _, w := range words {
			judgeWord(s, rec, client, w)
		}
		first := rec.Count(check.Match{})
		for _, w := range words {
			judgeWord(s, rec, client, w)
			cost := rec.Count(check.Match{}) - first
			rec.Requiref(cost == 0, "the cache is passed by, or made to forget, although it knows the word: ask client, whose answers are kept",
				"%q was known, and asking again cost %d requests, want none", w.word, cost)
		}
		nonsense := "nonsense" + rand.String(6)
		judgeUnknown(s, client, nonsense, "deployments.no-such-group.example.com", "Nonsense.v1.apps", "deployments.v9.apps")
		judgeForgotten(s, rec, client, mark)
		judgeFailingDiscovery(s)
		judgeHang(s, 0, func(ctx context.Context, cfg *rest.Config) error {
			_, err := ResolveWord(ctx, newForgetful(s, cfg), "deploy")
			return err
		})
	})
}

// judgeWord wants a word's meaning.
func judgeWord(s *check.S, rec *check.Recorder, client cachedDiscovery, w meaning) {
	mapping, err := resolve(s, client, w.word)
	cause := w.cause
	if rec.Count(check.Match{}) == 0 {
		cause = "what a word means stands in the server's discovery documents; client-go's own scheme knows other kinds, " +
			"and neither short names nor custom resources"
	}
	rec.Requiref(err == nil, cause, "%q: want %s, got %s", w.word, w.want, check.ErrorText(err))
	s.Requiref(mapping != nil, "the mapping is not returned", "%q: ResolveWord returned no mapping and no error", w.word)
	s.Requiref(mapping.Resource == w.want, cause, "%q: the resource is %s, want %s", w.word, mapping.Resource, w.want)
	gvk := w.want.GroupVersion().WithKind(w.kind)
	s.Requiref(mapping.GroupVersionKind == gvk, kindCause(mapping.GroupVersionKind, gvk),
		"%q: the kind is %s, want %s", w.word, mapping.GroupVersionKind, gvk)
	s.Requiref(mapping.Scope != nil && mapping.Scope.Name() == w.scope.Name(), "the scope comes from Namespaced of the resource",
		"%q: the scope is not %s", w.word, w.scope.Name())
}

func kindCause(got, want schema.GroupVersionKind) string {
	if strings.EqualFold(got.String(), want.String()) {
		return "a mapper made from discovery finds a Kind in small letters too, and hands it back as it came: " +
			"read the word as a resource first (KindFor), and as a Kind only when that finds nothing"
	}
	return "RESTMapping fills in resource, kind and scope together"
}

// judgeUnknown asks for words that nothing on the server has.
func judgeUnknown(s *check.S, client *forgetful, words ...string) {
	for _, word := range words {
		_, err := resolve(s, client, word)
		s.Requiref(err != nil, "return the mapper's error; a version that the server does not have is no match, and not a word without a version",
			"%q: nothing on the server has this name, and ResolveWord returned no error", word)
		s.Requiref(meta.IsNoMatchError(err),
			"return the mapper's error wrapped with %w, so that a caller can tell \"no such resource\" from \"the server does not answer\"",
			"%q: nothing on the server has this name, and meta.IsNoMatchError is false for the error: %v", word, err)
		s.Requiref(client.forgot.Load() == 0, "this step answers from what the client remembers: to forget and to look again is step 8",
			"%q: ResolveWord made the client forget", word)
	}
}

// judgeForgotten has a CRD appear, and the client forget.
func judgeForgotten(s *check.S, rec *check.Recorder, client *forgetful, mark string) {
	late := check.CRD{
		Group: check.RandomGroup(), Plural: "geese" + mark, Singular: "goose" + mark, Kind: "Bird" + mark,
		ShortNames: []string{"gs" + mark}, Versions: []string{"v1"},
	}
	s.InstallCRD(late)
	client.cachedDiscovery.InvalidateWithContext(s.Context())
	geese := schema.GroupVersionResource{Group: late.Group, Version: "v1", Resource: late.Plural}
	const kept = "the client has forgotten what it knew, and a mapper kept from an earlier call has not: build the mapper anew " +
		"in each call, or reset it"
	judgeWord(s, rec, client, meaning{late.ShortNames[0], geese, late.Kind, meta.RESTScopeNamespace, kept})
	judgeWord(s, rec, client, meaning{late.Kind + "." + late.Group, geese, late.Kind, meta.RESTScopeNamespace, kindsCause})
}

// judgeFailingDiscovery has a part of the discovery fail, and all of it.
func judgeFailingDiscovery(s *check.S) {
	rec, cfg := s.Recorder()
	rec.Rewrite(groupLists, 1, stale(appsV1))
	_, err := resolve(s, newForgetful(s, cfg), "po")
	rec.Requiref(err == nil, "one broken API must not hide the rest: a partial failure comes with results",
		"\"po\", while the discovery of apps/v1 fails: %s", check.ErrorText(err))

	rec, cfg = s.Recorder()
	rec.Refuse(check.Match{Path: "/api"}, http.StatusInternalServerError)
	_, err = resolve(s, newForgetful(s, cfg), "deploy")
	rec.Requiref(err != nil, "the error is dropped", "discovery was answered with 500, and ResolveWord returned no error")
	rec.Requiref(!meta.IsNoMatchError(err),
		"an error of the discovery says nothing about the word: return it, and look at the next reading only when meta.IsNoMatchError",
		"discovery was answered with 500, and ResolveWord says that there is no match: %v", err)
	s.Requiref(apierrors.IsInternalError(err), "wrap the error with %w",
		"discovery was answered with 500; want an error that wraps its status, got %s", check.ErrorText(err))
}

// looks is a lookUp of the check's own, and what it was called with.
type looks struct {
	client  *forgetful
	answers []error // of the calls, in order; the last one is given again
	calls   int
	forgot  []int64 // how often the client had been made to forget, at each call
	strange bool    // a call got another context than the step
}

// lookMark is the key of a value in the step's context.
type lookMark struct{}

var foundMapping = &meta.RESTMapping{Resource: appsV1.WithResource("deployments"), GroupVersionKind: appsV1.WithKind("Deployment")}

func (l *looks) lookUp(ctx context.Context) (*meta.RESTMapping, error) {
	err := l.answers[min(l.calls, len(l.answers)-1)]
	l.calls++
	l.forgot = append(l.forgot, l.client.forgot.Load())
	l.strange = l.strange || ctx.Value(lookMark{}) == nil
	if l.calls > 20 {
		return nil, errors.New("the check has seen enough calls")
	}
	if err != nil {
		return nil, err
	}
	return foundMapping, nil
}

// refresh calls RefreshOnNoMatch with a lookUp that gives these answers.
func refresh(s *check.S, answers ...error) (*looks, *meta.RESTMapping, error) {
	_, cfg := undisturbed(s)
	l := &looks{client: newForgetful(s, cfg), answers: answers}
	mapping, err := check.Call(s, func(ctx context.Context) (*meta.RESTMapping, error) {
		return RefreshOnNoMatch(context.WithValue(ctx, lookMark{}, true), l.client, l.lookUp)
	})
	s.Require(!l.strange, "RefreshOnNoMatch called lookUp with another context",
		"hand ctx on: with context.Background() nobody can end the search")
	return l, mapping, err
}

func TestStep8_RefreshOnNoMatch(t *testing.T) {
	check.Step(t, 8, "RefreshOnNoMatch", func(s *check.S) {
		judgeKnown(s)
		judgeOtherErrors(s)
		judgeLooksAgain(s)
		judgeBrokenGroup(s)
		judgeLateCRD(s)
	})
}

// judgeKnown has the first call find the word.
func judgeKnown(s *check.S) {
	l, mapping, err := refresh(s, nil)
	s.Requiref(err == nil, "return what lookUp returns", "lookUp found a mapping, and RefreshOnNoMatch returned an error: %v", err)
	s.Require(l.client.forgot.Load() == 0, "lookUp found a mapping, and the client was made to forget",
		"the cache is forgotten although it knows the word: call InvalidateWithContext only when there is no match")
	s.Requiref(l.calls == 1, "a mapping is found: there is nothing to look for any more",
		"lookUp found a mapping and was called %d times, want once", l.calls)
	s.Requiref(mapping == foundMapping, "return lookUp's mapping", "lookUp found %v, and RefreshOnNoMatch returned %v", foundMapping, mapping)
}

// noMatch is an error for which meta.IsNoMatchError is true.
func noMatch(word string) error {
	return fmt.Errorf("find %q: %w", word, &meta.NoResourceMatchError{PartialResource: schema.GroupVersionResource{Resource: word}})
}

// judgeLooksAgain has the first call find no match: the second one finds the
// word, finds no match either, or fails.
func judgeLooksAgain(s *check.S) {
	failed := apierrors.NewInternalError(errors.New("injected by the check"))
	first, second := noMatch("first"), noMatch("second")
	for _, tc := range []struct {
		what   string
		answer error
		cause  string
	}{
		{"the second would find the word", nil, "the word may be new on the server: call InvalidateWithContext once and look again"},
		{"neither does the second", second, "return the second call's error wrapped with %w, so that meta.IsNoMatchError is still true"},
		{"the second fails with 500", failed, "the answer to the first look is old: only the second can say that there is no match"},
	} {
		l, mapping, err := refresh(s, first, tc.answer)
		what := "the first call of lookUp finds no match, " + tc.what + ", "
		s.Requiref(l.calls > 1, "the word may be new on the server: call InvalidateWithContext once and look again",
			"%sand it was not called", what)
		s.Requiref(l.forgot[1] > 0, "lookUp reads what the client remembers: call InvalidateWithContext first, else it finds the same again",
			"%sand the client was not made to forget between the two", what)
		s.Requiref(l.calls == 2 && l.client.forgot.Load() == 1, "look again once, not until it is found",
			"%sand there were %d calls and the client was made to forget %d times, want 2 and 1", what, l.calls, l.client.forgot.Load())
		s.Requiref(errors.Is(err, tc.answer) && !errors.Is(err, first), tc.cause,
			"%sand RefreshOnNoMatch returned %s", what, check.ErrorText(err))
		s.Requiref(meta.IsNoMatchError(err) == meta.IsNoMatchError(tc.answer), tc.cause,
			"%sand meta.IsNoMatchError is %t for the error: %v", what, meta.IsNoMatchError(err), err)
		s.Requiref((mapping == foundMapping) == (tc.answer == nil), "return lookUp's mapping, and nil with an error",
			"%sand RefreshOnNoMatch returned the mapping %v", what, mapping)
	}
}

// judgeOtherErrors has lookUp fail for another reason than the word.
func judgeOtherErrors(s *check.S) {
	failed := fmt.Errorf("discover: %w", apierrors.NewInternalError(errors.New("injected by the check")))
	l, _, err := refresh(s, failed, nil)
	s.Require(err != nil, "lookUp failed with 500, and RefreshOnNoMatch returned no error", "the error is dropped, or lookUp was called again")
	s.Requiref(!meta.IsNoMatchError(err), "an error of the discovery says nothing about the word: return it",
		"lookUp failed with 500, and RefreshOnNoMatch says that there is no match: %v", err)
	s.Requiref(apierrors.IsInternalError(err), "return the error, wrapped with %w",
		"lookUp failed with 500; want an error that wraps its status, got %v", err)
	s.Requiref(l.calls == 1 && l.client.forgot.Load() == 0,
		"only \"no match\" is a reason to forget: what the client remembers is all that there is while the server does not answer",
		"lookUp failed with 500; it was called %d times, and the client was made to forget %d times, want once and never", l.calls,
		l.client.forgot.Load())
}

// findKind calls RefreshOnNoMatch with a lookUp that asks a mapper for a kind.
func findKind(s *check.S, client cachedDiscovery, kind schema.GroupKind) error {
	_, err := check.Call(s, func(ctx context.Context) (*meta.RESTMapping, error) {
		return RefreshOnNoMatch(ctx, client, func(ctx context.Context) (*meta.RESTMapping, error) {
			return restmapper.NewDeferredDiscoveryRESTMapperWithContext(client).RESTMappingWithContext(ctx, kind)
		})
	})
	return err
}

// judgeBrokenGroup has the discovery of the word's own group fail each time.
func judgeBrokenGroup(s *check.S) {
	rec, cfg := undisturbed(s)
	rec.Refuse(check.Match{Path: "/apis/apps/v1"}, http.StatusServiceUnavailable)
	rec.Rewrite(groupLists, check.Always, stale(appsV1))
	err := findKind(s, newForgetful(s, cfg), schema.GroupKind{Group: "apps", Kind: "Deployment"})
	const cause = "a mapper does not tell of a group-version that failed: before you say that there is no match, ask " +
		"ServerGroupsAndResourcesWithContext, and return its error, wrapped with %w"
	rec.Requiref(err != nil && !meta.IsNoMatchError(err), cause,
		"the discovery of apps/v1 fails, and RefreshOnNoMatch says of a Deployment: %s", check.ErrorText(err))
	failed, _ := discovery.GroupDiscoveryFailedErrorGroups(err)
	rec.Requiref(failed[appsV1] != nil, cause,
		"the discovery of apps/v1 fails, and no ErrGroupDiscoveryFailed that names it is in the error: %v", err)
}

// judgeLateCRD has a CRD appear after the cache was filled, and an API that was
// broken then come back.
func judgeLateCRD(s *check.S) {
	rec, cfg := s.Recorder()
	rec.Rewrite(groupLists, 1, stale(appsV1))
	client := newForgetful(s, cfg)
	find := func(kind schema.GroupKind) error { return findKind(s, client, kind) }
	const again = "what failed before, or was not there, is not in the cache: when there is no match, " +
		"call InvalidateWithContext once and look again"
	s.Setup(find(schema.GroupKind{Kind: "Pod"}), "fill the cache")
	err := find(schema.GroupKind{Group: "apps", Kind: "Deployment"})
	rec.Requiref(err == nil, again, "Deployment, after the discovery of apps/v1 came back: %s", check.ErrorText(err))
	late := check.CRD{Group: check.RandomGroup(), Plural: "geese", Singular: "goose", Kind: "Goose", Versions: []string{"v1"}}
	s.InstallCRD(late)
	err = find(schema.GroupKind{Group: late.Group, Kind: late.Kind})
	rec.Requiref(err == nil, again, "%s, whose CRD appeared after the cache was filled: %s", late.Kind, check.ErrorText(err))
	filled := rec.Count(check.Match{})
	s.Requiref(find(schema.GroupKind{Kind: "Pod"}) == nil && rec.Count(check.Match{}) == filled,
		"after the one refresh the cache knows the words: call InvalidateWithContext only when there is no match",
		"a word that is known again costs %d requests", rec.Count(check.Match{})-filled)
}
