package main

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
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

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/retry"

	"example.com/client-go-workshop/internal/check"
)

// coreClient is the client of the check's own making: a step is judged whether
// or not step 2 is written.
func coreClient(s *check.S, cfg *rest.Config) rest.Interface {
	clientset, err := kubernetes.NewForConfig(cfg)
	s.Setup(err, "build a client")
	return clientset.CoreV1().RESTClient()
}

// kubeconfigContext is one context of a test kubeconfig, with a cluster and a user of its own.
type kubeconfigContext struct {
	name, server, namespace, token string
}

func writeKubeconfig(s *check.S, path, current string, contexts ...kubeconfigContext) string {
	cfg := clientcmdapi.NewConfig()
	cfg.CurrentContext = current
	for _, c := range contexts {
		cfg.Clusters[c.name+"-cluster"] = &clientcmdapi.Cluster{Server: c.server, CertificateAuthorityData: []byte(c.name + "-ca")}
		cfg.AuthInfos[c.name+"-user"] = &clientcmdapi.AuthInfo{Token: c.token}
		cfg.Contexts[c.name] = &clientcmdapi.Context{
			Cluster: c.name + "-cluster", AuthInfo: c.name + "-user", Namespace: c.namespace,
		}
	}
	s.Setup(clientcmd.WriteToFile(*cfg, path), "write a kubeconfig")
	return path
}

func TestStep1_LoadConfig(t *testing.T) {
	check.Step(t, 1, "LoadConfig", func(s *check.S) {
		dir := s.T().TempDir()
		red := kubeconfigContext{"red", "https://red.example.com:6443", "red-ns", "red-token"}
		blue := kubeconfigContext{"blue", "https://blue.example.com:6443", "", "blue-token"}
		green := kubeconfigContext{"green", "https://green.example.com:6443", "green-ns", "green-token"}
		home := kubeconfigContext{"home", "https://home.example.com:6443", "home-ns", "home-token"}
		both := writeKubeconfig(s, filepath.Join(dir, "both"), "red", red, blue)
		second := writeKubeconfig(s, filepath.Join(dir, "second"), "green", green)
		homeFile := filepath.Join(os.Getenv("HOME"), ".kube", "config")
		s.Setup(os.MkdirAll(filepath.Dir(homeFile), 0o700), "make ~/.kube")
		writeKubeconfig(s, homeFile, "home", home)

		var loaded []*rest.Config
		const ignoresPath = "the path that the caller gave does not win: set ExplicitPath in the loading rules"
		const ignoresEnv = "the KUBECONFIG variable is not read: start from clientcmd.NewDefaultClientConfigLoadingRules; BuildConfigFromFlags and a fixed ~/.kube/config do not look at it"
		for _, tc := range []struct {
			what, path, context, env string
			want                     kubeconfigContext
			namespace, cause         string
		}{
			{"a path", both, "", second, red, "red-ns", ignoresPath},
			{"a path and another context", both, "blue", second, blue, "default",
				"the context's name is not used: pass it as CurrentContext of clientcmd.ConfigOverrides; BuildConfigFromFlags always takes the current context"},
			{"KUBECONFIG with one file", "", "", second, green, "green-ns", ignoresEnv},
			{"KUBECONFIG with two files", "", "", both + string(os.PathListSeparator) + second, red, "red-ns", ignoresEnv},
			{"KUBECONFIG with two files and a context of the second", "", "green", both + string(os.PathListSeparator) + second, green, "green-ns",
				"the files that KUBECONFIG lists are merged, and a context of any of them can be chosen"},
			{"neither a path nor KUBECONFIG", "", "", "", home, "home-ns",
				"~/.kube/config is the last of the loading rules: start from clientcmd.NewDefaultClientConfigLoadingRules"},
		} {
			s.T().Setenv("KUBECONFIG", tc.env)
			var cfg *rest.Config
			var namespace string
			err := s.Call(func(context.Context) (err error) {
				cfg, namespace, err = LoadConfig(tc.path, tc.context)
				return err
			})
			s.Require(err == nil, fmt.Sprintf("with %s, LoadConfig returned an error: %v", tc.what, err), tc.cause)
			s.Require(cfg != nil, fmt.Sprintf("with %s, LoadConfig returned no config and no error", tc.what), "the config is not returned")
			s.Require(!slices.Contains(loaded, cfg), fmt.Sprintf("with %s, LoadConfig returned the very config of an earlier call, for %s", tc.what, cfg.Host),
				"the first result is kept and handed out again: load anew in each call, from what this call asks for")
			loaded = append(loaded, cfg)
			s.Require(cfg.Host == tc.want.server,
				fmt.Sprintf("with %s, the config's Host is %q, want %q", tc.what, cfg.Host, tc.want.server), tc.cause)
			s.Require(cfg.BearerToken == tc.want.token,
				fmt.Sprintf("with %s, the config's BearerToken is %q, want %q", tc.what, cfg.BearerToken, tc.want.token),
				"the user of the context is not in the config: take the config that clientcmd returns whole")
			s.Require(string(cfg.CAData) == tc.want.name+"-ca" && !cfg.Insecure,
				fmt.Sprintf("with %s, the config's CAData is %q and Insecure is %v, want %q and false", tc.what, cfg.CAData, cfg.Insecure, tc.want.name+"-ca"),
				"the cluster's certificate authority is not in the config, so the server could be anybody: take the config that clientcmd returns whole")
			s.Require(namespace == tc.namespace,
				fmt.Sprintf("with %s, the namespace is %q, want %q", tc.what, namespace, tc.namespace),
				"a context carries a namespace, and rest.Config has no place for it: ask Namespace() of the clientcmd.ClientConfig")
		}

		s.T().Setenv("KUBECONFIG", both)
		for _, tc := range []struct{ what, path, context, name, cause string }{
			{"a context that does not exist", both, "no-such-context", "no-such-context", "a wrong name must not fall back to another context: the caller would work on the wrong cluster"},
			{"a context that does not exist in the files of KUBECONFIG", "", "no-such-context", "no-such-context", "a wrong name must not fall back to another context: the caller would work on the wrong cluster"},
			{"a file that does not exist", filepath.Join(dir, "no-such-file"), "", "no-such-file", "a path that the caller gave is never replaced by another file, nor by the in-cluster config"},
		} {
			var cfg *rest.Config
			err := s.Call(func(context.Context) (err error) {
				cfg, _, err = LoadConfig(tc.path, tc.context)
				return err
			})
			host := ""
			if cfg != nil {
				host = ", and a config for " + cfg.Host
			}
			s.Require(err != nil, fmt.Sprintf("with %s, %q, LoadConfig returned no error%s", tc.what, tc.name, host), tc.cause)
			s.Require(strings.Contains(err.Error(), tc.name),
				fmt.Sprintf("with %s, the error is %q, which does not name %q", tc.what, err, tc.name), "return the error that clientcmd gives, wrapped with %w")
		}

		malformed := filepath.Join(dir, "malformed")
		s.Setup(os.WriteFile(malformed, []byte("clusters: [not, a, kubeconfig"), 0o600), "write a malformed kubeconfig")
		for _, tc := range []struct{ what, path, env string }{
			{"a malformed file", malformed, both},
			{"a malformed file in KUBECONFIG", "", malformed},
		} {
			s.T().Setenv("KUBECONFIG", tc.env)
			err := s.Call(func(context.Context) error {
				_, _, err := LoadConfig(tc.path, "")
				return err
			})
			s.Require(err != nil, "with "+tc.what+", LoadConfig returned no error",
				"an error of the kubeconfig is never a reason to use another config, nor an empty one")
		}
	})
}

