package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/diff"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"example.com/client-go-workshop/internal/check"
	"example.com/client-go-workshop/internal/trace"
)

// dynamicFor is the client of the check's own making: a step is judged whether
// or not step 1 is written.
func dynamicFor(s *check.S, cfg *rest.Config) *dynamic.DynamicClient {
	client, err := dynamic.NewForConfig(cfg)
	s.Setup(err, "build a dynamic client")
	return client
}

// callerCtx sees to it that every request bears the context of the call.
type callerCtx struct {
	mu        sync.Mutex
	strangers []string
}

type callerKey struct{}

// watchCtx puts a callerCtx into cfg's transport.
func watchCtx(cfg *rest.Config) *callerCtx {
	c := &callerCtx{}
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return trace.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
			if req.Context().Value(callerKey{}) != c {
				c.mu.Lock()
				c.strangers = append(c.strangers, req.Method+" "+req.URL.Path)
				c.mu.Unlock()
			}
			return next.RoundTrip(req)
		})
	})
	return c
}

func (c *callerCtx) mark(ctx context.Context) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

func (c *callerCtx) judge(s *check.S) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.Require(len(c.strangers) == 0, "sent with another context than the caller's: "+strings.Join(c.strangers, ", "),
		"hand ctx on to every request: a context of your own is one that the caller cannot end")
}

// richDeployment has values that a converter can get wrong: quantities, a port
// that is a name, a percentage, a list of maps. Its pods are not made.
func richDeployment(name string) *appsv1.Deployment {
	match := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: match, Annotations: map[string]string{"example.com/note": "1"}},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(0)),
			Selector: &metav1.LabelSelector{MatchLabels: match},
			Strategy: appsv1.DeploymentStrategy{
				Type:          appsv1.RollingUpdateDeploymentStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: new(intstr.FromString("50%")), MaxUnavailable: new(intstr.FromInt32(1))},
			},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: match},
				Spec: corev1.PodSpec{
					SchedulerName: check.NoScheduler,
					Containers: []corev1.Container{{
						Name: "web", Image: "registry.k8s.io/pause:3.10",
						Args:      []string{"-v", "2"},
						Ports:     []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}},
						Env:       []corev1.EnvVar{{Name: "COLOUR", Value: "red"}},
						Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("250m"), corev1.ResourceMemory: resource.MustParse("1Gi")}},
						ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
							HTTPGet: &corev1.HTTPGetAction{Path: "/ready", Port: intstr.FromString("http")},
						}},
					}, {
						Name: "log", Image: "registry.k8s.io/pause:3.9",
					}},
				},
			},
		},
	}
}

// createDeployment is part of the check's preparation. It waits until the
// controller has nothing more to write.
func createDeployment(s *check.S, ns string, deployment *appsv1.Deployment) *appsv1.Deployment {
	client := s.Clientset().AppsV1().Deployments(ns)
	created, err := client.Create(s.Context(), deployment, metav1.CreateOptions{})
	s.Setup(err, "create deployment "+deployment.Name)
	since := time.Now()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		now, err := client.Get(s.Context(), deployment.Name, metav1.GetOptions{})
		s.Setup(err, "get deployment "+deployment.Name)
		if now.ResourceVersion != created.ResourceVersion {
			created, since = now, time.Now()
		}
		if created.Status.ObservedGeneration >= created.Generation && time.Since(since) > 150*time.Millisecond {
			return created
		}
	}
	s.Setup(errors.New("it goes on changing"), "wait until the controller has seen deployment "+deployment.Name)
	return nil
}

func TestStep1_NewClient(t *testing.T) {
	check.Step(t, 1, "NewClient", func(s *check.S) {
		s.Needs(authorizationv1.ResourceAttributes{Verb: "get", Group: "apps", Resource: "deployments", Namespace: metav1.NamespaceSystem})
		ns := s.Namespace()
		s.CreatePod(ns, check.PendingPod("web", nil))
		rec, cfg := s.Recorder()
		cfg.UserAgent, cfg.ContentType = "the caller's own", runtime.ContentTypeProtobuf
		before := rest.CopyConfig(cfg)

		var client *dynamic.DynamicClient
		s.Must(func(context.Context) (err error) {
			client, err = NewClient(cfg)
			return err
		})
		s.Require(client != nil, "NewClient returned no client and no error", "the client is not returned")
		s.Require(rec.Count(check.Match{}) == 0, "NewClient made a request\n"+rec.Trace(), "a client is built without asking the server")
		for _, field := range []struct {
			name      string
			was, is   any
			unchanged bool
		}{
			{"UserAgent", before.UserAgent, cfg.UserAgent, cfg.UserAgent == before.UserAgent},
			{"ContentType", before.ContentType, cfg.ContentType, cfg.ContentType == before.ContentType},
			{"AcceptContentTypes", before.AcceptContentTypes, cfg.AcceptContentTypes, cfg.AcceptContentTypes == before.AcceptContentTypes},
			{"APIPath", before.APIPath, cfg.APIPath, cfg.APIPath == before.APIPath},
			{"GroupVersion", before.GroupVersion, cfg.GroupVersion, cfg.GroupVersion == before.GroupVersion},
			{"NegotiatedSerializer", before.NegotiatedSerializer, cfg.NegotiatedSerializer, cfg.NegotiatedSerializer == nil},
			{"QPS", before.QPS, cfg.QPS, cfg.QPS == before.QPS},
			{"Burst", before.Burst, cfg.Burst, cfg.Burst == before.Burst},
			{"RateLimiter", before.RateLimiter, cfg.RateLimiter, cfg.RateLimiter == before.RateLimiter},
			{"Timeout", before.Timeout, cfg.Timeout, cfg.Timeout == before.Timeout},
		} {
			s.Require(field.unchanged, fmt.Sprintf("the caller's config was changed: %s was %.60v and is %.60v", field.name, field.was, field.is),
				"rest.Config is shared: work on rest.CopyConfig(cfg)")
		}

		for _, tc := range []struct {
			kind, path string
			resource   schema.GroupVersionResource
			ns, name   string
		}{
			{"Pod", "/api/v1/namespaces/" + ns + "/pods/web", corev1.SchemeGroupVersion.WithResource("pods"), ns, "web"},
			{"Deployment", "/apis/apps/v1/namespaces/kube-system/deployments/coredns", appsv1.SchemeGroupVersion.WithResource("deployments"), "kube-system", "coredns"},
			{"Namespace", "/api/v1/namespaces/" + ns, corev1.SchemeGroupVersion.WithResource("namespaces"), "", ns},
		} {
			var obj *unstructured.Unstructured
			err := s.Call(func(ctx context.Context) (err error) {
				obj, err = client.Resource(tc.resource).Namespace(tc.ns).Get(ctx, tc.name, metav1.GetOptions{})
				return err
			})
			sent := rec.Requests(check.Match{})
			s.Require(len(sent) > 0, fmt.Sprintf("a GET of a %s did not go through the transport of the caller's config (error: %v)", tc.kind, err),
				"the client was built from a new rest.Config: use rest.CopyConfig(cfg), which keeps TLS, credentials and wrappers")
			last := sent[len(sent)-1]
			s.Require(last.Path == tc.path, fmt.Sprintf("a GET of a %s asked for %s, want %s", tc.kind, last.Path, tc.path), "dynamic.NewForConfig builds a client that makes each path by itself")
			s.Require(err == nil && obj.GetKind() == tc.kind, fmt.Sprintf("a GET of a %s with the new client gave %s", tc.kind, check.ErrorText(err)),
				"dynamic.NewForConfig sets a serializer that decodes JSON into Unstructured; the RESTClient of a typed client speaks protobuf and knows other types")
			s.Require(last.UserAgent == "client-go-workshop/dynamic", fmt.Sprintf("the User-Agent is %q, want %q", last.UserAgent, "client-go-workshop/dynamic"),
				"UserAgent is to be exactly this, whatever the caller's config says")
		}

		bad := rest.CopyConfig(cfg)
		bad.TLSClientConfig.CAData, bad.TLSClientConfig.CAFile = nil, filepath.Join(s.T().TempDir(), "no-such-ca.crt")
		err := s.Call(func(context.Context) error {
			_, err := NewClient(bad)
			return err
		})
		s.Require(err != nil, "for a config whose CA file does not exist, NewClient returned no error", "the error of dynamic.NewForConfig is dropped")
	})
}

func TestStep2_GetDeployment(t *testing.T) {
	check.Step(t, 2, "GetDeployment", func(s *check.S) {
		ns := s.Namespace()
		want := createDeployment(s, ns, richDeployment("web"))
		get := func(name string, faults ...func(*check.Recorder)) (*check.Recorder, *appsv1.Deployment, error) {
			rec, cfg := s.Recorder()
			caller := watchCtx(cfg)
			for _, fault := range faults {
				fault(rec)
			}
			var got *appsv1.Deployment
			err := s.Call(func(ctx context.Context) (err error) {
				got, err = GetDeployment(caller.mark(ctx), dynamicFor(s, cfg), ns, name)
				return err
			})
			caller.judge(s)
			return rec, got, err
		}

		rec, got, err := get("web")
		path := "/apis/apps/v1/namespaces/" + ns + "/deployments/web"
		sent := rec.Requests(check.Match{})
		s.Require(len(sent) > 0, "GetDeployment sent no request (error: "+fmt.Sprint(err)+")", "the Deployment must come from the server")
		s.Require(sent[0].Verb == "get", fmt.Sprintf("want GET %s (error: %v)\n%s", path, err, rec.Trace()), "one Get brings the whole object")
		s.Require(sent[0].Path == path, fmt.Sprintf("want GET %s (error: %v)\n%s", path, err, rec.Trace()), pathCause(sent[0], "deployments", ns))
		s.Require(len(sent) == 1 && sent[0].Method == http.MethodGet, fmt.Sprintf("want one GET of the Deployment\n%s", rec.Trace()), "one Get brings the whole object")
		s.Require(err == nil, fmt.Sprintf("GetDeployment returned an error: %v\n%s", err, rec.Trace()), convertCause(err))
		s.Require(got != nil, "GetDeployment returned no Deployment and no error", "the Deployment is not returned")
		judgeConverted(s, got, want, "")

		_, got, err = get("web", changeAnswer("get", func(obj map[string]any) {
			spec(obj)["fromTheFuture"] = true
			containers(obj)[0].(map[string]any)["fromTheFuture"] = map[string]any{"a": int64(1)}
		}))
		const future = "the server sent a Deployment with fields that this client-go does not know, "
		s.Require(err == nil, future+"and GetDeployment returned an error: "+fmt.Sprint(err),
			"a newer server has more fields: a strict conversion of what a server sends breaks the program on the day of the upgrade. FromUnstructured leaves such a field out")
		s.Require(got != nil, future+"and GetDeployment returned no Deployment and no error", "the Deployment is not returned")
		judgeConverted(s, got, want, future)

		_, got, err = get("web", changeAnswer("get", func(obj map[string]any) { spec(obj)["minReadySeconds"] = "ten" }))
		s.Require(err != nil, "the server sent a Deployment whose spec.minReadySeconds is text, and GetDeployment returned no error", "the error of the conversion is dropped")
		s.Require(got == nil, fmt.Sprintf("the conversion failed (%v), and GetDeployment returned a Deployment beside the error", err), "the converter stops halfway: return nil with an error")

		rec, got, err = get("missing")
		s.Require(apierrors.IsNotFound(err) && got == nil, fmt.Sprintf("for a Deployment that does not exist, want an error that is NotFound and no Deployment, got %s and %v", check.ErrorText(err), got != nil),
			"return the error of Get, wrapped with %w, and nil")
		s.Require(rec.Count(check.Match{}) == 1, "a GET that was answered with 404 was sent again\n"+rec.Trace(), "one request: the caller decides whether to ask again")
		_, _, err = get("web", func(rec *check.Recorder) {
			rec.Answer(check.Match{}, 0, check.Always, http.StatusForbidden, metav1.StatusReasonForbidden, "injected by the check")
		})
		s.Require(apierrors.IsForbidden(err), fmt.Sprintf("the GET was answered with 403; want an error that is Forbidden, got %s", check.ErrorText(err)), "wrap the error with %w, so that callers can look at its status")
	})
}

