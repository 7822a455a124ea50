package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/version"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/client-go/util/retry"

	"example.com/client-go-workshop/internal/check"
)

// coreClient is the client of the check's own making: a step is judged whether
// or not step 2 is written.
func coreClient(s *check.S, cfg *rest.Config) rest.Interface {
	return s.ClientsetFor(cfg).CoreV1().RESTClient()
}

// podsIn is for what the check does itself.
func podsIn(s *check.S, ns string) typedcorev1.PodInterface { return s.Clientset().CoreV1().Pods(ns) }

func getPod(s *check.S, ns, name string) *corev1.Pod {
	pod, err := podsIn(s, ns).Get(s.Context(), name, metav1.GetOptions{})
	s.Setup(err, "get pod "+name)
	return pod
}

// patchPod changes a pod as somebody else would.
func patchPod(s *check.S, ns, name, patch string) error {
	_, err := podsIn(s, ns).Patch(s.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

// judgeCancelled calls a step with a context that has ended.
func judgeCancelled(s *check.S, call func(ctx context.Context, client rest.Interface) error) {
	rec, cfg := s.Recorder()
	client := coreClient(s, cfg)
	err := s.Call(func(ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		return call(ctx, client)
	})
	rec.Requiref(err != nil, "ctx is not handed on to the request: Do(ctx), not context.Background() or context.TODO()",
		"ctx was cancelled before the call, and the step went on and returned no error")
}

// judgeDryRun wants requests that are meant.
func judgeDryRun(rec *check.Recorder) {
	for _, req := range rec.Requests(check.Match{}) {
		dry := req.Query.Get("dryRun") != ""
		if body, err := req.Object(); err == nil && req.Verb == "delete" {
			dry = dry || body["dryRun"] != nil
		}
		rec.Requiref(!dry, "with dryRun the server answers as if, and stores nothing: leave it out", "the %s is a dry run", req.Method)
	}
}

// testContext is one context of a test kubeconfig, with a cluster and a user of its own.
type testContext struct{ name, namespace string }

func (c testContext) server() string { return "https://" + c.name + ".example.com:6443" }
func (c testContext) token() string  { return c.name + "-token" }
func (c testContext) ca() string     { return c.name + "-ca" }

func writeKubeconfig(s *check.S, path string, contexts ...testContext) string {
	cfg := clientcmdapi.NewConfig()
	cfg.CurrentContext = contexts[0].name
	for _, c := range contexts {
		cluster, user := c.name+"-cluster", c.name+"-user"
		cfg.Clusters[cluster] = &clientcmdapi.Cluster{Server: c.server(), CertificateAuthorityData: []byte(c.ca())}
		cfg.AuthInfos[user] = &clientcmdapi.AuthInfo{Token: c.token()}
		cfg.Contexts[c.name] = &clientcmdapi.Context{Cluster: cluster, AuthInfo: user, Namespace: c.namespace}
	}
	s.Setup(clientcmd.WriteToFile(*cfg, path), "write a kubeconfig")
	return path
}

func TestStep1_LoadConfig(t *testing.T) {
	check.Step(t, 1, "LoadConfig", func(s *check.S) {
		dir := s.T().TempDir()
		red, blue, green := testContext{"red", "red-ns"}, testContext{"blue", ""}, testContext{"green", "green-ns"}
		home := testContext{"home", "home-ns"}
		both := writeKubeconfig(s, filepath.Join(dir, "both"), red, blue)
		second := writeKubeconfig(s, filepath.Join(dir, "second"), green)
		homeFile := filepath.Join(os.Getenv("HOME"), ".kube", "config")
		s.Setup(os.MkdirAll(filepath.Dir(homeFile), 0o700), "make ~/.kube")
		writeKubeconfig(s, homeFile, home)

		list := both + string(os.PathListSeparator) + second
		var loaded []*rest.Config
		for _, tc := range []loadCase{
			{"a path", both, "", second, red, ignoresPath},
			{"a path and another context", both, "blue", second, blue, ignoresName},
			{"KUBECONFIG with one file", "", "", second, green, ignoresEnv},
			{"KUBECONFIG with two files", "", "", list, red, ignoresEnv},
			{"KUBECONFIG with two files and a context of the second", "", "green", list, green, ignoresLater},
			{"neither a path nor KUBECONFIG", "", "", "", home, ignoresHome},
		} {
			loaded = append(loaded, judgeLoaded(s, tc, loaded))
		}
		s.T().Setenv("KUBECONFIG", both)
		judgeWrongName(s, "a context that does not exist", both, "no-such-context", "no-such-context", fallsBack)
		judgeWrongName(s, "a context that does not exist in the files of KUBECONFIG", "", "no-such-context", "no-such-context", fallsBack)
		judgeWrongName(s, "a file that does not exist", filepath.Join(dir, "no-such-file"), "", "no-such-file",
			"a path that the caller gave is never replaced by another file, nor by the in-cluster config")
		judgeMalformed(s, filepath.Join(dir, "malformed"))
	})
}

const (
	ignoresPath = "the path that the caller gave does not win: set ExplicitPath in the loading rules"
	ignoresName = "the context's name is not used: pass it as CurrentContext of clientcmd.ConfigOverrides; " +
		"BuildConfigFromFlags always takes the current context"
	ignoresEnv = "the KUBECONFIG variable is not read: start from clientcmd.NewDefaultClientConfigLoadingRules; " +
		"BuildConfigFromFlags and a fixed ~/.kube/config do not look at it"
	ignoresLater = "the files that KUBECONFIG lists are merged, and a context of any of them can be chosen"
	ignoresHome  = "~/.kube/config is the last of the loading rules: start from clientcmd.NewDefaultClientConfigLoadingRules"
	fallsBack    = "a wrong name must not fall back to another context: the caller would work on the wrong cluster"
	notWhole     = "take the config that clientcmd returns whole"
)

// loadCase says where a call of LoadConfig looks, and which context it must find.
type loadCase struct {
	what, path, context, env string
	want                     testContext
	cause                    string
}

// judgeLoaded judges one call, whose config must be none of the earlier ones.
func judgeLoaded(s *check.S, tc loadCase, earlier []*rest.Config) *rest.Config {
	s.T().Setenv("KUBECONFIG", tc.env)
	cfg, namespace, err := loadConfig(s, tc.path, tc.context)
	s.Requiref(err == nil, tc.cause, "with %s, LoadConfig returned an error: %v", tc.what, err)
	s.Requiref(cfg != nil, "the config is not returned", "with %s, LoadConfig returned no config and no error", tc.what)
	s.Requiref(!slices.Contains(earlier, cfg),
		"the first result is kept and handed out again: load anew in each call, from what this call asks for",
		"with %s, LoadConfig returned the very config of an earlier call, for %s", tc.what, cfg.Host)
	s.Requiref(cfg.Host == tc.want.server(), tc.cause, "with %s, the config's Host is %q, want %q", tc.what, cfg.Host, tc.want.server())
	s.Requiref(cfg.BearerToken == tc.want.token(), "the user of the context is not in the config: "+notWhole,
		"with %s, the config's BearerToken is %q, want %q", tc.what, cfg.BearerToken, tc.want.token())
	s.Requiref(string(cfg.CAData) == tc.want.ca() && !cfg.Insecure,
		"the cluster's certificate authority is not in the config, so the server could be anybody: "+notWhole,
		"with %s, the config's CAData is %q and Insecure is %v, want %q and false", tc.what, cfg.CAData, cfg.Insecure, tc.want.ca())
	wantNamespace := tc.want.namespace
	if wantNamespace == "" {
		wantNamespace = "default"
	}
	s.Requiref(namespace == wantNamespace,
		"a context carries a namespace, and rest.Config has no place for it: ask Namespace() of the clientcmd.ClientConfig",
		"with %s, the namespace is %q, want %q", tc.what, namespace, wantNamespace)
	return cfg
}

func loadConfig(s *check.S, path, contextName string) (cfg *rest.Config, namespace string, err error) {
	err = s.Call(func(context.Context) (err error) {
		cfg, namespace, err = LoadConfig(path, contextName)
		return err
	})
	return cfg, namespace, err
}

// judgeWrongName wants an error that names what does not exist.
func judgeWrongName(s *check.S, what, path, contextName, name, cause string) {
	cfg, _, err := loadConfig(s, path, contextName)
	host := ""
	if cfg != nil {
		host = ", and a config for " + cfg.Host
	}
	s.Requiref(err != nil, cause, "with %s, %q, LoadConfig returned no error%s", what, name, host)
	s.Requiref(strings.Contains(err.Error(), name), "return the error that clientcmd gives, wrapped with %w",
		"with %s, the error is %q, which does not name %q", what, err, name)
}

// judgeMalformed gives a broken file by its path, while KUBECONFIG has a good one, and then by KUBECONFIG.
func judgeMalformed(s *check.S, malformed string) {
	s.Setup(os.WriteFile(malformed, []byte("clusters: [not, a, kubeconfig"), 0o600), "write a malformed kubeconfig")
	judge := func(what, path string) {
		_, _, err := loadConfig(s, path, "")
		s.Requiref(err != nil, "an error of the kubeconfig is never a reason to use another config, nor an empty one",
			"with %s, LoadConfig returned no error", what)
	}
	judge("a malformed file", malformed)
	s.T().Setenv("KUBECONFIG", malformed)
	judge("a malformed file in KUBECONFIG", "")
}

const restUserAgent = "client-go-workshop/restclient"

func TestStep2_NewRESTClient(t *testing.T) {
	check.Step(t, 2, "NewRESTClient", func(s *check.S) {
		ns := s.Namespace()
		s.CreatePod(ns, check.PendingPod("web", nil))
		rec, cfg := s.Recorder()
		cfg.QPS, cfg.Burst, cfg.UserAgent = 7, 9, "the caller's own"
		before := rest.CopyConfig(cfg)
		client := newRESTClient(s, cfg)
		s.RequireNoRequest(rec, "a client is built without asking the server")
		s.RequireSameConfig(before, cfg)

		judgeRequest(s, rec, client, ns)
		judgeSecondClient(s, client, ns)
		judgeSerializer(s, client, ns)
		judgeRateLimit(s, client)
		limited := rest.CopyConfig(cfg)
		limited.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(3, 4)
		judgeRateLimit(s, newRESTClient(s, limited))
		check.JudgeConstructor(s, cfg, "", NewRESTClient, func(ctx context.Context, client *rest.RESTClient) error {
			return getWeb(client, ns).Do(ctx).Error()
		})
	})
}

func newRESTClient(s *check.S, cfg *rest.Config) *rest.RESTClient {
	return check.Must(s, "client", func(context.Context) (*rest.RESTClient, error) { return NewRESTClient(cfg) })
}

func getWeb(client *rest.RESTClient, ns string) *rest.Request {
	return client.Get().Namespace(ns).Resource("pods").Name("web")
}

// judgeRequest judges a GET that the client sends.
func judgeRequest(s *check.S, rec *check.Recorder, client *rest.RESTClient, ns string) {
	s.Requiref(client.APIVersion() == corev1.SchemeGroupVersion, "GroupVersion is another one than core/v1",
		"the client's group-version is %q, want %q", client.APIVersion(), corev1.SchemeGroupVersion)
	var pod corev1.Pod
	err := s.Call(func(ctx context.Context) error { return getWeb(client, ns).Do(ctx).Into(&pod) })
	sent := rec.Requests(check.Match{})
	s.Requiref(len(sent) > 0,
		"the client cannot build a request, or it was built from a new rest.Config: use rest.CopyConfig(cfg), which keeps TLS, credentials and "+
			"wrappers", "a GET of a pod did not go through the transport of the caller's config (error: %v)", err)
	want := "/api/v1/namespaces/" + ns + "/pods/web"
	s.Requiref(sent[0].Path == want,
		"the path is APIPath, group, version and resource put together, unchecked: core/v1 is under /api, every other group under /apis",
		"a GET of pod web asked for %s, want %s", sent[0].Path, want)
	s.Requiref(err == nil && pod.Name == "web", "the NegotiatedSerializer does not know the type: take it from scheme.Codecs",
		"a GET of pod web into a corev1.Pod gave %q and the error: %v", pod.Name, err)
	s.Requiref(sent[0].UserAgent == restUserAgent, "UserAgent is to be exactly this, whatever the caller's config says",
		"the User-Agent is %q, want %q", sent[0].UserAgent, restUserAgent)
}

// judgeSecondClient builds a client from another config.
func judgeSecondClient(s *check.S, first *rest.RESTClient, ns string) {
	rec, cfg := s.Recorder()
	client := newRESTClient(s, cfg)
	err := s.Call(func(ctx context.Context) error { return getWeb(client, ns).Do(ctx).Error() })
	s.Requiref(client != first && rec.Count(check.Match{}) > 0,
		"the first client is kept and handed out again: build one from the config of each call",
		"NewRESTClient was called with a second config, and a GET of a pod did not go through that one (error: %v)", err)
}

// judgeSerializer decodes without a target: there only a serializer without conversion works.
func judgeSerializer(s *check.S, client *rest.RESTClient, ns string) {
	err := s.Call(func(ctx context.Context) error {
		obj, err := getWeb(client, ns).Do(ctx).Get()
		if _, ok := obj.(*corev1.Pod); err == nil && !ok {
			return fmt.Errorf("decoded a %T, want a *v1.Pod", obj)
		}
		return err
	})
	s.Requiref(err == nil,
		"scheme.Codecs itself decodes to the internal version, which client-go does not have: use scheme.Codecs.WithoutConversion(). "+
			"Into(&pod) hides it, Get() and Watch() do not", "Do(ctx).Get() of a pod failed: %v", err)
}

// judgeRateLimit counts the requests that the client lets go at once.
func judgeRateLimit(s *check.S, client *rest.RESTClient) {
	limiter := client.GetRateLimiter()
	s.Require(limiter != nil, "the client has no rate limit, want QPS 50 and Burst 100", "QPS is negative, which turns the limit off")
	s.Requiref(limiter.QPS() != 3, "a RateLimiter in the config wins over QPS and Burst: set it to nil in the copy",
		"the caller's config has a RateLimiter of QPS 3, and the client's QPS is %v, want 50", limiter.QPS())
	s.Requiref(limiter.QPS() == 50, "QPS is not set in the config: the default is 5, a negative number means no limit",
		"the client's QPS is %v, want 50", limiter.QPS())
	burst := 0
	for burst < 1000 && limiter.TryAccept() {
		burst++
	}
	// The bucket fills while it is counted, and a few requests are gone already.
	s.Requiref(burst >= 90 && burst <= 150, "Burst is not set in the config: the default is 10",
		"the client lets %d requests go at once, want about 100", burst)
}

// listWorld is what a list of pods is judged in.
type listWorld struct {
	s *check.S
	// app is a label that nobody else's pods bear, whatever runs beside this check.
	ns, other, app string
	// want are the pods of the app, namespace/name, and labels what they bear.
	want   []string
	labels map[string]map[string]string
}

func newListWorld(s *check.S) *listWorld {
	w := &listWorld{s: s, ns: s.Namespace(), other: s.Namespace(), labels: map[string]map[string]string{}}
	w.app = "web-" + w.ns
	for i := range 12 {
		name := fmt.Sprintf("web-%02d", i)
		w.want = append(w.want, w.ns+"/"+name)
		// Labels that no other pod has show what is left over from another page.
		w.labels[name] = map[string]string{"app": w.app, "only-" + name: "yes"}
		s.CreatePod(w.ns, check.PendingPod(name, w.labels[name]))
	}
	s.CreatePod(w.ns, check.PendingPod("db", map[string]string{"app": "db"}))
	s.CreatePod(w.other, check.PendingPod("decoy", map[string]string{"app": w.app}))
	return w
}

// enough is how many list requests a list may send: one that never ends is cut off there.
const enough = 20

// list calls ListPods, and returns the keys of the pods, sorted, and the pods.
func (w *listWorld) list(selector string, limit int64, faults ...func(*check.Recorder)) (*check.Recorder, []string, []corev1.Pod, error) {
	faults = append(faults, func(rec *check.Recorder) {
		rec.RefuseSome(check.Match{Verb: "list"}, enough, check.Always, http.StatusInternalServerError)
	})
	rec, pods, err := check.Recorded(w.s, check.CallTimeout, func(ctx context.Context, cfg *rest.Config) ([]corev1.Pod, error) {
		return ListPods(ctx, coreClient(w.s, cfg), w.ns, selector, limit)
	}, faults...)
	var keys []string
	for _, pod := range pods {
		keys = append(keys, pod.Namespace+"/"+pod.Name)
	}
	slices.Sort(keys)
	return rec, keys, pods, err
}

func TestStep3_ListPods(t *testing.T) {
	check.Step(t, 3, "ListPods", func(s *check.S) {
		w := newListWorld(s)
		rec, got, pods, err := w.list("app in ("+w.app+")", 5)
		sent := rec.Requests(check.Match{Verb: "list"})
		w.judgeScope(rec, sent, got, err)
		w.judgePages(rec, sent, got, pods)
		w.judgeLimits()
		w.judgePageErrors()
		judgeCancelled(s, func(ctx context.Context, client rest.Interface) error {
			_, err := ListPods(ctx, client, w.ns, "app="+w.app, 3)
			return err
		})
	})
}

// judgeScope wants an end, one namespace and the selector's pods.
func (w *listWorld) judgeScope(rec *check.Recorder, sent []check.Request, got []string, err error) {
	const everywhere = "without Namespace(namespace), or with an empty one, the request lists every namespace"
	s := w.s
	rec.Requiref(len(sent) == 0 || sent[0].Namespace == w.ns, everywhere,
		"the request covers every namespace, pod decoy of %s too; the namespace asked for is %s", w.other, w.ns)
	rec.Requiref(len(sent) < enough,
		"the same page is asked for again and again: the continue token of the page does not get into the next request, or its end is not "+
			"seen. Decode each page into a new PodList: the last page has no token, and decoding leaves the one of the page before where it is",
		"more than %d list requests were sent for 12 pods in pages of 5", enough)
	s.RequireNoError(err, rec, listErrorCause(err))
	s.RequireRequest(rec, check.Match{Verb: "list"}, "list request", "the pods must come from the server: GET .../pods")
	rec.Requiref(!slices.Contains(got, w.other+"/decoy"), everywhere,
		"the list holds pod decoy of namespace %s; the namespace asked for is %s", w.other, w.ns)
	rec.Requiref(!slices.Contains(got, w.ns+"/db"), "the label selector does not reach the server: hand ListOptions to VersionedParams",
		"the list holds pod db, which the selector \"app in (%s)\" does not match", w.app)
}

// judgePages wants three requests for 12 pods in pages of 5, each with the same question.
func (w *listWorld) judgePages(rec *check.Recorder, sent []check.Request, got []string, pods []corev1.Pod) {
	version := sent[0].Query.Get("resourceVersion")
	rec.Requiref(version == "",
		"with 0 the server may answer from its cache, which can be old, and leave the limit out of account: the list is to be the newest, "+
			"which is the one without a resourceVersion", "the first request has resourceVersion=%s", version)
	rec.Requiref(slices.Equal(got, w.want), listCause(len(got), len(w.want)),
		"the list holds %d pods: %v\nwant %d: %v", len(got), got, len(w.want), w.want)
	selector, limit := sent[0].Query.Get("labelSelector"), sent[0].Query.Get("limit")
	rec.Requiref(selector != "", "the server sends every pod and the program drops most of them: set LabelSelector in ListOptions",
		"the first request has no labelSelector")
	rec.Requiref(limit == "5", "the limit does not reach the server: set Limit in ListOptions",
		"the first request has limit=%q, want 5", limit)
	for i, req := range sent[1:] {
		rec.Requiref(req.Query.Get("continue") != "",
			"each further page is asked for with the token of the page before: copy page.Continue into ListOptions.Continue",
			"list request %d has no continue token", i+2)
		rec.Requiref(req.Query.Get("labelSelector") == selector,
			"a further page is the same question with a token: leave the other options as they are",
			"list request %d has another labelSelector than the first", i+2)
	}
	rec.Requiref(len(sent) == 3, "follow the continue token until it is empty, with the limit in each request",
		"%d list requests were sent for 12 pods in pages of 5, want 3", len(sent))
	for _, pod := range pods {
		rec.Requiref(reflect.DeepEqual(pod.Labels, w.labels[pod.Name]),
			"every page was decoded into the same PodList: decoding adds to a map that is there, and the pods of an earlier page still hold that "+
				"map. Give each page a new corev1.PodList",
			"in the list pod %s has the labels %v, in the cluster %v", pod.Name, pod.Labels, w.labels[pod.Name])
	}
}

// judgeLimits asks for all at once, for one full page, for many pages, and for nothing.
func (w *listWorld) judgeLimits() {
	ofApp := "app=" + w.app
	for _, tc := range []struct {
		limit int64
		cause string
	}{
		{0, "limit 0 means no limit: one request brings all"},
		{12, "a full page is not a sign of another one, nor a short one of the end: only the continue token says so"},
		{1, "the list ends after a number of pages of its own, and only the continue token says where a list ends"},
	} {
		rec, got, _, err := w.list(ofApp, tc.limit)
		rec.Requiref(err == nil && slices.Equal(got, w.want), tc.cause,
			"12 pods match; with limit %d, ListPods gave %d pods and the error: %v", tc.limit, len(got), err)
		if tc.limit == 0 {
			limit := rec.Requests(check.Match{Verb: "list"})[0].Query.Get("limit")
			rec.Requiref(limit == "" || limit == "0", "limit 0 means no limit, not one of your own", "with limit 0, the request has limit=%s", limit)
		}
	}
	rec, got, _, err := w.list("app=nobody", 3)
	rec.Requiref(err == nil && len(got) == 0, "an empty list is no error",
		"for a selector that matches nothing, ListPods gave %v and the error: %v", got, err)
}

// judgePageErrors has a page refused.
func (w *listWorld) judgePageErrors() {
	lists := check.Match{Verb: "list"}
	for _, tc := range []struct {
		skip, code int
		reason     metav1.StatusReason
	}{
		{0, http.StatusInternalServerError, metav1.StatusReasonInternalError},
		{1, http.StatusInternalServerError, metav1.StatusReasonInternalError},
		{0, http.StatusNotFound, metav1.StatusReasonNotFound},
		{1, http.StatusForbidden, metav1.StatusReasonForbidden},
	} {
		rec, got, _, err := w.list("app="+w.app, 3, func(rec *check.Recorder) { rec.RefuseSome(lists, tc.skip, check.Always, tc.code) })
		rec.Requiref(err != nil, "the error of a page is dropped: part of a list looks like the whole",
			"page %d was answered with %d, and ListPods returned %d pods and no error", tc.skip+1, tc.code, len(got))
		w.s.Requiref(apierrors.ReasonForError(err) == tc.reason, "wrap the error with %w, so that callers can look at its status",
			"page %d was answered with %d, and the error of ListPods hides it: %v", tc.skip+1, tc.code, err)
	}
	// A token that has expired: an error is right, and so is the whole list read anew.
	rec, got, _, err := w.list("app="+w.app, 3, func(rec *check.Recorder) { rec.RefuseSome(lists, 1, 1, http.StatusGone) })
	rec.Requiref(err != nil || slices.Equal(got, w.want), "an expired token is not the end of the list: part of a list looks like the whole",
		"page 2 was answered with 410, and ListPods returned %d pods and no error", len(got))
}

func listErrorCause(err error) string {
	if err != nil && strings.Contains(err.Error(), "ListOptions") {
		return "the codec does not know ListOptions: hand scheme.ParameterCodec of k8s.io/client-go/kubernetes/scheme to VersionedParams"
	}
	return check.CauseOf(err)
}

func listCause(got, want int) string {
	switch {
	case got < want && got > 0:
		return "the list ends after the first pages: follow the continue token until it is empty"
	case got > want:
		return "a page is counted twice: decode each page into a new PodList"
	default:
		return "the pages are not put together: append the items of each page to the result"
	}
}

func createPod(s *check.S, ns string, pod *corev1.Pod, faults ...func(*check.Recorder)) (*check.Recorder, *corev1.Pod, error) {
	return check.Recorded(s, 10*time.Second, func(ctx context.Context, cfg *rest.Config) (*corev1.Pod, error) {
		return CreatePod(ctx, coreClient(s, cfg), ns, pod)
	}, faults...)
}

func TestStep4_CreatePod(t *testing.T) {
	check.Step(t, 4, "CreatePod", func(s *check.S) {
		ns := s.Namespace()
		first, second := judgeCreated(s, ns, ""), judgeCreated(s, ns, "fixed")
		s.Require(first != second, "two calls returned a pointer to the same pod", "each call needs a pod of its own to decode into")

		invalid := check.PendingPod("invalid", nil)
		invalid.Spec.Containers = nil
		_, _, err := createPod(s, ns, invalid)
		s.Require(err != nil, "a pod without containers was posted, the server refused it, and CreatePod returned no error",
			"the error of Do or Into is dropped")
		s.Requiref(apierrors.IsInvalid(err), "the status of the server is lost: wrap the error with %w",
			"apierrors.IsInvalid is false for the error of an invalid pod: %v", err)
		_, _, err = createPod(s, ns, check.PendingPod("fixed", nil))
		s.RequireReason(err, metav1.StatusReasonAlreadyExists, nil, "pod fixed was posted a second time",
			"a name that is taken is the caller's business: return the error, wrapped with %w")

		judgeOnePost(s, ns)
		judgeCancelled(s, func(ctx context.Context, client rest.Interface) error {
			_, err := CreatePod(ctx, client, ns, check.PendingPod("late", nil))
			return err
		})
	})
}

// judgeCreated creates a pod, of a name that the server chooses when name is empty.
func judgeCreated(s *check.S, ns, name string) *corev1.Pod {
	pod := check.PendingPod(name, map[string]string{"app": "web"})
	pod.Annotations = map[string]string{"example.com/note": "kept"}
	pod.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "KEPT", Value: "yes"}}
	if name == "" {
		pod.GenerateName = "web-"
	}
	before := pod.DeepCopy()
	rec, created, err := createPod(s, ns, pod)
	rec.Requiref(err == nil, createCause(rec, err), "CreatePod returned an error: %v", err)
	judgeDryRun(rec)
	posts := rec.Requests(check.Match{Verb: "create", Resource: "pods"})
	rec.Requiref(len(posts) == 1, "one POST creates the pod: Post().Namespace(...).Resource(\"pods\").Body(pod)",
		"%d pods were posted, want 1", len(posts))
	s.Require(created != nil, "CreatePod returned no pod and no error", "the object that the server sent back is not returned")
	s.Requiref(reflect.DeepEqual(before, pod),
		"the answer was decoded into the argument, or the argument was filled in: decode into a pod of your own, and copy with DeepCopy before "+
			"you change", "the caller's pod was changed: its metadata was\n%+v\nand is\n%+v", before.ObjectMeta, pod.ObjectMeta)
	judgePost(s, rec, posts[0], ns, name)
	judgeStored(s, ns, created)
	return created
}