func TestStep2_NewRESTClient(t *testing.T) {
	check.Step(t, 2, "NewRESTClient", func(s *check.S) {
		ns := s.Namespace()
		s.CreatePod(ns, check.PendingPod("web", nil))
		rec, cfg := s.Recorder()
		cfg.QPS, cfg.Burst, cfg.UserAgent = 7, 9, "the caller's own"
		before := rest.CopyConfig(cfg)

		var client *rest.RESTClient
		s.Must(func(context.Context) (err error) {
			client, err = NewRESTClient(cfg)
			return err
		})
		s.Require(client != nil, "NewRESTClient returned no client and no error", "the client is not returned")
		s.Require(rec.Count(check.Match{}) == 0, "NewRESTClient made a request\n"+rec.Trace(), "a client is built without asking the server")
		for _, field := range []struct {
			name      string
			was, is   any
			unchanged bool
		}{
			{"APIPath", before.APIPath, cfg.APIPath, cfg.APIPath == before.APIPath},
			{"GroupVersion", before.GroupVersion, cfg.GroupVersion, cfg.GroupVersion == before.GroupVersion},
			{"NegotiatedSerializer", before.NegotiatedSerializer, cfg.NegotiatedSerializer, cfg.NegotiatedSerializer == nil},
			{"UserAgent", before.UserAgent, cfg.UserAgent, cfg.UserAgent == before.UserAgent},
			{"QPS", before.QPS, cfg.QPS, cfg.QPS == before.QPS},
			{"Burst", before.Burst, cfg.Burst, cfg.Burst == before.Burst},
			{"RateLimiter", before.RateLimiter, cfg.RateLimiter, cfg.RateLimiter == nil},
		} {
			s.Require(field.unchanged, fmt.Sprintf("the caller's config was changed: %s was %#.40v and is %#.40v", field.name, field.was, field.is),
				"rest.Config is shared: work on rest.CopyConfig(cfg)")
		}

		s.Require(client.APIVersion() == corev1.SchemeGroupVersion,
			fmt.Sprintf("the client's group-version is %q, want %q", client.APIVersion(), corev1.SchemeGroupVersion), "GroupVersion is another one than core/v1")
		var pod corev1.Pod
		err := s.Call(func(ctx context.Context) error {
			return client.Get().Namespace(ns).Resource("pods").Name("web").Do(ctx).Into(&pod)
		})
		want := "/api/v1/namespaces/" + ns + "/pods/web"
		sent := rec.Requests(check.Match{})
		s.Require(len(sent) > 0, fmt.Sprintf("a GET of a pod did not go through the transport of the caller's config (error: %v)", err),
			"the client cannot build a request, or it was built from a new rest.Config: use rest.CopyConfig(cfg), which keeps TLS, credentials and wrappers")
		s.Require(sent[0].Path == want, fmt.Sprintf("a GET of pod web asked for %s, want %s", sent[0].Path, want),
			"the path is APIPath, group, version and resource put together, unchecked: core/v1 is under /api, every other group under /apis")
		s.Require(err == nil && pod.Name == "web", fmt.Sprintf("a GET of pod web into a corev1.Pod gave %q and the error: %v", pod.Name, err),
			"the NegotiatedSerializer does not know the type: take it from scheme.Codecs")
		s.Require(sent[0].UserAgent == "client-go-workshop/restclient",
			fmt.Sprintf("the User-Agent is %q, want %q", sent[0].UserAgent, "client-go-workshop/restclient"), "UserAgent is to be exactly this, whatever the caller's config says")

		judgeSecondClient(s, client, ns)
		judgeSerializer(s, client, ns)
		judgeRateLimit(s, client)

		bad := rest.CopyConfig(cfg)
		bad.TLSClientConfig.CAData, bad.TLSClientConfig.CAFile = nil, filepath.Join(s.T().TempDir(), "no-such-ca.crt")
		err = s.Call(func(context.Context) error {
			_, err := NewRESTClient(bad)
			return err
		})
		s.Require(err != nil, "for a config whose CA file does not exist, NewRESTClient returned no error", "the error of rest.RESTClientFor is dropped")

		judgeTLS(s, cfg, ns)
	})
}

// judgeSecondClient builds a client from another config.
func judgeSecondClient(s *check.S, first *rest.RESTClient, ns string) {
	rec, cfg := s.Recorder()
	var client *rest.RESTClient
	s.Must(func(context.Context) (err error) {
		client, err = NewRESTClient(cfg)
		return err
	})
	err := s.Call(func(ctx context.Context) error {
		return client.Get().Namespace(ns).Resource("pods").Name("web").Do(ctx).Error()
	})
	s.Require(client != first && rec.Count(check.Match{}) > 0, fmt.Sprintf("NewRESTClient was called with a second config, and a GET of a pod did not go through that one (error: %v)", err),
		"the first client is kept and handed out again: build one from the config of each call")
}

// judgeTLS gives the config the authority of another server.
func judgeTLS(s *check.S, cfg *rest.Config, ns string) {
	other := httptest.NewTLSServer(http.NotFoundHandler())
	defer other.Close()
	strange := rest.CopyConfig(cfg)
	strange.CAFile = ""
	strange.CAData = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: other.Certificate().Raw})
	err := s.Call(func(ctx context.Context) error {
		client, err := NewRESTClient(strange)
		if err != nil {
			return err
		}
		return client.Get().Namespace(ns).Resource("pods").Name("web").Do(ctx).Error()
	})
	s.Require(err != nil, "with the certificate authority of another server in the caller's config, a GET succeeded",
		"the server's certificate is not verified: keep the TLSClientConfig as it is")
}

// judgeSerializer decodes without a target: there only a serializer without conversion works.
func judgeSerializer(s *check.S, client *rest.RESTClient, ns string) {
	const cause = "scheme.Codecs itself decodes to the internal version, which client-go does not have: use scheme.Codecs.WithoutConversion(). Into(&pod) hides it, Get() and Watch() do not"
	err := s.Call(func(ctx context.Context) error {
		obj, err := client.Get().Namespace(ns).Resource("pods").Name("web").Do(ctx).Get()
		if err == nil {
			if _, ok := obj.(*corev1.Pod); !ok {
				err = fmt.Errorf("decoded a %T, want a *v1.Pod", obj)
			}
		}
		return err
	})
	s.Require(err == nil, fmt.Sprintf("Do(ctx).Get() of a pod failed: %v", err), cause)
}

// judgeRateLimit counts the requests that the client lets go at once.
func judgeRateLimit(s *check.S, client *rest.RESTClient) {
	limiter := client.GetRateLimiter()
	s.Require(limiter != nil, "the client has no rate limit, want QPS 50 and Burst 100", "QPS is negative, which turns the limit off")
	s.Require(limiter.QPS() == 50, fmt.Sprintf("the client's QPS is %v, want 50", limiter.QPS()),
		"QPS is not set in the config: the default is 5, a negative number means no limit")
	burst := 0
	for burst < 1000 && limiter.TryAccept() {
		burst++
	}
	// The bucket fills while it is counted, and a few requests are gone already.
	s.Require(burst >= 90 && burst <= 150, fmt.Sprintf("the client lets %d requests go at once, want about 100", burst),
		"Burst is not set in the config: the default is 10")
}