// changeAnswer changes the object in the server's answers to a verb.
func changeAnswer(verb string, change func(obj map[string]any)) func(*check.Recorder) {
	return func(rec *check.Recorder) {
		rec.Rewrite(check.Match{Verb: verb}, check.Always, func(body []byte) ([]byte, error) { return changeObject(body, change) })
	}
}

func changeObject(body []byte, change func(obj map[string]any)) ([]byte, error) {
	var obj map[string]any
	if err := json.Unmarshal(body, &obj); err != nil {
		return nil, err
	}
	change(obj)
	return json.Marshal(obj)
}

func spec(obj map[string]any) map[string]any { return obj["spec"].(map[string]any) }

func containers(obj map[string]any) []any {
	list, _, _ := unstructured.NestedFieldNoCopy(obj, "spec", "template", "spec", "containers")
	return list.([]any)
}

// judgeConverted compares all but the TypeMeta, which a typed client leaves empty.
func judgeConverted(s *check.S, got, want *appsv1.Deployment, what string) {
	for _, part := range []struct {
		name      string
		got, want any
	}{
		{"metadata", got.ObjectMeta, want.ObjectMeta},
		{"spec.template", got.Spec.Template, want.Spec.Template},
		{"spec", got.Spec, want.Spec},
		{"status", got.Status, want.Status},
	} {
		s.Require(apiequality.Semantic.DeepEqual(part.got, part.want), fmt.Sprintf("%sthe returned Deployment has this %s\n  %+v\nwant\n  %+v", what, part.name, part.got, part.want),
			"not every field came over: the converter fills a whole appsv1.Deployment from obj.Object")
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
	text := errorText(err)
	switch {
	case strings.Contains(text, "non-nil pointer"):
		return "the converter fills what a pointer points to: declare a variable of the type, such as var deployment appsv1.Deployment, and hand over &deployment"
	case strings.Contains(text, "map[string]interface"):
		return "given a pointer to an interface, the converter puts a map there: declare a variable of the type, such as var deployment appsv1.Deployment"
	case strings.Contains(text, "unknown field"):
		return "the conversion is strict, and the server may have fields that this client-go does not know"
	case strings.Contains(text, "Object 'Kind' is missing"):
		return "JSON for an Unstructured needs a kind, and a typed object mostly has none: convert with the converter, or set apiVersion and kind first"
	}
	return check.CauseOf(err)
}

func TestStep3_Summarize(t *testing.T) {
	check.Step(t, 3, "Summarize", func(s *check.S) {
		object := func(kind string, content map[string]any) *unstructured.Unstructured {
			obj := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": kind, "metadata": map[string]any{"name": "web"}}}
			for key, value := range content {
				obj.Object[key] = value
			}
			return obj
		}
		// template has containers, and an init container that does not count.
		template := func(containers any) map[string]any {
			return map[string]any{"spec": map[string]any{
				"initContainers": []any{map[string]any{"name": "init", "image": "init:1"}},
				"containers":     containers,
			}}
		}
		container := func(name string, image any) any { return map[string]any{"name": name, "image": image} }
		with := func(key string, value any) map[string]any { return map[string]any{"spec": map[string]any{key: value}} }
		two := template([]any{container("web", "b:1"), container("log", "a:1"), container("again", "b:1")})

		const absent = "a field that is absent is no error: look at the second result of the Nested function, found, and only then at the value"
		const number = "the number is at spec, replicas (two arguments: a dot does not part them), and is an int64: an assertion to int never holds"
		const zero = "0 is a number that somebody wrote, and not the same as absent: found tells them apart"
		for _, tc := range []struct {
			what            string
			obj             *unstructured.Unstructured
			want            Summary
			cause, replicas string
		}{
			{"a Deployment with 3 replicas and three containers", object("Deployment", map[string]any{"spec": map[string]any{"replicas": int64(3), "template": two}}),
				Summary{3, []string{"b:1", "a:1", "b:1"}}, "the images are those of .spec.template.spec.containers, each of them, in their order", number},
			{"a StatefulSet without replicas", object("StatefulSet", with("template", two)), Summary{1, []string{"b:1", "a:1", "b:1"}}, absent + "; absent means 1 here", absent + "; absent means 1 here"},
			{"0 replicas", object("Deployment", map[string]any{"spec": map[string]any{"replicas": int64(0), "template": two}}),
				Summary{0, []string{"b:1", "a:1", "b:1"}}, zero, zero},
			{"a Website with 5 replicas and no template", object("Website", with("replicas", int64(5))), Summary{5, nil}, absent, number},
			{"an object without a spec", object("ConfigMap", nil), Summary{1, nil}, absent, absent},
			{"an object whose spec is empty", object("Website", map[string]any{"spec": map[string]any{}}), Summary{1, nil}, absent, absent},
			{"a template without a spec", object("Deployment", with("template", map[string]any{})), Summary{1, nil}, absent, absent},
			{"an empty list of containers", object("Deployment", with("template", template([]any{}))), Summary{1, nil}, absent, absent},
			{"a second container without an image", object("Deployment", with("template", template([]any{container("web", "b:1"), map[string]any{"name": "log"}, container("more", "a:1")}))),
				Summary{1, []string{"b:1", "a:1"}}, "a container without an image adds none, not an empty one: look at found", absent},
			{"more replicas than an int32 holds", object("Website", with("replicas", int64(5_000_000_000))), Summary{5_000_000_000, nil}, "the number is an int64: do not squeeze it through another type", "the number is an int64: do not squeeze it through another type"},
		} {
			got, err := summarize(s, tc.what, tc.obj)
			s.Require(err == nil, fmt.Sprintf("for %s, Summarize returned an error: %v", tc.what, err), tc.cause)
			s.Require(got.Replicas == tc.want.Replicas, fmt.Sprintf("for %s, Replicas is %d, want %d", tc.what, got.Replicas, tc.want.Replicas), tc.replicas)
			s.Require(slices.Equal(got.Images, tc.want.Images), fmt.Sprintf("for %s, Images is %q, want %q", tc.what, got.Images, tc.want.Images), tc.cause)
		}

		for _, tc := range []struct {
			what, names string
			obj         *unstructured.Unstructured
		}{
			{"replicas that are text", "replicas", object("Website", with("replicas", "three"))},
			{"replicas that are true", "replicas", object("Website", with("replicas", true))},
			{"replicas that are 2.5", "replicas", object("Website", with("replicas", 2.5))},
			{"replicas that are an object", "replicas", object("Website", with("replicas", map[string]any{"min": int64(1)}))},
			{"a spec that is text", "spec", object("Website", map[string]any{"spec": "three"})},
			{"a template that is a list", "template", object("Website", map[string]any{"spec": map[string]any{"replicas": int64(2), "template": []any{"x"}}})},
			{"a template whose spec is text", "spec", object("Website", with("template", map[string]any{"spec": "x"}))},
			{"containers that are an object", "containers", object("Website", with("template", template(map[string]any{"web": "a:1"})))},
			{"a container that is text", "containers", object("Website", with("template", template([]any{container("web", "b:1"), "log"})))},
			{"an image that is a number", "image", object("Website", with("template", template([]any{container("web", "b:1"), container("log", int64(7))})))},
		} {
			got, err := summarize(s, tc.what, tc.obj)
			s.Require(err != nil, fmt.Sprintf("for %s, Summarize returned %+v and no error", tc.what, got),
				"a wrong type looks like an absent field when the error of the Nested function, or the second result of an assertion, is dropped")
			s.Require(strings.Contains(err.Error(), tc.names), fmt.Sprintf("for %s, the error is %q, which does not name the field %q", tc.what, err, tc.names),
				"the errors of the Nested functions name the path: wrap them with %w; for an element of a list, say which list")
			s.Require(reflect.DeepEqual(got, Summary{}), fmt.Sprintf("for %s, Summarize returned %+v beside its error, want an empty Summary", tc.what, got),
				"a caller that forgets the error must not work with half a summary")
		}
	})
}

// summarize calls step 3 and wants its object unchanged.
func summarize(s *check.S, what string, obj *unstructured.Unstructured) (got Summary, err error) {
	before := obj.DeepCopy()
	err = s.Call(func(context.Context) (err error) {
		got, err = Summarize(obj)
		return err
	})
	s.Require(reflect.DeepEqual(obj, before), fmt.Sprintf("for %s, Summarize changed the object from\n  %v\nto\n  %v", what, before.Object, obj.Object),
		"NestedFieldNoCopy and obj.Object hand out the object itself, not a copy: it may be shared, so read it and leave it")
	return got, err
}

func TestStep4_CreateDeployment(t *testing.T) {
	check.Step(t, 4, "CreateDeployment", func(s *check.S) {
		ns := s.Namespace()
		create := func(deployment *appsv1.Deployment) (*check.Recorder, *unstructured.Unstructured, error) {
			rec, cfg := s.Recorder()
			caller := watchCtx(cfg)
			before := deployment.DeepCopy()
			var created *unstructured.Unstructured
			err := s.Call(func(ctx context.Context) (err error) {
				created, err = CreateDeployment(caller.mark(ctx), dynamicFor(s, cfg), ns, deployment)
				return err
			})
			s.Require(reflect.DeepEqual(deployment, before), "the caller's Deployment was changed: - is before, + after\n"+diff.Diff(before, deployment),
				"set apiVersion and kind in the Unstructured, or in a copy: the typed object is the caller's")
			caller.judge(s)
			return rec, created, err
		}

		generated := richDeployment("shop")
		generated.Name, generated.GenerateName = "", "shop-"
		for _, deployment := range []*appsv1.Deployment{richDeployment("web"), generated} {
			rec, created, err := create(deployment)
			posts := rec.Requests(check.Match{Verb: "create"})
			s.Require(len(posts) > 0, fmt.Sprintf("no POST was sent; the error was: %v\n%s", err, rec.Trace()), createCause(err))
			path := "/apis/apps/v1/namespaces/" + ns + "/deployments"
			s.Require(posts[0].Path == path, fmt.Sprintf("want POST %s (error: %v)\n%s", path, err, rec.Trace()), pathCause(posts[0], "deployments", ns))
			s.Require(len(posts) == 1, "want one POST\n"+rec.Trace(), "a POST that is repeated can make two objects")
			body, decodeErr := posts[0].Object()
			s.Require(decodeErr == nil, fmt.Sprintf("the body of the POST is no JSON: %.200s", posts[0].Body), "hand an *unstructured.Unstructured to Create")
			s.Require(body["apiVersion"] == "apps/v1" && body["kind"] == "Deployment", fmt.Sprintf("the body of the POST has apiVersion %q and kind %q, want apps/v1 and Deployment", textOf(body["apiVersion"]), textOf(body["kind"])),
				"the TypeMeta of a typed object is mostly empty, and ToUnstructured takes it as it is. The server fills it in for a built-in kind and refuses a custom resource without it: SetGroupVersionKind on the Unstructured")
			s.Require(err == nil, fmt.Sprintf("CreateDeployment returned an error: %v\n%s", err, rec.Trace()), createCause(err))
			s.Require(created != nil, "CreateDeployment returned no object and no error", "return what Create returned")
			judgeCreated(s, ns, created, deployment)
			judgeSent(s, posts[0], deployment)
		}

		rec, created, err := create(richDeployment("web"))
		s.Require(apierrors.IsAlreadyExists(err) && created == nil, fmt.Sprintf("deployment web was created a second time; want an error that is AlreadyExists and no object, got %s", check.ErrorText(err)),
			"return the error, wrapped with %w")
		s.Require(rec.Count(check.Match{Verb: "create"}) == 1, "a POST that was refused was sent again\n"+rec.Trace(), "post once: what was refused is refused again")
		empty := richDeployment("empty")
		empty.Spec.Template.Spec.Containers = nil
		// Never stored, so nothing has to take them off again.
		empty.Finalizers = []string{"example.com/hold"}
		empty.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "owner", UID: "1"}}
		rec, _, err = create(empty)
		s.Require(apierrors.IsInvalid(err), fmt.Sprintf("the server refuses a Deployment without containers; want an error that is Invalid, got %s", check.ErrorText(err)), "the status of the server is lost: return the error, wrapped with %w")
		judgeSent(s, rec.Requests(check.Match{Verb: "create"})[0], empty)
	})
}

