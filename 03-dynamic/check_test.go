package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/diff"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"example.com/client-go-workshop/internal/check"
)

// dynamicFor is the client of the check's own making: a step is judged whether
// or not step 1 is written.
func dynamicFor(s *check.S, cfg *rest.Config) *dynamic.DynamicClient {
	client, err := dynamic.NewForConfig(cfg)
	s.Setup(err, "build a dynamic client")
	return client
}

// admin is the check's own client of a resource.
func admin(s *check.S, resource schema.GroupVersionResource, ns string) dynamic.ResourceInterface {
	return dynamicFor(s, s.Config()).Resource(resource).Namespace(ns)
}

func getObject(s *check.S, resource schema.GroupVersionResource, ns, name string) *unstructured.Unstructured {
	obj, err := admin(s, resource, ns).Get(s.Context(), name, metav1.GetOptions{})
	s.Setup(err, "get "+resource.Resource+" "+name)
	return obj
}

// fault is what goes wrong during a call.
type fault = func(*check.Recorder)

// errorText is the text of an error, or none.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// richDeployment has values that a converter can get wrong: quantities, a port
// that is a name, a percentage, a list of maps. Its pods are not made.
func richDeployment(name string) *appsv1.Deployment {
	match := map[string]string{"app": name}
	web := corev1.Container{
		Name: "web", Image: "registry.k8s.io/pause:3.10",
		Args:  []string{"-v", "2"},
		Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}},
		Env:   []corev1.EnvVar{{Name: "COLOUR", Value: "red"}},
		Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("250m"), corev1.ResourceMemory: resource.MustParse("1Gi"),
		}},
		ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
			HTTPGet: &corev1.HTTPGetAction{Path: "/ready", Port: intstr.FromString("http")},
		}},
	}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: match, Annotations: map[string]string{"example.com/note": "1"}},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(0)),
			Selector: &metav1.LabelSelector{MatchLabels: match},
			Strategy: appsv1.DeploymentStrategy{
				Type: appsv1.RollingUpdateDeploymentStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDeployment{
					MaxSurge: new(intstr.FromString("50%")), MaxUnavailable: new(intstr.FromInt32(1)),
				},
			},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: match},
				Spec: corev1.PodSpec{
					SchedulerName: check.NoScheduler,
					Containers:    []corev1.Container{web, {Name: "log", Image: "registry.k8s.io/pause:3.9"}},
				},
			},
		},
	}
}

func TestStep1_NewClient(t *testing.T) {
	check.Step(t, 1, "NewClient", func(s *check.S) {
		s.Needs(authorizationv1.ResourceAttributes{Verb: "get", Group: "apps", Resource: "deployments", Namespace: metav1.NamespaceSystem})
		ns := s.Namespace()
		s.CreatePod(ns, check.PendingPod("web", nil))
		rec, cfg := s.Recorder()
		cfg.UserAgent, cfg.ContentType = "the caller's own", runtime.ContentTypeProtobuf
		before := rest.CopyConfig(cfg)
		client := check.Must(s, "client", func(context.Context) (*dynamic.DynamicClient, error) { return NewClient(cfg) })
		s.RequireNoRequest(rec, "a client is built without asking the server")
		s.RequireSameConfig(before, cfg)

		for _, tc := range []clientCall{
			{"Pod", "/api/v1/namespaces/" + ns + "/pods/web", corev1.SchemeGroupVersion.WithResource("pods"), ns, "web"},
			{"Deployment", "/apis/apps/v1/namespaces/kube-system/deployments/coredns", deployments, "kube-system", "coredns"},
			{"Namespace", "/api/v1/namespaces/" + ns, corev1.SchemeGroupVersion.WithResource("namespaces"), "", ns},
		} {
			tc.judge(s, rec, client)
		}

		bad := rest.CopyConfig(cfg)
		bad.CAData, bad.CAFile = nil, filepath.Join(s.T().TempDir(), "no-such-ca.crt")
		_, err := check.Call(s, func(context.Context) (*dynamic.DynamicClient, error) { return NewClient(bad) })
		s.Require(err != nil, "for a config whose CA file does not exist, NewClient returned no error",
			"the error of dynamic.NewForConfig is dropped")
	})
}

// clientCall is a GET with the client of step 1.
type clientCall struct {
	kind, path string
	resource   schema.GroupVersionResource
	ns, name   string
}

