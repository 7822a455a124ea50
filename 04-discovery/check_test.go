package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
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

	"example.com/client-go-workshop/internal/check"
)

// newDiscovery is the client of the check's own making: a step is judged whether
// or not step 1 is written.
func newDiscovery(s *check.S, cfg *rest.Config) *discovery.DiscoveryClient {
	client, err := discovery.NewDiscoveryClientForConfig(cfg)
	s.Setup(err, "build a discovery client")
	return client
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
	s.Setup(err, "discover what the server serves")
	if lists == nil {
		s.Setup(errors.New("the server has no aggregated discovery"), "discover what the server serves")
	}
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

func TestStep1_NewClient(t *testing.T) {
	check.Step(t, 1, "NewClient", func(s *check.S) {
		rec, cfg := s.Recorder()
		cfg.QPS, cfg.Burst = 0, 0
		cfg.UserAgent = "the-caller/1.0"
		before := rest.CopyConfig(cfg)
		var client discovery.DiscoveryInterfaceWithContext
		s.Must(func(context.Context) (err error) {
			client, err = NewClient(cfg)
			return err
		})
		s.Require(client != nil, "NewClient returned no client and no error", "the client is not returned")
		s.Require(rec.Count(check.Match{}) == 0, "NewClient made a request\n"+rec.Trace(), "a client is built without asking the server")
		judgeUnchanged(s, before, cfg)

		err := s.Call(func(ctx context.Context) error {
			_, err := client.ServerGroupsWithContext(ctx)
			return err
		})
		sent := rec.Requests(check.Match{})
		for _, req := range sent {
			s.Require(slices.Contains([]string{"/api", "/api/v1", "/apis"}, req.Path) || strings.HasPrefix(req.Path, "/apis/"),
				fmt.Sprintf("the client asked for %s, want /api and /apis\n%s", req.Path, rec.Trace()),
				"discovery lies at the top of the server: no APIPath and no GroupVersion is set")
			s.Require(req.UserAgent == "client-go-workshop/discovery",
				fmt.Sprintf("the User-Agent is %q, want %q", req.UserAgent, "client-go-workshop/discovery"), "UserAgent is not set in the copy of the config; the one that the caller had does not count")
		}
		s.Require(err == nil && len(sent) > 0, fmt.Sprintf("ServerGroupsWithContext of the client gave %s\n%s", check.ErrorText(err), rec.Trace()),
			"the client is not built from cfg: discovery.NewDiscoveryClientForConfig takes it whole, with TLS, credentials and wrappers")

		judgeConstructor(s, cfg, "", NewClient)
	})
}

// judgeConstructor gives a constructor a config whose server must not be
// trusted, and one that cannot be used.
func judgeConstructor[C discovery.DiscoveryInterfaceWithContext](s *check.S, cfg *rest.Config, what string, build func(*rest.Config) (C, error)) {
	other := httptest.NewTLSServer(http.NotFoundHandler())
	defer other.Close()
	strange := rest.CopyConfig(cfg)
	strange.CAFile = ""
	strange.CAData = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: other.Certificate().Raw})
	err := s.Call(func(ctx context.Context) error {
		client, err := build(strange)
		if err != nil {
			return err
		}
		_, err = client.ServerVersionWithContext(ctx)
		return err
	})
	s.Require(err != nil, fmt.Sprintf("with the certificate authority of another server in the caller's config, the client of %s%s got an answer", stepName(s), what),
		"the server's certificate is not verified: keep the TLSClientConfig as it is")

	bad := rest.CopyConfig(cfg)
	bad.TLSClientConfig.CAData, bad.TLSClientConfig.CAFile = nil, filepath.Join(s.T().TempDir(), "no-such-ca.crt")
	err = s.Call(func(context.Context) error {
		_, err := build(bad)
		return err
	})
	s.Require(err != nil, fmt.Sprintf("for a config whose CA file does not exist, %s%s returned no error", stepName(s), what),
		"the error of the constructor is dropped: return it")
}

// judgeUnchanged wants the caller's config as it was.
func judgeUnchanged(s *check.S, before, cfg *rest.Config) {
	for _, field := range []struct {
		name    string
		was, is any
	}{
		{"Host", before.Host, cfg.Host},
		{"APIPath", before.APIPath, cfg.APIPath},
		{"GroupVersion", before.GroupVersion, cfg.GroupVersion},
		{"NegotiatedSerializer", before.NegotiatedSerializer, cfg.NegotiatedSerializer},
		{"UserAgent", before.UserAgent, cfg.UserAgent},
		{"QPS", before.QPS, cfg.QPS},
		{"Burst", before.Burst, cfg.Burst},
		{"Timeout", before.Timeout, cfg.Timeout},
	} {
		s.Require(reflect.DeepEqual(field.was, field.is), fmt.Sprintf("the caller's config was changed: %s was %v and is %v", field.name, field.was, field.is),
			"rest.Config is shared: work on rest.CopyConfig(cfg)")
	}
}

func TestStep2_ServerAtLeast(t *testing.T) {
	check.Step(t, 2, "ServerAtLeast", func(s *check.S) {
		ask := func(cfg *rest.Config, major, minor uint) (version string, ok bool, err error) {
			err = s.Call(func(ctx context.Context) (err error) {
				version, ok, err = ServerAtLeast(ctx, newDiscovery(s, cfg), major, minor)
				return err
			})
			return version, ok, err
		}

		info, err := s.Clientset().Discovery().ServerVersion()
		s.Setup(err, "read the server's version")
		rec, cfg := s.Recorder()
		version, _, err := ask(cfg, 1, 0)
		s.Require(rec.Count(check.Match{}) > 0, "no request was sent\n"+rec.Trace(), "the version must come from the server: ServerVersionWithContext")
		for _, req := range rec.Requests(check.Match{}) {
			s.Require(req.Path == "/version", fmt.Sprintf("the request went to %s, want /version\n%s", req.Path, rec.Trace()), "ServerVersionWithContext asks for /version and nothing else")
		}
		s.Require(err == nil, fmt.Sprintf("ServerAtLeast returned an error: %v\n%s", err, rec.Trace()), check.CauseOf(err))
		s.Require(version == info.GitVersion, fmt.Sprintf("the version is %q, want the server's gitVersion, %q", version, info.GitVersion),
			"return GitVersion of version.Info as the server sent it")

		const (
			numbers = "versions are numbers, not text: as text \"9\" comes after \"10\", and a float has no place for 1.10"
			suffix  = "what follows major and minor does not count: version.ParseGeneric reads the numbers and leaves the rest, ParseSemantic puts a pre-release before its release"
			fields  = "the fields major and minor of the answer cannot be relied on, they may be empty or end in \"+\": parse gitVersion"
			parts   = "the major version is compared first, and the minor only when the majors are equal: version.MajorMinor and AtLeast do both"
			patch   = "only major and minor count: a patch release is at least its minor release"
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
			rec, cfg := s.Recorder()
			rec.AnswerRaw(check.Match{Path: "/version"}, http.StatusOK, "application/json",
				fmt.Sprintf(`{"major":%q,"minor":%q,"gitVersion":%q,"platform":"linux/amd64"}`, tc.major, tc.minor, tc.git))
			version, got, err := ask(cfg, tc.wantMajor, tc.wantMinor)
			server := fmt.Sprintf("a server of gitVersion %q, major %q, minor %q", tc.git, tc.major, tc.minor)
			s.Require(err == nil, fmt.Sprintf("for %s, ServerAtLeast returned an error: %v", server, err), tc.cause)
			s.Require(got == tc.want, fmt.Sprintf("%s: at least %d.%d gave %t, want %t", server, tc.wantMajor, tc.wantMinor, got, tc.want), tc.cause)
			s.Require(version == tc.git, fmt.Sprintf("%s: the version returned is %q", server, version), "return GitVersion as the server sent it, with its suffix")
		}

		for _, git := range []string{"unknown", "", "v1"} {
			rec, cfg = s.Recorder()
			rec.AnswerRaw(check.Match{Path: "/version"}, http.StatusOK, "application/json", fmt.Sprintf(`{"major":"","minor":"","gitVersion":%q}`, git))
			_, _, err = ask(cfg, 1, 30)
			s.Require(err != nil, fmt.Sprintf("for a server of gitVersion %q, ServerAtLeast returned no error", git),
				"a version that cannot be parsed says nothing: \"not known\" is not \"too old\", so return the error")
		}

		rec, cfg = s.Recorder()
		rec.Answer(check.Match{Path: "/version"}, 0, check.Always, http.StatusInternalServerError, metav1.StatusReasonInternalError, "injected by the check")
		_, _, err = ask(cfg, 1, 30)
		s.Require(apierrors.IsInternalError(err), fmt.Sprintf("the server answered 500; want an error that wraps its status, got %s\n%s", check.ErrorText(err), rec.Trace()),
			"a server that does not answer is not an old server: return the error, wrapped with %w")

		judgeHang(s, func(ctx context.Context, cfg *rest.Config) error {
			_, _, err := ServerAtLeast(ctx, newDiscovery(s, cfg), 1, 30)
			return err
		})
	})
}