// judgePost wants the caller's pod in the caller's namespace.
func judgePost(s *check.S, rec *check.Recorder, post check.Request, ns, name string) {
	rec.Requiref(post.Namespace == ns, "the namespace is the argument's: Namespace(namespace)",
		"the pod was posted to namespace %q, want %q", post.Namespace, ns)
	body, err := post.Object()
	s.Requiref(err == nil, "the body is the pod, as JSON or protobuf", "the body of the POST cannot be read: %v", err)
	metadata, _ := body["metadata"].(map[string]any)
	sentName, _ := metadata["name"].(string)
	s.Requiref(sentName == name,
		"with generateName the server picks a free name; one that the client makes up can be taken. Post the caller's pod as it is",
		"the body of the POST has the name %q, the caller's pod %q", sentName, name)
}

// judgeStored wants the pod that CreatePod returned to be the one in the cluster, and that to be the caller's.
func judgeStored(s *check.S, ns string, created *corev1.Pod) {
	inCluster, err := podsIn(s, ns).List(s.Context(), metav1.ListOptions{})
	s.Setup(err, "list the pods")
	i := slices.IndexFunc(inCluster.Items, func(p corev1.Pod) bool { return p.UID == created.UID })
	s.Requiref(created.UID != "" && i >= 0,
		"the argument was returned in place of the object that the server sent back: Do(ctx).Into(&created)",
		"the returned pod has UID %q and name %q, which no pod in the cluster has", created.UID, created.Name)
	live := inCluster.Items[i]
	s.Requiref(created.Name == live.Name && created.Namespace == live.Namespace && created.CreationTimestamp.Equal(&live.CreationTimestamp) &&
		reflect.DeepEqual(created.Labels, live.Labels) && reflect.DeepEqual(created.Annotations, live.Annotations) &&
		reflect.DeepEqual(created.Spec, live.Spec), "return the whole object that the server sent back, not parts of it and not the argument",
		"the returned pod is not the one in the cluster: it has\n%+v\nthe cluster\n%+v", created.ObjectMeta, live.ObjectMeta)
	env := live.Spec.Containers[0].Env
	s.Requiref(live.Labels["app"] == "web" && live.Annotations["example.com/note"] == "kept" && len(env) == 1,
		"post the caller's pod as it is",
		"pod %s has labels %v, annotations %v and environment %v; the caller's pod has app=web, example.com/note=kept and KEPT", created.Name,
		live.Labels, live.Annotations, env)
}