// judgeSent compares the body of a POST with the typed object, but for what the step sets.
func judgeSent(s *check.S, post check.Request, want *appsv1.Deployment) {
	var got appsv1.Deployment
	err := json.Unmarshal(post.Body, &got)
	got.TypeMeta, got.Namespace = want.TypeMeta, want.Namespace
	s.Require(err == nil && apiequality.Semantic.DeepEqual(&got, want), fmt.Sprintf("the body of the POST is not the caller's Deployment (error: %v): - is the caller's, + the body\n%s", err, diff.Diff(want, &got)),
		"not every field came over: the converter takes the whole typed object, its metadata too")
}

func textOf(value any) string {
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

func judgeCreated(s *check.S, ns string, created *unstructured.Unstructured, want *appsv1.Deployment) {
	name := created.GetName()
	s.Require(name != "" && created.GetUID() != "", fmt.Sprintf("the returned object has the name %q and the UID %q", name, created.GetUID()),
		"the object that was sent is returned in place of the one that the server sent back")
	stored, err := s.Clientset().AppsV1().Deployments(ns).Get(s.Context(), name, metav1.GetOptions{})
	s.Require(err == nil && stored.UID == created.GetUID(), fmt.Sprintf("namespace %s holds no such deployment %s with the UID %s: %v", ns, name, created.GetUID(), err), "return what Create returned")
	cause := "not every field came over: the converter takes the whole typed object"
	s.Require(reflect.DeepEqual(stored.Labels, want.Labels) && reflect.DeepEqual(stored.Annotations["example.com/note"], want.Annotations["example.com/note"]),
		fmt.Sprintf("deployment %s has the labels %v and the annotations %v, want %v and %v", name, stored.Labels, stored.Annotations, want.Labels, want.Annotations), cause)
	s.Require(*stored.Spec.Replicas == *want.Spec.Replicas, fmt.Sprintf("deployment %s has replicas %d, want %d", name, *stored.Spec.Replicas, *want.Spec.Replicas), cause)
	s.Require(apiequality.Semantic.DeepEqual(stored.Spec.Strategy, want.Spec.Strategy), fmt.Sprintf("deployment %s has the strategy %+v, want %+v", name, stored.Spec.Strategy, want.Spec.Strategy), cause)
	s.Require(len(stored.Spec.Template.Spec.Containers) == 2, fmt.Sprintf("deployment %s has %d containers, want 2", name, len(stored.Spec.Template.Spec.Containers)), cause)
	got, ask := stored.Spec.Template.Spec.Containers[0], want.Spec.Template.Spec.Containers[0]
	s.Require(apiequality.Semantic.DeepEqual(got.Resources, ask.Resources) && reflect.DeepEqual(got.Env, ask.Env) && reflect.DeepEqual(got.Args, ask.Args) && len(got.Ports) == 1 && got.ReadinessProbe != nil,
		fmt.Sprintf("container web of deployment %s is\n  %+v\nwant\n  %+v", name, got, ask), cause)
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
func createWebsiteIn(s *check.S, resource schema.GroupVersionResource, ns, name string, content map[string]any) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": resource.GroupVersion().String(), "kind": "Website",
		"metadata": map[string]any{"name": name, "labels": map[string]any{"app": "web"}},
	}}
	for key, value := range content {
		obj.Object[key] = value
	}
	created, err := dynamicFor(s, s.Config()).Resource(resource).Namespace(ns).Create(s.Context(), obj, metav1.CreateOptions{})
	s.Setup(err, "create website "+name)
	return created
}

func getObject(s *check.S, resource schema.GroupVersionResource, ns, name string) *unstructured.Unstructured {
	obj, err := dynamicFor(s, s.Config()).Resource(resource).Namespace(ns).Get(s.Context(), name, metav1.GetOptions{})
	s.Setup(err, "get "+resource.Resource+" "+name)
	return obj
}

func TestStep5_SetReplicas(t *testing.T) {
	check.Step(t, 5, "SetReplicas", func(s *check.S) {
		ns := s.Namespace()
		websites := replicated(s)
		deployments := appsv1.SchemeGroupVersion.WithResource("deployments")
		set := func(resource schema.GroupVersionResource, name string, replicas int, faults ...func(*check.Recorder)) (*check.Recorder, *unstructured.Unstructured, error) {
			rec, cfg := s.Recorder()
			caller := watchCtx(cfg)
			for _, fault := range faults {
				fault(rec)
			}
			var updated *unstructured.Unstructured
			err := s.Call(func(ctx context.Context) (err error) {
				updated, err = SetReplicas(caller.mark(ctx), dynamicFor(s, cfg).Resource(resource).Namespace(ns), name, replicas)
				return err
			})
			caller.judge(s)
			return rec, updated, err
		}
		createWebsiteIn(s, websites, ns, "web", map[string]any{"spec": map[string]any{"replicas": int64(1), "host": "web.example.com", "ratio": 0.5}})
		createWebsiteIn(s, websites, ns, "bare", nil)
		createWebsiteIn(s, websites, ns, "bent", map[string]any{"spec": "three"})
		createDeployment(s, ns, richDeployment("web"))

		for _, tc := range []struct {
			resource schema.GroupVersionResource
			name     string
			replicas int
		}{{websites, "web", 3}, {websites, "web", 0}, {websites, "bare", 2}, {websites, "bare", 5_000_000_000}, {deployments, "web", 1}} {
			before := getObject(s, tc.resource, ns, tc.name)
			rec, updated, err := set(tc.resource, tc.name, tc.replicas)
			for _, put := range rec.Requests(check.Match{Verb: "update"}) {
				s.Require(put.Subresource == "", fmt.Sprintf("%s goes to a subresource\n%s", put, rec.Trace()), "UpdateStatus writes the status and leaves the spec")
			}
			s.Require(err == nil, fmt.Sprintf("for %s %s, SetReplicas returned an error: %v\n%s", tc.resource.Resource, tc.name, err, rec.Trace()), replicasCause(err))
			judgePuts(s, rec, tc.name)
			now := getObject(s, tc.resource, ns, tc.name)
			judgeReplicas(s, rec, now, tc.replicas)
			s.Require(updated != nil && updated.GetUID() == now.GetUID() && updated.GetResourceVersion() != before.GetResourceVersion(),
				fmt.Sprintf("for %s %s, the returned object is not the one that the server sent back", tc.resource.Resource, tc.name), "return what Update returned: it has the new resourceVersion")
			judgeReplicas(s, rec, updated, tc.replicas)
			if tc.resource == websites && tc.name == "web" {
				host, _, _ := unstructured.NestedString(now.Object, "spec", "host")
				ratio, _, _ := unstructured.NestedFloat64(now.Object, "spec", "ratio")
				s.Require(host == "web.example.com" && ratio == 0.5 && now.GetLabels()["app"] == "web",
					fmt.Sprintf("website web is now %v, and lost what it had", now.Object), "a PUT replaces the whole object: send the one that the GET brought, with one field changed")
			}
		}

		judgeReplicasConflict(s, ns, websites, set)

		rec, updated, err := set(websites, "bent", 2)
		s.Require(err != nil && updated == nil, fmt.Sprintf("the spec of website bent is text, and SetReplicas returned %s\n%s", check.ErrorText(err), rec.Trace()), "the error of SetNestedField, or the result of an assertion, is dropped")
		bent := getObject(s, websites, ns, "bent")
		s.Require(bent.Object["spec"] == "three" && rec.Count(check.Match{Verb: "update"}) == 0, fmt.Sprintf("the spec of website bent was text, and it was written over: %v\n%s", bent.Object["spec"], rec.Trace()),
			"when the field cannot be set, nothing is sent")
		rec, updated, err = set(websites, "missing", 2)
		s.Require(apierrors.IsNotFound(err) && updated == nil, fmt.Sprintf("for a Website that does not exist, want an error that is NotFound and no object, got %s", check.ErrorText(err)), "return the error of Get, wrapped with %w, and create nothing")
		s.Require(rec.Count(check.Match{Verb: "get"}) == 1, "a GET that was answered with 404 was sent again\n"+rec.Trace(), "only a conflict is repeated; any other error is returned, wrapped with %w")
		rec, _, err = set(websites, "web", 2, func(rec *check.Recorder) {
			rec.Answer(check.Match{Verb: "update"}, 0, check.Always, http.StatusForbidden, metav1.StatusReasonForbidden, "injected by the check")
		})
		s.Require(apierrors.IsForbidden(err), fmt.Sprintf("the PUT was answered with 403; want an error that is Forbidden, got %s", check.ErrorText(err)), "only a conflict is repeated; any other error is returned, wrapped with %w")
		s.Require(rec.Count(check.Match{Verb: "update"}) == 1, "the PUT was answered with 403 and sent again\n"+rec.Trace(), "only a conflict is repeated: what is forbidden stays forbidden")
	})
}