func (c clientCall) judge(s *check.S, rec *check.Recorder, client dynamic.Interface) {
	obj, err := check.Call(s, func(ctx context.Context) (*unstructured.Unstructured, error) {
		return client.Resource(c.resource).Namespace(c.ns).Get(ctx, c.name, metav1.GetOptions{})
	})
	sent := rec.Requests(check.Match{})
	s.Requiref(len(sent) > 0,
		"the client was built from a new rest.Config: use rest.CopyConfig(cfg), which keeps TLS, credentials and wrappers",
		"a GET of a %s did not go through the transport of the caller's config (error: %v)", c.kind, err)
	last := sent[len(sent)-1]
	s.Requiref(last.Path == c.path, "dynamic.NewForConfig builds a client that makes each path by itself",
		"a GET of a %s asked for %s, want %s", c.kind, last.Path, c.path)
	s.Requiref(err == nil && obj.GetKind() == c.kind, "dynamic.NewForConfig sets a serializer that decodes JSON into Unstructured; "+
		"the RESTClient of a typed client speaks protobuf and knows other types",
		"a GET of a %s with the new client gave %s", c.kind, check.ErrorText(err))
	const agent = "client-go-workshop/dynamic"
	s.Requiref(last.UserAgent == agent, "UserAgent is to be exactly this, whatever the caller's config says",
		"the User-Agent is %q, want %q", last.UserAgent, agent)
}

var deployments = appsv1.SchemeGroupVersion.WithResource("deployments")

func TestStep2_GetDeployment(t *testing.T) {
	check.Step(t, 2, "GetDeployment", func(s *check.S) {
		ns := s.Namespace()
		want := s.CreateDeployment(ns, richDeployment("web"))
		get := func(name string, faults ...fault) (*check.Recorder, *appsv1.Deployment, error) {
			return check.Recorded(s, check.CallTimeout, func(ctx context.Context, cfg *rest.Config) (*appsv1.Deployment, error) {
				return GetDeployment(ctx, dynamicFor(s, cfg), ns, name)
			}, faults...)
		}
		rec, got, err := get("web")
		judgeOneGet(s, rec, err, ns)
		s.RequireNoError(err, rec, convertCause(err))
		judgeConverted(s, got, want, "")

		const future = "the server sent a Deployment with fields that this client-go does not know, "
		_, got, err = get("web", changeAnswer(func(obj map[string]any) {
			spec(obj)["fromTheFuture"] = true
			containers(obj)[0].(map[string]any)["fromTheFuture"] = map[string]any{"a": int64(1)}
		}))
		s.Requiref(err == nil, "a newer server has more fields: a strict conversion of what a server sends breaks the program "+
			"on the day of the upgrade. FromUnstructured leaves such a field out", future+"and GetDeployment returned an error: %v", err)
		judgeConverted(s, got, want, future)

		_, got, err = get("web", changeAnswer(func(obj map[string]any) { spec(obj)["minReadySeconds"] = "ten" }))
		s.Require(err != nil, "the server sent a Deployment whose spec.minReadySeconds is text, and GetDeployment returned no error",
			"the error of the conversion is dropped")
		s.Requiref(got == nil, "the converter stops halfway: return nil with an error",
			"the conversion failed (%v), and GetDeployment returned a Deployment beside the error", err)

		rec, got, err = get("missing")
		s.RequireReason(err, metav1.StatusReasonNotFound, rec, "the Deployment does not exist", "return the error of Get, wrapped with %w")
		s.Require(got == nil, "the Deployment does not exist, and one was returned beside the error", "return nil with an error")
		rec.Requiref(rec.Count(check.Match{}) == 1, "one request: the caller decides whether to ask again",
			"a GET that was answered with 404 was sent again")
		rec, _, err = get("web", check.Refusing("", http.StatusForbidden))
		s.RequireReason(err, metav1.StatusReasonForbidden, rec, "the GET was answered with 403",
			"wrap the error with %w, so that callers can look at its status")
	})
}

// judgeOneGet wants one GET of deployment web, and no other request.
func judgeOneGet(s *check.S, rec *check.Recorder, err error, ns string) {
	path := "/apis/apps/v1/namespaces/" + ns + "/deployments/web"
	sent := rec.Requests(check.Match{})
	s.Requiref(len(sent) > 0, "the Deployment must come from the server", "GetDeployment sent no request (error: %v)", err)
	want := rec.Saw("want GET %s (error: %v)", path, err)
	s.Require(sent[0].Verb == "get", want, "one Get brings the whole object")
	s.Require(sent[0].Path == path, want, pathCause(sent[0], "deployments", ns))
	rec.Requiref(len(sent) == 1 && sent[0].Method == http.MethodGet, "one Get brings the whole object", "want one GET of the Deployment")
}