// judgeOnePost answers 500: nobody knows then whether the pod was made.
func judgeOnePost(s *check.S, ns string) {
	rec, _, err := createPod(s, ns, check.PendingPod("once", nil), check.Refusing("create", http.StatusInternalServerError))
	rec.Requiref(err != nil, "the error of Do or Into is dropped", "the server answered 500, and CreatePod returned no error")
	rec.Requiref(rec.Count(check.Match{Verb: "create"}) == 1,
		"after an error nobody knows whether the pod was made: a POST that is repeated can make two. Return the error",
		"the server answered 500, and the POST was repeated")
}

func createCause(rec *check.Recorder, err error) string {
	switch {
	case err == nil:
		return ""
	case rec.Count(check.Match{Verb: "create"}) == 0 && strings.Contains(err.Error(), "open "):
		return "a string given to Body is the name of a file: give it the pod or []byte"
	case rec.Count(check.Match{}) == 0:
		return "the request could not be built, so nothing was sent; the error says why"
	case apierrors.IsMethodNotSupported(err):
		return "a path that is a list over all namespaces takes no POST: without Namespace(namespace), the request goes to /api/v1/pods"
	default:
		return "the server refused the pod; the error says why"
	}
}

var podUpdates = check.Match{Verb: "update", Resource: "pods"}