// askResources is a call of step 3 or step 4.
type askResources func(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) ([]*metav1.APIResourceList, map[schema.GroupVersion]error, error)

// answer is what such a call returned.
type answer struct {
	lists  []*metav1.APIResourceList
	failed map[schema.GroupVersion]error
}

func (a answer) resources() map[schema.GroupVersionResource]int {
	out := map[schema.GroupVersionResource]int{}
	for _, list := range a.lists {
		if list == nil {
			continue
		}
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			continue
		}
		for _, resource := range list.APIResources {
			out[gv.WithResource(resource.Name)]++
		}
	}
	return out
}

func (a answer) names() string {
	var names []string
	for gv := range a.failed {
		names = append(names, gv.String())
	}
	slices.Sort(names)
	return "[" + strings.Join(names, " ") + "]"
}

const (
	partialCause = "part of the discovery failed, and the whole of it was given up: ErrGroupDiscoveryFailed comes together with the results. Keep them, and put its groups into the map (discovery.GroupDiscoveryFailedErrorGroups)"
	droppedCause = "the failure is dropped: whoever reads the result takes the missing group for absent. discovery.GroupDiscoveryFailedErrorGroups(err) names what failed; restmapper.GetAPIGroupResources does not tell"
	manyCause    = "one request for each group-version is what old servers need. ServerGroupsAndResourcesWithContext and ServerPreferredResourcesWithContext get everything with two"
)

// judgePartly judges an answer while group-version down fails and up is served.
func judgePartly(s *check.S, rec *check.Recorder, what string, a answer, err error, down, up schema.GroupVersion) {
	s.Require(err == nil, fmt.Sprintf("%s, and %s did not return the rest but an error: %v\n%s", what, stepName(s), err, rec.Trace()), partialCause)
	isUp := false
	for _, list := range a.lists {
		if list == nil {
			s.Fail(fmt.Sprintf("%s, and one of the lists is nil", what), "a group-version that failed has no list: leave it out")
			return
		}
		isUp = isUp || list.GroupVersion == up.String() && len(list.APIResources) > 0
		s.Require(list.GroupVersion != down.String() || len(list.APIResources) == 0,
			fmt.Sprintf("%s, and there is a list with the resources of %s", what, down), "the resources do not come from the server")
	}
	s.Require(isUp, fmt.Sprintf("%s, and %s, which is served, is not among the %d lists\n%s", what, up, len(a.lists), rec.Trace()), partialCause)
	cause, named := a.failed[down]
	s.Require(named, fmt.Sprintf("%s, and the map of failed group-versions does not name it: %s", what, a.names()), droppedCause)
	s.Require(cause != nil, fmt.Sprintf("%s, and the map names it with a nil error", what), "hand on the error that client-go gives for the group-version")
	_, named = a.failed[up]
	s.Require(!named, fmt.Sprintf("%s, and the map names %s, which is served", what, up), "only the group-versions in ErrGroupDiscoveryFailed failed")
}

func stepName(s *check.S) string {
	name := s.T().Name()
	return name[strings.LastIndex(name, "_")+1:]
}

// judgeFewRequests allows the two that aggregated discovery needs, their
// repetition after a partial failure, and a little more.
func judgeFewRequests(s *check.S, rec *check.Recorder) {
	single := 0
	for _, req := range rec.Requests(check.Match{}) {
		if req.Path != "/api" && req.Path != "/apis" {
			single++
		}
	}
	s.Require(rec.Count(check.Match{}) > 0, stepName(s)+" sent no request\n"+rec.Trace(), "the resources must come from the server")
	s.Require(single <= 5, fmt.Sprintf("%d requests were sent, %d of them for one group-version; want GET /api and GET /apis\n%s", rec.Count(check.Match{}), single, rec.Trace()), manyCause)
	s.Require(rec.Count(check.Match{}) <= 12, fmt.Sprintf("%d requests were sent for one question\n%s", rec.Count(check.Match{}), rec.Trace()),
		"a partial failure is an answer, not a reason to ask until it is over")
}

// judgeOldServer has an old server's discovery, one request for each
// group-version, of which one fails.
func judgeOldServer(s *check.S, ask askResources) {
	apps := schema.GroupVersion{Group: "apps", Version: "v1"}
	rec, cfg := s.Recorder()
	rec.Answer(check.Match{Path: "/apis/apps/v1"}, 0, check.Always, http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, "injected by the check")
	a, err := asking(s, ask, newDiscovery(s, cfg).WithLegacyWithContext(s.Context()))
	judgePartly(s, rec, "on a server without aggregated discovery, GET /apis/apps/v1 was answered with 503", a, err, apps, schema.GroupVersion{Version: "v1"})
}

// judgeWholeFailure fails /apis: then nothing is known.
func judgeWholeFailure(s *check.S, ask askResources) {
	rec, cfg := s.Recorder()
	rec.Answer(check.Match{Path: "/apis"}, 0, check.Always, http.StatusInternalServerError, metav1.StatusReasonInternalError, "injected by the check")
	a, err := asking(s, ask, newDiscovery(s, cfg))
	s.Require(err != nil, fmt.Sprintf("GET /apis was answered with 500, and %s returned %d lists and no error\n%s", stepName(s), len(a.lists), rec.Trace()),
		"only ErrGroupDiscoveryFailed is a partial failure; any other error means that nothing is known, and no lists would say \"the server has nothing\"")
	s.Require(apierrors.IsInternalError(err), fmt.Sprintf("GET /apis was answered with 500; want an error that wraps its status, got %s", check.ErrorText(err)),
		"wrap the error with %w")
	s.Require(len(a.lists) == 0, fmt.Sprintf("GET /apis was answered with 500, and %s returned %d lists with its error", stepName(s), len(a.lists)), "with an error there are no lists")
}