// changeAnswer changes the object in the server's answers to a GET.
func changeAnswer(change func(obj map[string]any)) fault {
	return func(rec *check.Recorder) { rec.RewriteObject(check.Match{Verb: "get"}, check.Always, change) }
}

func spec(obj map[string]any) map[string]any { return obj["spec"].(map[string]any) }

// specField is a field of the spec, or nil.
func specField(obj *unstructured.Unstructured, name string) any {
	value, _, _ := unstructured.NestedFieldNoCopy(obj.Object, "spec", name)
	return value
}

func containers(obj map[string]any) []any {
	list, _, _ := unstructured.NestedFieldNoCopy(obj, "spec", "template", "spec", "containers")
	return list.([]any)
}

// judgeConverted compares all but the TypeMeta, which a typed client leaves empty.
func judgeConverted(s *check.S, got, want *appsv1.Deployment, what string) {
	s.Require(got != nil, what+"GetDeployment returned no Deployment and no error", "the Deployment is not returned")
	for _, part := range []struct {
		name      string
		got, want any
	}{
		{"metadata", got.ObjectMeta, want.ObjectMeta},
		{"spec.template", got.Spec.Template, want.Spec.Template},
		{"spec", got.Spec, want.Spec},
		{"status", got.Status, want.Status},
	} {
		s.Requiref(apiequality.Semantic.DeepEqual(part.got, part.want),
			"not every field came over: the converter fills a whole appsv1.Deployment from obj.Object",
			"%sthe returned Deployment has this %s\n  %+v\nwant\n  %+v", what, part.name, part.got, part.want)
	}
}

// pathCause explains a path that is not the resource's.
func pathCause(req check.Request, plural, ns string) string {
	switch {
	case req.Resource != plural && strings.EqualFold(strings.TrimSuffix(req.Resource, "s"), strings.TrimSuffix(plural, "s")):
		return "the last part of a GroupVersionResource is the resource, lower case and plural as in the path, and not the kind: " + plural
	case req.Group != "apps" || req.Version != "v1":
		return "a Deployment is in group apps, version v1"
	case req.Namespace == "":
		return "Resource(...) without Namespace(namespace) is for the whole cluster: the path has no namespace, and the server answers 404 or 405"
	case req.Namespace != ns:
		return "the namespace is the caller's"
	}
	return "the path is made of group, version, namespace, resource and name, unchecked"
}

func convertCause(err error) string {
	const declare = "declare a variable of the type, such as var deployment appsv1.Deployment"
	text := errorText(err)
	switch {
	case strings.Contains(text, "non-nil pointer"):
		return "the converter fills what a pointer points to: " + declare + ", and hand over &deployment"
	case strings.Contains(text, "map[string]interface"):
		return "given a pointer to an interface, the converter puts a map there: " + declare
	case strings.Contains(text, "unknown field"):
		return "the conversion is strict, and the server may have fields that this client-go does not know"
	case strings.Contains(text, "Object 'Kind' is missing"):
		return "JSON for an Unstructured needs a kind, and a typed object mostly has none: convert with the converter, " +
			"or set apiVersion and kind first"
	}
	return check.CauseOf(err)
}

func TestStep3_Summarize(t *testing.T) {
	check.Step(t, 3, "Summarize", func(s *check.S) {
		for _, tc := range summaries() {
			got, err := summarize(s, tc.what, tc.obj)
			s.Requiref(err == nil, tc.cause, "for %s, Summarize returned an error: %v", tc.what, err)
			s.Requiref(got.Replicas == tc.want.Replicas, tc.replicas, "for %s, Replicas is %d, want %d", tc.what, got.Replicas, tc.want.Replicas)
			s.Requiref(slices.Equal(got.Images, tc.want.Images), tc.cause, "for %s, Images is %q, want %q", tc.what, got.Images, tc.want.Images)
		}
		for _, tc := range wrongTypes() {
			got, err := summarize(s, tc.what, tc.obj)
			s.Requiref(err != nil, wrongTypeCause, "for %s, Summarize returned %+v and no error", tc.what, got)
			s.Requiref(strings.Contains(err.Error(), tc.names),
				"the errors of the Nested functions name the path: wrap them with %w; for an element of a list, say which list",
				"for %s, the error is %q, which does not name the field %q", tc.what, err, tc.names)
			s.Requiref(reflect.DeepEqual(got, Summary{}), "a caller that forgets the error must not work with half a summary",
				"for %s, Summarize returned %+v beside its error, want an empty Summary", tc.what, got)
		}
	})
}