// annotate sets the annotation note of a pod. The limit is more than enough for a few
// tries with a growing pause, and too little for a loop without an end.
func annotate(s *check.S, ns, name, note string, faults ...func(*check.Recorder)) (*check.Recorder, *corev1.Pod, error) {
	return check.Recorded(s, 10*time.Second, func(ctx context.Context, cfg *rest.Config) (*corev1.Pod, error) {
		return AnnotatePod(ctx, coreClient(s, cfg), ns, name, "example.com/note", note)
	}, faults...)
}

func TestStep5_AnnotatePod(t *testing.T) {
	check.Step(t, 5, "AnnotatePod", func(s *check.S) {
		ns := s.Namespace()
		judgeQuietUpdate(s, ns)
		judgeOtherWriter(s, ns)
		judgeCrowd(s, ns)
		judgeAnswerOfPut(s, ns)
		judgeEndlessConflict(s, ns)
		judgeUpdateErrors(s, ns)
		judgeCancelled(s, func(ctx context.Context, client rest.Interface) error {
			_, err := AnnotatePod(ctx, client, ns, "quiet", "example.com/note", "five")
			return err
		})
	})
}

// judgeQuietUpdate has nobody else write; the pod has no annotations yet.
func judgeQuietUpdate(s *check.S, ns string) {
	s.CreatePod(ns, check.PendingPod("quiet", map[string]string{"app": "web"}))
	rec, updated, err := annotate(s, ns, "quiet", "one")
	rec.Requiref(err == nil, updateCause(rec, err), "AnnotatePod returned an error: %v", err)
	judgeDryRun(rec)
	rec.Requiref(rec.Count(check.Match{Verb: "update", Resource: "pods", Name: "quiet"}) > 0,
		"the step is about a full update: GET, change, PUT", "no PUT of pod quiet was sent")
	rec.Requiref(rec.Count(check.Match{Verb: "get", Resource: "pods", Name: "quiet"}) > 0,
		"without a GET there is nothing to keep: a PUT replaces the whole object", "no GET of pod quiet was sent")
	pod := getPod(s, ns, "quiet")
	s.Requiref(pod.Annotations["example.com/note"] == "one", "the annotation was set on another object than the one in the PUT",
		"pod quiet has the annotations %v, want example.com/note=one", pod.Annotations)
	s.Requiref(pod.Labels["app"] == "web", "the object in the PUT is not the one from the GET",
		"pod quiet has lost its label app=web: %v", pod.Labels)
	s.Require(updated != nil && updated.ResourceVersion == pod.ResourceVersion && updated.Annotations["example.com/note"] == "one",
		"the returned pod is not the object that the server sent back for the PUT", "return what Into decoded from the PUT's answer")
}