func replicasCause(err error) string {
	text := errorText(err)
	switch {
	case strings.Contains(text, "must be specified for an update"):
		return "a custom resource takes no PUT without a resourceVersion: send the object that the GET brought, with its resourceVersion"
	case apierrors.IsUnsupportedMediaType(err):
		return "a strategic merge patch is made from Go types, and the server has none for a custom resource: the step is a GET and a PUT"
	}
	return check.CauseOf(err)
}

// judgePuts wants the last word to be a PUT with a resourceVersion.
func judgePuts(s *check.S, rec *check.Recorder, name string) {
	s.Require(rec.Count(check.Match{Verb: "patch"}) == 0, "a PATCH was sent\n"+rec.Trace(), "the step is a GET, a change and a PUT")
	puts := rec.Requests(check.Match{Verb: "update"})
	s.Require(len(puts) > 0, "no PUT of "+name+" was sent\n"+rec.Trace(), "a change in memory changes nothing: send it with Update")
	for _, put := range puts {
		body, err := put.Object()
		s.Require(err == nil, fmt.Sprintf("the body of a PUT is no JSON: %.200s", put.Body), "hand an *unstructured.Unstructured to Update")
		_, dotted := body["spec.replicas"]
		s.Require(!dotted, fmt.Sprintf("the body of a PUT has a field \"spec.replicas\" at the top: %.200s", put.Body), "the path of the field is spec, replicas, as two arguments: a dot does not part them")
		version, _, _ := unstructured.NestedString(body, "metadata", "resourceVersion")
		s.Require(version != "", "a PUT carries no resourceVersion\n"+rec.Trace(),
			"without it a PUT of a Deployment overwrites whatever is there, and the server does not complain: send the object that the GET brought")
	}
}

func judgeReplicas(s *check.S, rec *check.Recorder, obj *unstructured.Unstructured, want int) {
	value, found, err := unstructured.NestedFieldNoCopy(obj.Object, "spec", "replicas")
	s.Require(err == nil && found, fmt.Sprintf("%s %s has no .spec.replicas, want %d\n%s", obj.GetKind(), obj.GetName(), want, rec.Trace()), "the path of the field is spec, replicas, as two arguments: a dot does not part them")
	s.Require(reflect.DeepEqual(value, int64(want)), fmt.Sprintf("%s %s has the .spec.replicas %v of the type %T, want the number %d\n%s", obj.GetKind(), obj.GetName(), value, value, want, rec.Trace()),
		"set int64(replicas), which becomes a JSON number without quotes, in the object that you send: NestedMap hands out a copy, which SetNestedMap puts back")
}