const wrongTypeCause = "a wrong type looks like an absent field when the error of the Nested function, " +
	"or the second result of an assertion, is dropped"

// object is called web and has a content.
func object(kind string, content map[string]any) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": kind, "metadata": map[string]any{"name": "web"},
	}}
	for key, value := range content {
		obj.Object[key] = value
	}
	return obj
}

// with is an object with one field in its spec.
func with(kind, key string, value any) *unstructured.Unstructured {
	return object(kind, map[string]any{"spec": map[string]any{key: value}})
}

func container(name string, image any) any { return map[string]any{"name": name, "image": image} }

// template has containers, and an init container that does not count.
func template(containers any) map[string]any {
	return map[string]any{"spec": map[string]any{
		"initContainers": []any{map[string]any{"name": "init", "image": "init:1"}},
		"containers":     containers,
	}}
}

// summary is an object, what Summarize has to say of it, and the likely causes of
// another number and of anything else.
type summary struct {
	what            string
	obj             *unstructured.Unstructured
	want            Summary
	cause, replicas string
}

func summaries() []summary {
	const (
		absent = "a field that is absent is no error: look at the second result of the Nested function, found, and only then at the value"
		one    = absent + "; absent means 1 here"
		number = "the number is at spec, replicas (two arguments: a dot does not part them), and is an int64: an assertion to int never holds"
		zero   = "0 is a number that somebody wrote, and not the same as absent: found tells them apart"
		large  = "the number is an int64: do not squeeze it through another type"
		images = "the images are those of .spec.template.spec.containers, each of them, in their order"
		empty  = "a container without an image adds none, not an empty one: look at found"
	)
	three := template([]any{container("web", "b:1"), container("log", "a:1"), container("again", "b:1")})
	replicated := func(n int64) *unstructured.Unstructured {
		return object("Deployment", map[string]any{"spec": map[string]any{"replicas": n, "template": three}})
	}
	gap := template([]any{container("web", "b:1"), map[string]any{"name": "log"}, container("more", "a:1")})
	of := func(n int64, images ...string) Summary { return Summary{Replicas: n, Images: images} }
	return []summary{
		{"a Deployment with 3 replicas and three containers", replicated(3), of(3, "b:1", "a:1", "b:1"), images, number},
		{"a StatefulSet without replicas", with("StatefulSet", "template", three), of(1, "b:1", "a:1", "b:1"), one, one},
		{"0 replicas", replicated(0), of(0, "b:1", "a:1", "b:1"), zero, zero},
		{"a Website with 5 replicas and no template", with("Website", "replicas", int64(5)), of(5), absent, number},
		{"an object without a spec", object("ConfigMap", nil), of(1), absent, absent},
		{"an object whose spec is empty", object("Website", map[string]any{"spec": map[string]any{}}), of(1), absent, absent},
		{"a template without a spec", with("Deployment", "template", map[string]any{}), of(1), absent, absent},
		{"an empty list of containers", with("Deployment", "template", template([]any{})), of(1), absent, absent},
		{"a second container without an image", with("Deployment", "template", gap), of(1, "b:1", "a:1"), empty, absent},
		{"more replicas than an int32 holds", with("Website", "replicas", int64(5_000_000_000)), of(5_000_000_000), large, large},
	}
}

// wrongType is an object with a value of a wrong type, and the field that the error names.
type wrongType struct {
	what, names string
	obj         *unstructured.Unstructured
}

func wrongTypes() []wrongType {
	both := map[string]any{"spec": map[string]any{"replicas": int64(2), "template": []any{"x"}}}
	texts, number := []any{container("web", "b:1"), "log"}, []any{container("web", "b:1"), container("log", int64(7))}
	return []wrongType{
		{"replicas that are text", "replicas", with("Website", "replicas", "three")},
		{"replicas that are true", "replicas", with("Website", "replicas", true)},
		{"replicas that are 2.5", "replicas", with("Website", "replicas", 2.5)},
		{"replicas that are an object", "replicas", with("Website", "replicas", map[string]any{"min": int64(1)})},
		{"a spec that is text", "spec", object("Website", map[string]any{"spec": "three"})},
		{"a template that is a list", "template", object("Website", both)},
		{"a template whose spec is text", "spec", with("Website", "template", map[string]any{"spec": "x"})},
		{"containers that are an object", "containers", with("Website", "template", template(map[string]any{"web": "a:1"}))},
		{"a container that is text", "containers", with("Website", "template", template(texts))},
		{"an image that is a number", "image", with("Website", "template", template(number))},
	}
}