func TestStep3_ListPods(t *testing.T) {
	check.Step(t, 3, "ListPods", func(s *check.S) {
		ns, other := s.Namespace(), s.Namespace()
		// Nobody else's pods bear this label, whatever runs beside this check.
		app := "web-" + ns
		var want []string
		labels := map[string]map[string]string{}
		for i := range 12 {
			name := fmt.Sprintf("web-%02d", i)
			want = append(want, name)
			// Labels that no other pod has show what is left over from another page.
			labels[name] = map[string]string{"app": app, "only-" + name: "yes"}
			s.CreatePod(ns, check.PendingPod(name, labels[name]))
		}
		s.CreatePod(ns, check.PendingPod("db", map[string]string{"app": "db"}))
		s.CreatePod(other, check.PendingPod("decoy", map[string]string{"app": app}))

		var listed []corev1.Pod
		list := func(rec *check.Recorder, cfg *rest.Config, selector string, limit int64) ([]string, error) {
			var names []string
			err := s.Call(func(ctx context.Context) (err error) {
				listed, err = ListPods(ctx, coreClient(s, cfg), ns, selector, limit)
				for _, pod := range listed {
					names = append(names, pod.Namespace+"/"+pod.Name)
				}
				return err
			})
			slices.Sort(names)
			return names, err
		}
		full := func(names []string) []string {
			out := make([]string, 0, len(names))
			for _, name := range names {
				out = append(out, ns+"/"+name)
			}
			return out
		}

		rec, cfg := s.Recorder()
		// A list that never ends is cut off here, and judged below.
		const enough = 20
		rec.Answer(check.Match{Verb: "list"}, enough, check.Always, http.StatusInternalServerError, metav1.StatusReasonInternalError, "the check has seen enough list requests")
		got, err := list(rec, cfg, "app in ("+app+")", 5)
		sent := rec.Requests(check.Match{Verb: "list"})
		s.Require(len(sent) == 0 || sent[0].Namespace == ns, fmt.Sprintf("the request covers every namespace, pod decoy of %s too; the namespace asked for is %s\n%s", other, ns, rec.Trace()),
			"without Namespace(namespace), or with an empty one, the request lists every namespace")
		s.Require(len(sent) < enough, fmt.Sprintf("more than %d list requests were sent for 12 pods in pages of 5\n%s", enough, rec.Trace()),
			"the same page is asked for again and again: the continue token of the page does not get into the next request, or its end is not seen. Decode each page into a new PodList: the last page has no token, and decoding leaves the one of the page before where it is")
		s.Require(err == nil, fmt.Sprintf("ListPods returned an error: %v\n%s", err, rec.Trace()), listErrorCause(err))
		s.Require(len(sent) > 0, "ListPods sent no list request\n"+rec.Trace(), "the pods must come from the server: GET .../pods")
		s.Require(!slices.Contains(got, other+"/decoy"), fmt.Sprintf("the list holds pod decoy of namespace %s; the namespace asked for is %s\n%s", other, ns, rec.Trace()),
			"without Namespace(namespace), or with an empty one, the request lists every namespace")
		s.Require(!slices.Contains(got, ns+"/db"), "the list holds pod db, which the selector \"app in ("+app+")\" does not match\n"+rec.Trace(),
			"the label selector does not reach the server: hand ListOptions to VersionedParams")
		s.Require(sent[0].Query.Get("resourceVersion") == "", fmt.Sprintf("the first request has resourceVersion=%s\n%s", sent[0].Query.Get("resourceVersion"), rec.Trace()),
			"with 0 the server may answer from its cache, which can be old, and leave the limit out of account: the list is to be the newest, which is the one without a resourceVersion")
		s.Require(slices.Equal(got, full(want)), fmt.Sprintf("the list holds %d pods: %v\nwant %d: %v\n%s", len(got), got, len(want), want, rec.Trace()),
			listCause(len(got), len(want)))
		s.Require(sent[0].Query.Get("labelSelector") != "", "the first request has no labelSelector\n"+rec.Trace(),
			"the server sends every pod and the program drops most of them: set LabelSelector in ListOptions")
		s.Require(sent[0].Query.Get("limit") == "5", fmt.Sprintf("the first request has limit=%q, want 5\n%s", sent[0].Query.Get("limit"), rec.Trace()),
			"the limit does not reach the server: set Limit in ListOptions")
		for i, req := range sent[1:] {
			s.Require(req.Query.Get("continue") != "", fmt.Sprintf("list request %d has no continue token\n%s", i+2, rec.Trace()),
				"each further page is asked for with the token of the page before: copy page.Continue into ListOptions.Continue")
			s.Require(req.Query.Get("labelSelector") == sent[0].Query.Get("labelSelector"), fmt.Sprintf("list request %d has another labelSelector than the first\n%s", i+2, rec.Trace()),
				"a further page is the same question with a token: leave the other options as they are")
		}
		s.Require(len(sent) == 3, fmt.Sprintf("%d list requests were sent for 12 pods in pages of 5, want 3\n%s", len(sent), rec.Trace()),
			"follow the continue token until it is empty, with the limit in each request")
		for _, pod := range listed {
			s.Require(reflect.DeepEqual(pod.Labels, labels[pod.Name]), fmt.Sprintf("in the list pod %s has the labels %v, in the cluster %v", pod.Name, pod.Labels, labels[pod.Name]),
				"every page was decoded into the same PodList: decoding adds to a map that is there, and the pods of an earlier page still hold that map. Give each page a new corev1.PodList")
		}

		rec, cfg = s.Recorder()
		got, err = list(rec, cfg, "app="+app, 0)
		s.Require(err == nil && slices.Equal(got, full(want)), fmt.Sprintf("with limit 0, ListPods gave %v and the error: %v\n%s", got, err, rec.Trace()),
			"limit 0 means no limit: one request brings all")
		limit := rec.Requests(check.Match{Verb: "list"})[0].Query.Get("limit")
		s.Require(limit == "" || limit == "0", fmt.Sprintf("with limit 0, the request has limit=%s\n%s", limit, rec.Trace()), "limit 0 means no limit, not one of your own")

		rec, cfg = s.Recorder()
		rec.Answer(check.Match{Verb: "list"}, enough, check.Always, http.StatusInternalServerError, metav1.StatusReasonInternalError, "the check has seen enough list requests")
		got, err = list(rec, cfg, "app="+app, 12)
		s.Require(err == nil && slices.Equal(got, full(want)), fmt.Sprintf("with limit 12, ListPods gave %d pods and the error: %v\n%s", len(got), err, rec.Trace()),
			"a full page is not a sign of another one, nor a short one of the end: only the continue token says so")

		rec, cfg = s.Recorder()
		rec.Answer(check.Match{Verb: "list"}, enough, check.Always, http.StatusInternalServerError, metav1.StatusReasonInternalError, "the check has seen enough list requests")
		got, err = list(rec, cfg, "app="+app, 1)
		s.Require(err == nil && slices.Equal(got, full(want)), fmt.Sprintf("12 pods match; with limit 1, ListPods gave %d pods and the error: %v\n%s", len(got), err, rec.Trace()),
			"the list ends after a number of pages of its own: a list has as many pages as it has, and only the continue token says where it ends")

		rec, cfg = s.Recorder()
		got, err = list(rec, cfg, "app=nobody", 3)
		s.Require(err == nil && len(got) == 0, fmt.Sprintf("for a selector that matches nothing, ListPods gave %v and the error: %v\n%s", got, err, rec.Trace()),
			"an empty list is no error")

		for _, tc := range []struct {
			skip, code int
			reason     metav1.StatusReason
		}{
			{0, http.StatusInternalServerError, metav1.StatusReasonInternalError},
			{1, http.StatusInternalServerError, metav1.StatusReasonInternalError},
			{0, http.StatusNotFound, metav1.StatusReasonNotFound},
			{1, http.StatusForbidden, metav1.StatusReasonForbidden},
		} {
			rec, cfg = s.Recorder()
			rec.Answer(check.Match{Verb: "list"}, tc.skip, check.Always, tc.code, tc.reason, "injected by the check")
			got, err = list(rec, cfg, "app="+app, 3)
			s.Require(err != nil, fmt.Sprintf("page %d was answered with %d, and ListPods returned %d pods and no error\n%s", tc.skip+1, tc.code, len(got), rec.Trace()),
				"the error of a page is dropped: part of a list looks like the whole")
			s.Require(apierrors.ReasonForError(err) == tc.reason, fmt.Sprintf("page %d was answered with %d, and the error of ListPods hides it: %v", tc.skip+1, tc.code, err),
				"wrap the error with %w, so that callers can look at its status")
		}

		// A token that has expired: an error is right, and so is the whole list read anew.
		rec, cfg = s.Recorder()
		rec.Answer(check.Match{Verb: "list"}, 1, 1, http.StatusGone, metav1.StatusReasonExpired, "injected by the check")
		got, err = list(rec, cfg, "app="+app, 3)
		s.Require(err != nil || slices.Equal(got, full(want)), fmt.Sprintf("page 2 was answered with 410, and ListPods returned %d pods and no error\n%s", len(got), rec.Trace()),
			"an expired token is not the end of the list: part of a list looks like the whole")

		judgeCancelled(s, func(ctx context.Context, client rest.Interface) error {
			_, err := ListPods(ctx, client, ns, "app="+app, 3)
			return err
		})
	})
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
	s.Require(err != nil, "ctx was cancelled before the call, and the step went on and returned no error\n"+rec.Trace(),
		"ctx is not handed on to the request: Do(ctx), not context.Background() or context.TODO()")
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

func TestStep4_CreatePod(t *testing.T) {
	check.Step(t, 4, "CreatePod", func(s *check.S) {
		ns := s.Namespace()
		var results []*corev1.Pod
		for _, name := range []string{"", "fixed"} {
			pod := check.PendingPod(name, map[string]string{"app": "web"})
			pod.Annotations = map[string]string{"example.com/note": "kept"}
			pod.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "KEPT", Value: "yes"}}
			if name == "" {
				pod.GenerateName = "web-"
			}
			before := pod.DeepCopy()
			rec, cfg := s.Recorder()
			var created *corev1.Pod
			err := s.Call(func(ctx context.Context) (err error) {
				created, err = CreatePod(ctx, coreClient(s, cfg), ns, pod)
				return err
			})
			s.Require(err == nil, fmt.Sprintf("CreatePod returned an error: %v\n%s", err, rec.Trace()), createCause(rec, err))
			judgeDryRun(s, rec)
			posts := rec.Requests(check.Match{Verb: "create", Resource: "pods"})
			s.Require(len(posts) == 1, fmt.Sprintf("%d pods were posted, want 1\n%s", len(posts), rec.Trace()),
				"one POST creates the pod: Post().Namespace(...).Resource(\"pods\").Body(pod)")
			s.Require(created != nil, "CreatePod returned no pod and no error", "the object that the server sent back is not returned")
			s.Require(reflect.DeepEqual(before, pod), fmt.Sprintf("the caller's pod was changed: its metadata was\n%+v\nand is\n%+v", before.ObjectMeta, pod.ObjectMeta),
				"the answer was decoded into the argument, or the argument was filled in: decode into a pod of your own, and copy with DeepCopy before you change")
			s.Require(posts[0].Namespace == ns, fmt.Sprintf("the pod was posted to namespace %q, want %q\n%s", posts[0].Namespace, ns, rec.Trace()),
				"the namespace is the argument's: Namespace(namespace)")
			body, err := posts[0].Object()
			s.Require(err == nil, fmt.Sprintf("the body of the POST cannot be read: %v", err), "the body is the pod, as JSON or protobuf")
			metadata, _ := body["metadata"].(map[string]any)
			sentName, _ := metadata["name"].(string)
			s.Require(sentName == name, fmt.Sprintf("the body of the POST has the name %q, the caller's pod %q", sentName, name),
				"with generateName the server picks a free name; one that the client makes up can be taken. Post the caller's pod as it is")

			inCluster, err := s.Clientset().CoreV1().Pods(ns).List(s.Context(), metav1.ListOptions{})
			s.Setup(err, "list the pods")
			i := slices.IndexFunc(inCluster.Items, func(p corev1.Pod) bool { return p.UID == created.UID })
			s.Require(created.UID != "" && i >= 0, fmt.Sprintf("the returned pod has UID %q and name %q, which no pod in the cluster has", created.UID, created.Name),
				"the argument was returned in place of the object that the server sent back: Do(ctx).Into(&created)")
			live := inCluster.Items[i]
			s.Require(created.Name == live.Name && created.Namespace == live.Namespace && created.CreationTimestamp.Equal(&live.CreationTimestamp) &&
				reflect.DeepEqual(created.Labels, live.Labels) && reflect.DeepEqual(created.Annotations, live.Annotations) && reflect.DeepEqual(created.Spec, live.Spec),
				fmt.Sprintf("the returned pod is not the one in the cluster: it has\n%+v\nthe cluster\n%+v", created.ObjectMeta, live.ObjectMeta),
				"return the whole object that the server sent back, not parts of it and not the argument")
			s.Require(live.Labels["app"] == "web" && live.Annotations["example.com/note"] == "kept" && len(live.Spec.Containers[0].Env) == 1,
				fmt.Sprintf("pod %s has labels %v, annotations %v and environment %v; the caller's pod has app=web, example.com/note=kept and KEPT", created.Name, live.Labels, live.Annotations, live.Spec.Containers[0].Env),
				"post the caller's pod as it is")
			s.Require(!slices.Contains(results, created), "two calls returned a pointer to the same pod", "each call needs a pod of its own to decode into")
			results = append(results, created)
		}

		pod := check.PendingPod("invalid", nil)
		pod.Spec.Containers = nil
		err := s.Call(func(ctx context.Context) error {
			_, err := CreatePod(ctx, coreClient(s, s.Config()), ns, pod)
			return err
		})
		s.Require(err != nil, "a pod without containers was posted, the server refused it, and CreatePod returned no error", "the error of Do or Into is dropped")
		s.Require(apierrors.IsInvalid(err), fmt.Sprintf("apierrors.IsInvalid is false for the error of an invalid pod: %v", err),
			"the status of the server is lost: wrap the error with %w")

		err = s.Call(func(ctx context.Context) error {
			_, err := CreatePod(ctx, coreClient(s, s.Config()), ns, check.PendingPod("fixed", nil))
			return err
		})
		s.Require(apierrors.IsAlreadyExists(err), fmt.Sprintf("pod fixed was posted a second time; want an error that is AlreadyExists, got %s", check.ErrorText(err)),
			"a name that is taken is the caller's business: return the error, wrapped with %w")

		rec, cfg := s.Recorder()
		rec.Answer(check.Match{Verb: "create"}, 0, check.Always, http.StatusInternalServerError, metav1.StatusReasonInternalError, "injected by the check")
		client := coreClient(s, cfg)
		err = s.CallWithin(10*time.Second, func(ctx context.Context) error {
			_, err := CreatePod(ctx, client, ns, check.PendingPod("once", nil))
			return err
		})
		s.Require(err != nil, "the server answered 500, and CreatePod returned no error\n"+rec.Trace(), "the error of Do or Into is dropped")
		s.Require(rec.Count(check.Match{Verb: "create"}) == 1, "the server answered 500, and the POST was repeated\n"+rec.Trace(),
			"after an error nobody knows whether the pod was made: a POST that is repeated can make two. Return the error")

		judgeCancelled(s, func(ctx context.Context, client rest.Interface) error {
			_, err := CreatePod(ctx, client, ns, check.PendingPod("late", nil))
			return err
		})
	})
}

