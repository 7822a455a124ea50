package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"example.com/client-go-workshop/internal/check"
)

// conditioned is a CRD with conditions: pairs of type and status.
func conditioned(pairs ...string) *unstructured.Unstructured {
	conditions := []any{}
	for i := 0; i < len(pairs); i += 2 {
		conditions = append(conditions, map[string]any{
			"type": pairs[i], "status": pairs[i+1], "reason": "Because", "message": "about " + pairs[i],
			"lastTransitionTime": "2026-01-01T00:00:00Z",
		})
	}
	return withStatus(map[string]any{"conditions": conditions, "storedVersions": []any{"v1"}})
}

func withStatus(status any) *unstructured.Unstructured {
	return object("CustomResourceDefinition", map[string]any{"status": status})
}

const (
	condEstablished, condAccepted = "Established", "NamesAccepted"

	presentCause = "a condition is true when its status is \"True\": that a condition is there says nothing"
	nullCause    = "the conditions of a new CRD are null at first, which NestedSlice takes for a wrong type: " +
		"read them with NestedFieldNoCopy, or convert the CRD to a struct"
	namesCause = "look at the condition NamesAccepted as well: with the status False there will be no Established, and a wait has no end"
)

func TestStep6_CRDEstablished(t *testing.T) {
	check.Step(t, 6, "CRDEstablished", func(s *check.S) {
		const absent = "a CRD without this condition is not established yet, and that is no error"
		for _, tc := range []struct {
			what  string
			crd   *unstructured.Unstructured
			want  bool
			cause string
		}{
			{"an established CRD", conditioned(condAccepted, "True", condEstablished, "True"), true, "Established has the status \"True\""},
			{"an established CRD, Established first", conditioned(condEstablished, "True", condAccepted, "True"), true,
				"find a condition by its type"},
			{"a CRD without a status", object("CustomResourceDefinition", nil), false, absent},
			{"a CRD with an empty status", withStatus(map[string]any{}), false, absent},
			{"a CRD whose conditions are null", withStatus(map[string]any{"conditions": nil}), false, nullCause},
			{"a CRD without conditions", conditioned(), false, absent},
			{"a CRD whose names are accepted, and no more", conditioned(condAccepted, "True"), false, absent},
			{"a CRD that is being installed", conditioned(condAccepted, "True", condEstablished, "False"), false, presentCause},
			{"a CRD of which Established is Unknown", conditioned(condAccepted, "True", condEstablished, "Unknown"), false, presentCause},
			{"a CRD of which NamesAccepted is Unknown", conditioned(condAccepted, "Unknown", condEstablished, "False"), false, presentCause},
		} {
			got, err := callCRDEstablished(s, tc.what, tc.crd)
			s.Requiref(err == nil, tc.cause, "for %s, CRDEstablished returned an error: %v", tc.what, err)
			s.Requiref(got == tc.want, tc.cause, "for %s, CRDEstablished returned %t, want %t", tc.what, got, tc.want)
		}
		for _, taken := range []*unstructured.Unstructured{
			conditioned(condAccepted, "False", condEstablished, "False"), conditioned(condEstablished, "False", condAccepted, "False"),
		} {
			const what = "a CRD of which NamesAccepted is False"
			got, err := callCRDEstablished(s, what, taken)
			s.Requiref(err != nil && !got, namesCause, "for %s, CRDEstablished returned %t and %s", what, got, check.ErrorText(err))
			s.Requiref(strings.Contains(err.Error(), "about "+condAccepted), "say what the condition's message says",
				"for %s, the error is %q, which does not carry the condition's message", what, err)
		}
	})
}

// callCRDEstablished calls the step and wants its object unchanged.
func callCRDEstablished(s *check.S, what string, crd *unstructured.Unstructured) (bool, error) {
	before := crd.DeepCopy()
	got, err := check.Call(s, func(context.Context) (bool, error) { return CRDEstablished(crd) })
	s.Requiref(reflect.DeepEqual(crd, before), "the object is the caller's: read it and leave it",
		"for %s, CRDEstablished changed the object", what)
	return got, err
}

func TestStep7_InstallCRD(t *testing.T) {
	check.Step(t, 7, "InstallCRD", func(s *check.S) {
		s.Needs(authorizationv1.ResourceAttributes{Verb: "create", Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"})
		judgeInstalled(s)
		judgeThere(s)
		judgeNamesTaken(s)
		judgeCRDErrors(s)
	})
}

// sites is a plural that no rule makes of the kind Website.
const sites = "sites"

// ownCRD is a CRD of this judgement with three versions, of which one is not served.
func ownCRD(s *check.S, group string) *unstructured.Unstructured {
	version := func(name string, served, storage bool) any {
		return map[string]any{"name": name, "served": served, "storage": storage, "schema": map[string]any{
			"openAPIV3Schema": map[string]any{"type": "object"},
		}}
	}
	crd := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": sites + "." + group},
		"spec": map[string]any{
			"group": group, "scope": "Namespaced",
			"names":    map[string]any{"plural": sites, "singular": "website", "kind": "Website", "listKind": "WebsiteList"},
			"versions": []any{version("v1", true, true), version("v1alpha1", false, false), version("v2", true, false)},
		},
	}}
	s.OwnCRD(crd)
	return crd
}

var crds = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// install calls the step and wants its object unchanged.
func install(s *check.S, limit time.Duration, crd *unstructured.Unstructured, faults ...fault) (*check.Recorder, error) {
	before := crd.DeepCopy()
	rec, _, err := check.Recorded(s, limit, func(ctx context.Context, cfg *rest.Config) (any, error) {
		return nil, InstallCRD(ctx, dynamicFor(s, cfg), crd)
	}, faults...)
	s.Require(reflect.DeepEqual(crd, before), "the caller's CRD was changed", "the object is the caller's: change a copy")
	return rec, err
}

// notYetServed answers some lists as a server does that does not know the resource yet.
func notYetServed(lists check.Match, times int) fault {
	return func(rec *check.Recorder) {
		rec.Answer(lists, 0, times, http.StatusNotFound, metav1.StatusReasonNotFound, "the server could not find the requested resource")
	}
}