// judgeOtherWriter has another writer come between the GET and the first PUT.
func judgeOtherWriter(s *check.S, ns string) {
	contested := check.PendingPod("contested", map[string]string{"app": "web"})
	contested.Annotations = map[string]string{"example.com/owner": "somebody"}
	s.CreatePod(ns, contested)
	rec, _, err := annotate(s, ns, "contested", "two", func(rec *check.Recorder) {
		rec.Before(podUpdates, 1, func() error {
			return patchPod(s, ns, "contested", `{"metadata":{"labels":{"first":"other","app":null}}}`)
		})
	})
	pod := getPod(s, ns, "contested")
	rec.Requiref(pod.Labels["first"] == "other", overwriteCause(rec),
		"the label first=other, written by somebody else between GET and PUT, is lost: %v", pod.Labels)
	rec.Requiref(err == nil, conflictCause(rec, err), "somebody wrote between GET and PUT, and AnnotatePod gave up: %v", err)
	_, back := pod.Labels["app"]
	rec.Requiref(!back,
		"the second GET was decoded into the pod of the first, and decoding adds to a map that is there: give each try a new corev1.Pod",
		"the label app, removed by somebody else between GET and PUT, is back: %v", pod.Labels)
	judgeVersions(rec)
	rec.Requiref(pod.Annotations["example.com/note"] == "two" && pod.Annotations["example.com/owner"] == "somebody",
		"set one key and leave the others",
		"pod contested has the annotations %v, want example.com/note=two beside example.com/owner=somebody", pod.Annotations)
}

// judgeCrowd has another writer come between GET and PUT four times in a row.
// To give up with the conflict after a few tries is right as well.
func judgeCrowd(s *check.S, ns string) {
	const writers = 4
	s.CreatePod(ns, check.PendingPod("crowded", nil))
	wrote := 0
	rec, _, err := annotate(s, ns, "crowded", "crowd", func(rec *check.Recorder) {
		rec.Before(podUpdates, writers, func() error {
			wrote++
			return patchPod(s, ns, "crowded", fmt.Sprintf(`{"metadata":{"labels":{"writer-%d":"here"}}}`, wrote))
		})
	})
	pod := getPod(s, ns, "crowded")
	rec.Requiref(len(pod.Labels) == wrote, overwriteCause(rec),
		"somebody wrote a label before each of %d PUTs, and pod crowded has only the labels %v", wrote, pod.Labels)
	judgeVersions(rec)
	rec.Requiref(err == nil || apierrors.IsConflict(err), "return the conflict itself, wrapped with %w",
		"somebody wrote before each of %d PUTs; want the pod or the conflict, got %s", wrote, check.ErrorText(err))
}