// judgeHang has a server that does not answer.
func judgeHang(s *check.S, call func(ctx context.Context, cfg *rest.Config) error) {
	rec, cfg := s.Recorder()
	rec.Delay(check.Match{}, check.Always, time.Minute)
	err := s.CallWithin(6*time.Second, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
		defer cancel()
		return call(ctx, cfg)
	})
	s.Require(err != nil, fmt.Sprintf("ctx ended while the server did not answer, and %s returned no error\n%s", stepName(s), rec.Trace()), "the end of ctx is an error: return it")
	s.Require(errors.Is(err, context.DeadlineExceeded), fmt.Sprintf("ctx ended while the server did not answer, and errors.Is(err, context.DeadlineExceeded) is false: %v", err),
		"wrap the error with %w, and hand ctx to the method whose name ends in WithContext")
}

func judgeResourcesHang(s *check.S, ask askResources) {
	judgeHang(s, func(ctx context.Context, cfg *rest.Config) error {
		_, _, err := ask(ctx, newDiscovery(s, cfg))
		return err
	})
}

func asking(s *check.S, ask askResources, client discovery.DiscoveryInterfaceWithContext) (a answer, err error) {
	// Not for long: an API that is dead for this call is dead for everybody.
	err = s.CallWithin(10*time.Second, func(ctx context.Context) (err error) {
		a.lists, a.failed, err = ask(ctx, client)
		return err
	})
	return a, err
}

func TestStep3_ServerResources(t *testing.T) {
	check.Step(t, 3, "ServerResources", func(s *check.S) {
		// One dead API among the living, for as short a time as possible.
		rec, cfg := s.Recorder()
		client := newDiscovery(s, cfg)
		before := snapshotOf(s)
		dead, remove := s.DeadAPI()
		a, err := asking(s, ServerResources, client)
		remove()
		after := snapshotOf(s)
		what := fmt.Sprintf("the backend of the aggregated API %s does not answer", dead)
		judgePartly(s, rec, what, a, err, dead, schema.GroupVersion{Group: "apps", Version: "v1"})
		judgeComplete(s, rec, a, inBoth(before.resources(), after.resources()))
		judgeFewRequests(s, rec)

		judgeOldServer(s, ServerResources)
		judgeWholeFailure(s, ServerResources)
		judgeResourcesHang(s, ServerResources)
	})
}

// judgeComplete wants every resource in every version, each list once.
func judgeComplete(s *check.S, rec *check.Recorder, a answer, want map[schema.GroupVersionResource]bool) {
	got := a.resources()
	versions := map[schema.GroupResource]bool{}
	for gvr := range got {
		versions[gvr.GroupResource()] = true
	}
	for gvr := range want {
		if got[gvr] > 0 {
			continue
		}
		cause := "what client-go returns is the whole: filter nothing here"
		if versions[gvr.GroupResource()] {
			cause = "the task asks for every version; only one of them is here. ServerPreferredResources picks one, ServerGroupsAndResources does not"
		}
		s.Fail(fmt.Sprintf("%s is served and is not in the lists\n%s", gvr, rec.Trace()), cause)
	}
	seen := map[string]bool{}
	for _, list := range a.lists {
		s.Require(!seen[list.GroupVersion], fmt.Sprintf("there are two lists for %s", list.GroupVersion), "one list for each group-version")
		seen[list.GroupVersion] = true
	}
	for gv := range a.failed {
		for gvr := range want {
			s.Require(gvr.GroupVersion() != gv, fmt.Sprintf("the map of failed group-versions names %s, which is served", gv), "only the group-versions in ErrGroupDiscoveryFailed failed")
		}
	}
	log := schema.GroupVersionResource{Version: "v1", Resource: "pods/log"}
	s.Require(got[log] > 0, fmt.Sprintf("%s is served and is not in the lists\n%s", log, rec.Trace()), "subresources stand among the resources, and everything is asked for here: filter nothing")
}