// notYetEstablished gives a CRD no status at first, then null for its conditions,
// then a condition Established that is not true.
func notYetEstablished(rec *check.Recorder) {
	condition := func(kind, status string) any { return map[string]any{"type": kind, "status": status} }
	states := []map[string]any{
		nil,
		{"conditions": nil},
		{"conditions": []any{condition("NamesAccepted", "True"), condition("Established", "Unknown")}},
	}
	rec.RewriteObject(check.Match{Verb: "get", Resource: crds.Resource}, len(states), func(obj map[string]any) {
		delete(obj, "status")
		if states[0] != nil {
			obj["status"] = states[0]
		}
		states = states[1:]
	})
}

// judgeInstalled lets the CRD have no conditions at first, and one version be
// served later than the other.
func judgeInstalled(s *check.S) {
	group := check.RandomGroup()
	versions := map[string]string{
		"v1": "Established says that the definition is accepted. The server begins to serve the resource a moment later: " +
			"only an answer to a list proves it",
		"v2": "each version that the CRD has as served is to be looked at, not the first alone",
	}
	second := check.Match{Path: "/apis/" + group + "/v2"}
	rec, err := install(s, check.CallTimeout, ownCRD(s, group), notYetEstablished, notYetServed(second, 3))
	judgePosted(rec, err)
	for _, list := range rec.Requests(check.Match{Path: "/apis/" + group}) {
		s.Requiref(list.Resource == sites, "the plural cannot be guessed from the kind: the CRD has it at spec.names.plural",
			"%s asks for %s, and the plural of the CRD is %s (error: %v)", list, list.Resource, sites, err)
	}
	rec.Requiref(err == nil, installCause(err), "InstallCRD returned an error: %v", err)
	for _, version := range []string{"v1", "v2"} {
		asked := rec.Requests(check.Match{Path: "/apis/" + group + "/" + version})
		rec.Requiref(len(asked) > 0, versions[version],
			"InstallCRD returned nil, and never asked for a list in version %s, which the CRD has as served", version)
		last := asked[len(asked)-1].Status
		rec.Requiref(last == http.StatusOK,
			"a list that is answered with 404 says that this server does not serve the resource yet: pause, and ask again",
			"InstallCRD returned nil after a list of sites in version %s was answered with %d", version, last)
	}
	others := rec.Count(check.Match{Verb: "watch", Resource: crds.Resource}) + rec.Count(check.Match{Verb: "list", Resource: crds.Resource})
	gets := rec.Count(check.Match{Verb: "get", Resource: crds.Resource})
	rec.Requiref(gets == 0 || gets > 3 || others > 0,
		"look again until Established has the status \"True\": that a condition is there says nothing, nor that a list is answered",
		"InstallCRD returned nil, and the last look at the CRD said nothing of Established, or that its status is Unknown")
	judgePause(rec, 5)
}

func judgePause(rec *check.Recorder, most int) {
	rec.Requiref(rec.Unpaused() < most, "pause between two looks",
		"%d requests followed the answer before them without a pause", rec.Unpaused())
}