// judgeAnswerOfPut has another writer come right after the PUT.
func judgeAnswerOfPut(s *check.S, ns string) {
	s.CreatePod(ns, check.PendingPod("hurried", nil))
	var put *corev1.Pod
	rec, updated, err := annotate(s, ns, "hurried", "now", func(rec *check.Recorder) {
		rec.After(podUpdates, 1, func() (err error) {
			if put, err = podsIn(s, ns).Get(s.Context(), "hurried", metav1.GetOptions{}); err != nil {
				return err
			}
			return patchPod(s, ns, "hurried", `{"metadata":{"labels":{"after":"the-put"}}}`)
		})
	})
	rec.Requiref(err == nil && updated != nil, "the PUT has succeeded: return its answer",
		"somebody wrote right after the PUT, and AnnotatePod returned no pod; it returned %s", check.ErrorText(err))
	rec.Requiref(put != nil && updated.ResourceVersion == put.ResourceVersion,
		"a GET after the PUT finds what others have written since: return what Into decoded from the PUT's answer",
		"somebody wrote right after the PUT, and AnnotatePod returned the pod after that write: resourceVersion %s and labels %v",
		updated.ResourceVersion, updated.Labels)
}

// judgeEndlessConflict answers every PUT with 409.
func judgeEndlessConflict(s *check.S, ns string) {
	s.CreatePod(ns, check.PendingPod("hopeless", nil))
	rec, _, err := annotate(s, ns, "hopeless", "three", check.Refusing("update", http.StatusConflict))
	rec.Requiref(err != nil, "the last conflict is dropped", "every PUT was answered with 409, and AnnotatePod returned no error")
	s.Requiref(apierrors.IsConflict(err), "return the conflict itself, wrapped with %w",
		"every PUT was answered with 409, and apierrors.IsConflict is false for the error: %v", err)
	rec.Requiref(rec.Count(check.Match{Verb: "update"}) >= 2, "retry.RetryOnConflict tries again", "one conflict was enough to give up")
}

// judgeUpdateErrors has errors that are no conflict: they are neither repeated nor hidden.
func judgeUpdateErrors(s *check.S, ns string) {
	for code, reason := range map[int]metav1.StatusReason{
		http.StatusForbidden:           metav1.StatusReasonForbidden,
		http.StatusUnprocessableEntity: metav1.StatusReasonInvalid,
	} {
		rec, _, err := annotate(s, ns, "quiet", "refused", check.Refusing("update", code))
		s.RequireReason(err, reason, rec, fmt.Sprintf("the PUT was answered with %d", code), "return the error of the PUT, wrapped with %w")
		rec.Requiref(rec.Count(check.Match{Verb: "update"}) == 1,
			"only a conflict is worth another try: a refusal stays one, however often you ask",
			"the PUT was answered with %d %s, and it was repeated", code, reason)
	}
	rec, _, err := annotate(s, ns, "missing", "four")
	s.RequireReason(err, metav1.StatusReasonNotFound, rec, "the pod does not exist", "return the error of the GET, wrapped with %w")
}

// judgeVersions wants a resourceVersion in each PUT.
func judgeVersions(rec *check.Recorder) {
	for i, version := range versions(rec) {
		rec.Requiref(version != "", "without it the server overwrites what others wrote: keep the resourceVersion of the GET, in every try",
			"PUT %d of %d carries no resourceVersion", i+1, len(versions(rec)))
	}
}

// versions are the resourceVersions of the PUTs, empty where there is none.
func versions(rec *check.Recorder) []string {
	var out []string
	for _, put := range rec.Requests(check.Match{Verb: "update"}) {
		body, err := put.Object()
		metadata, _ := body["metadata"].(map[string]any)
		version, _ := metadata["resourceVersion"].(string)
		if err != nil {
			version = ""
		}
		out = append(out, version)
	}
	return out
}

func overwriteCause(rec *check.Recorder) string {
	if slices.Contains(versions(rec), "") {
		return "a PUT carries no resourceVersion, so the server cannot see that the object is stale, and overwrites: " +
			"keep the resourceVersion of the GET"
	}
	return "the PUT carries a fresh resourceVersion and a stale object, which tells the server that you have seen what you have not: " +
		"after a conflict, make your change in the whole object of the fresh GET"
}

func updateCause(rec *check.Recorder, err error) string {
	switch {
	case apierrors.IsInvalid(err) && rec.Count(check.Match{Verb: "update"}) > 0:
		return "a PUT replaces the whole object, so what it leaves out is taken away: send the pod of the GET with your change in it, " +
			"not its metadata alone"
	case rec.Count(check.Match{Verb: "get"}) == 0 || rec.Count(check.Match{Verb: "update"}) == 0:
		return "the GET and the PUT are as in the task: Namespace(namespace), Resource(\"pods\") and Name(name), and the PUT has a Body"
	default:
		return check.CauseOf(err)
	}
}

func conflictCause(rec *check.Recorder, err error) string {
	puts, gets := rec.Count(check.Match{Verb: "update"}), rec.Count(check.Match{Verb: "get"})
	switch {
	case puts == 1 && !apierrors.IsConflict(err):
		return "the conflict is hidden, by %v or a new error: RetryOnConflict tries again only when apierrors.IsConflict sees it. " +
			"Inside the function that it repeats, return the error of the PUT as it is, or wrap it with %w"
	case puts == 1:
		return "a 409 Conflict is not the end: do GET, change and PUT again, in retry.RetryOnConflict"
	case gets < puts:
		return "the retry sends the same stale object again: the GET belongs inside the function that RetryOnConflict repeats"
	default:
		return "each try needs a fresh GET, the change, and a PUT"
	}
}

func relabel(s *check.S, ns, name, key, value, remove string) (*check.Recorder, *corev1.Pod, error) {
	return check.Recorded(s, check.CallTimeout, func(ctx context.Context, cfg *rest.Config) (*corev1.Pod, error) {
		return RelabelPod(ctx, coreClient(s, cfg), ns, name, key, value, remove)
	})
}

func TestStep6_RelabelPod(t *testing.T) {
	check.Step(t, 6, "RelabelPod", func(s *check.S) {
		ns := s.Namespace()
		s.CreatePod(ns, check.PendingPod("web", map[string]string{"app": "web", "example.com/draft": "yes", "stage": "old"}))
		judgeRelabelled(s, ns, "a label in, a label out", "example.com/tier", "front", "example.com/draft",
			map[string]string{"app": "web", "stage": "old", "example.com/tier": "front"})
		judgeRelabelled(s, ns, "a label changed, one removed that is not there", "stage", "new", "never-there",
			map[string]string{"app": "web", "stage": "new", "example.com/tier": "front"})

		const wrap = "return the error of the PATCH, wrapped with %w"
		_, _, err := relabel(s, ns, "missing", "a", "b", "c")
		s.RequireReason(err, metav1.StatusReasonNotFound, nil, "the pod does not exist", wrap)
		_, _, err = relabel(s, ns, "web", "tier", "not a label value!", "c")
		s.RequireReason(err, metav1.StatusReasonInvalid, nil, "the server refuses the label's value", wrap)
		judgeCancelled(s, func(ctx context.Context, client rest.Interface) error {
			_, err := RelabelPod(ctx, client, ns, "web", "stage", "late", "never-there")
			return err
		})
	})
}