func TestStep4_PreferredResources(t *testing.T) {
	check.Step(t, 4, "PreferredResources", func(s *check.S) {
		// Two versions of one resource, and another that only older versions have.
		group := check.RandomGroup()
		s.InstallCRD(check.CRD{Group: group, Plural: "mice", Singular: "mouse", Kind: "Mouse", Versions: []string{"v1", "v1beta1", "v1alpha1"}})
		s.InstallCRD(check.CRD{Group: group, Plural: "relics", Singular: "relic", Kind: "Relic", Versions: []string{"v1alpha1", "v1beta1"}, Cluster: true})

		// A result that depends on the order of a Go map is wrong once in a while.
		for range 5 {
			rec, cfg := s.Recorder()
			before := snapshotOf(s)
			a, err := asking(s, PreferredResources, newDiscovery(s, cfg))
			after := snapshotOf(s)
			s.Require(err == nil, fmt.Sprintf("PreferredResources returned an error: %v\n%s", err, rec.Trace()), partialCause)
			judgePreferred(s, rec, a, before, after, group)
			judgeFewRequests(s, rec)
		}

		// A group may prefer an older version.
		rec, cfg := s.Recorder()
		rec.Rewrite(check.Match{Path: "/apis"}, check.Always, preferring(group, "v1beta1"))
		a, err := asking(s, PreferredResources, newDiscovery(s, cfg))
		s.Require(err == nil, fmt.Sprintf("PreferredResources returned an error: %v\n%s", err, rec.Trace()), partialCause)
		s.Require(a.resources()[schema.GroupVersionResource{Group: group, Version: "v1beta1", Resource: "mice"}] == 1,
			fmt.Sprintf("group %s has v1 and prefers v1beta1, and mice are not returned in v1beta1\n%s", group, rec.Trace()),
			"PreferredVersion of the APIGroup says what the group prefers, and that need not be the newest: the names of the versions say nothing")

		apps := schema.GroupVersion{Group: "apps", Version: "v1"}
		rec, cfg = s.Recorder()
		rec.Answer(check.Match{Path: "/apis/apps/v1"}, 0, check.Always, http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, "injected by the check")
		rec.Rewrite(check.Match{Path: "/apis"}, check.Always, stale(apps))
		a, err = asking(s, PreferredResources, newDiscovery(s, cfg))
		judgePartly(s, rec, "the discovery of apps/v1 fails", a, err, apps, schema.GroupVersion{Group: "batch", Version: "v1"})
		judgeFewRequests(s, rec)

		judgeOldServer(s, PreferredResources)
		judgeWholeFailure(s, PreferredResources)
		judgeResourcesHang(s, PreferredResources)
	})
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
// It leaves every other document alone.
func changeVersions(group string, change func(versions []any)) func([]byte) ([]byte, error) {
	return func(body []byte) ([]byte, error) {
		var doc map[string]any
		if err := json.Unmarshal(body, &doc); err != nil || doc["kind"] != "APIGroupDiscoveryList" {
			return body, nil
		}
		items, _ := doc["items"].([]any)
		for _, item := range items {
			entry, _ := item.(map[string]any)
			if metadata, _ := entry["metadata"].(map[string]any); metadata["name"] == group {
				versions, _ := entry["versions"].([]any)
				change(versions)
			}
		}
		return json.Marshal(doc)
	}
}

func judgePreferred(s *check.S, rec *check.Recorder, a answer, before, after snapshot, group string) {
	got := map[schema.GroupResource][]string{}
	clusterScoped := false
	for _, list := range a.lists {
		s.Require(list != nil, "one of the lists is nil", "leave out what is not there")
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		s.Require(err == nil, fmt.Sprintf("a list has the GroupVersion %q", list.GroupVersion), "GroupVersion is group/version, or version alone for the core group")
		for _, resource := range list.APIResources {
			s.Require(!strings.Contains(resource.Name, "/"), fmt.Sprintf("%s of %s is a subresource", resource.Name, list.GroupVersion),
				"a list of discovery has the subresources among the resources, as names with a slash: skip them")
			gr := schema.GroupResource{Group: gv.Group, Resource: resource.Name}
			got[gr] = append(got[gr], gv.Version)
			clusterScoped = clusterScoped || !resource.Namespaced
		}
	}
	s.Require(len(got) > 0, "there is no resource in the lists\n"+rec.Trace(), "return what client-go found")
	s.Require(clusterScoped, "the lists hold no cluster-scoped resource, not even nodes", "ServerPreferredNamespacedResources leaves them out; the task asks for both")

	// Own resources first: their messages are the same on every cluster.
	own := func(resource, want, cause string) {
		gr := schema.GroupResource{Group: group, Resource: resource}
		versions := got[gr]
		s.Require(len(versions) > 0, fmt.Sprintf("%s is served and is not in the lists\n%s", gr, rec.Trace()), cause)
		s.Require(len(versions) == 1, fmt.Sprintf("%s is in the lists of several versions: %v", gr, versions), "each resource once: its versions are the same objects")
		s.Require(versions[0] == want, fmt.Sprintf("%s is returned in version %s, want %s", gr, versions[0], want), cause)
	}
	own("mice", "v1", "the group prefers v1: PreferredVersion of its APIGroup says so. The order of the lists says nothing, and neither does that of the names")
	own("relics", "v1beta1", "a group's preferred version need not have every resource: this one is only in v1beta1 and v1alpha1, and the first of them in its APIGroup counts. The order of the lists says nothing")

	preferredBefore, preferredAfter := before.preferred(), after.preferred()
	for gr, version := range inBoth(preferredBefore, preferredAfter) {
		own := got[gr]
		s.Require(len(own) == 1, fmt.Sprintf("%s is served and is in the lists of %d versions: %v", gr, len(own), own), "each resource once")
		s.Require(own[0] == version, fmt.Sprintf("%s is returned in version %s, want %s", gr, own[0], version), "the version that the group prefers")
	}
	for gr := range got {
		if gr.Group != group && check.OfCheck(gr.Group) {
			continue // another check's, which may have come and gone meanwhile
		}
		_, known := preferredBefore[gr]
		_, knownAfter := preferredAfter[gr]
		s.Require(known || knownAfter, fmt.Sprintf("%s is in the lists and the server does not serve it", gr), "the resources must come from the server")
	}
}

// craftedLists are lists as a server sends them, with every trap that a table
// can fall into.
func craftedLists() []*metav1.APIResourceList {
	all := metav1.Verbs{"watch", "create", "list", "get", "delete"}
	return []*metav1.APIResourceList{
		{GroupVersion: "zoo.example.com/v1beta1", APIResources: []metav1.APIResource{
			{Name: "mice", SingularName: "mouse", Namespaced: true, Kind: "Mouse", Verbs: all},
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
			{Name: "deployments", Namespaced: true, Group: "kinds.example.com", Version: "v9", Kind: "Deployment", ShortNames: []string{"deploy", "dep"}, Verbs: metav1.Verbs{"watch", "list"}},
			{Name: "deployments/scale", Namespaced: true, Group: "autoscaling", Version: "v1", Kind: "Scale", Verbs: metav1.Verbs{"get", "list", "watch"}},
		}},
		{GroupVersion: "empty.example.com/v1"},
		{GroupVersion: "zoo.example.com/v2", APIResources: []metav1.APIResource{
			{Name: "mice", Namespaced: true, Kind: "Mouse", Verbs: all},
		}},
		{GroupVersion: "zoo.example.com/v1", APIResources: []metav1.APIResource{
			{Name: "mice", Namespaced: true, Kind: "Mouse", Verbs: all},
			{Name: "ants", Namespaced: true, Kind: "Ant", Verbs: metav1.Verbs{"watch", "get"}},
		}},
	}
}

func copyLists(lists []*metav1.APIResourceList) []*metav1.APIResourceList {
	out := make([]*metav1.APIResourceList, 0, len(lists))
	for _, list := range lists {
		out = append(out, list.DeepCopy())
	}
	return out
}

func judgeListsUnchanged(s *check.S, before, lists []*metav1.APIResourceList) {
	s.Require(reflect.DeepEqual(before, lists), "the lists that the caller handed over were changed, or their order was",
		"a cached client hands out its own lists, and the next caller would see the change: sort and filter a slice of your own")
}

// builtIn says of a group that it comes with the server, so that nobody else
// changes it while a check runs.
func builtIn(group string) bool {
	return !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io")
}

// serverLists are the preferred resources of the groups that come with the server.
func serverLists(s *check.S) []*metav1.APIResourceList {
	lists, err := newDiscovery(s, s.Config()).ServerPreferredResourcesWithContext(s.Context())
	if !discovery.IsGroupDiscoveryFailedError(err) {
		s.Setup(err, "discover the server's resources")
	}
	return slices.DeleteFunc(lists, func(list *metav1.APIResourceList) bool {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		return err != nil || !builtIn(gv.Group)
	})
}

func TestStep5_ResourceTable(t *testing.T) {
	check.Step(t, 5, "ResourceTable", func(s *check.S) {
		table := func(lists []*metav1.APIResourceList) (rows []Row, err error) {
			err = s.Call(func(context.Context) (err error) {
				rows, err = ResourceTable(lists)
				return err
			})
			return rows, err
		}

		lists := craftedLists()
		rows, err := table(lists)
		s.Require(err == nil, fmt.Sprintf("ResourceTable returned an error: %v", err), "lists without resources, and resources without verbs, are no error")
		judgeListsUnchanged(s, craftedLists(), lists)
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

		for _, gv := range []string{"a/b/c"} {
			lists := append(craftedLists(), &metav1.APIResourceList{GroupVersion: gv, APIResources: []metav1.APIResource{{Name: "things", Kind: "Thing", Verbs: metav1.Verbs{"get"}}}})
			_, err := table(lists)
			s.Require(err != nil, fmt.Sprintf("a list has the GroupVersion %q, and ResourceTable returned no error", gv), "the error of schema.ParseGroupVersion is dropped")
			s.Require(strings.Contains(err.Error(), gv), fmt.Sprintf("a list has the GroupVersion %q, and the error does not name it: %v", gv, err), "name the list in the error")
		}
		rows, err = table(nil)
		s.Require(err == nil && len(rows) == 0, fmt.Sprintf("for no lists, ResourceTable gave %d rows and %s", len(rows), check.ErrorText(err)), "no lists are no rows and no error")

		judgeServerTable(s, table)
	})
}

// judgeServerTable compares the rows of the server's own resources with what its
// documents say, read without client-go's conversion.
func judgeServerTable(s *check.S, table func([]*metav1.APIResourceList) ([]Row, error)) {
	lists := serverLists(s)
	before := copyLists(lists)
	rows, err := table(lists)
	s.Require(err == nil, fmt.Sprintf("for the server's own resources, ResourceTable returned an error: %v", err), "every one of them is a good list")
	judgeListsUnchanged(s, before, lists)
	got := map[string]Row{}
	for _, row := range rows {
		got[row.GroupVersion+" "+row.Name] = row
	}
	want := 0
	client := s.Clientset().Discovery().RESTClient()
	for _, list := range before {
		chosen := map[string]bool{}
		for _, resource := range list.APIResources {
			chosen[resource.Name] = true
		}
		path := "/apis/" + list.GroupVersion
		if !strings.Contains(list.GroupVersion, "/") {
			path = "/api/" + list.GroupVersion
		}
		raw, err := client.Get().AbsPath(path).SetHeader("Accept", "application/json").Do(s.Context()).Raw()
		s.Setup(err, "read "+path)
		var doc metav1.APIResourceList
		s.Setup(json.Unmarshal(raw, &doc), "decode "+path)
		for _, resource := range doc.APIResources {
			if !chosen[resource.Name] || len(resource.Verbs) == 0 {
				continue
			}
			want++
			row, ok := got[list.GroupVersion+" "+resource.Name]
			s.Require(ok, fmt.Sprintf("the server's resource %s of %s has no row", resource.Name, list.GroupVersion), "a row for each resource of the lists")
			judgeRow(s, row, Row{resource.Name, resource.ShortNames, list.GroupVersion, resource.Namespaced, resource.Kind, resource.Verbs})
		}
	}
	s.Require(len(rows) == want, fmt.Sprintf("the server's own resources gave %d rows, want %d", len(rows), want), "one row for each resource that has verbs and no slash in its name")
}

func judgeRows(s *check.S, rows, want []Row) {
	key := func(row Row) string { return row.GroupVersion + " " + row.Name }
	wanted := map[string]Row{}
	var order, got []string
	for _, row := range want {
		wanted[key(row)] = row
		order = append(order, key(row))
	}
	for _, row := range rows {
		s.Require(!strings.Contains(row.Name, "/"), fmt.Sprintf("there is a row for %s, which is a subresource", row.Name),
			"discovery lists subresources among the resources: skip a name with a slash")
		s.Require(row.Name != "ghosts", "there is a row for ghosts, which has no verbs", "a resource without verbs can be asked for nothing: skip it")
		if _, ok := wanted[key(row)]; !ok {
			s.Fail(fmt.Sprintf("there is a row for %s with the group-version %q; no list has it", row.Name, row.GroupVersion),
				"the group-version is that of the list; the resource's own Group and Version are those of its kind, often empty, and sometimes others")
		}
		judgeRow(s, row, wanted[key(row)])
		got = append(got, key(row))
	}
	for _, name := range order {
		s.Require(slices.Contains(got, name), fmt.Sprintf("there is no row for %s; the rows are\n  %s", name, strings.Join(got, "\n  ")),
			"one row for each resource of each list, also when two lists have a resource of the same name")
	}
	s.Require(slices.Equal(got, order), fmt.Sprintf("the rows are in the order\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(order, "\n  ")),
		"sort by group, then by name, then by version, each as plain text and not by age: the text \"group/version\" sorts otherwise, with v1 after apps/v1 and apps.example.com/v1 before apps/v1")
}

func judgeRow(s *check.S, row, want Row) {
	where := fmt.Sprintf("the row of %s in %s has", want.Name, want.GroupVersion)
	s.Require(row.Namespaced == want.Namespaced, fmt.Sprintf("%s Namespaced %t, want %t", where, row.Namespaced, want.Namespaced), "take Namespaced of the APIResource")
	s.Require(row.Kind == want.Kind, fmt.Sprintf("%s Kind %q, want %q", where, row.Kind, want.Kind), "take Kind of the APIResource")
	same := func(a, b []string) bool {
		a, b = slices.Clone(a), slices.Clone(b)
		slices.Sort(a)
		slices.Sort(b)
		return slices.Equal(a, b)
	}
	s.Require(same(row.ShortNames, want.ShortNames), fmt.Sprintf("%s ShortNames %v, want %v", where, row.ShortNames, want.ShortNames), "take ShortNames of the APIResource, all of them")
	s.Require(same(row.Verbs, want.Verbs), fmt.Sprintf("%s Verbs %v, want %v", where, row.Verbs, want.Verbs), "take Verbs of the APIResource")
}

func TestStep6_Informable(t *testing.T) {
	check.Step(t, 6, "Informable", func(s *check.S) {
		find := func(lists []*metav1.APIResourceList) (gvrs []schema.GroupVersionResource, err error) {
			err = s.Call(func(context.Context) (err error) {
				gvrs, err = Informable(lists)
				return err
			})
			return gvrs, err
		}

		lists := craftedLists()
		gvrs, err := find(lists)
		s.Require(err == nil, fmt.Sprintf("Informable returned an error: %v", err), "lists without resources, and resources without verbs, are no error")
		judgeListsUnchanged(s, craftedLists(), lists)
		zoo := schema.GroupVersion{Group: "zoo.example.com", Version: "v1"}
		want := []schema.GroupVersionResource{
			{Version: "v1", Resource: "pods"},
			{Group: "apps", Version: "v1", Resource: "deployments"},
			zoo.WithResource("mice"),
			{Group: "zoo.example.com", Version: "v1beta1", Resource: "mice"},
			{Group: "zoo.example.com", Version: "v2", Resource: "mice"},
		}
		verbs := map[schema.GroupVersionResource]metav1.Verbs{}
		for _, list := range lists {
			gv, err := schema.ParseGroupVersion(list.GroupVersion)
			s.Setup(err, "read its own lists")
			for _, resource := range list.APIResources {
				verbs[gv.WithResource(resource.Name)] = resource.Verbs
			}
		}
		for i, gvr := range gvrs {
			offered, known := verbs[gvr]
			s.Require(known, fmt.Sprintf("the result holds %s, which is in no list", gvr),
				"group and version are those of the list, the resource is the name: Group, Version and Kind of an APIResource are those of its kind")
			s.Require(!strings.Contains(gvr.Resource, "/"), fmt.Sprintf("the result holds %s, which is a subresource", gvr), "skip a name with a slash")
			s.Require(slices.Contains(want, gvr), fmt.Sprintf("the result holds %s, which offers %v", gvr, offered),
				"an informer needs list and watch, both: discovery.SupportsAllVerbs")
			s.Require(!slices.Contains(gvrs[:i], gvr), fmt.Sprintf("the result holds %s twice", gvr), "two informers would follow the same objects: each once")
		}
		for _, gvr := range want {
			s.Require(slices.Contains(gvrs, gvr), fmt.Sprintf("the result does not hold %s, which offers %v; it holds %v", gvr, verbs[gvr], gvrs),
				"what counts is that list and watch are among the verbs, in any order and with or without others")
		}

		_, err = find(append(craftedLists(), &metav1.APIResourceList{GroupVersion: "a/b/c", APIResources: []metav1.APIResource{{Name: "things", Kind: "Thing", Verbs: metav1.Verbs{"list", "watch"}}}}))
		s.Require(err != nil, "a list has the GroupVersion \"a/b/c\", and Informable returned no error", "the error of schema.ParseGroupVersion is dropped")
		s.Require(strings.Contains(err.Error(), "a/b/c"), fmt.Sprintf("a list has the GroupVersion \"a/b/c\", and the error does not name it: %v", err), "name the list in the error")
		gvrs, err = find(nil)
		s.Require(err == nil && len(gvrs) == 0, fmt.Sprintf("for no lists, Informable gave %v and %s", gvrs, check.ErrorText(err)), "no lists are no resources and no error")

		// The server's own resources.
		lists = serverLists(s)
		before := copyLists(lists)
		gvrs, err = find(lists)
		s.Require(err == nil, fmt.Sprintf("for the server's own resources, Informable returned an error: %v", err), "every one of them is a good list")
		judgeListsUnchanged(s, before, lists)
		for _, list := range before {
			gv, err := schema.ParseGroupVersion(list.GroupVersion)
			s.Setup(err, "read the server's lists")
			for _, resource := range list.APIResources {
				want := slices.Contains(resource.Verbs, "list") && slices.Contains(resource.Verbs, "watch")
				gvr := gv.WithResource(resource.Name)
				s.Require(slices.Contains(gvrs, gvr) == want, fmt.Sprintf("of the server's resources, the result holds %s: %t, want %t; its verbs are %v", gvr, !want, want, resource.Verbs),
					"list and watch, both, are what an informer needs")
			}
		}
	})
}

func TestStep7_NewCachedClient(t *testing.T) {
	check.Step(t, 7, "NewCachedClient", func(s *check.S) {
		// A cache without a folder must not land in the working directory.
		cwd := s.T().TempDir()
		s.T().Chdir(cwd)

		judgeMemory(s)
		s.Require(len(files(s, cwd)) == 0, fmt.Sprintf("a client with an empty dir wrote files into the working directory: %v", files(s, cwd)),
			"with an empty folder the disk cache means the working directory: use memory.NewMemCacheClientWithContext")
		dir := filepath.Join(s.T().TempDir(), "cache")
		judgeDisk(s, dir)
		s.Require(len(files(s, cwd)) == 0, fmt.Sprintf("a client for %s wrote files into the working directory: %v", dir, files(s, cwd)),
			"NewCachedDiscoveryClientForConfig takes two folders: the first is for discovery, the second for HTTP")
		judgeFolders(s, dir)

		_, cfg := s.Recorder()
		for _, tc := range []struct{ what, dir string }{{" with an empty dir", ""}, {" with a folder", dir}} {
			judgeConstructor(s, cfg, tc.what, func(cfg *rest.Config) (discovery.CachedDiscoveryInterfaceWithContext, error) {
				return NewCachedClient(cfg, tc.dir, time.Hour)
			})
		}
	})
}

func newCached(s *check.S, rec *check.Recorder, cfg *rest.Config, dir string, ttl time.Duration) discovery.CachedDiscoveryInterfaceWithContext {
	before := rest.CopyConfig(cfg)
	var client discovery.CachedDiscoveryInterfaceWithContext
	s.Must(func(context.Context) (err error) {
		client, err = NewCachedClient(cfg, dir, ttl)
		return err
	})
	s.Require(client != nil, "NewCachedClient returned no client and no error", "the client is not returned")
	judgeUnchanged(s, before, cfg)
	if rec != nil {
		s.Require(rec.Count(check.Match{}) == 0, "NewCachedClient made a request\n"+rec.Trace(), "a client is built without asking the server: the first question does that")
	}
	return client
}

// question asks for the groups and for two lists that every server has, not for
// everything: an API that is dead for somebody else is not this step's business.
func question(s *check.S, client discovery.CachedDiscoveryInterfaceWithContext) (groups []string) {
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
			if err != nil {
				return fmt.Errorf("list the resources of %s: %w", gv, err)
			}
			if len(resources.APIResources) == 0 {
				return fmt.Errorf("the list of %s is empty", gv)
			}
		}
		return nil
	})
	s.Require(err == nil, fmt.Sprintf("the client did not answer: %v", err), check.CauseOf(err))
	return groups
}