// judgePosted wants the CRD to be posted to the right path.
func judgePosted(rec *check.Recorder, err error) {
	cause := "create the CRD with the client, at apiextensions.k8s.io/v1, customresourcedefinitions; v1beta1 is no longer served"
	if slices.ContainsFunc(rec.Requests(check.Match{Resource: crds.Resource}), func(req check.Request) bool { return req.Namespace != "" }) {
		cause = "a CRD is cluster-scoped, and its path has no namespace: Resource(...) without Namespace"
	}
	posted := rec.Count(check.Match{Verb: "create", Path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"})
	rec.Requiref(posted > 0, cause, "no CRD was posted (error: %v)", err)
}

func installCause(err error) string {
	switch {
	case strings.Contains(errorText(err), "accessor error"):
		return nullCause
	case errors.Is(err, context.DeadlineExceeded):
		return "the wait did not see what it waits for: Established is \"True\", and a version that is not served (served: false) " +
			"never answers a list"
	case apierrors.IsNotFound(err):
		return "a list that is answered with 404 says that the resource is not served yet: pause, and ask again"
	}
	return check.CauseOf(err)
}

// judgeThere installs a CRD that is there already.
func judgeThere(s *check.S) {
	const there = "a CRD of this name was there, and "
	group := check.RandomGroup()
	s.InstallCRD(check.CRD{
		Group: group, Plural: sites, Singular: "website", Kind: "Website", ShortNames: []string{"old"}, Versions: []string{"v1"},
	})
	crd := ownCRD(s, group)
	before := getObject(s, crds, "", crd.GetName())
	lists := check.Match{Path: "/apis/" + group}
	rec, err := install(s, 10*time.Second, crd, notYetServed(lists, 2))
	rec.Requiref(err == nil, thereCause(err), "%sInstallCRD returned an error: %v", there, err)
	now, err := admin(s, crds, "").Get(s.Context(), crd.GetName(), metav1.GetOptions{})
	rec.Requiref(err == nil && now.GetUID() == before.GetUID(), "to delete a CRD is to delete all of its custom resources",
		there+"it is another one now")
	rec.Requiref(reflect.DeepEqual(now.Object["spec"], before.Object["spec"]),
		"others use the CRD as it is: create it when it is absent, and leave it otherwise", there+"its spec was changed")
	asked := rec.Requests(lists)
	rec.Requiref(len(asked) > 0 && asked[len(asked)-1].Status == http.StatusOK,
		"that the CRD exists does not say that it is served: somebody may have created it a moment ago. Go on and wait",
		there+"InstallCRD returned nil before a list was answered")
}

func thereCause(err error) string {
	if apierrors.IsAlreadyExists(err) {
		return "the error AlreadyExists of the POST means that there is nothing to create: go on and wait"
	}
	return "which versions are served is in the CRD as the server has it, and not in the one that was not created: " + installCause(err)
}

// judgeNamesTaken installs a CRD whose kind another one of its group has, and
// then once more.
func judgeNamesTaken(s *check.S) {
	group := check.RandomGroup()
	s.InstallCRD(check.CRD{Group: group, Plural: "pages", Singular: "page", Kind: "Website", Versions: []string{"v1"}})
	crd := ownCRD(s, group)
	for _, there := range []string{"", "a CRD of this name was there, and "} {
		what := there + "another CRD has the kind Website in the same group, so NamesAccepted is False"
		rec, err := install(s, 8*time.Second, crd)
		rec.Requiref(err != nil, "a condition is true when its status is \"True\": its presence alone says nothing",
			"%s, and InstallCRD returned no error", what)
		rec.Requiref(strings.Contains(err.Error(), "already in use"),
			namesCause,
			"%s; the error is %q, which does not carry the condition's message", what, err)
	}
}

// judgeCRDErrors looks at the ends that are not good.
func judgeCRDErrors(s *check.S) {
	group := check.RandomGroup()
	crd := ownCRD(s, group)
	lists := check.Match{Path: "/apis/" + group}
	rec, err := install(s, 5*time.Second, crd, notYetServed(lists, check.Always))
	const ended = "the lists were answered with 404 until ctx ended; want an error that wraps context.DeadlineExceeded"
	rec.Requiref(errors.Is(err, context.DeadlineExceeded), "when ctx ends first, say so: wrap its error with %w",
		ended+", got %s", check.ErrorText(err))
	judgePause(rec, 20)

	rec, err = install(s, 5*time.Second, crd, func(rec *check.Recorder) { rec.Refuse(lists, http.StatusForbidden) })
	rec.Requiref(err != nil, "an answer that is not NotFound does not mean served: only a list without an error does",
		"every list was answered with 403, and InstallCRD returned no error")

	rec, err = install(s, 5*time.Second, ownCRD(s, check.RandomGroup()), check.Refusing("create", http.StatusForbidden))
	s.RequireReason(err, metav1.StatusReasonForbidden, rec, "the POST was answered with 403",
		"only AlreadyExists means that there is nothing to do; return any other error, wrapped with %w")
	invalid := ownCRD(s, check.RandomGroup())
	s.Setup(unstructured.SetNestedField(invalid.Object, "Everywhere", "spec", "scope"), "make an invalid CRD")
	rec, err = install(s, 5*time.Second, invalid)
	s.RequireReason(err, metav1.StatusReasonInvalid, rec, "the CRD is invalid", "return the error of the POST, wrapped with %w")
}

func TestStep8_ResourceFor(t *testing.T) {
	check.Step(t, 8, "ResourceFor", func(s *check.S) {
		ns, group := s.Namespace(), check.RandomGroup()
		s.InstallCRD(check.CRD{Group: group, Plural: "mice", Singular: "rodent", Kind: "Mouse", Versions: []string{"v1", "v2"}})
		s.InstallCRD(check.CRD{Group: group, Plural: "indices", Singular: "register", Kind: "Index", Versions: []string{"v1"}, Cluster: true})
		found := discoveredMapper(s)
		mapper := &watchedMapper{RESTMapperWithContext: found}
		kind := func(group, version, kind string) schema.GroupVersionKind {
			return schema.GroupVersionKind{Group: group, Version: version, Kind: kind}
		}
		index, own := kind(group, "v1", "Index"), "/namespaces/"+ns+"/"
		for _, tc := range []mapping{
			{kind(group, "v1", "Mouse"), ns, "/apis/" + group + "/v1" + own + "mice"},
			{kind(group, "v2", "Mouse"), ns, "/apis/" + group + "/v2" + own + "mice"},
			{index, ns, "/apis/" + group + "/v1/indices"},
			{index, "", "/apis/" + group + "/v1/indices"},
			{kind("apps", "v1", "Deployment"), ns, "/apis/apps/v1" + own + "deployments"},
			{kind("networking.k8s.io", "v1", "NetworkPolicy"), ns, "/apis/networking.k8s.io/v1" + own + "networkpolicies"},
			{corev1.SchemeGroupVersion.WithKind("Endpoints"), ns, "/api/v1" + own + "endpoints"},
			{corev1.SchemeGroupVersion.WithKind("Node"), ns, "/api/v1/nodes"},
		} {
			tc.judge(s, mapper)
		}
		for _, unknown := range []schema.GroupVersionKind{
			kind(group, "v1", "Rat"), kind(group, "v9", "Mouse"), kind("", "v1", "Deployment"), kind(group, "v1", "mice"),
		} {
			judgeNoMatch(s, found, unknown, ns)
		}
		broken := &watchedMapper{RESTMapperWithContext: found, err: errors.New("the discovery failed (injected by the check)")}
		_, _, err := resourceFor(s, broken, mapping{kind("apps", "v1", "Deployment"), ns, ""})
		s.Requiref(errors.Is(err, broken.err), "a failure of the discovery is no licence to guess: return it, wrapped with %w",
			"the mapper failed; want its error, wrapped with %%w, got %s", check.ErrorText(err))
	})
}

// mapping is a kind, the namespace to work in, and the path of a list of its objects.
type mapping struct {
	kind            schema.GroupVersionKind
	namespace, path string
}

// resourceFor calls the step. The mapper can tell the call by its path.
func resourceFor(s *check.S, mapper meta.RESTMapperWithContext, m mapping) (*check.Recorder, dynamic.ResourceInterface, error) {
	rec, cfg := s.Recorder()
	client := dynamicFor(s, cfg)
	got, err := check.Call(s, func(ctx context.Context) (dynamic.ResourceInterface, error) {
		return ResourceFor(context.WithValue(ctx, mapperKey{}, m.path), client, mapper, m.kind, m.namespace)
	})
	return rec, got, err
}

func (m mapping) judge(s *check.S, mapper *watchedMapper) {
	rec, got, err := resourceFor(s, mapper, m)
	s.Requiref(err == nil, "ask the mapper for the mapping of the group, the kind and the version, as they are",
		"for %s, ResourceFor returned an error: %v", m.kind, err)
	s.Requiref(got != nil, "the client is not returned", "for %s, ResourceFor returned no client and no error", m.kind)
	rec.Requiref(rec.Count(check.Match{}) == 0, "the mapper knows the answer: nothing is to be asked with the client",
		"for %s, ResourceFor made a request", m.kind)
	_, err = got.List(s.Context(), metav1.ListOptions{Limit: 1})
	sent := rec.Requests(check.Match{})
	s.Requiref(len(sent) == 1, "the client is built by client.Resource, with the client that you were given",
		"a list with the client for %s sent %d requests (error: %v)", m.kind, len(sent), err)
	s.Requiref(sent[0].Path == m.path, m.cause(sent[0]), "a list of %s, with namespace %q, went to %s, want %s",
		m.kind, m.namespace, sent[0].Path, m.path)
	s.Requiref(err == nil, check.CauseOf(err), "a list with the client for %s failed: %v", m.kind, err)
	s.Requiref(mapper.last.Load() == m.path,
		"hand ctx on to the mapper, which may have to ask the server: a context of your own cannot be ended by the caller",
		"for %s, the mapper was not asked with the caller's ctx", m.kind)
}

// cause explains another path than the mapping's.
func (m mapping) cause(req check.Request) string {
	plural := m.path[strings.LastIndex(m.path, "/")+1:]
	switch {
	case req.Resource != plural:
		return fmt.Sprintf("the plural of %s is %s: it is what the server says and cannot be guessed from the kind; mapping.Resource has it",
			m.kind.Kind, plural)
	case req.Version != m.kind.Version:
		return "hand the version to RESTMapping: without it, the mapper takes the one that the group prefers"
	case req.Namespace != "":
		return m.kind.Kind + " is cluster-scoped, and its path has no namespace: look at mapping.Scope before you call Namespace, " +
			"not at the caller's argument"
	case strings.Contains(m.path, "/namespaces/"):
		return m.kind.Kind + " is namespaced: call Namespace(namespace) when mapping.Scope says so, " +
			"or a list covers every namespace and a create is refused"
	}
	return "take group, version and resource from mapping.Resource"
}

// judgeNoMatch asks for a kind that the server does not serve.
func judgeNoMatch(s *check.S, mapper meta.RESTMapperWithContext, kind schema.GroupVersionKind, ns string) {
	what := fmt.Sprintf("the server does not serve %s, and ", kind)
	_, got, err := resourceFor(s, mapper, mapping{kind, ns, ""})
	s.Require(err != nil, what+"ResourceFor returned no error",
		"a kind that the mapper does not know, in this group and version, must not be guessed")
	s.Requiref(meta.IsNoMatchError(err), "wrap the mapper's error with %w: a caller may want to look again when a CRD appears",
		"%smeta.IsNoMatchError is false for the error: %v", what, err)
	s.Require(got == nil, what+"ResourceFor returned a client beside its error", "return nil with an error")
}

type mapperKey struct{}

// watchedMapper remembers the contexts that it is asked with, and fails when it has an error.
type watchedMapper struct {
	meta.RESTMapperWithContext
	err  error
	last atomic.Value
}

func (m *watchedMapper) note(ctx context.Context) error {
	if path, ok := ctx.Value(mapperKey{}).(string); ok {
		m.last.Store(path)
	}
	return m.err
}

func (m *watchedMapper) RESTMappingWithContext(ctx context.Context, kind schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	if err := m.note(ctx); err != nil {
		return nil, err
	}
	return m.RESTMapperWithContext.RESTMappingWithContext(ctx, kind, versions...)
}

func (m *watchedMapper) RESTMappingsWithContext(
	ctx context.Context, kind schema.GroupKind, versions ...string,
) ([]*meta.RESTMapping, error) {
	if err := m.note(ctx); err != nil {
		return nil, err
	}
	return m.RESTMapperWithContext.RESTMappingsWithContext(ctx, kind, versions...)
}

func (m *watchedMapper) ResourcesForWithContext(
	ctx context.Context, input schema.GroupVersionResource,
) ([]schema.GroupVersionResource, error) {
	if err := m.note(ctx); err != nil {
		return nil, err
	}
	return m.RESTMapperWithContext.ResourcesForWithContext(ctx, input)
}

func (m *watchedMapper) ResourceForWithContext(
	ctx context.Context, input schema.GroupVersionResource,
) (schema.GroupVersionResource, error) {
	if err := m.note(ctx); err != nil {
		return schema.GroupVersionResource{}, err
	}
	return m.RESTMapperWithContext.ResourceForWithContext(ctx, input)
}

// discoveredMapper knows what the server serves now, and asks no more.
func discoveredMapper(s *check.S) meta.RESTMapperWithContext {
	client, err := discovery.NewDiscoveryClientForConfig(s.Config())
	s.Setup(err, "build a discovery client")
	groups, err := restmapper.GetAPIGroupResourcesWithContext(s.Context(), client)
	s.Setup(err, "discover the server's resources")
	return restmapper.NewDiscoveryRESTMapperWithContext(groups)
}

func TestStep9_ToWebsite(t *testing.T) {
	check.Step(t, 9, "ToWebsite", func(s *check.S) {
		const good, bare = "a good Website", "a Website without a spec"
		got, err := toWebsite(s, good, handWritten(nil))
		s.Requiref(err == nil, convertCause(err), "for %s, ToWebsite returned an error: %v", good, err)
		s.Require(got != nil, "ToWebsite returned no Website and no error", "the Website is not returned")
		want := &Website{
			TypeMeta:   metav1.TypeMeta{APIVersion: websiteGroup + "/v1", Kind: "Website"},
			ObjectMeta: metav1.ObjectMeta{Name: "web", Labels: map[string]string{"app": "web"}, Generation: 7},
			Spec:       WebsiteSpec{Host: "web.example.com", Replicas: new(int32(3))},
			Status:     WebsiteStatus{Phase: "Ready"},
		}
		const differs = "for %s, ToWebsite returned\n  %+v\nwant\n  %+v"
		s.Requiref(reflect.DeepEqual(got, want), "the converter fills every field", differs, good, got, want)
		got, err = toWebsite(s, bare, handWritten(func(obj map[string]any) { delete(obj, "spec"); delete(obj, "status") }))
		s.Requiref(err == nil && got != nil, "a field that is absent is no mistake", "for %s, ToWebsite returned %s", bare, check.ErrorText(err))
		want.Spec, want.Status = WebsiteSpec{}, WebsiteStatus{}
		s.Requiref(reflect.DeepEqual(got, want), "what nobody wrote stays absent: add no default", differs, bare, got, want)

		judgeStrict(s)
		judgeOtherKinds(s)
		got, err = toWebsite(s, "replicas that are text", handWritten(func(obj map[string]any) { spec(obj)["replicas"] = "three" }))
		s.Requiref(err != nil && got == nil, "not every error of the conversion is one about an unknown field: return each, and no Website",
			"for replicas that are text, ToWebsite returned %s, and a Website: %t", check.ErrorText(err), got != nil)
	})
}

// handWritten is a Website with a change.
func handWritten(change func(obj map[string]any)) *unstructured.Unstructured {
	obj := map[string]any{
		"apiVersion": websiteGroup + "/v1", "kind": "Website",
		"metadata": map[string]any{"name": "web", "labels": map[string]any{"app": "web"}, "generation": int64(7)},
		"spec":     map[string]any{"host": "web.example.com", "replicas": int64(3)},
		"status":   map[string]any{"phase": "Ready"},
	}
	if change != nil {
		change(obj)
	}
	return &unstructured.Unstructured{Object: obj}
}

// toWebsite calls the step and wants its object unchanged.
func toWebsite(s *check.S, what string, obj *unstructured.Unstructured) (*Website, error) {
	before := obj.DeepCopy()
	got, err := check.Call(s, func(context.Context) (*Website, error) { return ToWebsite(obj) })
	s.Requiref(reflect.DeepEqual(obj, before), "the object is the caller's: read it and leave it",
		"for %s, ToWebsite changed the object", what)
	return got, err
}

// judgeStrict converts Websites with misspelled fields.
func judgeStrict(s *check.S) {
	misspell := func(obj map[string]any) { spec(obj)["replcias"] = int64(3) }
	for _, tc := range []struct {
		what   string
		names  []string
		change func(obj map[string]any)
	}{
		{"a misspelled field of the spec", []string{"spec.replcias"}, misspell},
		{"a misspelled field of the metadata", []string{"metadata.lables"}, func(obj map[string]any) {
			obj["metadata"].(map[string]any)["lables"] = map[string]any{"a": "b"}
		}},
		{"a field of another case", []string{"spec.Host"}, func(obj map[string]any) { spec(obj)["Host"] = "x" }},
		{"three misspelled fields", []string{"spec.replcias", "status.fase", "sepc"}, func(obj map[string]any) {
			misspell(obj)
			obj["status"].(map[string]any)["fase"] = "Ready"
			obj["sepc"] = map[string]any{}
		}},
	} {
		got, err := toWebsite(s, tc.what, handWritten(tc.change))
		s.Requiref(err != nil,
			"a field that the type does not have is dropped without a word, unless you ask for validation: "+
				"FromUnstructuredWithValidation, with true",
			"for %s, %s, ToWebsite returned no error", tc.what, strings.Join(tc.names, ", "))
		for _, name := range tc.names {
			s.Requiref(strings.Contains(err.Error(), name), "the converter's error names each unknown field with its path: wrap it with %w",
				"for %s, the error is %q, which does not name %s", tc.what, err, name)
		}
		s.Requiref(strictInside(err), "wrap the converter's error with %w: %v keeps the text and loses the error",
			"for %s, no error inside of this one satisfies runtime.IsStrictDecodingError: %v", tc.what, err)
		s.Requiref(got == nil, "the converter fills the object and reports afterwards: return nil with an error",
			"for %s, ToWebsite returned a Website beside its error", tc.what)
	}
}

// judgeOtherKinds converts objects that are no Websites of version v1.
func judgeOtherKinds(s *check.S) {
	for _, tc := range []struct {
		what, says   string
		field, value string
	}{
		{"an object of kind Webpage", "Webpage", "kind", "Webpage"},
		{"an object of version v2", "v2", "apiVersion", websiteGroup + "/v2"},
		{"an object of version v1beta1", "v1beta1", "apiVersion", websiteGroup + "/v1beta1"},
		{"an object of kind website, in lower case", "website", "kind", "website"},
		{"an object of another group", "other.example.org", "apiVersion", "other.example.org/v1"},
		{"an object without a kind", "", "kind", ""},
	} {
		got, err := toWebsite(s, tc.what, handWritten(func(obj map[string]any) {
			obj[tc.field] = tc.value
			if tc.value == "" {
				delete(obj, tc.field)
			}
		}))
		s.Requiref(err != nil,
			"the converter puts any content into any struct: compare apiVersion and kind yourself, obj.GroupVersionKind() has both",
			"for %s, ToWebsite returned no error", tc.what)
		s.Requiref(strings.Contains(err.Error(), tc.says), "say what the object is",
			"for %s, the error is %q, which does not say %q", tc.what, err, tc.says)
		s.Requiref(got == nil, "return nil with an error", "for %s, ToWebsite returned a Website beside its error", tc.what)
	}
}

// strictInside looks for a strict decoding error in the tree of errors.
func strictInside(err error) bool {
	if err == nil {
		return false
	}
	if runtime.IsStrictDecodingError(err) {
		return true
	}
	switch e := err.(type) { //nolint:errorlint // it walks down the tree itself
	case interface{ Unwrap() error }:
		return strictInside(e.Unwrap())
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(e.Unwrap(), strictInside)
	}
	return false
}

// sharedWebsites makes sure of the CRD that all the programs of the chapter share.
func sharedWebsites(s *check.S) schema.GroupVersionResource {
	client := dynamicFor(s, s.Config())
	resource := schema.GroupVersionResource{Group: websiteGroup, Version: "v1", Resource: "websites"}
	_, err := client.Resource(crds).Create(s.Context(), websiteCRD(), metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		s.Setup(err, "create CRD websites."+websiteGroup)
	}
	s.Await("list websites."+websiteGroup, func() bool {
		_, err := client.Resource(resource).List(s.Context(), metav1.ListOptions{Limit: 1})
		return err == nil
	})
	return resource
}

// phaseSteps judges calls of SetPhase in one namespace.
type phaseSteps struct {
	s        *check.S
	ns       string
	websites schema.GroupVersionResource
	// before is website web before the first call.
	before *unstructured.Unstructured
}

func (p phaseSteps) set(name, manager, phase string, faults ...fault) (*check.Recorder, *unstructured.Unstructured, error) {
	return check.Recorded(p.s, check.CallTimeout, func(ctx context.Context, cfg *rest.Config) (*unstructured.Unstructured, error) {
		return SetPhase(ctx, dynamicFor(p.s, cfg).Resource(p.websites).Namespace(p.ns), name, manager, phase)
	}, faults...)
}

const otherURL = "http://web.example.com"

func TestStep10_SetPhase(t *testing.T) {
	check.Step(t, 10, "SetPhase", func(s *check.S) {
		p := phaseSteps{s: s, ns: s.Namespace(), websites: sharedWebsites(s)}
		p.before = createWebsiteIn(s, p.websites, p.ns, "web", map[string]any{
			"spec": map[string]any{"host": "web.example.com", "replicas": int64(3)},
		})
		// Another manager has a field of the status.
		status := fmt.Appendf(nil, `{"apiVersion":"%s/v1","kind":"Website","status":{"url":%q}}`, websiteGroup, otherURL)
		_, err := admin(s, p.websites, p.ns).Patch(s.Context(), "web", types.ApplyPatchType, status,
			metav1.PatchOptions{FieldManager: "prober", Force: new(true)}, "status")
		s.Setup(err, "write the status of website web")

		p.judgeSet("builder", "Building", "")
		p.judgeSet("builder", `"Ready": {now}`, "the phase may hold any character: build the object as a map, not as a text: ")
		p.judgeSet("janitor", "Closed", "")

		rec, applied, err := p.set("missing", "builder", "Building")
		_, getErr := admin(s, p.websites, p.ns).Get(s.Context(), "missing", metav1.GetOptions{})
		rec.Requiref(apierrors.IsNotFound(getErr), "an apply to the resource itself creates what is not there: the status is a subresource",
			"website missing did not exist, and was created")
		s.RequireReason(err, metav1.StatusReasonNotFound, rec, "website missing does not exist", "return the error, wrapped with %w, and nil")
		s.Require(applied == nil, "website missing does not exist, and an object was returned beside the error", "return nil with an error")
		p.judgeRefused(http.StatusForbidden, metav1.StatusReasonForbidden)
		p.judgeRefused(http.StatusConflict, metav1.StatusReasonConflict)
	})
}

// judgeSet wants one apply of the phase of website web.
func (p phaseSteps) judgeSet(manager, phase, hint string) {
	rec, applied, err := p.set("web", manager, phase)
	a := apply{p.s, rec, err}
	a.judgeRequest("web", manager)
	a.require(err == nil, applyCause(err, hint), "SetPhase returned an error")
	now := getObject(p.s, p.websites, p.ns, "web")
	status, _ := now.Object["status"].(map[string]any)
	a.require(status["phase"] == phase, "the phase is at .status.phase: encode it as JSON, not with Sprintf",
		"website web has the phase %q, want %q", status["phase"], phase)
	a.require(status["url"] == otherURL, "name .status.phase alone",
		"website web has the status.url %v, which another manager had set to %s", status["url"], otherURL)
	a.require(reflect.DeepEqual(now.Object["spec"], p.before.Object["spec"]) && reflect.DeepEqual(now.GetLabels(), p.before.GetLabels()),
		"the status and nothing else", "website web has lost something of its spec or labels: %v", now.Object)
	a.judgeOwned(now, manager)
	a.require(applied != nil && applied.GetUID() == now.GetUID(), "return what ApplyStatus returned",
		"the returned object is not the one that the server sent back")
}

// judgeRefused answers the apply with an error.
func (p phaseSteps) judgeRefused(code int, reason metav1.StatusReason) {
	rec, _, err := p.set("web", "builder", "Building", check.Refusing("patch", code))
	p.s.RequireReason(err, reason, rec, fmt.Sprintf("the apply was answered with %d", code), "wrap the error with %w")
	sent := rec.Count(check.Match{Verb: "patch"})
	rec.Requiref(sent == 1, "an apply is sent once: the same request will fail again",
		"an apply that failed was sent %d times, want 1", sent)
}

// apply is one call of SetPhase, which ended with err.
type apply struct {
	s   *check.S
	rec *check.Recorder
	err error
}

// require says with each failure what was sent and how the call ended.
func (a apply) require(ok bool, cause, format string, args ...any) {
	seen := a.rec.Saw(format, args...)
	if sent := a.rec.Requests(check.Match{}); len(sent) > 0 {
		seen += "\nthe body was " + strings.TrimSpace(string(sent[len(sent)-1].Body))
	}
	if a.err != nil {
		seen += "\nthe error was: " + a.err.Error()
	}
	a.s.Require(ok, seen, cause)
}

// judgeRequest wants one forced apply of the phase alone, to the status.
func (a apply) judgeRequest(name, manager string) {
	sent := a.rec.Requests(check.Match{})
	a.require(len(sent) > 0, applyCause(a.err, ""), "no request was sent")
	for _, req := range sent {
		a.require(req.Verb == "patch" && strings.HasPrefix(req.ContentType, "application/apply-patch+"), noApplyCause(req),
			"%s, Content-Type %q, is no server-side apply", req, req.ContentType)
		a.require(req.Subresource == "status" && req.Name == name,
			"the resource itself takes a status and drops it without a word: ApplyStatus, or Apply with the subresource \"status\"",
			"%s does not go to the status of website %s", req, name)
	}
	a.require(len(sent) == 1, "an apply is sent once, and needs nothing read before it", "want one request")
	got := sent[0].Query.Get("fieldManager")
	a.require(got == manager, "FieldManager in ApplyOptions is the caller's manager", "the apply has fieldManager=%q, want %q", got, manager)
	if body, err := sent[0].Object(); err == nil {
		a.judgeFields(body, "apiVersion", "kind", "metadata", "status")
		a.judgeFields(body["metadata"], "name", "namespace")
		a.judgeFields(body["status"], "phase")
	}
	a.require(sent[0].Query.Get("force") == "true", "Force in ApplyOptions: the phase has one author", "the apply is not forced")
}

// judgeFields wants a part of the applied object to have no other fields.
func (a apply) judgeFields(part any, names ...string) {
	fields, _ := part.(map[string]any)
	for key, value := range fields {
		// Older releases wrote a creationTimestamp of null for every object; nobody owns it.
		known := slices.Contains(names, key) || key == "creationTimestamp" && value == nil
		a.require(known, tooMuchCause(key), "the apply names the field %s", key)
	}
}

const appliedReadCause = "an object that was read cannot be applied: it carries managedFields, and names every field. " +
	"Build an object with the one field"

func tooMuchCause(key string) string {
	switch key {
	case "managedFields", "resourceVersion", "uid", "generation", "creationTimestamp":
		return appliedReadCause
	case "phase":
		return "the phase is at .status.phase"
	}
	return "what the applied object names, the manager owns: name .status.phase and nothing else"
}

func noApplyCause(req check.Request) string {
	switch {
	case req.ContentType == string(types.StrategicMergePatchType):
		return "a strategic merge patch is made from Go types, and the server has none for a custom resource: it answers 415. " +
			"An apply works for every kind"
	case req.Verb == "patch":
		return "another kind of patch owns nothing and meets no conflict: types.ApplyPatchType, or ApplyStatus"
	case req.Verb == "update" && req.Subresource == "":
		return "a PUT of the resource itself leaves the status as it is, without a word"
	case req.Verb == "update":
		return "UpdateStatus writes the whole status, and so needs a read and conflicts: an apply names the one field"
	}
	return "an apply says what you want, and needs nothing read before it"
}

// applyCause explains an error; hint comes before what only the error tells.
func applyCause(err error, hint string) string {
	text := errorText(err)
	switch {
	case strings.Contains(text, "fieldManager"):
		return "an apply needs the name of its manager: FieldManager in ApplyOptions"
	case strings.Contains(text, "managed fields"), strings.Contains(text, "managedFields"):
		return appliedReadCause
	case strings.Contains(text, "invalid object type"), strings.Contains(text, "kind"), strings.Contains(text, "Kind"):
		return "what is applied must name apiVersion workshop.example.com/v1 and kind Website"
	case apierrors.IsConflict(err):
		return "another manager owns the phase: Force takes it"
	}
	return hint + check.CauseOf(err)
}

// judgeOwned wants the manager to own the phase, in the status, and nothing else.
func (a apply) judgeOwned(obj *unstructured.Unstructured, manager string) {
	owned := map[string]any{}
	for _, entry := range obj.GetManagedFields() {
		if entry.Manager == manager && entry.Operation == metav1.ManagedFieldsOperationApply && entry.Subresource == "status" {
			a.s.Setup(json.Unmarshal(entry.FieldsV1.GetRawBytes(), &owned), "decode the managed fields")
		}
	}
	want := map[string]any{"f:status": map[string]any{"f:phase": map[string]any{}}}
	a.require(reflect.DeepEqual(owned, want),
		"what the applied object names, the manager owns: every other writer of these fields now meets a conflict. "+
			"Name .status.phase and nothing else",
		"manager %s owns %v of the status of website %s, want the phase alone", manager, owned, obj.GetName())
}

const wrongPhaseCause = "a wrong type looks like an absent field when the error of NestedString is dropped"

func TestStep11_HasPhase(t *testing.T) {
	check.Step(t, 11, "HasPhase", func(s *check.S) {
		const absent = "a Website that has no status or no phase yet is no error and not ready: look at found"
		const whole = "compare the phase as a whole"
		of := func(phase any) *unstructured.Unstructured {
			return object("Website", map[string]any{"status": map[string]any{"phase": phase, "url": "Ready"}})
		}
		for _, tc := range []struct {
			what    string
			website *unstructured.Unstructured
			want    bool
			cause   string
		}{
			{"Ready", of("Ready"), true, "the phase is at .status.phase"},
			{"Building", of("Building"), false, "compare .status.phase with the phase that the caller asks for"},
			{"ReadyToBuild", of("ReadyToBuild"), false, whole},
			{"NotReady", of("NotReady"), false, whole},
			{"ready, in lower case", of("ready"), false, whole},
			{"absent with the status", object("Website", nil), false, absent},
			{"absent from an empty status", withStatus(map[string]any{}), false, absent},
			{"in the spec and not in the status", with("Website", "phase", "Ready"), false, absent},
		} {
			got, err := callHasPhase(s, tc.what, tc.website)
			s.Requiref(err == nil, tc.cause, "the phase is %s, and HasPhase returned an error: %v", tc.what, err)
			s.Requiref(got == tc.want, tc.cause, "the phase is %s, and HasPhase for Ready returned %t, want %t", tc.what, got, tc.want)
		}
		for _, tc := range []struct {
			what, names string
			website     *unstructured.Unstructured
		}{
			{"the number 5", "phase", of(int64(5))},
			{"an object", "phase", of(map[string]any{"name": "Ready"})},
			{"in a status that is text", "status", withStatus("Ready")},
		} {
			got, err := callHasPhase(s, tc.what, tc.website)
			s.Requiref(err != nil && !got, wrongPhaseCause, "the phase is %s, and HasPhase returned %t and %s", tc.what, got, check.ErrorText(err))
			s.Requiref(strings.Contains(err.Error(), tc.names), "wrap the error of NestedString with %w: it names the path",
				"the phase is %s, and the error does not name the field %s: %v", tc.what, tc.names, err)
		}
	})
}

// callHasPhase calls the step for the phase Ready, and wants its object unchanged.
func callHasPhase(s *check.S, what string, website *unstructured.Unstructured) (bool, error) {
	before := website.DeepCopy()
	got, err := check.Call(s, func(context.Context) (bool, error) { return HasPhase(website, "Ready") })
	s.Requiref(reflect.DeepEqual(website, before), "the object is the caller's: read it and leave it",
		"the phase is %s, and HasPhase changed the object", what)
	return got, err
}

// phaseWait is one call of WaitForPhase.
type phaseWait = *check.Wait[*unstructured.Unstructured]

// waiting has the Websites of one judgement of WaitForPhase, and the check's own
// client of them.
type waiting struct {
	s        *check.S
	ns       string
	websites schema.GroupVersionResource
	admin    dynamic.ResourceInterface
}

// of waits for a Website to be in the phase Ready.
func (p waiting) of(name string) phaseWait {
	describe := func(website *unstructured.Unstructured) string {
		if website == nil {
			return "no Website"
		}
		return fmt.Sprintf("website %s with the status %v", website.GetName(), website.Object["status"])
	}
	return check.NewWait(p.s, describe, func(ctx context.Context, cfg *rest.Config) (*unstructured.Unstructured, error) {
		return WaitForPhase(ctx, dynamicFor(p.s, cfg).Resource(p.websites).Namespace(p.ns), name, "Ready")
	})
}

// write sets the status of a Website.
func (p waiting) write(ctx context.Context, name, status string) error {
	_, err := p.admin.Patch(ctx, name, types.MergePatchType, []byte(`{"status":`+status+`}`), metav1.PatchOptions{})
	return err
}

// requireReady wants the step to have returned the Website in the phase Ready.
func requireReady(w phaseWait, name string, err error, what, cause string) {
	got := map[string]any{}
	if w.Got != nil {
		got, _ = w.Got.Object["status"].(map[string]any)
	}
	w.S.Require(err == nil && w.Got != nil && w.Got.GetName() == name && got["phase"] == "Ready", what+", and "+w.Ended(err), cause)
}

func TestStep12_WaitForPhase(t *testing.T) {
	check.Step(t, 12, "WaitForPhase", func(s *check.S) {
		p := waiting{s: s, ns: s.Namespace(), websites: replicated(s)}
		p.admin = admin(s, p.websites, p.ns)
		for _, name := range []string{"web", "other", "old", "cut", "bent", "doomed", "slow"} {
			createWebsiteIn(s, p.websites, p.ns, name, map[string]any{"spec": map[string]any{"host": name}})
		}
		createWebsiteIn(s, p.websites, p.ns, "done", map[string]any{"status": map[string]any{"phase": "Ready"}})

		w := p.of("done")
		requireReady(w, "done", w.Call(6*time.Second, nil), "website done was Ready before the call",
			"look at the state first: a watch from there brings an event only when something changes")
		p.judgeWatch()
		p.judgeCut()
		p.judgeCompaction()
		p.of("slow").JudgeTimeout(700*time.Millisecond, "website slow was not Ready", "wait")
		p.judgeBent()
		judgeGone(p.of("missing"), "website missing does not exist", nil,
			"an empty list, or a GET that says NotFound: return an error that apierrors.IsNotFound knows")
		w = p.of("doomed")
		judgeGone(w, "website doomed was deleted during the wait", func(ctx context.Context) error {
			w.Pause(ctx, 3*time.Second, w.Watching)
			w.Pause(ctx, 100*time.Millisecond, nil)
			return p.admin.Delete(ctx, "doomed", metav1.DeleteOptions{})
		}, "an event of the type Deleted ends the wait: the Website will not be ready any more")
	})
}

// judgeWatch takes website web through phases, while another one is Ready at once.
func (p waiting) judgeWatch() {
	w := p.of("web")
	var early atomic.Bool
	err := w.Call(12*time.Second, func(ctx context.Context) error {
		w.Pause(ctx, 3*time.Second, w.Watching)
		for _, change := range []struct{ name, status string }{
			{"web", "{}"}, {"web", `{"phase":"Building"}`}, {"other", `{"phase":"Ready"}`}, {"web", `{"phase":"ReadyToBuild"}`},
		} {
			if err := p.write(ctx, change.name, change.status); err != nil {
				return err
			}
			w.Pause(ctx, 150*time.Millisecond, nil)
		}
		early.Store(w.Returned())
		return p.write(ctx, "web", `{"phase":"Ready"}`)
	})
	cause := "a Website that has no status or no phase yet is no error and not ready: look at found"
	if w.Got != nil {
		cause = "compare the phase as a whole, of this Website alone: watch this name only, with a field selector, " +
			"or look at the name of what the event brings"
	}
	p.s.Require(!early.Load(), "website web was not Ready, and "+w.Ended(err), cause)
	requireReady(w, "web", err, "website web became Ready", "return the Website of the event that brought the phase")
	w.Rec.Requiref(len(w.Watches()) > 0, "asking again and again costs requests and misses what lies between: a watch tells you",
		"no watch was opened")
}

// judgeCut ends every watch for a while, as a server does that shuts down.
func (p waiting) judgeCut() {
	w := p.of("cut")
	var going, early, floods atomic.Bool
	w.Rec.EndWatchesWhile(check.Match{}, func() bool { return !going.Load() })
	err := w.Call(12*time.Second, func(ctx context.Context) error {
		w.Pause(ctx, 3*time.Second, w.Watching)
		w.Pause(ctx, 900*time.Millisecond, nil)
		early.Store(w.Returned())
		floods.Store(w.Floods(ctx))
		// Ready while no watch is open: only another look can tell.
		if err := p.write(ctx, "cut", `{"phase":"Ready"}`); err != nil {
			return err
		}
		w.Pause(ctx, 100*time.Millisecond, nil)
		going.Store(true)
		return nil
	})
	w.JudgeFlood(floods.Load())
	p.s.Require(!early.Load(), "every watch is closed by the server, and "+w.Ended(err),
		"a closed channel says that this watch is over, not that the Website is ready or gone: look again and watch on. "+
			"A receive from it gives a zero event, so look at its second value")
	requireReady(w, "cut", err, "the Website became Ready while no watch was open",
		"after the end of a watch look again: a new watch does not tell what happened between the two, "+
			"and the channel of the old one gives zero events without end")
}

// judgeCompaction answers the first watch, and those from before it, with 410 Gone.
func (p waiting) judgeCompaction() {
	w := p.of("old")
	err := w.JudgeCompaction(p.ns, check.Match{}, func(ctx context.Context) error { return p.write(ctx, "old", `{"phase":"Ready"}`) })
	requireReady(w, "old", err, "a watch was answered with 410 Gone, the Website became Ready later",
		"after an event of the type Error look again and watch on")
}

// judgeBent makes the phase a number during a wait, and waits once more.
func (p waiting) judgeBent() {
	const bent = "the phase of website bent is the number 5, and "
	w := p.of("bent")
	during := func(ctx context.Context) error {
		w.Pause(ctx, 3*time.Second, w.Watching)
		return p.write(ctx, "bent", `{"phase":5}`)
	}
	for _, w := range []phaseWait{w, p.of("bent")} {
		err := w.Call(7*time.Second, during)
		p.s.Require(err != nil && !errors.Is(err, context.DeadlineExceeded), bent+w.Ended(err),
			wrongPhaseCause)
		p.s.Requiref(strings.Contains(err.Error(), "phase"), "wrap the error of NestedString with %w: it names the path",
			bent+"the error does not name the field: %v", err)
		during = nil
	}
}

// judgeGone wants the end of a Website, or that there is none, to be an error that says so.
func judgeGone(w phaseWait, what string, meanwhile func(context.Context) error, cause string) {
	err := w.Call(7*time.Second, meanwhile)
	w.S.Require(apierrors.IsNotFound(err) && w.Got == nil, what+", want an error that is NotFound, and "+w.Ended(err), cause)
}