func createCause(rec *check.Recorder, err error) string {
	switch {
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

func TestStep5_AnnotatePod(t *testing.T) {
	check.Step(t, 5, "AnnotatePod", func(s *check.S) {
		ns := s.Namespace()
		pods := s.Clientset().CoreV1().Pods(ns)
		annotate := func(cfg *rest.Config, name, value string) (*corev1.Pod, error) {
			var updated *corev1.Pod
			// More than enough for a few tries with a growing pause, and too little for a loop without an end.
			err := s.CallWithin(10*time.Second, func(ctx context.Context) (err error) {
				updated, err = AnnotatePod(ctx, coreClient(s, cfg), ns, name, "example.com/note", value)
				return err
			})
			return updated, err
		}
		// Nobody else writes; the pod has no annotations yet.
		s.CreatePod(ns, check.PendingPod("quiet", map[string]string{"app": "web"}))
		rec, cfg := s.Recorder()
		updated, err := annotate(cfg, "quiet", "one")
		s.Require(err == nil, fmt.Sprintf("AnnotatePod returned an error: %v\n%s", err, rec.Trace()), updateCause(rec, err))
		judgeDryRun(s, rec)
		puts := rec.Requests(check.Match{Verb: "update", Resource: "pods", Name: "quiet"})
		s.Require(len(puts) > 0, "no PUT of pod quiet was sent\n"+rec.Trace(), "the step is about a full update: GET, change, PUT")
		s.Require(rec.Count(check.Match{Verb: "get", Resource: "pods", Name: "quiet"}) > 0, "no GET of pod quiet was sent\n"+rec.Trace(),
			"without a GET there is nothing to keep: a PUT replaces the whole object")
		pod, err := pods.Get(s.Context(), "quiet", metav1.GetOptions{})
		s.Setup(err, "get pod quiet")
		s.Require(pod.Annotations["example.com/note"] == "one", fmt.Sprintf("pod quiet has the annotations %v, want example.com/note=one", pod.Annotations), "the annotation was set on another object than the one in the PUT")
		s.Require(pod.Labels["app"] == "web", fmt.Sprintf("pod quiet has lost its label app=web: %v", pod.Labels), "the object in the PUT is not the one from the GET")
		s.Require(updated != nil && updated.ResourceVersion == pod.ResourceVersion && updated.Annotations["example.com/note"] == "one",
			"the returned pod is not the object that the server sent back for the PUT", "return what Into decoded from the PUT's answer")

		// Another writer comes between the GET and the first PUT.
		contested := check.PendingPod("contested", map[string]string{"app": "web"})
		contested.Annotations = map[string]string{"example.com/owner": "somebody"}
		s.CreatePod(ns, contested)
		rec, cfg = s.Recorder()
		rec.Before(check.Match{Verb: "update", Resource: "pods"}, 1, func() error {
			_, err := pods.Patch(s.Context(), "contested", types.MergePatchType, []byte(`{"metadata":{"labels":{"first":"other","app":null}}}`), metav1.PatchOptions{})
			return err
		})
		_, err = annotate(cfg, "contested", "two")
		pod, getErr := pods.Get(s.Context(), "contested", metav1.GetOptions{})
		s.Setup(getErr, "get pod contested")
		s.Require(pod.Labels["first"] == "other", fmt.Sprintf("the label first=other, written by somebody else between GET and PUT, is lost: %v\n%s", pod.Labels, rec.Trace()),
			overwriteCause(rec))
		s.Require(err == nil, fmt.Sprintf("somebody wrote between GET and PUT, and AnnotatePod gave up: %v\n%s", err, rec.Trace()), conflictCause(rec, err))
		_, back := pod.Labels["app"]
		s.Require(!back, fmt.Sprintf("the label app, removed by somebody else between GET and PUT, is back: %v\n%s", pod.Labels, rec.Trace()),
			"the second GET was decoded into the pod of the first, and decoding adds to a map that is there: give each try a new corev1.Pod")
		judgeVersions(s, rec)
		s.Require(pod.Annotations["example.com/note"] == "two" && pod.Annotations["example.com/owner"] == "somebody",
			fmt.Sprintf("pod contested has the annotations %v, want example.com/note=two beside example.com/owner=somebody\n%s", pod.Annotations, rec.Trace()),
			"set one key and leave the others")

		judgeCrowd(s, ns, annotate)
		judgeAnswerOfPut(s, ns, annotate)

		// The conflicts do not end.
		s.CreatePod(ns, check.PendingPod("hopeless", nil))
		rec, cfg = s.Recorder()
		rec.Answer(check.Match{Verb: "update", Resource: "pods"}, 0, check.Always, http.StatusConflict, metav1.StatusReasonConflict, "injected by the check")
		_, err = annotate(cfg, "hopeless", "three")
		s.Require(err != nil, "every PUT was answered with 409, and AnnotatePod returned no error\n"+rec.Trace(), "the last conflict is dropped")
		s.Require(apierrors.IsConflict(err), fmt.Sprintf("every PUT was answered with 409, and apierrors.IsConflict is false for the error: %v", err),
			"return the conflict itself, wrapped with %w")
		s.Require(rec.Count(check.Match{Verb: "update"}) >= 2, "one conflict was enough to give up\n"+rec.Trace(), "retry.RetryOnConflict tries again")

		// An error that is no conflict is not repeated as one, nor hidden.
		for _, tc := range []struct {
			code   int
			reason metav1.StatusReason
		}{
			{http.StatusForbidden, metav1.StatusReasonForbidden},
			{http.StatusUnprocessableEntity, metav1.StatusReasonInvalid},
		} {
			rec, cfg = s.Recorder()
			rec.Answer(check.Match{Verb: "update", Resource: "pods"}, 0, check.Always, tc.code, tc.reason, "injected by the check")
			_, err = annotate(cfg, "quiet", "refused")
			s.Require(err != nil && apierrors.ReasonForError(err) == tc.reason, fmt.Sprintf("the PUT was answered with %d; want an error that is %s, got %s\n%s", tc.code, tc.reason, check.ErrorText(err), rec.Trace()),
				"return the error of the PUT, wrapped with %w")
			s.Require(rec.Count(check.Match{Verb: "update"}) == 1, fmt.Sprintf("the PUT was answered with %d %s, and it was repeated\n%s", tc.code, tc.reason, rec.Trace()),
				"only a conflict is worth another try: a refusal stays one, however often you ask")
		}
		rec, cfg = s.Recorder()
		_, err = annotate(cfg, "missing", "four")
		s.Require(apierrors.IsNotFound(err), fmt.Sprintf("for a pod that does not exist, want an error that is NotFound, got %s\n%s", check.ErrorText(err), rec.Trace()),
			"return the error of the GET, wrapped with %w")

		judgeCancelled(s, func(ctx context.Context, client rest.Interface) error {
			_, err := AnnotatePod(ctx, client, ns, "quiet", "example.com/note", "five")
			return err
		})
	})
}

// judgeCrowd has another writer come between GET and PUT four times in a row.
// To give up with the conflict after a few tries is right as well.
func judgeCrowd(s *check.S, ns string, annotate func(cfg *rest.Config, name, value string) (*corev1.Pod, error)) {
	const writers = 4
	pods := s.Clientset().CoreV1().Pods(ns)
	s.CreatePod(ns, check.PendingPod("crowded", nil))
	rec, cfg := s.Recorder()
	wrote := 0
	rec.Before(check.Match{Verb: "update", Resource: "pods"}, writers, func() error {
		wrote++
		_, err := pods.Patch(s.Context(), "crowded", types.MergePatchType, fmt.Appendf(nil, `{"metadata":{"labels":{"writer-%d":"here"}}}`, wrote), metav1.PatchOptions{})
		return err
	})
	_, err := annotate(cfg, "crowded", "crowd")
	pod, getErr := pods.Get(s.Context(), "crowded", metav1.GetOptions{})
	s.Setup(getErr, "get pod crowded")
	s.Require(len(pod.Labels) == wrote, fmt.Sprintf("somebody wrote a label before each of %d PUTs, and pod crowded has only the labels %v\n%s", wrote, pod.Labels, rec.Trace()), overwriteCause(rec))
	judgeVersions(s, rec)
	s.Require(err == nil || apierrors.IsConflict(err), fmt.Sprintf("somebody wrote before each of %d PUTs; want the pod or the conflict, got %s\n%s", wrote, check.ErrorText(err), rec.Trace()),
		"return the conflict itself, wrapped with %w")
}

// judgeAnswerOfPut has another writer come right after the PUT.
func judgeAnswerOfPut(s *check.S, ns string, annotate func(cfg *rest.Config, name, value string) (*corev1.Pod, error)) {
	pods := s.Clientset().CoreV1().Pods(ns)
	s.CreatePod(ns, check.PendingPod("hurried", nil))
	rec, cfg := s.Recorder()
	var put *corev1.Pod
	rec.After(check.Match{Verb: "update", Resource: "pods"}, 1, func() (err error) {
		if put, err = pods.Get(s.Context(), "hurried", metav1.GetOptions{}); err != nil {
			return err
		}
		_, err = pods.Patch(s.Context(), "hurried", types.MergePatchType, []byte(`{"metadata":{"labels":{"after":"the-put"}}}`), metav1.PatchOptions{})
		return err
	})
	updated, err := annotate(cfg, "hurried", "now")
	s.Require(err == nil && updated != nil, fmt.Sprintf("somebody wrote right after the PUT, and AnnotatePod returned no pod; it returned %s\n%s", check.ErrorText(err), rec.Trace()), "the PUT has succeeded: return its answer")
	s.Require(put != nil && updated.ResourceVersion == put.ResourceVersion, fmt.Sprintf("somebody wrote right after the PUT, and AnnotatePod returned the pod after that write: resourceVersion %s and labels %v\n%s", updated.ResourceVersion, updated.Labels, rec.Trace()),
		"a GET after the PUT finds what others have written since: return what Into decoded from the PUT's answer")
}

// judgeVersions wants a resourceVersion in each PUT.
func judgeVersions(s *check.S, rec *check.Recorder) {
	for i, version := range versions(rec) {
		s.Require(version != "", fmt.Sprintf("PUT %d of %d carries no resourceVersion\n%s", i+1, len(versions(rec)), rec.Trace()), "without it the server overwrites what others wrote: keep the resourceVersion of the GET, in every try")
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
		return "a PUT carries no resourceVersion, so the server cannot see that the object is stale, and overwrites: keep the resourceVersion of the GET"
	}
	return "the PUT carries a fresh resourceVersion and a stale object, which tells the server that you have seen what you have not: after a conflict, make your change in the whole object of the fresh GET"
}

func updateCause(rec *check.Recorder, err error) string {
	switch {
	case apierrors.IsInvalid(err) && rec.Count(check.Match{Verb: "update"}) > 0:
		return "a PUT replaces the whole object, so what it leaves out is taken away: send the pod of the GET with your change in it, not its metadata alone"
	case rec.Count(check.Match{Verb: "get"}) == 0 || rec.Count(check.Match{Verb: "update"}) == 0:
		return "the GET and the PUT are as in the task: Namespace(namespace), Resource(\"pods\") and Name(name), and the PUT has a Body"
	default:
		return check.CauseOf(err)
	}
}

func conflictCause(rec *check.Recorder, err error) string {
	puts := rec.Requests(check.Match{Verb: "update"})
	gets := rec.Count(check.Match{Verb: "get"})
	switch {
	case len(puts) == 1 && !apierrors.IsConflict(err):
		return "the conflict is hidden, by %v or a new error: RetryOnConflict tries again only when apierrors.IsConflict sees it. Inside the function that it repeats, return the error of the PUT as it is, or wrap it with %w"
	case len(puts) == 1:
		return "a 409 Conflict is not the end: do GET, change and PUT again, in retry.RetryOnConflict"
	case gets < len(puts):
		return "the retry sends the same stale object again: the GET belongs inside the function that RetryOnConflict repeats"
	default:
		return "each try needs a fresh GET, the change, and a PUT"
	}
}

// judgeDryRun wants requests that are meant.
func judgeDryRun(s *check.S, rec *check.Recorder) {
	for _, req := range rec.Requests(check.Match{}) {
		dry := req.Query.Get("dryRun") != ""
		if body, err := req.Object(); err == nil && req.Verb == "delete" {
			dry = dry || body["dryRun"] != nil
		}
		s.Require(!dry, fmt.Sprintf("the %s is a dry run\n%s", req.Method, rec.Trace()), "with dryRun the server answers as if, and stores nothing: leave it out")
	}
}

func TestStep6_RelabelPod(t *testing.T) {
	check.Step(t, 6, "RelabelPod", func(s *check.S) {
		ns := s.Namespace()
		pods := s.Clientset().CoreV1().Pods(ns)
		s.CreatePod(ns, check.PendingPod("web", map[string]string{"app": "web", "example.com/draft": "yes", "stage": "old"}))
		relabel := func(cfg *rest.Config, name, key, value, remove string) (*corev1.Pod, error) {
			var patched *corev1.Pod
			err := s.Call(func(ctx context.Context) (err error) {
				patched, err = RelabelPod(ctx, coreClient(s, cfg), ns, name, key, value, remove)
				return err
			})
			return patched, err
		}

		for _, tc := range []struct {
			what, key, value, remove string
			want                     map[string]string
		}{
			{"a label in, a label out", "example.com/tier", "front", "example.com/draft", map[string]string{"app": "web", "stage": "old", "example.com/tier": "front"}},
			{"a label changed, one removed that is not there", "stage", "new", "never-there", map[string]string{"app": "web", "stage": "new", "example.com/tier": "front"}},
		} {
			rec, cfg := s.Recorder()
			patched, err := relabel(cfg, "web", tc.key, tc.value, tc.remove)
			sent := rec.Requests(check.Match{Verb: "patch"})
			s.Require(err == nil, fmt.Sprintf("%s: RelabelPod returned an error: %v\n%s", tc.what, err, rec.Trace()), patchCause(sent, err))
			s.Require(len(sent) == 1 && rec.Count(check.Match{}) == 1, fmt.Sprintf("%s: want one PATCH and no other request\n%s", tc.what, rec.Trace()),
				"a merge patch says what to change; nothing has to be read first")
			s.Require(sent[0].ContentType == string(types.MergePatchType), fmt.Sprintf("%s: the Content-Type is %q, want %q", tc.what, sent[0].ContentType, types.MergePatchType),
				"the argument of Patch chooses the kind of patch: types.MergePatchType")
			judgeDryRun(s, rec)
			body, err := sent[0].Object()
			s.Require(err == nil, fmt.Sprintf("%s: the patch is not JSON: %s", tc.what, sent[0].Body), "encode the patch with encoding/json")
			judgePatchBody(s, tc.what, body, tc.key, tc.remove)
			pod, err := pods.Get(s.Context(), "web", metav1.GetOptions{})
			s.Setup(err, "get pod web")
			s.Require(reflect.DeepEqual(pod.Labels, tc.want), fmt.Sprintf("%s: pod web has the labels %v, want %v\nthe patch was %s", tc.what, pod.Labels, tc.want, sent[0].Body), labelCause(pod.Labels, tc.remove))
			s.Require(patched != nil && patched.ResourceVersion == pod.ResourceVersion, tc.what+": the returned pod is not the object that the server sent back", "return what Into decoded from the answer")
		}

		_, err := relabel(s.Config(), "missing", "a", "b", "c")
		s.Require(apierrors.IsNotFound(err), fmt.Sprintf("for a pod that does not exist, want an error that is NotFound, got %s", check.ErrorText(err)),
			"return the error of the PATCH, wrapped with %w")
		_, err = relabel(s.Config(), "web", "tier", "not a label value!", "c")
		s.Require(apierrors.IsInvalid(err), fmt.Sprintf("for a label value that the server refuses, want an error that is Invalid, got %s", check.ErrorText(err)),
			"return the error of the PATCH, wrapped with %w")

		judgeCancelled(s, func(ctx context.Context, client rest.Interface) error {
			_, err := RelabelPod(ctx, client, ns, "web", "stage", "late", "never-there")
			return err
		})
	})
}

// judgePatchBody wants the two labels and nothing that could overwrite what others wrote.
func judgePatchBody(s *check.S, what string, body map[string]any, key, remove string) {
	metadata, _ := body["metadata"].(map[string]any)
	labels, _ := metadata["labels"].(map[string]any)
	s.Require(len(labels) > 0, fmt.Sprintf("%s: the patch has no metadata.labels: %v", what, body), "a label is under metadata.labels")
	for name := range labels {
		s.Require(name == key || name == remove, fmt.Sprintf("%s: the patch also writes label %s", what, name),
			"labels that were read before are sent back; a value that somebody changed meanwhile is overwritten. Name only what you change")
	}
	value, named := labels[remove]
	s.Require(named && value == nil, fmt.Sprintf("%s: the patch does not set label %s to null: %v", what, remove, labels),
		"leaving a key out of a merge patch keeps it, an empty string sets it to empty: null removes it, which is nil in a map[string]any")
	s.Require(len(metadata) == 1, fmt.Sprintf("%s: the patch has more in its metadata than labels: %v", what, metadata), "name what you change and nothing else")
	for name := range body {
		s.Require(name == "metadata" || name == "kind" || name == "apiVersion", fmt.Sprintf("%s: the patch also writes %s", what, name),
			"a patch that carries more of the object overwrites what others wrote")
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

func TestStep7_DeletePod(t *testing.T) {
	check.Step(t, 7, "DeletePod", func(s *check.S) {
		ns := s.Namespace()
		pods := s.Clientset().CoreV1().Pods(ns)
		held := func(name string) *corev1.Pod {
			pod := check.PendingPod(name, nil)
			pod.Finalizers = []string{"workshop.example.com/hold"}
			return s.CreatePod(ns, pod)
		}
		release := func(name string) error {
			_, err := pods.Patch(s.Context(), name, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
			return err
		}

		// A finalizer keeps the pod, terminating, for a while.
		held("slow")
		s.CreatePod(ns, check.PendingPod("bystander", nil))
		rec, cfg := s.Recorder()
		var returned, early atomic.Bool
		released := make(chan error, 1)
		go func() {
			rec.WaitFor(s.Context(), check.Match{Verb: "delete", Name: "slow"})
			time.Sleep(500 * time.Millisecond)
			// Another pod's end is not this one's.
			err := pods.Delete(s.Context(), "bystander", metav1.DeleteOptions{})
			time.Sleep(2500 * time.Millisecond)
			early.Store(returned.Load())
			if releaseErr := release("slow"); !early.Load() {
				err = errors.Join(err, releaseErr)
			}
			released <- err
		}()
		err := s.Call(func(ctx context.Context) error {
			err := DeletePod(ctx, coreClient(s, cfg), ns, "slow")
			returned.Store(true)
			return err
		})
		s.Require(rec.Count(check.Match{Verb: "delete", Resource: "pods", Name: "slow"}) > 0, "no DELETE of pod slow was sent\n"+rec.Trace(), "Delete() is sent by Do(ctx); without it nothing happens")
		judgeDryRun(s, rec)
		judgeGracePeriod(s, rec)
		changes := rec.Count(check.Match{Verb: "patch"}) + rec.Count(check.Match{Verb: "update"})
		s.Require(changes == 0, "the pod was changed, not only deleted\n"+rec.Trace(), "a finalizer is somebody's unfinished work: taking it away is not waiting for it")
		s.Setup(<-released, "delete pod bystander and release pod slow")
		s.Require(!early.Load(), fmt.Sprintf("DeletePod returned (error: %v) while pod slow was still there, terminating, held by a finalizer\n%s", err, rec.Trace()),
			"an accepted DELETE is not the end: wait until a GET says NotFound")
		s.Require(err == nil, fmt.Sprintf("pod slow is gone, and DeletePod returned an error: %v\n%s", err, rec.Trace()), "NotFound is what the wait is for, not a failure")
		_, err = pods.Get(s.Context(), "slow", metav1.GetOptions{})
		s.Require(apierrors.IsNotFound(err), "DeletePod returned nil and pod slow is still there\n"+rec.Trace(), "only NotFound, or another UID, means gone")

		// Nothing there to begin with.
		rec, cfg = s.Recorder()
		err = s.Call(func(ctx context.Context) error { return DeletePod(ctx, coreClient(s, cfg), ns, "never-there") })
		s.Require(err == nil, fmt.Sprintf("for a pod that is not there, DeletePod returned: %v\n%s", err, rec.Trace()), "what was asked for is already so: NotFound is no error here")

		judgeRefusals(s, ns, held)
		judgeErrorsWhileWaiting(s, ns, held, release)
		judgeContext(s, ns, held)
		judgePatience(s)
		judgeCancellation(s)
		judgeSuccessor(s, ns)
	})
}

func judgeGracePeriod(s *check.S, rec *check.Recorder) {
	for _, req := range rec.Requests(check.Match{Verb: "delete"}) {
		grace := req.Query.Get("gracePeriodSeconds")
		if body, err := req.Object(); err == nil {
			if seconds, ok := body["gracePeriodSeconds"]; ok {
				grace = fmt.Sprint(seconds)
			}
		}
		s.Require(grace == "" || grace == "30", fmt.Sprintf("the DELETE has gracePeriodSeconds %s, the pod 30\n%s", grace, rec.Trace()),
			"a shorter grace period cuts the containers off, and 0 removes the object at once and leaves them to run on: give the pod its own")
	}
}

// judgeRefusals has the DELETE, then every read, refused: the pod stays.
func judgeRefusals(s *check.S, ns string, held func(string) *corev1.Pod) {
	held("refused")
	for _, tc := range []struct {
		verbs  []string
		code   int
		reason metav1.StatusReason
	}{
		{[]string{"delete"}, http.StatusForbidden, metav1.StatusReasonForbidden},
		{[]string{"delete"}, http.StatusConflict, metav1.StatusReasonConflict},
		{[]string{"get", "list", "watch"}, http.StatusForbidden, metav1.StatusReasonForbidden},
	} {
		rec, cfg := s.Recorder()
		for _, verb := range tc.verbs {
			rec.Answer(check.Match{Verb: verb}, 0, check.Always, tc.code, tc.reason, "injected by the check")
		}
		client := coreClient(s, cfg)
		err := s.CallWithin(10*time.Second, func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			return DeletePod(ctx, client, ns, "refused")
		})
		s.Require(err != nil, fmt.Sprintf("every %s was answered with %d, and DeletePod said that the pod is gone\n%s", strings.Join(tc.verbs, ", "), tc.code, rec.Trace()),
			"an error was taken for \"gone\": only NotFound, or a GET that finds another UID, means that. A 409 alone does not, not even with a UID as precondition")
	}
}

// judgeErrorsWhileWaiting has every GET fail once the DELETE is accepted, while
// the pod is still there.
func judgeErrorsWhileWaiting(s *check.S, ns string, held func(string) *corev1.Pod, release func(string) error) {
	held("unlucky")
	rec, cfg := s.Recorder()
	for _, verb := range []string{"get", "list", "watch"} {
		rec.AnswerAfter(check.Match{Verb: "delete"}, check.Match{Verb: verb}, http.StatusInternalServerError, metav1.StatusReasonInternalError, "injected by the check")
	}
	err := s.CallWithin(10*time.Second, func(ctx context.Context) error { return DeletePod(ctx, coreClient(s, cfg), ns, "unlucky") })
	s.Require(err != nil, "every GET after the DELETE was answered with 500, and DeletePod said that the pod is gone\n"+rec.Trace(),
		"any error counts as gone: only apierrors.IsNotFound does")
	s.Setup(release("unlucky"), "release pod unlucky")
}

// judgeContext holds a pod for longer than the context lasts, and cuts a watch
// on it once: that is no reason to give up.
func judgeContext(s *check.S, ns string, held func(string) *corev1.Pod) {
	held("stuck")
	rec, cfg := s.Recorder()
	watches := rec.Outage(check.Match{Resource: "pods"})
	go func() {
		rec.WaitFor(s.Context(), check.Match{Verb: "delete", Name: "stuck"})
		time.Sleep(500 * time.Millisecond)
		watches.Cut()
	}()
	client := coreClient(s, cfg)
	err := s.CallWithin(10*time.Second, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		return DeletePod(ctx, client, ns, "stuck")
	})
	s.Require(err != nil, "pod stuck is still there, and DeletePod returned no error after ctx had ended or the watch was cut\n"+rec.Trace(),
		"the end of ctx, or of a watch, is not the end of the pod: return ctx.Err(), wrapped; a watch that ends is opened again")
	s.Require(errors.Is(err, context.DeadlineExceeded), fmt.Sprintf("ctx ended while pod stuck was still there, and errors.Is(err, context.DeadlineExceeded) is false: %v\n%s", err, rec.Trace()),
		"wrap the context's error with %w, so that a caller can tell \"too slow\" from \"refused\"; a watch that ends before ctx is opened again")
}

// judgeSuccessor puts a new pod of the same name in the place of the deleted one.
func judgeSuccessor(s *check.S, ns string) {
	pods := s.Clientset().CoreV1().Pods(ns)
	s.CreatePod(ns, check.PendingPod("reborn", nil))
	rec, cfg := s.Recorder()
	var successor *corev1.Pod
	rec.After(check.Match{Verb: "delete", Name: "reborn"}, 1, func() (err error) {
		// With foreground propagation the old one takes a moment to go.
		return retry.OnError(wait.Backoff{Steps: 50, Duration: 100 * time.Millisecond}, apierrors.IsAlreadyExists, func() error {
			successor, err = pods.Create(s.Context(), check.PendingPod("reborn", nil), metav1.CreateOptions{})
			return err
		})
	})
	err := s.CallWithin(10*time.Second, func(ctx context.Context) error { return DeletePod(ctx, coreClient(s, cfg), ns, "reborn") })
	s.Require(err == nil, fmt.Sprintf("pod reborn was deleted and a new pod of that name was made, and DeletePod returned: %v\n%s", err, rec.Trace()),
		"a name is not an identity: compare the UID; another UID means that the old pod is gone")
	now, err := pods.Get(s.Context(), "reborn", metav1.GetOptions{})
	s.Require(err == nil && successor != nil && now.UID == successor.UID, "the new pod of the same name was deleted as well\n"+rec.Trace(),
		"the DELETE is repeated by name and hits a pod that is not the one: send it once, or with the UID as precondition")
}

func TestStep8_ServerVersion(t *testing.T) {
	check.Step(t, 8, "ServerVersion", func(s *check.S) {
		want, err := s.Clientset().Discovery().ServerVersion()
		s.Setup(err, "read the server's version")

		rec, cfg := s.Recorder()
		var got *version.Info
		err = s.Call(func(ctx context.Context) (err error) {
			got, err = ServerVersion(ctx, coreClient(s, cfg))
			return err
		})
		s.Require(rec.Count(check.Match{}) > 0, "no request was sent\n"+rec.Trace(), "the version must come from the server")
		for _, req := range rec.Requests(check.Match{}) {
			s.Require(req.Path == "/version", fmt.Sprintf("the request went to %s, want /version\n%s", req.Path, rec.Trace()),
				"/version is no resource of core/v1: AbsPath(\"/version\") replaces the path that the client builds, Suffix and Resource add to it")
		}
		s.Require(err == nil, fmt.Sprintf("ServerVersion returned an error: %v\n%s", err, rec.Trace()),
			"version.Info is not a runtime.Object, so Into does not take it: read Raw() and decode it with encoding/json")
		s.Require(got != nil && reflect.DeepEqual(*got, *want), fmt.Sprintf("ServerVersion returned %#v\nwant %#v", got, want), "decode the whole answer into version.Info")

		rec, cfg = s.Recorder()
		rec.Answer(check.Match{Path: "/version"}, 0, check.Always, http.StatusInternalServerError, metav1.StatusReasonInternalError, "injected by the check")
		err = s.Call(func(ctx context.Context) error {
			_, err := ServerVersion(ctx, coreClient(s, cfg))
			return err
		})
		s.Require(rec.Count(check.Match{}) > 0, "a second call sent no request", "the first answer is kept and handed out again: the server may be another one by now, or a newer one. Ask in each call")
		s.Require(apierrors.IsInternalError(err), fmt.Sprintf("the server answered 500; want an error that wraps its status, got %s\n%s", check.ErrorText(err), rec.Trace()),
			"Raw and Do return the server's error: do not drop it, wrap it with %w")

		rec, cfg = s.Recorder()
		rec.AnswerRaw(check.Match{Path: "/version"}, http.StatusOK, "text/html", "<html>a proxy's sign-in page</html>")
		err = s.Call(func(ctx context.Context) error {
			_, err := ServerVersion(ctx, coreClient(s, cfg))
			return err
		})
		s.Require(err != nil, "the answer was no JSON, and ServerVersion returned no error\n"+rec.Trace(), "the error of json.Unmarshal is dropped")

		judgeCancelled(s, func(ctx context.Context, client rest.Interface) error {
			_, err := ServerVersion(ctx, client)
			return err
		})
	})
}