// summarize calls step 3 and wants its object unchanged.
func summarize(s *check.S, what string, obj *unstructured.Unstructured) (Summary, error) {
	before := obj.DeepCopy()
	got, err := check.Call(s, func(context.Context) (Summary, error) { return Summarize(obj) })
	s.Requiref(reflect.DeepEqual(obj, before),
		"NestedFieldNoCopy and obj.Object hand out the object itself, not a copy: it may be shared, so read it and leave it",
		"for %s, Summarize changed the object from\n  %v\nto\n  %v", what, before.Object, obj.Object)
	return got, err
}

func TestStep4_CreateDeployment(t *testing.T) {
	check.Step(t, 4, "CreateDeployment", func(s *check.S) {
		ns := s.Namespace()
		create := func(deployment *appsv1.Deployment) (*check.Recorder, *unstructured.Unstructured, error) {
			before := deployment.DeepCopy()
			step := func(ctx context.Context, cfg *rest.Config) (*unstructured.Unstructured, error) {
				return CreateDeployment(ctx, dynamicFor(s, cfg), ns, deployment)
			}
			rec, created, err := check.Recorded(s, check.CallTimeout, step)
			s.Require(reflect.DeepEqual(deployment, before),
				"the caller's Deployment was changed: - is before, + after\n"+diff.Diff(before, deployment),
				"set apiVersion and kind in the Unstructured, or in a copy: the typed object is the caller's")
			return rec, created, err
		}
		generated := richDeployment("shop")
		generated.Name, generated.GenerateName = "", "shop-"
		for _, deployment := range []*appsv1.Deployment{richDeployment("web"), generated} {
			rec, created, err := create(deployment)
			post := judgePost(s, rec, err, ns)
			s.RequireNoError(err, rec, createCause(err))
			s.Require(created != nil, "CreateDeployment returned no object and no error", "return what Create returned")
			judgeCreated(s, ns, created, deployment)
			judgeSent(s, post, deployment)
		}

		rec, created, err := create(richDeployment("web"))
		const again = "deployment web was created a second time"
		s.RequireReason(err, metav1.StatusReasonAlreadyExists, rec, again, "return the error, wrapped with %w")
		s.Require(created == nil, again+", and an object was returned beside the error", "return nil with an error")
		rec.Requiref(rec.Count(check.Match{Verb: "create"}) == 1, "post once: what was refused is refused again",
			"a POST that was refused was sent again")
		empty := richDeployment("empty")
		empty.Spec.Template.Spec.Containers = nil
		// Never stored, so nothing has to take them off again.
		empty.Finalizers = []string{"example.com/hold"}
		empty.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "owner", UID: "1"}}
		rec, _, err = create(empty)
		s.RequireReason(err, metav1.StatusReasonInvalid, rec, "the server refuses a Deployment without containers",
			"the status of the server is lost: return the error, wrapped with %w")
		judgeSent(s, rec.Requests(check.Match{Verb: "create"})[0], empty)
	})
}

// judgePost wants one POST that says what it sends.
func judgePost(s *check.S, rec *check.Recorder, err error, ns string) check.Request {
	posts := rec.Requests(check.Match{Verb: "create"})
	rec.Requiref(len(posts) > 0, createCause(err), "no POST was sent; the error was: %v", err)
	path := "/apis/apps/v1/namespaces/" + ns + "/deployments"
	rec.Requiref(posts[0].Path == path, pathCause(posts[0], "deployments", ns), "want POST %s (error: %v)", path, err)
	rec.Requiref(len(posts) == 1, "a POST that is repeated can make two objects", "want one POST")
	body, decodeErr := posts[0].Object()
	s.Requiref(decodeErr == nil, "hand an *unstructured.Unstructured to Create", "the body of the POST is no JSON: %.200s", posts[0].Body)
	s.Requiref(body["apiVersion"] == "apps/v1" && body["kind"] == "Deployment",
		"the TypeMeta of a typed object is mostly empty, and ToUnstructured takes it as it is. The server fills it in for a built-in kind "+
			"and refuses a custom resource without it: SetGroupVersionKind on the Unstructured",
		"the body of the POST has apiVersion %q and kind %q, want apps/v1 and Deployment", textOf(body["apiVersion"]), textOf(body["kind"]))
	return posts[0]
}