// judgeRelabelled patches pod web, which has the labels want afterwards.
func judgeRelabelled(s *check.S, ns, what, key, value, remove string, want map[string]string) {
	rec, patched, err := relabel(s, ns, "web", key, value, remove)
	sent := rec.Requests(check.Match{Verb: "patch"})
	rec.Requiref(err == nil, patchCause(sent, err), "%s: RelabelPod returned an error: %v", what, err)
	rec.Requiref(len(sent) == 1 && rec.Count(check.Match{}) == 1, "a merge patch says what to change; nothing has to be read first",
		"%s: want one PATCH and no other request", what)
	s.Requiref(sent[0].ContentType == string(types.MergePatchType), "the argument of Patch chooses the kind of patch: types.MergePatchType",
		"%s: the Content-Type is %q, want %q", what, sent[0].ContentType, types.MergePatchType)
	judgeDryRun(rec)
	body, err := sent[0].Object()
	s.Requiref(err == nil, "encode the patch with encoding/json", "%s: the patch is not JSON: %s", what, sent[0].Body)
	judgePatchBody(s, what, body, key, remove)
	pod := getPod(s, ns, "web")
	s.Requiref(reflect.DeepEqual(pod.Labels, want), labelCause(pod.Labels, remove),
		"%s: pod web has the labels %v, want %v\nthe patch was %s", what, pod.Labels, want, sent[0].Body)
	s.Require(patched != nil && patched.ResourceVersion == pod.ResourceVersion,
		what+": the returned pod is not the object that the server sent back", "return what Into decoded from the answer")
}

// judgePatchBody wants the two labels and nothing that could overwrite what others wrote.
func judgePatchBody(s *check.S, what string, body map[string]any, key, remove string) {
	metadata, _ := body["metadata"].(map[string]any)
	labels, _ := metadata["labels"].(map[string]any)
	s.Requiref(len(labels) > 0, "a label is under metadata.labels", "%s: the patch has no metadata.labels: %v", what, body)
	for name := range labels {
		s.Requiref(name == key || name == remove,
			"labels that were read before are sent back; a value that somebody changed meanwhile is overwritten. Name only what you change",
			"%s: the patch also writes label %s", what, name)
	}
	value, named := labels[remove]
	s.Requiref(named && value == nil,
		"leaving a key out of a merge patch keeps it, an empty string sets it to empty: null removes it, which is nil in a map[string]any",
		"%s: the patch does not set label %s to null: %v", what, remove, labels)
	s.Requiref(len(metadata) == 1, "name what you change and nothing else",
		"%s: the patch has more in its metadata than labels: %v", what, metadata)
	for name := range body {
		s.Requiref(name == "metadata" || name == "kind" || name == "apiVersion",
			"a patch that carries more of the object overwrites what others wrote", "%s: the patch also writes %s", what, name)
	}
}

func patchCause(sent []check.Request, err error) string {
	switch {
	case len(sent) == 0:
		return check.CauseOf(err)
	case sent[0].Status == http.StatusUnsupportedMediaType:
		return "the server does not take this content type: types.MergePatchType"
	case sent[0].Status == http.StatusNotFound || sent[0].Status == http.StatusMethodNotAllowed:
		return "the path is wrong: it needs Namespace(namespace), Resource(\"pods\") and Name(name)"
	case sent[0].ContentType == string(types.JSONPatchType):
		return "a JSON patch is a list of operations, and its remove fails when the key is not there; the task asks for a merge patch"
	default:
		return "the patch is {\"metadata\":{\"labels\":{...}}}, where null removes a key"
	}
}

func labelCause(labels map[string]string, remove string) string {
	if _, still := labels[remove]; still {
		return "in a merge patch null removes a key: nil in a map[string]any. Leaving the key out keeps it"
	}
	return "a merge patch changes the keys that it names and keeps the others"
}

// held makes a pod that a finalizer keeps, terminating, until it is released.
func held(s *check.S, ns, name string) {
	pod := check.PendingPod(name, nil)
	pod.Finalizers = []string{"workshop.example.com/hold"}
	s.CreatePod(ns, pod)
}

func release(s *check.S, ns, name string) error {
	return patchPod(s, ns, name, `{"metadata":{"finalizers":null}}`)
}

// deletePod calls DeletePod within a time, of which the step's own context has less when there is a timeout.
func deletePod(s *check.S, cfg *rest.Config, ns, name string, timeout time.Duration) error {
	client := coreClient(s, cfg)
	return s.CallWithin(10*time.Second, func(ctx context.Context) error {
		if timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, timeout)
			defer cancel()
		}
		return DeletePod(ctx, client, ns, name)
	})
}

func TestStep7_DeletePod(t *testing.T) {
	check.Step(t, 7, "DeletePod", func(s *check.S) {
		ns := s.Namespace()
		judgeWaits(s, ns)
		rec, cfg := s.Recorder()
		err := deletePod(s, cfg, ns, "never-there", 0)
		rec.Requiref(err == nil, "what was asked for is already so: NotFound is no error here",
			"for a pod that is not there, DeletePod returned: %v", err)

		judgeRefusals(s, ns)
		judgeErrorsWhileWaiting(s, ns)
		judgeContext(s, ns)
		judgePatience(s)
		judgeCancellation(s)
		judgeSuccessor(s, ns)
	})
}

// judgeWaits has a finalizer keep the pod, terminating, for a while.
func judgeWaits(s *check.S, ns string) {
	held(s, ns, "slow")
	s.CreatePod(ns, check.PendingPod("bystander", nil))
	rec, cfg := s.Recorder()
	var returned, early atomic.Bool
	released := make(chan error, 1)
	go func() {
		rec.WaitFor(s.Context(), check.Match{Verb: "delete", Name: "slow"})
		time.Sleep(500 * time.Millisecond)
		// Another pod's end is not this one's.
		err := podsIn(s, ns).Delete(s.Context(), "bystander", metav1.DeleteOptions{})
		time.Sleep(2500 * time.Millisecond)
		early.Store(returned.Load())
		if releaseErr := release(s, ns, "slow"); !early.Load() {
			err = errors.Join(err, releaseErr)
		}
		released <- err
	}()
	err := s.Call(func(ctx context.Context) error {
		err := DeletePod(ctx, coreClient(s, cfg), ns, "slow")
		returned.Store(true)
		return err
	})
	rec.Requiref(rec.Count(check.Match{Verb: "delete", Resource: "pods", Name: "slow"}) > 0,
		"Delete() is sent by Do(ctx); without it nothing happens", "no DELETE of pod slow was sent")
	judgeDryRun(rec)
	judgeGracePeriod(rec)
	changes := rec.Count(check.Match{Verb: "patch"}) + rec.Count(check.Match{Verb: "update"})
	rec.Requiref(changes == 0, "a finalizer is somebody's unfinished work: taking it away is not waiting for it",
		"the pod was changed, not only deleted")
	s.Setup(<-released, "delete pod bystander and release pod slow")
	rec.Requiref(!early.Load(), "an accepted DELETE is not the end: wait until a GET says NotFound",
		"DeletePod returned (error: %v) while pod slow was still there, terminating, held by a finalizer", err)
	rec.Requiref(err == nil, "NotFound is what the wait is for, not a failure", "pod slow is gone, and DeletePod returned an error: %v", err)
	_, err = podsIn(s, ns).Get(s.Context(), "slow", metav1.GetOptions{})
	rec.Requiref(apierrors.IsNotFound(err), "only NotFound, or another UID, means gone", "DeletePod returned nil and pod slow is still there")
}