func judgeMemory(s *check.S) {
	rec, cfg := s.Recorder()
	client := newCached(s, rec, cfg, "", 0)
	question(s, client)
	first := rec.Count(check.Match{})
	s.Require(first > 0, "the first question cost no request\n"+rec.Trace(), "the first answer comes from the server")
	question(s, client)
	s.Require(rec.Count(check.Match{}) == first, fmt.Sprintf("with an empty dir, the second question cost %d requests, want none\n%s", rec.Count(check.Match{})-first, rec.Trace()),
		"the answers are not kept: memory.NewMemCacheClientWithContext wraps a discovery client and keeps them. ttl is for the files")
	s.Call(func(ctx context.Context) error { client.InvalidateWithContext(ctx); return nil })
	question(s, client)
	s.Require(rec.Count(check.Match{}) > first, "after InvalidateWithContext the question cost no request\n"+rec.Trace(),
		"InvalidateWithContext must reach the cache: what is remembered is forgotten, and the server is asked again")
}

func judgeDisk(s *check.S, dir string) {
	rec, cfg := s.Recorder()
	client := newCached(s, rec, cfg, dir, time.Hour)
	question(s, client)
	first := rec.Count(check.Match{})
	s.Require(first > 0, "with a new folder the first question cost no request\n"+rec.Trace(), "the first answer comes from the server")
	question(s, client)
	s.Require(rec.Count(check.Match{}) == first, fmt.Sprintf("with a folder, the second question cost %d requests, want none\n%s", rec.Count(check.Match{})-first, rec.Trace()),
		"the answers are not kept: disk.NewCachedDiscoveryClientForConfig keeps them")
	s.Require(len(files(s, dir)) > 0, fmt.Sprintf("after a question there is no file below %s", dir),
		"the folder is not used: disk.NewCachedDiscoveryClientForConfig writes into its first one")

	// Another process would begin like this.
	rec, cfg = s.Recorder()
	other := newCached(s, rec, cfg, dir, time.Hour)
	question(s, other)
	s.Require(rec.Count(check.Match{}) == 0, fmt.Sprintf("another client with the same folder and the same server asked the server, %d requests\n%s", rec.Count(check.Match{}), rec.Trace()),
		"the files are not found again: the folder's name must depend on the server's address and on nothing else")
	s.Call(func(ctx context.Context) error { other.InvalidateWithContext(ctx); return nil })
	question(s, other)
	s.Require(rec.Count(check.Match{}) > 0, "after InvalidateWithContext the question cost no request\n"+rec.Trace(), "InvalidateWithContext must reach the cache")

	rec, cfg = s.Recorder()
	question(s, newCached(s, rec, cfg, dir, time.Nanosecond))
	s.Require(rec.Count(check.Match{}) > 0, "with a ttl of 1ns, a client answered from old files\n"+rec.Trace(), "ttl is how long a file is good: hand it over")
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
func otherServer(s *check.S, host, group string) (*rest.Config, *atomic.Int64) {
	var asked atomic.Int64
	cfg := &rest.Config{Host: host, QPS: -1}
	cfg.Wrap(func(http.RoundTripper) http.RoundTripper {
		return roundTrip(func(req *http.Request) (*http.Response, error) {
			asked.Add(1)
			body := map[string]any{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "v1",
				"resources": []any{map[string]any{"name": "things", "kind": "Thing", "namespaced": true, "verbs": []any{"get"}}}}
			switch path := req.URL.Path; {
			case strings.HasSuffix(path, "/api"):
				body = map[string]any{"kind": "APIVersions", "versions": []any{"v1"}}
			case strings.HasSuffix(path, "/apis"):
				version := func(group string) map[string]any {
					gv := map[string]any{"groupVersion": group + "/v1", "version": "v1"}
					return map[string]any{"name": group, "versions": []any{gv}, "preferredVersion": gv}
				}
				body = map[string]any{"kind": "APIGroupList", "apiVersion": "v1", "groups": []any{version("apps"), version(group)}}
			case strings.Contains(path, "/apis/"):
				_, gv, _ := strings.Cut(path, "/apis/")
				body["groupVersion"] = gv
			}
			data, err := json.Marshal(body)
			if err != nil {
				return nil, err
			}
			return &http.Response{StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
				Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(data)), ContentLength: int64(len(data)), Request: req}, nil
		})
	})
	return cfg, &asked
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// judgeFolders has several servers share dir.
func judgeFolders(s *check.S, dir string) {
	for i, tc := range []struct{ host, cause string }{
		{"https://one.example.com:6443", "two clusters share the files of dir: each needs a folder of its own in it"},
		{"https://one.example.com:7443", "two servers on one host differ by their port: it belongs into the folder's name"},
		{"https://one.example.com:6443/clusters/a", "behind a proxy, clusters differ by the path of their address: it belongs into the folder's name"},
		{"https://one.example.com:6443/clusters/b", "behind a proxy, clusters differ by the path of their address: it belongs into the folder's name"},
		{"https://two.example.com:6443/clusters/a", "two addresses may end alike: all of cfg.Host belongs into the folder's name"},
	} {
		group := fmt.Sprintf("only-on-%d.example.com", i+1)
		cfg, asked := otherServer(s, tc.host, group)
		groups := question(s, newCached(s, nil, cfg, dir, time.Hour))
		s.Require(asked.Load() > 0 && slices.Contains(groups, group),
			fmt.Sprintf("the client for %s, a server that nobody has asked before, answered from files with the groups %v; that server has %s", tc.host, groups, group), tc.cause)
	}
	cfg, asked := otherServer(s, "https://two.example.com", "only-on-two.example.com")
	groups := question(s, newCached(s, nil, cfg, "", 0))
	s.Require(asked.Load() > 0 && slices.Contains(groups, "only-on-two.example.com"), fmt.Sprintf("with an empty dir, the client for another server answered with the groups %v", groups),
		"each client needs a memory of its own: a package-level variable is shared by all")

	rec, cfg := s.Recorder()
	groups = question(s, newCached(s, rec, cfg, dir, time.Hour))
	s.Require(!slices.ContainsFunc(groups, func(g string) bool { return strings.HasPrefix(g, "only-on-") }),
		fmt.Sprintf("the client for this cluster answered with another server's groups: %v", groups), "two clusters share the files of dir: each needs a folder of its own in it")
	_, err := os.Stat(dir)
	s.Setup(err, "look at the folder")
}

func TestStep8_ResolveWord(t *testing.T) {
	check.Step(t, 8, "ResolveWord", func(s *check.S) {
		mark := "x" + rand.String(5)
		rodents := check.CRD{
			Group: check.RandomGroup(), Plural: "mice" + mark, Singular: "mouse" + mark, Kind: "Rodent" + mark,
			ShortNames: []string{"mc" + mark}, Versions: []string{"v1", "v1alpha1"}, Cluster: true,
		}
		s.InstallCRD(rodents)

		rec, cfg := s.Recorder()
		client := memory.NewMemCacheClientWithContext(newDiscovery(s, cfg))
		resolve := func(client discovery.CachedDiscoveryInterfaceWithContext, word string) (mapping *meta.RESTMapping, err error) {
			err = s.Call(func(ctx context.Context) (err error) {
				mapping, err = ResolveWord(ctx, client, word)
				return err
			})
			return mapping, err
		}
		known := func(rec *check.Recorder, word string, want schema.GroupVersionResource, kind string, scope meta.RESTScope, cause string) {
			mapping, err := resolve(client, word)
			if rec.Count(check.Match{}) == 0 {
				cause = "what a word means stands in the server's discovery documents; client-go's own scheme knows other kinds, and neither short names nor custom resources"
			}
			s.Require(err == nil, fmt.Sprintf("%q: want %s, got %s\n%s", word, want, check.ErrorText(err), rec.Trace()), cause)
			s.Require(mapping != nil, fmt.Sprintf("%q: ResolveWord returned no mapping and no error", word), "the mapping is not returned")
			s.Require(mapping.Resource == want, fmt.Sprintf("%q: the resource is %s, want %s", word, mapping.Resource, want), cause)
			gvk := want.GroupVersion().WithKind(kind)
			s.Require(mapping.GroupVersionKind == gvk, fmt.Sprintf("%q: the kind is %s, want %s", word, mapping.GroupVersionKind, gvk), kindCause(mapping.GroupVersionKind, gvk))
			s.Require(mapping.Scope != nil && mapping.Scope.Name() == scope.Name(), fmt.Sprintf("%q: the scope is not %s", word, scope.Name()), "the scope comes from Namespaced of the resource")
		}

		const (
			plain   = "a word without a group is looked up in all groups: ParseResourceArg gives the parts, the mapper's KindFor finds it"
			short   = "short names stand in the discovery documents; a plain RESTMapper does not know them: wrap it in restmapper.NewShortcutExpanderWithContext"
			grouped = "the part after the first dot is the group: schema.ParseResourceArg and ParseGroupResource take it apart"
			version = "with three parts the second can be the version: schema.ParseResourceArg and ParseKindArg return both readings. Hand the version on to RESTMapping"
			kinds   = "the word is a Kind, and this Kind is not the singular written large: what KindFor does not know, RESTMapping may, with schema.ParseKindArg"
			prefer  = "without a version, the one that the group prefers"
			guessed = "the plural cannot be guessed from the word: a RESTMapper made from discovery knows it"
		)
		apps, core := schema.GroupVersion{Group: "apps", Version: "v1"}, schema.GroupVersion{Version: "v1"}
		crd := schema.GroupVersion{Group: rodents.Group, Version: "v1"}
		alpha := schema.GroupVersion{Group: rodents.Group, Version: "v1alpha1"}
		deployments, mice := apps.WithResource("deployments"), crd.WithResource(rodents.Plural)
		namespaced, root := meta.RESTScopeNamespace, meta.RESTScopeRoot
		words := []struct {
			word  string
			want  schema.GroupVersionResource
			kind  string
			scope meta.RESTScope
			cause string
		}{
			{"deployments", deployments, "Deployment", namespaced, plain},
			{"deployment", deployments, "Deployment", namespaced, plain},
			{"deploy", deployments, "Deployment", namespaced, short},
			{"deployments.apps", deployments, "Deployment", namespaced, grouped},
			{"deploy.apps", deployments, "Deployment", namespaced, short},
			{"deployments.v1.apps", deployments, "Deployment", namespaced, version},
			{"events.events.k8s.io", schema.GroupVersionResource{Group: "events.k8s.io", Version: "v1", Resource: "events"}, "Event", namespaced,
				grouped + ". Of three parts the second need not be a version: when the mapper does not know the first reading of ParseResourceArg, try the second"},
			{"Deployment", deployments, "Deployment", namespaced, kinds},
			{"Deployment.apps", deployments, "Deployment", namespaced, kinds},
			{"Deployment.v1.apps", deployments, "Deployment", namespaced, version},
			{"po", core.WithResource("pods"), "Pod", namespaced, short},
			{"endpoints", core.WithResource("endpoints"), "Endpoints", namespaced, guessed},
			{"no", core.WithResource("nodes"), "Node", root, short},
			{"ingress", schema.GroupVersionResource{Group: "networking.k8s.io", Version: "v1", Resource: "ingresses"}, "Ingress", namespaced, guessed},
			{"horizontalpodautoscalers", schema.GroupVersionResource{Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"}, "HorizontalPodAutoscaler", namespaced, prefer},
			{"horizontalpodautoscalers.v1.autoscaling", schema.GroupVersionResource{Group: "autoscaling", Version: "v1", Resource: "horizontalpodautoscalers"}, "HorizontalPodAutoscaler", namespaced, version},
			{rodents.Plural, mice, rodents.Kind, root, plain},
			{rodents.Singular, mice, rodents.Kind, root, guessed},
			{rodents.ShortNames[0], mice, rodents.Kind, root, short},
			{rodents.Plural + "." + rodents.Group, mice, rodents.Kind, root, grouped},
			{rodents.Kind + "." + rodents.Group, mice, rodents.Kind, root, kinds},
			{rodents.Plural + ".v1alpha1." + rodents.Group, alpha.WithResource(rodents.Plural), rodents.Kind, root, version},
			{rodents.Kind + ".v1alpha1." + rodents.Group, alpha.WithResource(rodents.Plural), rodents.Kind, root, version},
		}
		for _, w := range words {
			known(rec, w.word, w.want, w.kind, w.scope, w.cause)
		}
		first := rec.Count(check.Match{})
		for _, w := range words {
			known(rec, w.word, w.want, w.kind, w.scope, w.cause)
			s.Require(rec.Count(check.Match{}) == first, fmt.Sprintf("%q was known, and asking again cost %d requests, want none\n%s", w.word, rec.Count(check.Match{})-first, rec.Trace()),
				"the cache is forgotten, or passed by, although it knows the word: look first, and call InvalidateWithContext only when there is no match")
		}

		judgeUnknown(s, rec, client, resolve)

		// A CRD appears while the program runs.
		late := check.CRD{
			Group: check.RandomGroup(), Plural: "geese" + mark, Singular: "goose" + mark, Kind: "Bird" + mark, ShortNames: []string{"gs" + mark}, Versions: []string{"v1"},
		}
		s.InstallCRD(late)
		geese := schema.GroupVersionResource{Group: late.Group, Version: "v1", Resource: late.Plural}
		const appears = "the CRD appeared after the cache was filled, and a memory cache never looks again by itself: when there is no match, call InvalidateWithContext once, build the mapper anew or reset it, and look again"
		known(rec, late.ShortNames[0], geese, late.Kind, namespaced, appears)
		filled := rec.Count(check.Match{})
		known(rec, late.Kind+"."+late.Group, geese, late.Kind, namespaced, kinds)
		known(rec, "deploy", deployments, "Deployment", namespaced, short)
		s.Require(rec.Count(check.Match{}) == filled, "words that are known again cost requests\n"+rec.Trace(),
			"after the one refresh the cache knows the words: call InvalidateWithContext only when there is no match")

		judgeFailingDiscovery(s, resolve)
	})
}

func kindCause(got, want schema.GroupVersionKind) string {
	if got != want && strings.EqualFold(got.String(), want.String()) {
		return "a mapper made from discovery finds a Kind in small letters too, and hands it back as it came: read the word as a resource first (KindFor), and as a Kind only when that finds nothing"
	}
	return "RESTMapping fills in resource, kind and scope together"
}

type resolver func(client discovery.CachedDiscoveryInterfaceWithContext, word string) (*meta.RESTMapping, error)

// judgeUnknown asks for words that nothing on the server has.
func judgeUnknown(s *check.S, rec *check.Recorder, client discovery.CachedDiscoveryInterfaceWithContext, resolve resolver) {
	for _, word := range []string{"nonsense" + rand.String(6), "deployments.no-such-group.example.com", "Nonsense.v1.apps", "deployments.v9.apps"} {
		before := rec.Count(check.Match{})
		_, err := resolve(client, word)
		cost := rec.Count(check.Match{}) - before
		s.Require(err != nil, fmt.Sprintf("%q: nothing on the server has this name, and ResolveWord returned no error", word), "return the mapper's error; a version that the server does not have is no match, and not a word without a version")
		s.Require(meta.IsNoMatchError(err), fmt.Sprintf("%q: nothing on the server has this name, and meta.IsNoMatchError is false for the error: %v", word, err),
			"return the mapper's error wrapped with %w, so that a caller can tell \"no such resource\" from \"the server does not answer\"")
		s.Require(cost > 0, fmt.Sprintf("%q: there was no match in the cache, and the server was not asked\n%s", word, rec.Trace()),
			"the word may be new on the server: call InvalidateWithContext once and look again")
		s.Require(cost <= 12, fmt.Sprintf("%q: %d requests were sent for a word that does not exist\n%s", word, cost, rec.Trace()), "look again once, not until it is found")
	}
}

// judgeFailingDiscovery has parts of the discovery fail, and all of it.
func judgeFailingDiscovery(s *check.S, resolve resolver) {
	apps := schema.GroupVersion{Group: "apps", Version: "v1"}
	rec, cfg := s.Recorder()
	rec.Rewrite(check.Match{Path: "/apis"}, 1, stale(apps))
	client := memory.NewMemCacheClientWithContext(newDiscovery(s, cfg))
	_, err := resolve(client, "po")
	s.Require(err == nil, fmt.Sprintf("\"po\", while the discovery of apps/v1 fails: %s\n%s", check.ErrorText(err), rec.Trace()),
		"one broken API must not hide the rest: a partial failure comes with results")
	mapping, err := resolve(client, "deploy")
	s.Require(err == nil && mapping != nil && mapping.Resource == apps.WithResource("deployments"), fmt.Sprintf("\"deploy\", after apps/v1 came back: %s\n%s", check.ErrorText(err), rec.Trace()),
		"what failed before is not in the cache: when there is no match, call InvalidateWithContext once and look again")

	rec, cfg = s.Recorder()
	rec.Answer(check.Match{Path: "/api"}, 0, check.Always, http.StatusInternalServerError, metav1.StatusReasonInternalError, "injected by the check")
	_, err = resolve(memory.NewMemCacheClientWithContext(newDiscovery(s, cfg)), "deploy")
	s.Require(err != nil, "discovery was answered with 500, and ResolveWord returned no error\n"+rec.Trace(), "the error is dropped")
	s.Require(!meta.IsNoMatchError(err), fmt.Sprintf("discovery was answered with 500, and ResolveWord says that there is no match: %v\n%s", err, rec.Trace()),
		"an error of the discovery says nothing about the word: return it, and look at the next reading only when meta.IsNoMatchError")
	s.Require(apierrors.IsInternalError(err), fmt.Sprintf("discovery was answered with 500; want an error that wraps its status, got %s", check.ErrorText(err)), "wrap the error with %w")

	rec, cfg = s.Recorder()
	client = memory.NewMemCacheClientWithContext(newDiscovery(s, cfg))
	_, err = resolve(client, "po")
	s.Require(err == nil, fmt.Sprintf("\"po\": %s\n%s", check.ErrorText(err), rec.Trace()), "pods are served by every server")
	rec.Answer(check.Match{Path: "/api"}, 0, check.Always, http.StatusInternalServerError, metav1.StatusReasonInternalError, "injected by the check")
	_, err = resolve(client, "nonsense"+rand.String(6))
	s.Require(err != nil && !meta.IsNoMatchError(err), fmt.Sprintf("a word was not in the cache, and the second look failed with 500; want that error, got %s\n%s", check.ErrorText(err), rec.Trace()),
		"the answer to the first look is old by then: only the second can say that there is no match")

	judgeHang(s, func(ctx context.Context, cfg *rest.Config) error {
		_, err := ResolveWord(ctx, memory.NewMemCacheClientWithContext(newDiscovery(s, cfg)), "deploy")
		return err
	})
}