// judgeSent compares the body of a POST with the typed object, but for what the step sets.
func judgeSent(s *check.S, post check.Request, want *appsv1.Deployment) {
	var got appsv1.Deployment
	err := json.Unmarshal(post.Body, &got)
	got.TypeMeta, got.Namespace = want.TypeMeta, want.Namespace
	s.Requiref(err == nil && apiequality.Semantic.DeepEqual(&got, want),
		"not every field came over: the converter takes the whole typed object, its metadata too",
		"the body of the POST is not the caller's Deployment (error: %v): - is the caller's, + the body\n%s", err, diff.Diff(want, &got))
}

func textOf(value any) string {
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

func judgeCreated(s *check.S, ns string, created *unstructured.Unstructured, want *appsv1.Deployment) {
	name := created.GetName()
	s.Requiref(name != "" && created.GetUID() != "", "the object that was sent is returned in place of the one that the server sent back",
		"the returned object has the name %q and the UID %q", name, created.GetUID())
	stored, err := s.Clientset().AppsV1().Deployments(ns).Get(s.Context(), name, metav1.GetOptions{})
	s.Requiref(err == nil && stored.UID == created.GetUID(), "return what Create returned",
		"namespace %s holds no such deployment %s with the UID %s: %v", ns, name, created.GetUID(), err)
	stored.Annotations = map[string]string{"example.com/note": stored.Annotations["example.com/note"]}
	s.Requiref(len(stored.Spec.Template.Spec.Containers) == 2, "not every field came over: the converter takes the whole typed object",
		"deployment %s has %d containers, want 2", name, len(stored.Spec.Template.Spec.Containers))
	got, ask := stored.Spec.Template.Spec.Containers[0], want.Spec.Template.Spec.Containers[0]
	for _, part := range []struct {
		name      string
		got, want any
	}{
		{"labels", stored.Labels, want.Labels},
		{"annotations", stored.Annotations, want.Annotations},
		{"replicas", *stored.Spec.Replicas, *want.Spec.Replicas},
		{"strategy", stored.Spec.Strategy, want.Spec.Strategy},
		{"resources in container web", got.Resources, ask.Resources},
		{"env in container web", got.Env, ask.Env},
		{"args in container web", got.Args, ask.Args},
		{"number of ports in container web", len(got.Ports), len(ask.Ports)},
		{"readiness probe in container web (whether it has one)", got.ReadinessProbe != nil, true},
	} {
		s.Requiref(apiequality.Semantic.DeepEqual(part.got, part.want), "not every field came over: the converter takes the whole typed object",
			"deployment %s has these %s: %+v\nwant %+v", name, part.name, part.got, part.want)
	}
}

func createCause(err error) string {
	if err == nil {
		return "the object must get to the server"
	}
	if strings.Contains(errorText(err), "non-nil pointer") {
		return "the converter wants a pointer to the typed object"
	}
	return convertCause(err)
}

// replicated is a CRD of the check's own whose objects take any content.
func replicated(s *check.S) schema.GroupVersionResource {
	crd := check.CRD{Group: check.RandomGroup(), Plural: "websites", Singular: "website", Kind: "Website", Versions: []string{"v1"}}
	s.InstallCRD(crd)
	return schema.GroupVersionResource{Group: crd.Group, Version: "v1", Resource: crd.Plural}
}

// createWebsiteIn is part of the check's preparation.
func createWebsiteIn(
	s *check.S, resource schema.GroupVersionResource, ns, name string, content map[string]any,
) *unstructured.Unstructured {
	obj := object("Website", content)
	obj.SetAPIVersion(resource.GroupVersion().String())
	obj.SetName(name)
	obj.SetLabels(map[string]string{"app": "web"})
	created, err := admin(s, resource, ns).Create(s.Context(), obj, metav1.CreateOptions{})
	s.Setup(err, "create website "+name)
	return created
}

// replicasSteps judges calls of SetReplicas in one namespace.
type replicasSteps struct {
	s        *check.S
	ns       string
	websites schema.GroupVersionResource
}

func (r replicasSteps) set(
	resource schema.GroupVersionResource, name string, replicas int, faults ...fault,
) (*check.Recorder, *unstructured.Unstructured, error) {
	return check.Recorded(r.s, check.CallTimeout, func(ctx context.Context, cfg *rest.Config) (*unstructured.Unstructured, error) {
		return SetReplicas(ctx, dynamicFor(r.s, cfg).Resource(resource).Namespace(r.ns), name, replicas)
	}, faults...)
}

func TestStep5_SetReplicas(t *testing.T) {
	check.Step(t, 5, "SetReplicas", func(s *check.S) {
		r := replicasSteps{s, s.Namespace(), replicated(s)}
		createWebsiteIn(s, r.websites, r.ns, "web", map[string]any{
			"spec": map[string]any{"replicas": int64(1), "host": "web.example.com", "ratio": 0.5},
		})
		createWebsiteIn(s, r.websites, r.ns, "bare", nil)
		createWebsiteIn(s, r.websites, r.ns, "bent", map[string]any{"spec": "three"})
		s.CreateDeployment(r.ns, richDeployment("web"))

		r.judgeSet(r.websites, "web", 3)
		r.judgeSet(r.websites, "web", 0)
		r.judgeRestKept()
		r.judgeSet(r.websites, "bare", 2)
		r.judgeSet(r.websites, "bare", 5_000_000_000)
		r.judgeSet(deployments, "web", 1)
		r.judgeConflict()
		r.judgeEndlessConflict()
		r.judgeBentSpec()
		r.judgeErrors()
	})
}

// judgeSet wants a GET, a change and a PUT of an object.
func (r replicasSteps) judgeSet(resource schema.GroupVersionResource, name string, replicas int) {
	what := resource.Resource + " " + name
	before := getObject(r.s, resource, r.ns, name)
	rec, updated, err := r.set(resource, name, replicas)
	for _, put := range rec.Requests(check.Match{Verb: "update"}) {
		rec.Requiref(put.Subresource == "", "UpdateStatus writes the status and leaves the spec", "%s goes to a subresource", put)
	}
	rec.Requiref(err == nil, replicasCause(err), "for %s, SetReplicas returned an error: %v", what, err)
	judgePuts(r.s, rec, name)
	now := getObject(r.s, resource, r.ns, name)
	judgeReplicas(rec, now, replicas)
	r.s.Requiref(updated != nil && updated.GetUID() == now.GetUID() && updated.GetResourceVersion() != before.GetResourceVersion(),
		"return what Update returned: it has the new resourceVersion",
		"for %s, the returned object is not the one that the server sent back", what)
	judgeReplicas(rec, updated, replicas)
}

// judgeRestKept wants website web to have all that it had.
func (r replicasSteps) judgeRestKept() {
	now := getObject(r.s, r.websites, r.ns, "web")
	r.s.Requiref(specField(now, "host") == "web.example.com" && specField(now, "ratio") == 0.5 && now.GetLabels()["app"] == "web",
		"a PUT replaces the whole object: send the one that the GET brought, with one field changed",
		"website web is now %v, and lost what it had", now.Object)
}

// judgeBentSpec wants a spec that is text to be left alone.
func (r replicasSteps) judgeBentSpec() {
	rec, updated, err := r.set(r.websites, "bent", 2)
	rec.Requiref(err != nil && updated == nil, "the error of SetNestedField, or the result of an assertion, is dropped",
		"the spec of website bent is text, and SetReplicas returned %s", check.ErrorText(err))
	bent := getObject(r.s, r.websites, r.ns, "bent").Object["spec"]
	rec.Requiref(bent == "three" && rec.Count(check.Match{Verb: "update"}) == 0, "when the field cannot be set, nothing is sent",
		"the spec of website bent was text, and it was written over: %v", bent)
}

// judgeErrors has the GET fail, then the PUT.
func (r replicasSteps) judgeErrors() {
	const cause = "only a conflict is repeated; any other error is returned, wrapped with %w"
	rec, updated, err := r.set(r.websites, "missing", 2)
	r.s.RequireReason(err, metav1.StatusReasonNotFound, rec, "the Website does not exist",
		"return the error of Get, wrapped with %w, and create nothing")
	r.s.Require(updated == nil, "the Website does not exist, and an object was returned beside the error", "return nil with an error")
	rec.Requiref(rec.Count(check.Match{Verb: "get"}) == 1, cause, "a GET that was answered with 404 was sent again")
	rec, _, err = r.set(r.websites, "web", 2, check.Refusing("update", http.StatusForbidden))
	r.s.RequireReason(err, metav1.StatusReasonForbidden, rec, "the PUT was answered with 403", cause)
	rec.Requiref(rec.Count(check.Match{Verb: "update"}) == 1, "only a conflict is repeated: what is forbidden stays forbidden",
		"the PUT was answered with 403 and sent again")
}

func replicasCause(err error) string {
	switch {
	case strings.Contains(errorText(err), "must be specified for an update"):
		return "a custom resource takes no PUT without a resourceVersion: send the object that the GET brought, with its resourceVersion"
	case apierrors.IsUnsupportedMediaType(err):
		return "a strategic merge patch is made from Go types, and the server has none for a custom resource: the step is a GET and a PUT"
	}
	return check.CauseOf(err)
}

const dottedPathCause = "the path of the field is spec, replicas, as two arguments: a dot does not part them"

// judgePuts wants the last word to be a PUT with a resourceVersion.
func judgePuts(s *check.S, rec *check.Recorder, name string) {
	rec.Requiref(rec.Count(check.Match{Verb: "patch"}) == 0, "the step is a GET, a change and a PUT", "a PATCH was sent")
	puts := rec.Requests(check.Match{Verb: "update"})
	rec.Requiref(len(puts) > 0, "a change in memory changes nothing: send it with Update", "no PUT of %s was sent", name)
	for _, put := range puts {
		body, err := put.Object()
		s.Requiref(err == nil, "hand an *unstructured.Unstructured to Update", "the body of a PUT is no JSON: %.200s", put.Body)
		_, dotted := body["spec.replicas"]
		s.Requiref(!dotted, dottedPathCause, "the body of a PUT has a field \"spec.replicas\" at the top: %.200s", put.Body)
		version, _, _ := unstructured.NestedString(body, "metadata", "resourceVersion")
		rec.Requiref(version != "",
			"without it a PUT of a Deployment overwrites whatever is there, "+
				"and the server does not complain: send the object that the GET brought",
			"a PUT carries no resourceVersion")
	}
}

func judgeReplicas(rec *check.Recorder, obj *unstructured.Unstructured, want int) {
	what := obj.GetKind() + " " + obj.GetName()
	value, found, err := unstructured.NestedFieldNoCopy(obj.Object, "spec", "replicas")
	rec.Requiref(err == nil && found, dottedPathCause, "%s has no .spec.replicas, want %d", what, want)
	rec.Requiref(reflect.DeepEqual(value, int64(want)),
		"set int64(replicas), which becomes a JSON number without quotes, in the object that you send: "+
			"NestedMap hands out a copy, which SetNestedMap puts back",
		"%s has the .spec.replicas %v of the type %T, want the number %d", what, value, value, want)
}

// judgeConflict lets another writer change a Website between the GET and the PUT.
func (r replicasSteps) judgeConflict() {
	websites := admin(r.s, r.websites, r.ns)
	writes := 0
	rec, _, err := r.set(r.websites, "web", 4, func(rec *check.Recorder) {
		rec.Before(check.Match{Verb: "update"}, 2, func() error {
			writes++
			patch := fmt.Appendf(nil, `{"spec":{"other-%d":"yes"}}`, writes)
			_, err := websites.Patch(r.s.Context(), "web", types.MergePatchType, patch, metav1.PatchOptions{})
			return err
		})
	})
	rec.Requiref(err == nil, conflictCause(rec, err),
		"another writer changed website web between the GET and the PUT, twice, and SetReplicas returned an error: %v", err)
	now := getObject(r.s, r.websites, r.ns, "web")
	for i := range writes {
		field := fmt.Sprintf("other-%d", i+1)
		rec.Requiref(specField(now, field) == "yes",
			"the object of an old GET was written over a newer one: at a conflict begin again with a fresh GET, "+
				"and take over nothing but the number",
			"another writer set spec.%s of website web, and it is lost", field)
	}
	judgeReplicas(rec, now, 4)
}

// judgeEndlessConflict answers each PUT with a conflict.
func (r replicasSteps) judgeEndlessConflict() {
	const what = "every PUT was answered with 409"
	rec, updated, err := r.set(r.websites, "web", 5, check.Refusing("update", http.StatusConflict))
	r.s.RequireReason(err, metav1.StatusReasonConflict, rec, what,
		"when the conflicts do not end, the last one is what the caller gets, wrapped with %w")
	r.s.Require(updated == nil, what+", and an object was returned beside the error", "return nil with an error")
}

func conflictCause(rec *check.Recorder, err error) string {
	gets, puts := rec.Count(check.Match{Verb: "get"}), rec.Count(check.Match{Verb: "update"})
	switch {
	case !apierrors.IsConflict(err):
		return "RetryOnConflict looks at the error of its function: return the conflict as it is, or wrapped with %w"
	case puts <= 1:
		return "the conflict is not answered with another try: retry.RetryOnConflict"
	case gets < puts:
		return "the same old object is sent again: the GET belongs inside the function that RetryOnConflict calls"
	}
	return "too few tries: retry.DefaultRetry has five"
}