func judgeGracePeriod(rec *check.Recorder) {
	for _, req := range rec.Requests(check.Match{Verb: "delete"}) {
		grace := req.Query.Get("gracePeriodSeconds")
		if body, err := req.Object(); err == nil {
			if seconds, ok := body["gracePeriodSeconds"]; ok {
				grace = fmt.Sprint(seconds)
			}
		}
		rec.Requiref(grace == "" || grace == "30",
			"a shorter grace period cuts the containers off, and 0 removes the object at once and leaves them to run on: give the pod its own",
			"the DELETE has gracePeriodSeconds %s, the pod 30", grace)
	}
}

// judgeRefusals has the DELETE, then every read, refused: the pod stays.
func judgeRefusals(s *check.S, ns string) {
	held(s, ns, "refused")
	for _, tc := range []struct {
		verbs []string
		code  int
	}{
		{[]string{"delete"}, http.StatusForbidden},
		{[]string{"delete"}, http.StatusConflict},
		{[]string{"get", "list", "watch"}, http.StatusForbidden},
	} {
		rec, cfg := s.Recorder()
		for _, verb := range tc.verbs {
			rec.Refuse(check.Match{Verb: verb}, tc.code)
		}
		rec.Requiref(deletePod(s, cfg, ns, "refused", time.Second) != nil,
			"an error was taken for \"gone\": only NotFound, or a GET that finds another UID, means that. A 409 alone does not, not even with a "+
				"UID as precondition", "every %s was answered with %d, and DeletePod said that the pod is gone", strings.Join(tc.verbs, ", "), tc.code)
	}
}

// judgeErrorsWhileWaiting has every GET fail once the DELETE is accepted, while
// the pod is still there.
func judgeErrorsWhileWaiting(s *check.S, ns string) {
	held(s, ns, "unlucky")
	rec, cfg := s.Recorder()
	for _, verb := range []string{"get", "list", "watch"} {
		rec.AnswerAfter(check.Match{Verb: "delete"}, check.Match{Verb: verb},
			http.StatusInternalServerError, metav1.StatusReasonInternalError, "injected by the check")
	}
	rec.Requiref(deletePod(s, cfg, ns, "unlucky", 0) != nil, "any error counts as gone: only apierrors.IsNotFound does",
		"every GET after the DELETE was answered with 500, and DeletePod said that the pod is gone")
	s.Setup(release(s, ns, "unlucky"), "release pod unlucky")
}

// judgeContext holds a pod for longer than the context lasts, and cuts a watch
// on it once: that is no reason to give up.
func judgeContext(s *check.S, ns string) {
	held(s, ns, "stuck")
	rec, cfg := s.Recorder()
	watches := rec.Outage(check.Match{Resource: "pods"})
	go func() {
		rec.WaitFor(s.Context(), check.Match{Verb: "delete", Name: "stuck"})
		time.Sleep(500 * time.Millisecond)
		watches.Cut()
	}()
	err := deletePod(s, cfg, ns, "stuck", 2*time.Second)
	rec.Requiref(err != nil,
		"the end of ctx, or of a watch, is not the end of the pod: return ctx.Err(), wrapped; a watch that ends is opened again",
		"pod stuck is still there, and DeletePod returned no error after ctx had ended or the watch was cut")
	rec.Requiref(errors.Is(err, context.DeadlineExceeded),
		"wrap the context's error with %w, so that a caller can tell \"too slow\" from \"refused\"; a watch that ends before ctx is opened again",
		"ctx ended while pod stuck was still there, and errors.Is(err, context.DeadlineExceeded) is false: %v", err)
}

// judgeSuccessor puts a new pod of the same name in the place of the deleted one.
func judgeSuccessor(s *check.S, ns string) {
	s.CreatePod(ns, check.PendingPod("reborn", nil))
	rec, cfg := s.Recorder()
	var successor *corev1.Pod
	rec.After(check.Match{Verb: "delete", Name: "reborn"}, 1, func() (err error) {
		// With foreground propagation the old one takes a moment to go.
		return retry.OnError(wait.Backoff{Steps: 50, Duration: 100 * time.Millisecond}, apierrors.IsAlreadyExists, func() error {
			successor, err = podsIn(s, ns).Create(s.Context(), check.PendingPod("reborn", nil), metav1.CreateOptions{})
			return err
		})
	})
	err := deletePod(s, cfg, ns, "reborn", 0)
	rec.Requiref(err == nil, "a name is not an identity: compare the UID; another UID means that the old pod is gone",
		"pod reborn was deleted and a new pod of that name was made, and DeletePod returned: %v", err)
	now, err := podsIn(s, ns).Get(s.Context(), "reborn", metav1.GetOptions{})
	rec.Requiref(err == nil && successor != nil && now.UID == successor.UID,
		"the DELETE is repeated by name and hits a pod that is not the one: send it once, or with the UID as precondition",
		"the new pod of the same name was deleted as well")
}

func TestStep8_ServerVersion(t *testing.T) {
	check.Step(t, 8, "ServerVersion", func(s *check.S) {
		want, err := s.Clientset().Discovery().ServerVersion()
		s.Setup(err, "read the server's version")
		rec, got, err := serverVersion(s)
		rec.Requiref(rec.Count(check.Match{}) > 0, "the version must come from the server", "no request was sent")
		for _, req := range rec.Requests(check.Match{}) {
			rec.Requiref(req.Path == "/version",
				"/version is no resource of core/v1: AbsPath(\"/version\") replaces the path that the client builds, Suffix and Resource add to it",
				"the request went to %s, want /version", req.Path)
		}
		s.RequireNoError(err, rec, "version.Info is not a runtime.Object, so Into does not take it: read Raw() and decode it with encoding/json")
		s.Requiref(got != nil && reflect.DeepEqual(*got, *want), "decode the whole answer into version.Info",
			"ServerVersion returned %#v\nwant %#v", got, want)

		rec, _, err = serverVersion(s, check.Refusing("get", http.StatusInternalServerError))
		s.Require(rec.Count(check.Match{}) > 0, "a second call sent no request",
			"the first answer is kept and handed out again: the server may be another one by now, or a newer one. Ask in each call")
		s.RequireReason(err, metav1.StatusReasonInternalError, rec, "the server answered 500",
			"Raw and Do return the server's error: do not drop it, wrap it with %w")
		rec, _, err = serverVersion(s, func(rec *check.Recorder) {
			rec.AnswerRaw(check.Match{Path: "/version"}, http.StatusOK, "text/html", "<html>a proxy's sign-in page</html>")
		})
		rec.Requiref(err != nil, "the error of json.Unmarshal is dropped", "the answer was no JSON, and ServerVersion returned no error")
		judgeCancelled(s, func(ctx context.Context, client rest.Interface) error {
			_, err := ServerVersion(ctx, client)
			return err
		})
	})
}

func serverVersion(s *check.S, faults ...func(*check.Recorder)) (*check.Recorder, *version.Info, error) {
	return check.Recorded(s, check.CallTimeout, func(ctx context.Context, cfg *rest.Config) (*version.Info, error) {
		return ServerVersion(ctx, coreClient(s, cfg))
	}, faults...)
}