// judgeReplicasConflict lets another writer change a Website between the GET and the PUT.
func judgeReplicasConflict(s *check.S, ns string, websites schema.GroupVersionResource, set func(schema.GroupVersionResource, string, int, ...func(*check.Recorder)) (*check.Recorder, *unstructured.Unstructured, error)) {
	admin := dynamicFor(s, s.Config()).Resource(websites).Namespace(ns)
	writes := 0
	rec, _, err := set(websites, "web", 4, func(rec *check.Recorder) {
		rec.Before(check.Match{Verb: "update"}, 2, func() error {
			writes++
			_, err := admin.Patch(s.Context(), "web", types.MergePatchType, fmt.Appendf(nil, `{"spec":{"other-%d":"yes"}}`, writes), metav1.PatchOptions{})
			return err
		})
	})
	s.Require(err == nil, fmt.Sprintf("another writer changed website web between the GET and the PUT, twice, and SetReplicas returned an error: %v\n%s", err, rec.Trace()), conflictCause(rec, err))
	now := getObject(s, websites, ns, "web")
	for i := range writes {
		field := fmt.Sprintf("other-%d", i+1)
		value, _, _ := unstructured.NestedString(now.Object, "spec", field)
		s.Require(value == "yes", fmt.Sprintf("another writer set spec.%s of website web, and it is lost\n%s", field, rec.Trace()),
			"the object of an old GET was written over a newer one: at a conflict begin again with a fresh GET, and take over nothing but the number")
	}
	judgeReplicas(s, rec, now, 4)

	rec, updated, err := set(websites, "web", 5, func(rec *check.Recorder) {
		rec.Answer(check.Match{Verb: "update"}, 0, check.Always, http.StatusConflict, metav1.StatusReasonConflict, "injected by the check")
	})
	s.Require(apierrors.IsConflict(err) && updated == nil, fmt.Sprintf("every PUT was answered with 409; want an error that is Conflict and no object, got %s\n%s", check.ErrorText(err), rec.Trace()),
		"when the conflicts do not end, the last one is what the caller gets, wrapped with %w")
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

func TestStep6_InstallCRD(t *testing.T) {
	check.Step(t, 6, "InstallCRD", func(s *check.S) {
		s.Needs(authorizationv1.ResourceAttributes{Verb: "create", Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"})
		judgeServed(s)
		judgeThere(s)
		judgeNamesTaken(s)
		judgeCRDErrors(s)
	})
}

// sites is a plural that no rule makes of the kind Website.
const sites = "sites"

// ownCRD is a CRD of this judgement with three versions, of which one is not served.
func ownCRD(s *check.S, group, kind string) *unstructured.Unstructured {
	const plural = sites
	version := func(name string, served, storage bool) any {
		return map[string]any{"name": name, "served": served, "storage": storage, "schema": map[string]any{
			"openAPIV3Schema": map[string]any{"type": "object"},
		}}
	}
	crd := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": plural + "." + group},
		"spec": map[string]any{
			"group": group, "scope": "Namespaced",
			"names":    map[string]any{"plural": plural, "singular": strings.ToLower(kind), "kind": kind, "listKind": kind + "List"},
			"versions": []any{version("v1", true, true), version("v1alpha1", false, false), version("v2", true, false)},
		},
	}}
	s.OwnCRD(crd)
	return crd
}

var crds = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

func install(s *check.S, limit time.Duration, crd *unstructured.Unstructured, faults ...func(*check.Recorder)) (*check.Recorder, error) {
	rec, cfg := s.Recorder()
	caller := watchCtx(cfg)
	for _, fault := range faults {
		fault(rec)
	}
	before := crd.DeepCopy()
	err := s.CallWithin(limit, func(ctx context.Context) error {
		return InstallCRD(caller.mark(ctx), dynamicFor(s, cfg), crd)
	})
	caller.judge(s)
	s.Require(reflect.DeepEqual(crd, before), "the caller's CRD was changed", "the object is the caller's: change a copy")
	return rec, err
}

// judgeServed lets the CRD have no conditions at first, and one version be
// served later than the other.
func judgeServed(s *check.S) {
	group := check.RandomGroup()
	crd := ownCRD(s, group, "Website")
	looks := 0
	second := check.Match{Path: "/apis/" + group + "/v2"}
	rec, err := install(s, check.CallTimeout, crd, func(rec *check.Recorder) {
		rec.Rewrite(check.Match{Verb: "get", Resource: crds.Resource}, 3, func(body []byte) ([]byte, error) {
			looks++
			return changeObject(body, func(obj map[string]any) {
				switch looks {
				case 1:
					delete(obj, "status")
				case 2:
					obj["status"] = map[string]any{"conditions": nil}
				case 3:
					obj["status"] = map[string]any{"conditions": []any{map[string]any{"type": "NamesAccepted", "status": "True"}, map[string]any{"type": "Established", "status": "Unknown"}}}
				}
			})
		})
		rec.Answer(second, 0, 3, http.StatusNotFound, metav1.StatusReasonNotFound, "the server could not find the requested resource")
	})
	posted := rec.Count(check.Match{Verb: "create", Path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"})
	cause := "create the CRD with the client, at apiextensions.k8s.io/v1, customresourcedefinitions; v1beta1 is no longer served"
	if slices.ContainsFunc(rec.Requests(check.Match{Resource: "customresourcedefinitions"}), func(req check.Request) bool { return req.Namespace != "" }) {
		cause = "a CRD is cluster-scoped, and its path has no namespace: Resource(...) without Namespace"
	}
	s.Require(posted > 0, fmt.Sprintf("no CRD was posted (error: %v)\n%s", err, rec.Trace()), cause)
	for _, list := range rec.Requests(check.Match{Path: "/apis/" + group}) {
		s.Require(list.Resource == sites, fmt.Sprintf("%s asks for %s, and the plural of the CRD is %s (error: %v)", list, list.Resource, sites, err),
			"the plural cannot be guessed from the kind: the CRD has it at spec.names.plural")
	}
	s.Require(err == nil, fmt.Sprintf("InstallCRD returned an error: %v\n%s", err, rec.Trace()), installCause(err))
	for _, version := range []string{"v1", "v2"} {
		gv := check.Match{Path: "/apis/" + group + "/" + version}
		asked := rec.Requests(gv)
		s.Require(len(asked) > 0, fmt.Sprintf("InstallCRD returned nil, and never asked for a list of %s.%s in version %s, which the CRD has as served\n%s", sites, group, version, rec.Trace()),
			servedCause(version))
		s.Require(asked[len(asked)-1].Status == http.StatusOK, fmt.Sprintf("InstallCRD returned nil after a list of sites in version %s was answered with %d\n%s", version, asked[len(asked)-1].Status, rec.Trace()),
			"a list that is answered with 404 says that this server does not serve the resource yet: pause, and ask again")
	}
	others := rec.Count(check.Match{Verb: "watch", Resource: crds.Resource}) + rec.Count(check.Match{Verb: "list", Resource: crds.Resource})
	gets := rec.Count(check.Match{Verb: "get", Resource: crds.Resource})
	s.Require(gets == 0 || gets > 3 || others > 0, fmt.Sprintf("InstallCRD returned nil, and the last look at the CRD said nothing of Established, or that its status is Unknown\n%s", rec.Trace()),
		"look again until Established has the status \"True\": that a condition is there says nothing, nor that a list is answered")
	s.Require(rec.Unpaused() < 5, fmt.Sprintf("%d requests followed the answer before them without a pause\n%s", rec.Unpaused(), rec.Trace()), "pause between two looks")
}

func servedCause(version string) string {
	if version == "v2" {
		return "each version that the CRD has as served is to be looked at, not the first alone"
	}
	return "Established says that the definition is accepted. The server begins to serve the resource a moment later: only an answer to a list proves it"
}

func installCause(err error) string {
	text := errorText(err)
	switch {
	case strings.Contains(text, "accessor error"):
		return "the conditions of a new CRD are null at first, which NestedSlice takes for a wrong type: read them with NestedFieldNoCopy, or convert the CRD to a struct"
	case errors.Is(err, context.DeadlineExceeded):
		return "the wait did not see what it waits for: Established is \"True\", and a version that is not served (served: false) never answers a list"
	case apierrors.IsNotFound(err):
		return "a list that is answered with 404 says that the resource is not served yet: pause, and ask again"
	}
	return check.CauseOf(err)
}

// judgeThere installs a CRD that is there already.
func judgeThere(s *check.S) {
	group := check.RandomGroup()
	s.InstallCRD(check.CRD{Group: group, Plural: sites, Singular: "website", Kind: "Website", ShortNames: []string{"old"}, Versions: []string{"v1"}})
	crd := ownCRD(s, group, "Website")
	before, err := dynamicFor(s, s.Config()).Resource(crds).Get(s.Context(), crd.GetName(), metav1.GetOptions{})
	s.Setup(err, "get CRD "+crd.GetName())
	lists := check.Match{Path: "/apis/" + group}
	rec, err := install(s, 10*time.Second, crd, func(rec *check.Recorder) {
		rec.Answer(lists, 0, 2, http.StatusNotFound, metav1.StatusReasonNotFound, "the server could not find the requested resource")
	})
	s.Require(err == nil, fmt.Sprintf("a CRD of this name was there, and InstallCRD returned an error: %v\n%s", err, rec.Trace()), thereCause(err))
	now, err := dynamicFor(s, s.Config()).Resource(crds).Get(s.Context(), crd.GetName(), metav1.GetOptions{})
	s.Require(err == nil && now.GetUID() == before.GetUID(), "a CRD of this name was there, and it is another one now\n"+rec.Trace(), "to delete a CRD is to delete all of its custom resources")
	s.Require(reflect.DeepEqual(now.Object["spec"], before.Object["spec"]), "a CRD of this name was there, and its spec was changed\n"+rec.Trace(), "others use the CRD as it is: create it when it is absent, and leave it otherwise")
	asked := rec.Requests(lists)
	s.Require(len(asked) > 0 && asked[len(asked)-1].Status == http.StatusOK, "a CRD of this name was there, and InstallCRD returned nil before a list was answered\n"+rec.Trace(),
		"that the CRD exists does not say that it is served: somebody may have created it a moment ago. Go on and wait")
}

func thereCause(err error) string {
	if apierrors.IsAlreadyExists(err) {
		return "the error AlreadyExists of the POST means that there is nothing to create: go on and wait"
	}
	return "which versions are served is in the CRD as the server has it, and not in the one that was not created: " + installCause(err)
}

// judgeNamesTaken installs a CRD whose kind another one of its group has.
func judgeNamesTaken(s *check.S) {
	group := check.RandomGroup()
	s.InstallCRD(check.CRD{Group: group, Plural: "pages", Singular: "page", Kind: "Website", Versions: []string{"v1"}})
	crd := ownCRD(s, group, "Website")
	taken := "another CRD has the kind Website in the same group, so NamesAccepted is False"
	judgeTaken(s, crd, taken)
	judgeTaken(s, crd, "a CRD of this name was there, and "+taken)
}

func judgeTaken(s *check.S, crd *unstructured.Unstructured, taken string) {
	rec, err := install(s, 8*time.Second, crd)
	s.Require(err != nil, taken+", and InstallCRD returned no error\n"+rec.Trace(), "a condition is true when its status is \"True\": its presence alone says nothing")
	s.Require(strings.Contains(err.Error(), "already in use"), fmt.Sprintf("%s; the error is %q, which does not carry the condition's message\n%s", taken, err, rec.Trace()),
		"look at the condition NamesAccepted as well: with the status False there will be no Established, and a wait has no end")
}

// judgeCRDErrors looks at the ends that are not good.
func judgeCRDErrors(s *check.S) {
	group := check.RandomGroup()
	crd := ownCRD(s, group, "Website")
	lists := check.Match{Path: "/apis/" + group}
	rec, err := install(s, 5*time.Second, crd, func(rec *check.Recorder) {
		rec.Answer(lists, 0, check.Always, http.StatusNotFound, metav1.StatusReasonNotFound, "the server could not find the requested resource")
	})
	s.Require(errors.Is(err, context.DeadlineExceeded), fmt.Sprintf("the lists were answered with 404 until ctx ended; want an error that wraps context.DeadlineExceeded, got %s\n%s", check.ErrorText(err), rec.Trace()),
		"when ctx ends first, say so: wrap its error with %w")
	s.Require(rec.Unpaused() < 20, fmt.Sprintf("%d requests followed the answer before them without a pause\n%s", rec.Unpaused(), rec.Trace()), "pause between two looks")

	rec, err = install(s, 5*time.Second, crd, func(rec *check.Recorder) {
		rec.Answer(lists, 0, check.Always, http.StatusForbidden, metav1.StatusReasonForbidden, "injected by the check")
	})
	s.Require(err != nil, "every list was answered with 403, and InstallCRD returned no error\n"+rec.Trace(), "an answer that is not NotFound does not mean served: only a list without an error does")

	_, err = install(s, 5*time.Second, ownCRD(s, check.RandomGroup(), "Website"), func(rec *check.Recorder) {
		rec.Answer(check.Match{Verb: "create"}, 0, check.Always, http.StatusForbidden, metav1.StatusReasonForbidden, "injected by the check")
	})
	s.Require(apierrors.IsForbidden(err), fmt.Sprintf("the POST was answered with 403; want an error that is Forbidden, got %s", check.ErrorText(err)), "only AlreadyExists means that there is nothing to do; return any other error, wrapped with %w")
	invalid := ownCRD(s, check.RandomGroup(), "Website")
	s.Setup(unstructured.SetNestedField(invalid.Object, "Everywhere", "spec", "scope"), "make an invalid CRD")
	_, err = install(s, 5*time.Second, invalid)
	s.Require(apierrors.IsInvalid(err), fmt.Sprintf("the CRD is invalid; want an error that is Invalid, got %s", check.ErrorText(err)), "return the error of the POST, wrapped with %w")
}

func TestStep7_ResourceFor(t *testing.T) {
	check.Step(t, 7, "ResourceFor", func(s *check.S) {
		ns, group := s.Namespace(), check.RandomGroup()
		s.InstallCRD(check.CRD{Group: group, Plural: "mice", Singular: "rodent", Kind: "Mouse", Versions: []string{"v1", "v2"}})
		s.InstallCRD(check.CRD{Group: group, Plural: "indices", Singular: "register", Kind: "Index", Versions: []string{"v1"}, Cluster: true})
		found := discoveredMapper(s)
		mapper := &watchedMapper{RESTMapperWithContext: found}

		for _, tc := range []struct {
			kind            schema.GroupVersionKind
			namespace, path string
		}{
			{schema.GroupVersionKind{Group: group, Version: "v1", Kind: "Mouse"}, ns, "/apis/" + group + "/v1/namespaces/" + ns + "/mice"},
			{schema.GroupVersionKind{Group: group, Version: "v2", Kind: "Mouse"}, ns, "/apis/" + group + "/v2/namespaces/" + ns + "/mice"},
			{schema.GroupVersionKind{Group: group, Version: "v1", Kind: "Index"}, ns, "/apis/" + group + "/v1/indices"},
			{schema.GroupVersionKind{Group: group, Version: "v1", Kind: "Index"}, "", "/apis/" + group + "/v1/indices"},
			{appsv1.SchemeGroupVersion.WithKind("Deployment"), ns, "/apis/apps/v1/namespaces/" + ns + "/deployments"},
			{schema.GroupVersionKind{Group: "networking.k8s.io", Version: "v1", Kind: "NetworkPolicy"}, ns, "/apis/networking.k8s.io/v1/namespaces/" + ns + "/networkpolicies"},
			{corev1.SchemeGroupVersion.WithKind("Endpoints"), ns, "/api/v1/namespaces/" + ns + "/endpoints"},
			{corev1.SchemeGroupVersion.WithKind("Node"), ns, "/api/v1/nodes"},
		} {
			rec, cfg := s.Recorder()
			var got dynamic.ResourceInterface
			err := s.Call(func(ctx context.Context) (err error) {
				got, err = ResourceFor(context.WithValue(ctx, mapperKey{}, tc.path), dynamicFor(s, cfg), mapper, tc.kind, tc.namespace)
				return err
			})
			s.Require(err == nil, fmt.Sprintf("for %s, ResourceFor returned an error: %v", tc.kind, err), "ask the mapper for the mapping of the group, the kind and the version, as they are")
			s.Require(got != nil, fmt.Sprintf("for %s, ResourceFor returned no client and no error", tc.kind), "the client is not returned")
			s.Require(rec.Count(check.Match{}) == 0, fmt.Sprintf("for %s, ResourceFor made a request\n%s", tc.kind, rec.Trace()), "the mapper knows the answer: nothing is to be asked with the client")
			_, err = got.List(s.Context(), metav1.ListOptions{Limit: 1})
			sent := rec.Requests(check.Match{})
			s.Require(len(sent) == 1, fmt.Sprintf("a list with the client for %s sent %d requests (error: %v)", tc.kind, len(sent), err), "the client is built by client.Resource, with the client that you were given")
			s.Require(sent[0].Path == tc.path, fmt.Sprintf("a list of %s, with namespace %q, went to %s, want %s", tc.kind, tc.namespace, sent[0].Path, tc.path), mappingCause(sent[0], tc.kind, tc.path))
			s.Require(err == nil, fmt.Sprintf("a list with the client for %s failed: %v", tc.kind, err), check.CauseOf(err))
			s.Require(mapper.seen(tc.path), fmt.Sprintf("for %s, the mapper was not asked with the caller's ctx", tc.kind), "hand ctx on to the mapper, which may have to ask the server: a context of your own cannot be ended by the caller")
		}
		judgeNoMatch(s, ns, group, found)
	})
}

type mapperKey struct{}

// watchedMapper remembers the contexts that it is asked with.
type watchedMapper struct {
	meta.RESTMapperWithContext
	last atomic.Value
}

func (m *watchedMapper) note(ctx context.Context) {
	if path, ok := ctx.Value(mapperKey{}).(string); ok {
		m.last.Store(path)
	}
}

func (m *watchedMapper) seen(path string) bool { return m.last.Load() == path }

func (m *watchedMapper) RESTMappingWithContext(ctx context.Context, kind schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	m.note(ctx)
	return m.RESTMapperWithContext.RESTMappingWithContext(ctx, kind, versions...)
}

func (m *watchedMapper) RESTMappingsWithContext(ctx context.Context, kind schema.GroupKind, versions ...string) ([]*meta.RESTMapping, error) {
	m.note(ctx)
	return m.RESTMapperWithContext.RESTMappingsWithContext(ctx, kind, versions...)
}

func (m *watchedMapper) ResourceForWithContext(ctx context.Context, input schema.GroupVersionResource) (schema.GroupVersionResource, error) {
	m.note(ctx)
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

func mappingCause(req check.Request, kind schema.GroupVersionKind, want string) string {
	parts := strings.Split(want, "/")
	plural := parts[len(parts)-1]
	switch {
	case req.Resource != plural:
		return fmt.Sprintf("the plural of %s is %s: it is what the server says and cannot be guessed from the kind; mapping.Resource has it", kind.Kind, plural)
	case req.Version != kind.Version:
		return "hand the version to RESTMapping: without it, the mapper takes the one that the group prefers"
	case req.Namespace != "":
		return kind.Kind + " is cluster-scoped, and its path has no namespace: look at mapping.Scope before you call Namespace, not at the caller's argument"
	case strings.Contains(want, "/namespaces/"):
		return kind.Kind + " is namespaced: call Namespace(namespace) when mapping.Scope says so, or a list covers every namespace and a create is refused"
	}
	return "take group, version and resource from mapping.Resource"
}

// brokenMapper stands for a server whose discovery does not answer.
type brokenMapper struct{ meta.RESTMapperWithContext }

var errBroken = errors.New("the discovery failed (injected by the check)")

func (brokenMapper) RESTMappingWithContext(context.Context, schema.GroupKind, ...string) (*meta.RESTMapping, error) {
	return nil, errBroken
}

func (brokenMapper) RESTMappingsWithContext(context.Context, schema.GroupKind, ...string) ([]*meta.RESTMapping, error) {
	return nil, errBroken
}

func (brokenMapper) ResourceForWithContext(context.Context, schema.GroupVersionResource) (schema.GroupVersionResource, error) {
	return schema.GroupVersionResource{}, errBroken
}

func (brokenMapper) ResourcesForWithContext(context.Context, schema.GroupVersionResource) ([]schema.GroupVersionResource, error) {
	return nil, errBroken
}

func judgeNoMatch(s *check.S, ns, group string, found meta.RESTMapperWithContext) {
	ask := func(mapper meta.RESTMapperWithContext, kind schema.GroupVersionKind) (dynamic.ResourceInterface, error) {
		_, cfg := s.Recorder()
		var got dynamic.ResourceInterface
		err := s.Call(func(ctx context.Context) (err error) {
			got, err = ResourceFor(ctx, dynamicFor(s, cfg), mapper, kind, ns)
			return err
		})
		return got, err
	}
	for _, kind := range []schema.GroupVersionKind{
		{Group: group, Version: "v1", Kind: "Rat"}, {Group: group, Version: "v9", Kind: "Mouse"},
		{Group: "", Version: "v1", Kind: "Deployment"}, {Group: group, Version: "v1", Kind: "mice"},
	} {
		got, err := ask(found, kind)
		s.Require(err != nil, fmt.Sprintf("the server does not serve %s, and ResourceFor returned no error", kind), "a kind that the mapper does not know, in this group and version, must not be guessed")
		s.Require(meta.IsNoMatchError(err), fmt.Sprintf("the server does not serve %s, and meta.IsNoMatchError is false for the error: %v", kind, err), "wrap the mapper's error with %w: a caller may want to look again when a CRD appears")
		s.Require(got == nil, fmt.Sprintf("the server does not serve %s, and ResourceFor returned a client beside its error", kind), "return nil with an error")
	}
	_, err := ask(brokenMapper{found}, appsv1.SchemeGroupVersion.WithKind("Deployment"))
	s.Require(errors.Is(err, errBroken), fmt.Sprintf("the mapper failed; want its error, wrapped with %%w, got %s", check.ErrorText(err)), "a failure of the discovery is no licence to guess: return it, wrapped with %w")
}

func TestStep8_ToWebsite(t *testing.T) {
	check.Step(t, 8, "ToWebsite", func(s *check.S) {
		manifest := func(change func(obj map[string]any)) *unstructured.Unstructured {
			obj := map[string]any{
				"apiVersion": "workshop.example.com/v1", "kind": "Website",
				"metadata": map[string]any{"name": "web", "labels": map[string]any{"app": "web"}, "generation": int64(7)},
				"spec":     map[string]any{"host": "web.example.com", "replicas": int64(3)},
				"status":   map[string]any{"phase": "Ready"},
			}
			if change != nil {
				change(obj)
			}
			return &unstructured.Unstructured{Object: obj}
		}
		convert := func(what string, obj *unstructured.Unstructured) (*Website, error) {
			before := obj.DeepCopy()
			var got *Website
			err := s.Call(func(context.Context) (err error) {
				got, err = ToWebsite(obj)
				return err
			})
			s.Require(reflect.DeepEqual(obj, before), fmt.Sprintf("for %s, ToWebsite changed the object", what), "the object is the caller's: read it and leave it")
			return got, err
		}

		got, err := convert("a good Website", manifest(nil))
		s.Require(err == nil, fmt.Sprintf("for a good Website, ToWebsite returned an error: %v", err), convertCause(err))
		s.Require(got != nil, "ToWebsite returned no Website and no error", "the Website is not returned")
		want := &Website{
			TypeMeta:   metav1.TypeMeta{APIVersion: "workshop.example.com/v1", Kind: "Website"},
			ObjectMeta: metav1.ObjectMeta{Name: "web", Labels: map[string]string{"app": "web"}, Generation: 7},
			Spec:       WebsiteSpec{Host: "web.example.com", Replicas: new(int32(3))},
			Status:     WebsiteStatus{Phase: "Ready"},
		}
		s.Require(reflect.DeepEqual(got, want), fmt.Sprintf("for a good Website, ToWebsite returned\n  %+v\nwant\n  %+v", got, want), "the converter fills every field")
		got, err = convert("a Website without a spec", manifest(func(obj map[string]any) { delete(obj, "spec"); delete(obj, "status") }))
		s.Require(err == nil && got != nil, fmt.Sprintf("for a Website without a spec, ToWebsite returned %s", check.ErrorText(err)), "a field that is absent is no mistake")
		want.Spec, want.Status = WebsiteSpec{}, WebsiteStatus{}
		s.Require(reflect.DeepEqual(got, want), fmt.Sprintf("for a Website without a spec, ToWebsite returned\n  %+v\nwant\n  %+v", got, want), "what nobody wrote stays absent: add no default")

		judgeStrict(s, manifest, convert)
	})
}

// errorText is the text of an error, or none.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func judgeStrict(s *check.S, manifest func(func(map[string]any)) *unstructured.Unstructured, convert func(string, *unstructured.Unstructured) (*Website, error)) {
	misspell := func(obj map[string]any) { spec(obj)["replcias"] = int64(3) }
	for _, tc := range []struct {
		what  string
		names []string
		obj   *unstructured.Unstructured
	}{
		{"a misspelled field of the spec", []string{"spec.replcias"}, manifest(misspell)},
		{"a misspelled field of the metadata", []string{"metadata.lables"}, manifest(func(obj map[string]any) { obj["metadata"].(map[string]any)["lables"] = map[string]any{"a": "b"} })},
		{"a field of another case", []string{"spec.Host"}, manifest(func(obj map[string]any) { spec(obj)["Host"] = "x" })},
		{"three misspelled fields", []string{"spec.replcias", "status.fase", "sepc"}, manifest(func(obj map[string]any) {
			misspell(obj)
			obj["status"].(map[string]any)["fase"] = "Ready"
			obj["sepc"] = map[string]any{}
		})},
	} {
		got, err := convert(tc.what, tc.obj)
		s.Require(err != nil, fmt.Sprintf("for %s, %s, ToWebsite returned no error", tc.what, strings.Join(tc.names, ", ")),
			"a field that the type does not have is dropped without a word, unless you ask for validation: FromUnstructuredWithValidation, with true")
		for _, name := range tc.names {
			s.Require(strings.Contains(err.Error(), name), fmt.Sprintf("for %s, the error is %q, which does not name %s", tc.what, err, name), "the converter's error names each unknown field with its path: wrap it with %w")
		}
		s.Require(strictInside(err), fmt.Sprintf("for %s, no error inside of this one satisfies runtime.IsStrictDecodingError: %v", tc.what, err), "wrap the converter's error with %w: %v keeps the text and loses the error")
		s.Require(got == nil, fmt.Sprintf("for %s, ToWebsite returned a Website beside its error", tc.what), "the converter fills the object and reports afterwards: return nil with an error")
	}

	for _, tc := range []struct {
		what, says string
		change     func(obj map[string]any)
	}{
		{"an object of kind Webpage", "Webpage", func(obj map[string]any) { obj["kind"] = "Webpage" }},
		{"an object of version v2", "v2", func(obj map[string]any) { obj["apiVersion"] = "workshop.example.com/v2" }},
		{"an object of version v1beta1", "v1beta1", func(obj map[string]any) { obj["apiVersion"] = "workshop.example.com/v1beta1" }},
		{"an object of kind website, in lower case", "website", func(obj map[string]any) { obj["kind"] = "website" }},
		{"an object of another group", "other.example.org", func(obj map[string]any) { obj["apiVersion"] = "other.example.org/v1" }},
		{"an object without a kind", "", func(obj map[string]any) { delete(obj, "kind") }},
	} {
		got, err := convert(tc.what, manifest(tc.change))
		s.Require(err != nil, fmt.Sprintf("for %s, ToWebsite returned no error", tc.what), "the converter puts any content into any struct: compare apiVersion and kind yourself, obj.GroupVersionKind() has both")
		s.Require(strings.Contains(err.Error(), tc.says), fmt.Sprintf("for %s, the error is %q, which does not say %q", tc.what, err, tc.says), "say what the object is")
		s.Require(got == nil, fmt.Sprintf("for %s, ToWebsite returned a Website beside its error", tc.what), "return nil with an error")
	}

	got, err := convert("replicas that are text", manifest(func(obj map[string]any) { spec(obj)["replicas"] = "three" }))
	s.Require(err != nil && got == nil, fmt.Sprintf("for replicas that are text, ToWebsite returned %s, and a Website: %t", check.ErrorText(err), got != nil), "not every error of the conversion is one about an unknown field: return each, and no Website")
}

// strictInside looks for a strict decoding error in the tree of errors.
func strictInside(err error) bool {
	if err == nil {
		return false
	}
	if runtime.IsStrictDecodingError(err) {
		return true
	}
	switch e := err.(type) {
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
	resource := schema.GroupVersionResource{Group: "workshop.example.com", Version: "v1", Resource: "websites"}
	_, err := client.Resource(crds).Create(s.Context(), websiteCRD(), metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		s.Setup(err, "create CRD websites.workshop.example.com")
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		_, err := client.Resource(resource).List(s.Context(), metav1.ListOptions{Limit: 1})
		if err == nil || time.Now().After(end) {
			s.Setup(err, "list websites.workshop.example.com")
			return resource
		}
	}
}

func TestStep9_SetPhase(t *testing.T) {
	check.Step(t, 9, "SetPhase", func(s *check.S) {
		ns, websites := s.Namespace(), sharedWebsites(s)
		before := createWebsiteIn(s, websites, ns, "web", map[string]any{"spec": map[string]any{"host": "web.example.com", "replicas": int64(3)}})
		admin := dynamicFor(s, s.Config()).Resource(websites).Namespace(ns)
		apply := func(manager, status string) {
			_, err := admin.Patch(s.Context(), "web", types.ApplyPatchType, []byte(`{"apiVersion":"workshop.example.com/v1","kind":"Website","status":`+status+`}`), metav1.PatchOptions{FieldManager: manager, Force: new(true)}, "status")
			s.Setup(err, "write the status of website web")
		}
		set := func(name, manager, phase string, faults ...func(*check.Recorder)) (*check.Recorder, *unstructured.Unstructured, error) {
			rec, cfg := s.Recorder()
			caller := watchCtx(cfg)
			for _, fault := range faults {
				fault(rec)
			}
			var applied *unstructured.Unstructured
			err := s.Call(func(ctx context.Context) (err error) {
				applied, err = SetPhase(caller.mark(ctx), dynamicFor(s, cfg).Resource(websites).Namespace(ns), name, manager, phase)
				return err
			})
			caller.judge(s)
			return rec, applied, err
		}
		apply("prober", `{"url":"http://web.example.com"}`)

		for i, tc := range []struct{ manager, phase string }{
			{"builder", "Building"}, {"builder", `"Ready": {now}`}, {"janitor", "Closed"},
		} {
			rec, applied, err := set("web", tc.manager, tc.phase)
			judgeApply(s, rec, err, "web", tc.manager)
			s.Require(err == nil, fmt.Sprintf("SetPhase returned an error: %v\n%s", err, rec.Trace()), applyCause(err, i))
			now := getObject(s, websites, ns, "web")
			phase, _, _ := unstructured.NestedString(now.Object, "status", "phase")
			s.Require(phase == tc.phase, fmt.Sprintf("website web has the phase %q, want %q\n%s\nthe body was %s", phase, tc.phase, rec.Trace(), lastBody(rec)), "the phase is at .status.phase: encode it as JSON, not with Sprintf")
			url, _, _ := unstructured.NestedString(now.Object, "status", "url")
			s.Require(url == "http://web.example.com", fmt.Sprintf("website web has the status.url %q, which another manager had set to http://web.example.com\n%s\nthe body was %s", url, rec.Trace(), lastBody(rec)), "name .status.phase alone")
			s.Require(reflect.DeepEqual(now.Object["spec"], before.Object["spec"]) && reflect.DeepEqual(now.GetLabels(), before.GetLabels()), fmt.Sprintf("website web has lost something of its spec or labels: %v", now.Object), "the status and nothing else")
			judgeOwned(s, rec, now, tc.manager)
			s.Require(applied != nil && applied.GetUID() == now.GetUID(), "the returned object is not the one that the server sent back", "return what ApplyStatus returned")
		}

		rec, applied, err := set("missing", "builder", "Building")
		_, getErr := admin.Get(s.Context(), "missing", metav1.GetOptions{})
		s.Require(apierrors.IsNotFound(getErr), "website missing did not exist, and was created\n"+rec.Trace(), "an apply to the resource itself creates what is not there: the status is a subresource")
		s.Require(apierrors.IsNotFound(err) && applied == nil, fmt.Sprintf("website missing does not exist; want an error that is NotFound and no object, got %s\n%s", check.ErrorText(err), rec.Trace()), "return the error, wrapped with %w, and nil")
		for _, code := range []int{http.StatusForbidden, http.StatusConflict} {
			reason := map[int]metav1.StatusReason{http.StatusForbidden: metav1.StatusReasonForbidden, http.StatusConflict: metav1.StatusReasonConflict}[code]
			rec, _, err = set("web", "builder", "Building", func(rec *check.Recorder) {
				rec.Answer(check.Match{Verb: "patch"}, 0, check.Always, code, reason, "injected by the check")
			})
			s.Require(apierrors.ReasonForError(err) == reason, fmt.Sprintf("the apply was answered with %d; want an error that is %s, got %s", code, reason, check.ErrorText(err)), "wrap the error with %w")
			s.Require(rec.Count(check.Match{Verb: "patch"}) == 1, fmt.Sprintf("an apply that failed was sent %d times, want 1\n%s", rec.Count(check.Match{Verb: "patch"}), rec.Trace()), "an apply is sent once: the same request will fail again")
		}
	})
}

func lastBody(rec *check.Recorder) string {
	sent := rec.Requests(check.Match{})
	if len(sent) == 0 {
		return ""
	}
	return strings.TrimSpace(string(sent[len(sent)-1].Body))
}

func judgeApply(s *check.S, rec *check.Recorder, err error, name, manager string) {
	failed := ""
	if err != nil {
		failed = "\nthe error was: " + err.Error()
	}
	sent := rec.Requests(check.Match{})
	s.Require(len(sent) > 0, "no request was sent"+failed, applyCause(err, 0))
	for _, req := range sent {
		s.Require(req.Verb == "patch" && strings.HasPrefix(req.ContentType, "application/apply-patch+"), fmt.Sprintf("%s, Content-Type %q, is no server-side apply\n%s%s", req, req.ContentType, rec.Trace(), failed), noApplyCause(req))
		s.Require(req.Subresource == "status" && req.Name == name, fmt.Sprintf("%s does not go to the status of website %s\n%s%s", req, name, rec.Trace(), failed),
			"the resource itself takes a status and drops it without a word: ApplyStatus, or Apply with the subresource \"status\"")
	}
	s.Require(len(sent) == 1, "want one request\n"+rec.Trace()+failed, "an apply is sent once, and needs nothing read before it")
	got := sent[0].Query.Get("fieldManager")
	s.Require(got == manager, fmt.Sprintf("the apply has fieldManager=%q, want %q\n%s%s", got, manager, rec.Trace(), failed), "FieldManager in ApplyOptions is the caller's manager")
	if body, err := sent[0].Object(); err == nil {
		metadata, _ := body["metadata"].(map[string]any)
		status, _ := body["status"].(map[string]any)
		for _, part := range []struct {
			fields map[string]any
			names  []string
		}{{body, []string{"apiVersion", "kind", "metadata", "status"}}, {metadata, []string{"name", "namespace"}}, {status, []string{"phase"}}} {
			for key, value := range part.fields {
				if key == "creationTimestamp" && value == nil {
					continue // what older releases wrote for every object; nobody owns it
				}
				s.Require(slices.Contains(part.names, key), fmt.Sprintf("the apply names the field %s\n%s\nthe body was %s%s", key, rec.Trace(), lastBody(rec), failed), tooMuchCause(key))
			}
		}
	}
	s.Require(sent[0].Query.Get("force") == "true", "the apply is not forced\n"+rec.Trace()+failed, "Force in ApplyOptions: the phase has one author")
}

func tooMuchCause(key string) string {
	switch key {
	case "managedFields", "resourceVersion", "uid", "generation", "creationTimestamp":
		return "an object that was read cannot be applied: it carries managedFields, and names every field. Build an object with the one field"
	case "phase":
		return "the phase is at .status.phase"
	}
	return "what the applied object names, the manager owns: name .status.phase and nothing else"
}

func noApplyCause(req check.Request) string {
	switch {
	case req.ContentType == string(types.StrategicMergePatchType):
		return "a strategic merge patch is made from Go types, and the server has none for a custom resource: it answers 415. An apply works for every kind"
	case req.Verb == "patch":
		return "another kind of patch owns nothing and meets no conflict: types.ApplyPatchType, or ApplyStatus"
	case req.Verb == "update" && req.Subresource == "":
		return "a PUT of the resource itself leaves the status as it is, without a word"
	case req.Verb == "update":
		return "UpdateStatus writes the whole status, and so needs a read and conflicts: an apply names the one field"
	}
	return "an apply says what you want, and needs nothing read before it"
}

func applyCause(err error, round int) string {
	text := errorText(err)
	switch {
	case strings.Contains(text, "fieldManager"):
		return "an apply needs the name of its manager: FieldManager in ApplyOptions"
	case strings.Contains(text, "managed fields"), strings.Contains(text, "managedFields"):
		return "an object that was read cannot be applied: it carries managedFields, and names every field. Build an object with the one field"
	case strings.Contains(text, "invalid object type"), strings.Contains(text, "kind"), strings.Contains(text, "Kind"):
		return "what is applied must name apiVersion workshop.example.com/v1 and kind Website"
	case apierrors.IsConflict(err):
		return "another manager owns the phase: Force takes it"
	case round > 0:
		return "the phase may hold any character: build the object as a map, not as a text: " + check.CauseOf(err)
	}
	return check.CauseOf(err)
}

// judgeOwned wants the manager to own the phase, in the status, and nothing else.
func judgeOwned(s *check.S, rec *check.Recorder, obj *unstructured.Unstructured, manager string) {
	owned := map[string]any{}
	for _, entry := range obj.GetManagedFields() {
		if entry.Manager == manager && entry.Operation == metav1.ManagedFieldsOperationApply && entry.Subresource == "status" {
			s.Setup(json.Unmarshal(entry.FieldsV1.Raw, &owned), "decode the managed fields")
		}
	}
	want := map[string]any{"f:status": map[string]any{"f:phase": map[string]any{}}}
	s.Require(reflect.DeepEqual(owned, want), fmt.Sprintf("manager %s owns %v of the status of website %s, want the phase alone\n%s\nthe body was %s", manager, owned, obj.GetName(), rec.Trace(), lastBody(rec)),
		"what the applied object names, the manager owns: every other writer of these fields now meets a conflict. Name .status.phase and nothing else")
}

// phaseWait is one call of step 10.
type phaseWait struct {
	s        *check.S
	rec      *check.Recorder
	cfg      *rest.Config
	caller   *callerCtx
	resource schema.GroupVersionResource
	ns, name string
	admin    dynamic.ResourceInterface
	returned atomic.Bool
}

func newPhaseWait(s *check.S, resource schema.GroupVersionResource, ns, name string) *phaseWait {
	rec, cfg := s.Recorder()
	return &phaseWait{s: s, rec: rec, cfg: cfg, caller: watchCtx(cfg), resource: resource, ns: ns, name: name, admin: dynamicFor(s, s.Config()).Resource(resource).Namespace(ns)}
}

// wait calls the step, and meanwhile the function that it is given.
func (w *phaseWait) wait(limit time.Duration, meanwhile func(ctx context.Context) error) (*unstructured.Unstructured, error) {
	ctx, cancel := context.WithTimeout(w.s.Context(), limit)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- meanwhile(ctx) }()
	var website *unstructured.Unstructured
	err := w.s.CallWithin(limit, func(ctx context.Context) (err error) {
		defer w.returned.Store(true)
		website, err = WaitForPhase(w.caller.mark(ctx), dynamicFor(w.s, w.cfg).Resource(w.resource).Namespace(w.ns), w.name, "Ready")
		return err
	})
	w.s.Setup(<-done, "bring website "+w.name+" into the state that the check needs")
	w.caller.judge(w.s)
	return website, err
}

// pause waits until the step has returned, or enough has been seen, or by has passed.
func (w *phaseWait) pause(ctx context.Context, by time.Duration, enough func() bool) {
	for end := time.Now().Add(by); time.Now().Before(end) && !w.returned.Load() && !enough(); {
		select {
		case <-ctx.Done():
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (w *phaseWait) watches() []check.Request { return w.rec.Requests(check.Match{Verb: "watch"}) }

func (w *phaseWait) watching() bool {
	return slices.ContainsFunc(w.watches(), func(req check.Request) bool { return req.Status == http.StatusOK })
}

// write sets the status of a Website.
func (w *phaseWait) write(ctx context.Context, name, status string) error {
	_, err := w.admin.Patch(ctx, name, types.MergePatchType, []byte(`{"status":`+status+`}`), metav1.PatchOptions{})
	return err
}

func (w *phaseWait) ended(website *unstructured.Unstructured, err error) string {
	what := "no Website"
	if website != nil {
		what = fmt.Sprintf("website %s with the status %v", website.GetName(), website.Object["status"])
	}
	return fmt.Sprintf("WaitForPhase returned %s and %s\n%s", what, check.ErrorText(err), w.rec.Trace())
}

func isReady(website *unstructured.Unstructured, name string) bool {
	if website == nil || website.GetName() != name {
		return false
	}
	phase, _, err := unstructured.NestedString(website.Object, "status", "phase")
	return err == nil && phase == "Ready"
}

func never() bool                   { return false }
func nothing(context.Context) error { return nil }

func TestStep10_WaitForPhase(t *testing.T) {
	check.Step(t, 10, "WaitForPhase", func(s *check.S) {
		ns, websites := s.Namespace(), replicated(s)
		for _, name := range []string{"web", "other", "old", "cut", "bent", "doomed", "slow"} {
			createWebsiteIn(s, websites, ns, name, map[string]any{"spec": map[string]any{"host": name}})
		}
		createWebsiteIn(s, websites, ns, "done", map[string]any{"status": map[string]any{"phase": "Ready"}})

		w := newPhaseWait(s, websites, ns, "done")
		website, err := w.wait(6*time.Second, nothing)
		s.Require(err == nil && isReady(website, "done"), "website done was Ready before the call, and "+w.ended(website, err), "look at the state first: a watch from there brings an event only when something changes")

		judgeWatch(s, ns, websites)
		judgeCut(s, ns, websites)
		judgeForgotten(s, ns, websites)
		judgePhaseEnds(s, ns, websites)
	})
}

// judgeWatch takes website web through phases, while another one is Ready at once.
func judgeWatch(s *check.S, ns string, websites schema.GroupVersionResource) {
	w := newPhaseWait(s, websites, ns, "web")
	var early atomic.Bool
	website, err := w.wait(12*time.Second, func(ctx context.Context) error {
		w.pause(ctx, 3*time.Second, w.watching)
		for _, change := range []struct{ name, status string }{{"web", "{}"}, {"web", `{"phase":"Building"}`}, {"other", `{"phase":"Ready"}`}, {"web", `{"phase":"ReadyToBuild"}`}} {
			if err := w.write(ctx, change.name, change.status); err != nil {
				return err
			}
			w.pause(ctx, 150*time.Millisecond, never)
		}
		early.Store(w.returned.Load())
		return w.write(ctx, "web", `{"phase":"Ready"}`)
	})
	cause := "a Website that has no status or no phase yet is no error and not ready: look at found"
	if website != nil {
		cause = "compare the phase as a whole, of this Website alone: watch this name only, with a field selector, or look at the name of what the event brings"
	}
	s.Require(!early.Load(), "website web was not Ready, and "+w.ended(website, err), cause)
	s.Require(err == nil && isReady(website, "web"), "website web became Ready, and "+w.ended(website, err), "return the Website of the event that brought the phase")
	s.Require(len(w.watches()) > 0, "no watch was opened\n"+w.rec.Trace(), "asking again and again costs requests and misses what lies between: a watch tells you")
}

// judgeCut ends every watch for a while, as a server does that shuts down.
func judgeCut(s *check.S, ns string, websites schema.GroupVersionResource) {
	w := newPhaseWait(s, websites, ns, "cut")
	var ending, early, hot atomic.Bool
	ending.Store(true)
	w.rec.EndWatchesWhile(check.Match{}, ending.Load)
	website, err := w.wait(12*time.Second, func(ctx context.Context) error {
		w.pause(ctx, 3*time.Second, w.watching)
		// Of a list and a watch one at most follows without a pause: half of all.
		w.pause(ctx, 2*time.Second, func() bool { return w.rec.Count(check.Match{}) >= 60 })
		early.Store(w.returned.Load())
		all := w.rec.Count(check.Match{})
		hot.Store(all >= 24 && w.rec.Unpaused()*3 > all*2)
		// Ready while no watch is open: only another look can tell.
		if err := w.write(ctx, "cut", `{"phase":"Ready"}`); err != nil {
			return err
		}
		w.pause(ctx, 100*time.Millisecond, never)
		ending.Store(false)
		return nil
	})
	s.Require(!hot.Load(), fmt.Sprintf("every watch ended at once, and %d requests followed the answer before them without a pause\n%s", w.rec.Unpaused(), w.rec.Trace()),
		"a server that is in trouble gets a flood of requests on top: pause before you look again")
	s.Require(!early.Load(), "every watch is closed by the server, and "+w.ended(website, err), "a closed channel says that this watch is over, not that the Website is ready or gone: look again and watch on. A receive from it gives a zero event, so look at its second value")
	s.Require(err == nil && isReady(website, "cut"), "the Website became Ready while no watch was open, and "+w.ended(website, err), "after the end of a watch look again: a new watch does not tell what happened between the two, and the channel of the old one gives zero events without end")
}

// judgeForgotten answers the first watch, and those from before it, with 410 Gone.
func judgeForgotten(s *check.S, ns string, websites schema.GroupVersionResource) {
	w := newPhaseWait(s, websites, ns, "old")
	var oldest atomic.Value
	w.rec.CompactAtFirstWatch(check.Match{}, func() (string, error) {
		cm, err := s.Clientset().CoreV1().ConfigMaps(ns).Create(s.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "compaction-"}}, metav1.CreateOptions{})
		if err != nil {
			return "", err
		}
		oldest.Store(cm.ResourceVersion)
		return cm.ResourceVersion, nil
	})
	healthy := func() bool {
		limit, _ := oldest.Load().(string)
		return slices.ContainsFunc(w.watches(), func(req check.Request) bool {
			from := req.Query.Get("resourceVersion")
			return from == "" || from == "0" || limit != "" && (len(from) > len(limit) || len(from) == len(limit) && from >= limit)
		})
	}
	var recovered, early atomic.Bool
	website, err := w.wait(12*time.Second, func(ctx context.Context) error {
		w.pause(ctx, 5*time.Second, healthy)
		recovered.Store(healthy())
		early.Store(w.returned.Load())
		return w.write(ctx, "old", `{"phase":"Ready"}`)
	})
	const gone = "a watch was answered with an event of the type Error that holds a *metav1.Status, 410 Gone, "
	s.Require(!early.Load(), gone+"and "+w.ended(website, err), "410 Gone says that the server has forgotten the resourceVersion from which you watch, and no more: look again, and watch from the list's")
	s.Require(recovered.Load(), gone+"and no watch from a newer resourceVersion was opened in five seconds\n"+w.rec.Trace(), "the same old resourceVersion is refused again and again: take the resourceVersion of a fresh list")
	s.Require(err == nil && isReady(website, "old"), gone+"the Website became Ready later, and "+w.ended(website, err), "after an event of the type Error look again and watch on")
}

// judgePhaseEnds looks at the waits that do not end well.
func judgePhaseEnds(s *check.S, ns string, websites schema.GroupVersionResource) {
	w := newPhaseWait(s, websites, ns, "slow")
	var website *unstructured.Unstructured
	err := s.CallWithin(10*time.Second, func(ctx context.Context) (err error) {
		ctx, cancel := context.WithTimeout(ctx, 700*time.Millisecond)
		defer cancel()
		website, err = WaitForPhase(ctx, dynamicFor(s, w.cfg).Resource(websites).Namespace(ns), "slow", "Ready")
		return err
	})
	s.Require(err != nil, "ctx ended while website slow was not Ready, and "+w.ended(website, err), "the end of ctx closes the watch, and is not the end of the wait")
	s.Require(errors.Is(err, context.DeadlineExceeded), fmt.Sprintf("ctx ended, and errors.Is(err, context.DeadlineExceeded) is false: %v", err), "wrap the context's error with %w")

	w = newPhaseWait(s, websites, ns, "bent")
	website, err = w.wait(7*time.Second, func(ctx context.Context) error {
		w.pause(ctx, 3*time.Second, w.watching)
		return w.write(ctx, "bent", `{"phase":5}`)
	})
	judgeBent(w, website, err)
	w = newPhaseWait(s, websites, ns, "bent")
	website, err = w.wait(7*time.Second, nothing)
	judgeBent(w, website, err)

	for _, name := range []string{"missing", "doomed"} {
		w = newPhaseWait(s, websites, ns, name)
		website, err = w.wait(7*time.Second, func(ctx context.Context) error {
			if name == "missing" {
				return nil
			}
			w.pause(ctx, 3*time.Second, w.watching)
			w.pause(ctx, 100*time.Millisecond, never)
			return w.admin.Delete(ctx, name, metav1.DeleteOptions{})
		})
		what, cause := "website missing does not exist, ", "an empty list, or a GET that says NotFound: return an error that apierrors.IsNotFound knows"
		if name == "doomed" {
			what, cause = "website doomed was deleted during the wait, ", "an event of the type Deleted ends the wait: the Website will not be ready any more"
		}
		s.Require(apierrors.IsNotFound(err) && website == nil, what+"want an error that is NotFound, and "+w.ended(website, err), cause)
	}
}

func judgeBent(w *phaseWait, website *unstructured.Unstructured, err error) {
	w.s.Require(err != nil && !errors.Is(err, context.DeadlineExceeded), "the phase of website bent is the number 5, and "+w.ended(website, err), "a wrong type looks like an absent field when the error of NestedString is dropped")
	w.s.Require(strings.Contains(err.Error(), "phase"), fmt.Sprintf("the phase of website bent is the number 5, and the error does not name the field: %v", err), "wrap the error of NestedString with %w: it names the path")
}
