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
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"example.com/client-go-workshop/internal/check"
)

// fault is what goes wrong during a call.
type fault = func(*check.Recorder)

// twoContainers is a Deployment whose pods nobody schedules, so that only its
// controller, the check and the learner's code write to it.
func twoContainers(name string, replicas int32) *appsv1.Deployment {
	match := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: match},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: match},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: match},
				Spec: corev1.PodSpec{
					SchedulerName: check.NoScheduler,
					Containers: []corev1.Container{
						{Name: "web", Image: "registry.k8s.io/pause:3.10", Env: []corev1.EnvVar{{Name: "COLOUR", Value: "red"}}},
						{Name: "log", Image: "registry.k8s.io/pause:3.10", Env: []corev1.EnvVar{{Name: "LEVEL", Value: "info"}}},
					},
				},
			},
		},
	}
}

// writeLater is another writer: each call sets a label and a field of the spec,
// and waits until the controller has written its answer to that.
func writeLater(s *check.S, ns, name string) func() error {
	client := s.Clientset()
	n := 0
	return func() error {
		n++
		patch := fmt.Sprintf(`{"metadata":{"labels":{"example.com/other-%d":"yes"}},"spec":{"minReadySeconds":%d}}`, n, n)
		_, err := client.AppsV1().Deployments(ns).Patch(s.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		if err != nil {
			return err
		}
		_, err = check.AwaitDeployment(s.Context(), client, ns, name, check.Settled())
		return err
	}
}

// judgeOthersKept wants what writeLater wrote the given number of times.
func judgeOthersKept(d *appsv1.Deployment, writes int, rec *check.Recorder, cause string) {
	for i := range writes {
		label := fmt.Sprintf("example.com/other-%d", i+1)
		rec.Requiref(d.Labels[label] == "yes", cause, "another writer set label %s of deployment %s, and it is lost", label, d.Name)
	}
	rec.Requiref(d.Spec.MinReadySeconds == int32(writes), cause,
		"another writer set minReadySeconds of deployment %s to %d, and it is %d", d.Name, writes, d.Spec.MinReadySeconds)
}

const (
	unconditionalCause = "a PUT without a resourceVersion, or one built from scratch, overwrites whatever is there, " +
		"and the server does not complain: send the object that the GET brought, with its resourceVersion"
	emptyNamespaceCause = "the namespace is empty. A typed client drops an empty namespace from the path: a list or a watch is then " +
		"for all namespaces, a POST is answered with 405, and a request for one object with 404, which does not say that " +
		"the object is absent. Deployments(namespace) wants the caller's"
	onlyConflictCause = "only a 409 Conflict is worth another try: retry.RetryOnConflict looks at the error"
	giveUpCause       = "give up after some tries and return the conflict itself, wrapped with %w; retry.RetryOnConflict does"
	wrapCause         = "return the error of the request, wrapped with %w"
	notSentBackCause  = "the returned Deployment is not the object that the server sent back"
	absent            = "for a Deployment that does not exist"
)

// judgeNamespace wants every request for Deployments to be for one namespace.
func judgeNamespace(s *check.S, rec *check.Recorder, err error) {
	for _, req := range rec.Requests(check.Match{Resource: "deployments"}) {
		s.Requiref(req.Namespace != "", emptyNamespaceCause, "%s is for no namespace\n%s\nthe error was: %v", req, rec.Trace(), err)
	}
	s.Requiref(err == nil || !strings.Contains(err.Error(), "an empty namespace may not be set"), emptyNamespaceCause,
		"the client sent no request: %v", err)
}

const userAgent = "client-go-workshop/clientset"

func TestStep1_NewClientset(t *testing.T) {
	check.Step(t, 1, "NewClientset", func(s *check.S) {
		ns := s.Namespace()
		s.CreatePod(ns, check.PendingPod("web", nil))
		rec, cfg := s.Recorder()
		cfg.QPS, cfg.Burst = 0, 0
		first := judgeFirstClient(s, rec, cfg, ns)
		judgeOtherConfig(s, rec, cfg, ns, first)

		bad := rest.CopyConfig(cfg)
		bad.TLSClientConfig.CAData, bad.TLSClientConfig.CAFile = nil, filepath.Join(s.T().TempDir(), "no-such-ca.crt")
		_, err := newClientset(s, bad)
		s.Require(err != nil, "for a config whose CA file does not exist, NewClientset returned no error",
			"the error of kubernetes.NewForConfig is dropped")
	})
}

func newClientset(s *check.S, cfg *rest.Config) (*kubernetes.Clientset, error) {
	return check.Call(s, func(context.Context) (*kubernetes.Clientset, error) { return NewClientset(cfg) })
}

// judgeFirstClient builds a client and reads a pod with it.
func judgeFirstClient(s *check.S, rec *check.Recorder, cfg *rest.Config, ns string) *kubernetes.Clientset {
	before := rest.CopyConfig(cfg)
	client, err := newClientset(s, cfg)
	s.Requiref(err == nil, clientsetCause(err), "NewClientset returned an error: %v", err)
	s.Require(client != nil, "NewClientset returned no client and no error", "the client is not returned")
	s.RequireNoRequest(rec, "a client is built without asking the server")
	s.RequireSameConfig(before, cfg)

	pod, err := check.Call(s, func(ctx context.Context) (*corev1.Pod, error) {
		return client.CoreV1().Pods(ns).Get(ctx, "web", metav1.GetOptions{})
	})
	sent := rec.Requests(check.Match{})
	rec.Requiref(len(sent) == 1 && err == nil && pod.Name == "web", "the client does not use the config that it was given",
		"a GET of pod %s/web with the new client gave the error: %v", ns, err)
	s.Requiref(sent[0].UserAgent == userAgent, "UserAgent is not set in the config",
		"the User-Agent is %q, want %q", sent[0].UserAgent, userAgent)
	judgeSharedLimit(s, client)
	return client
}

// judgeOtherConfig builds a client from a config that has limits and a name of its own.
func judgeOtherConfig(s *check.S, rec *check.Recorder, cfg *rest.Config, ns string, first *kubernetes.Clientset) {
	theirs := rest.CopyConfig(cfg)
	theirs.QPS, theirs.Burst, theirs.UserAgent = 7, 9, "the-caller/1.0"
	client, err := newClientset(s, theirs)
	s.RequireNoError(err, rec, "")
	_, err = check.Call(s, func(ctx context.Context) (*corev1.Pod, error) {
		return client.CoreV1().Pods(ns).Get(ctx, "web", metav1.GetOptions{})
	})
	s.RequireNoError(err, rec, "")
	s.Require(client != first, "for another config, NewClientset returned the client of the first",
		"a client is kept for the whole process: each call builds one from its own config")
	for _, req := range rec.Requests(check.Match{})[1:] {
		s.Requiref(req.UserAgent == userAgent, "UserAgent is set only when it is empty: set it in each copy",
			"the caller's config has a User-Agent of its own, and the client sends %q, want %q", req.UserAgent, userAgent)
	}
	limiter := client.CoreV1().RESTClient().GetRateLimiter()
	s.Require(limiter != nil && limiter.QPS() == 50, "the caller's config has QPS 7 and Burst 9, and the set's limiter has not QPS 50",
		"QPS and Burst are set only when they are 0: set them in each copy")
	judgeSharedLimit(s, client)
}

func clientsetCause(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, rest.ErrNotInCluster):
		return "the config is made anew, for a program that runs in a pod: the task hands you the config to use"
	case strings.Contains(strings.ToLower(err.Error()), "burst"):
		return "QPS is set and Burst is 0: the limiter that the set shares needs both"
	}
	return check.CauseOf(err)
}

// judgeSharedLimit counts the requests that the clients of the set let go at once.
func judgeSharedLimit(s *check.S, client *kubernetes.Clientset) {
	core, apps := client.CoreV1().RESTClient().GetRateLimiter(), client.AppsV1().RESTClient().GetRateLimiter()
	s.Require(core != nil && apps != nil, "the set's clients have no rate limit, want QPS 50 and Burst 100",
		"QPS is negative, which turns the limit off")
	s.Requiref(core.QPS() == 50,
		"QPS is not set in the config that NewForConfig gets: then each group-version has its own limiter with the default of 5",
		"the QPS of the set's clients is %v, want 50", core.QPS())
	s.Require(core == apps, "CoreV1 and AppsV1 have a limiter each, want one for both",
		"one limiter is shared when QPS and Burst are set before kubernetes.NewForConfig")
	burst := 0
	for burst < 1000 && core.TryAccept() {
		burst++
	}
	// The bucket fills while it is counted, and a request is gone already.
	s.Requiref(burst >= 90 && burst <= 150, "Burst in the config is not 100", "the set lets %d requests go at once, want about 100", burst)
}

func TestStep2_ListPods(t *testing.T) {
	check.Step(t, 2, "ListPods", func(s *check.S) {
		s.Needs(authorizationv1.ResourceAttributes{Verb: "list", Resource: "pods"})
		l := newPodList(s)
		judgePages(l)
		judgeAllNamespaces(l)

		rec, got, err := l.list(l.ns, l.selector, 3, func(rec *check.Recorder) {
			rec.RewriteObject(check.Match{Verb: "list"}, 1, withoutLastPod)
		})
		rec.Requiref(err == nil && len(got) == len(l.want)-1,
			"a server may send fewer than the limit, and more behind the token: only a page without a token is the last",
			"the first page held 2 pods although 3 were asked for, and a token; the list holds %d pods, want %d: %v (error: %v)",
			len(got), len(l.want)-1, got, err)
		rec, got, err = l.list(l.ns, l.selector, 0)
		rec.Requiref(err == nil && slices.Equal(got, l.want), "a limit of 0 means no limit: one request brings all",
			"with page size 0, ListPods gave %v and the error: %v", got, err)
		rec, got, err = l.list(l.ns, "app=nobody", 3)
		rec.Requiref(err == nil && len(got) == 0, "an empty list is no error",
			"for a selector that matches nothing, ListPods gave %v and the error: %v", got, err)

		judgeExpiredToken(l)
		judgeListErrors(l)
	})
}

// podList is a list of seven pods in a namespace that holds others as well.
type podList struct {
	s                   *check.S
	ns, other, selector string
	// want has namespace and name of each pod of the list.
	want []string
}

func newPodList(s *check.S) *podList {
	l := &podList{s: s, ns: s.Namespace(), other: s.Namespace()}
	run := l.ns // a label value that nobody else has
	l.selector = "app in (web),run=" + run
	for i := range 7 {
		name := fmt.Sprintf("web-%d", i)
		l.want = append(l.want, l.ns+"/"+name)
		s.CreatePod(l.ns, check.PendingPod(name, map[string]string{"app": "web", "run": run}))
	}
	s.CreatePod(l.ns, check.PendingPod("db", map[string]string{"app": "db", "run": run}))
	s.CreatePod(l.other, check.PendingPod("far", map[string]string{"app": "web", "run": run}))
	return l
}

// list calls the step. A list that never ends is cut off and judged here.
func (l *podList) list(namespace, selector string, pageSize int64, faults ...fault) (*check.Recorder, []string, error) {
	const enough = 20
	faults = append(faults, func(rec *check.Recorder) {
		rec.RefuseSome(check.Match{Verb: "list"}, enough, check.Always, http.StatusInternalServerError)
	})
	var names []string
	rec, _, err := check.Recorded(l.s, check.CallTimeout, func(ctx context.Context, cfg *rest.Config) (any, error) {
		cfg.ContentType = "application/json" // so that a page can be cut
		pods, err := ListPods(ctx, l.s.ClientsetFor(cfg), namespace, selector, pageSize)
		for _, pod := range pods {
			names = append(names, pod.Namespace+"/"+pod.Name)
		}
		return nil, err
	}, faults...)
	slices.Sort(names)
	elsewhere := func(req check.Request) bool { return namespace == metav1.NamespaceAll && req.Namespace != "" }
	sent := rec.Requests(check.Match{Verb: "list", Resource: "pods"})
	rec.Requiref(!slices.ContainsFunc(sent, elsewhere),
		"an empty namespace means all namespaces: one request without a namespace lists all of them",
		"for all namespaces, a request went to one namespace, want /api/v1/pods")
	rec.Requiref(len(sent) < enough, endlessListCause(rec),
		"more than %d list requests were sent for a few pods in pages of %d", enough, pageSize)
	return rec, names, err
}

// withoutLastPod takes the last pod from a page and leaves its token.
func withoutLastPod(page map[string]any) {
	items, _ := page["items"].([]any)
	page["items"] = items[:max(len(items)-1, 0)]
}

func judgePages(l *podList) {
	s := l.s
	rec, got, err := l.list(l.ns, l.selector, 3)
	sent := rec.Requests(check.Match{Verb: "list"})
	s.RequireNoError(err, rec, listErrorCause(err))
	s.RequireRequest(rec, check.Match{Verb: "list"}, "list request", "the pods must come from the server")
	rec.Requiref(!slices.Contains(got, l.other+"/far"), "Pods(\"\") lists every namespace: hand the namespace over",
		"the list holds pod far of namespace %s; the namespace asked for is %s", l.other, l.ns)
	rec.Requiref(!slices.Contains(got, l.ns+"/db"), "the selector does not reach the server: set LabelSelector in ListOptions",
		"the list holds pod db, which the selector does not match")
	rec.Requiref(len(sent) > 1 || sent[0].Query.Get("resourceVersion") != "0", cachedListCause+"leave it out",
		"the list was asked for with resourceVersion=0, and came in one piece")
	rec.Requiref(slices.Equal(got, l.want), listCause(sent[0], l.ns, len(got), len(l.want)),
		"the list holds %d pods: %v\nwant %d: %v", len(got), got, len(l.want), l.want)
	rec.Requiref(sent[0].Query.Get("limit") == "3", "the page size does not reach the server: set Limit in ListOptions",
		"the first request has limit=%q, want 3", sent[0].Query.Get("limit"))
	for i, req := range sent[1:] {
		rec.Requiref(req.Query.Get("continue") != "",
			"each further page is asked for with the token of the page before: copy page.Continue into ListOptions.Continue",
			"list request %d has no continue token", i+2)
	}
	rec.Requiref(len(sent) == 3, "follow the continue token until it is empty, with the limit in each request",
		"%d list requests were sent for 7 pods in pages of 3, want 3", len(sent))
}

const cachedListCause = "resourceVersion 0 lets the server answer from a cache that may be old, and it takes no notice of the limit: "

func judgeAllNamespaces(l *podList) {
	all := append(slices.Clone(l.want), l.other+"/far")
	slices.Sort(all)
	rec, got, err := l.list(metav1.NamespaceAll, l.selector, 3)
	rec.Requiref(err == nil, check.CauseOf(err), "for all namespaces, ListPods returned an error: %v", err)
	rec.Requiref(slices.Equal(got, all), "an empty namespace means all namespaces, not the default one: hand it to Pods(namespace) as it is",
		"for all namespaces, the list holds %d pods: %v\nwant %d: %v", len(got), got, len(all), all)
	for _, req := range rec.Requests(check.Match{Verb: "list"}) {
		rec.Requiref(req.Query.Get("limit") == "3", "the page size is for the list of all namespaces as well, which is the longest",
			"for all namespaces, a request has limit=%q, want 3", req.Query.Get("limit"))
	}
}

// expire answers pages with 410 Gone, after skip others.
func expire(skip, times int) fault {
	return func(rec *check.Recorder) {
		rec.RefuseSome(check.Match{Verb: "list"}, skip, times, http.StatusGone)
	}
}

// judgeExpiredToken answers further pages with 410 Gone: first one of them, then all.
func judgeExpiredToken(l *podList) {
	s := l.s
	for _, page := range []int{2, 3} {
		rec, got, err := l.list(l.ns, l.selector, 3, expire(page-1, 1))
		rec.Requiref(err == nil, "a token grows old while a long list is read: at apierrors.IsResourceExpired begin again without a token",
			"page %d was answered with 410 Gone, once, and ListPods returned the error: %v", page, err)
		sent := rec.Requests(check.Match{Verb: "list"})
		cause := "the pages from before the 410 belong to an older list: drop them when you begin again"
		if len(got) < len(l.want) {
			cause = "410 Gone is not the end of the list: begin again without a token"
		}
		rec.Requiref(slices.Equal(got, l.want), cause,
			"page %d was answered with 410 Gone, once; the list holds %d pods: %v\nwant %d: %v", page, len(got), got, len(l.want), l.want)
		rec.Requiref(len(sent) > page && sent[page].Query.Get("continue") == "", "an old token stays old: begin again without one",
			"page %d was answered with 410 Gone, and the next request has a continue token again", page)
		for _, req := range sent {
			rec.Requiref(req.Query.Get("resourceVersion") != "0", cachedListCause+"begin again without it",
				"page %d was answered with 410 Gone, and a request has resourceVersion=0", page)
		}
	}

	rec, got, err := l.list(l.ns, l.selector, 3, expire(1, check.Always))
	const what = "every page after the first was answered with 410 Gone"
	rec.Requiref(err != nil, "part of a list looks like the whole", what+", and ListPods returned %d pods and no error", len(got))
	s.Requiref(apierrors.IsResourceExpired(err), "return the 410 itself, wrapped with %w",
		what+", and apierrors.IsResourceExpired is false for the error: %v", err)
}

// judgeListErrors answers the first page with 500, then the second.
func judgeListErrors(l *podList) {
	for _, skip := range []int{0, 1} {
		rec, got, err := l.list(l.ns, l.selector, 3, func(rec *check.Recorder) {
			rec.RefuseSome(check.Match{Verb: "list"}, skip, check.Always, http.StatusInternalServerError)
		})
		what := fmt.Sprintf("page %d was answered with 500", skip+1)
		rec.Requiref(err != nil, "the error of a page is dropped: part of a list looks like the whole",
			"%s, and ListPods returned %d pods and no error", what, len(got))
		l.s.RequireReason(err, metav1.StatusReasonInternalError, rec, what, "wrap the error with %w, so that callers can look at its status")
		l.s.Requiref(len(got) == 0, "a caller that forgets the error must not work with part of a list: return nil",
			"%s, and ListPods returned %d pods beside its error", what, len(got))
	}
}

func endlessListCause(rec *check.Recorder) string {
	gone := func(r check.Request) bool { return r.Status == http.StatusGone }
	if slices.ContainsFunc(rec.Requests(check.Match{Verb: "list"}), gone) {
		return "the server answers with 410 Gone again and again: begin again without the old token, and only a few times"
	}
	return "the same page is asked for again and again: the continue token of the page does not get into the next request, " +
		"or its end is not seen"
}

func listErrorCause(err error) string {
	if apierrors.IsBadRequest(err) && strings.Contains(err.Error(), "resource version") {
		return "a continue token holds its resourceVersion already: leave it out of ListOptions"
	}
	return check.CauseOf(err)
}

func listCause(first check.Request, ns string, got, want int) string {
	switch {
	case got == 0 && first.Namespace != ns:
		return "the pods of another namespace were asked for: hand namespace to Pods as it is"
	case got < want && got > 0:
		return "the list ends after the first pages: follow the continue token until it is empty"
	case got > want:
		return "a page is counted twice"
	default:
		return "the pages are not put together: append the items of each page to the result"
	}
}

func TestStep3_CreateDeployment(t *testing.T) {
	check.Step(t, 3, "CreateDeployment", func(s *check.S) {
		ns := s.Namespace()
		create := func(name string, replicas int32, containers []corev1.Container) (*check.Recorder, *appsv1.Deployment, error) {
			return check.Recorded(s, check.CallTimeout, func(ctx context.Context, cfg *rest.Config) (*appsv1.Deployment, error) {
				return CreateDeployment(ctx, s.ClientsetFor(cfg), ns, name, replicas, containers)
			})
		}
		containers := []corev1.Container{
			{Name: "web", Image: "registry.k8s.io/pause:3.10"},
			{
				Name: "log", Image: "registry.k8s.io/pause:3.9", Args: []string{"-v"}, WorkingDir: "/tmp",
				Env: []corev1.EnvVar{{Name: "LEVEL", Value: "info"}},
			},
		}
		rec, created, err := create("web", 2, containers)
		judgeCreate(s, rec, created, err, ns, "web")
		judgeCreated(s, s.Deployment(ns, "web"), 2, containers)
		rec, created, err = create("shop", 0, containers[:1])
		judgeCreate(s, rec, created, err, ns, "shop")
		judgeCreated(s, s.Deployment(ns, "shop"), 0, containers[:1])

		rec, _, err = create("web", 1, containers)
		s.RequireReason(err, metav1.StatusReasonAlreadyExists, rec, "deployment web was created a second time",
			"a name that is taken is the caller's business: return the error, wrapped with %w")
		now := *s.Deployment(ns, "web").Spec.Replicas
		s.Requiref(now == 2, "creating is not updating",
			"deployment web was there already, and the call changed its replicas from 2 to %d", now)
		rec, _, err = create("empty", 1, nil)
		s.RequireReason(err, metav1.StatusReasonInvalid, rec, "the server refuses a Deployment without containers",
			"the status of the server is lost: return the error, wrapped with %w")
	})
}

// judgeCreate wants one POST, and the server's answer to it.
func judgeCreate(s *check.S, rec *check.Recorder, created *appsv1.Deployment, err error, ns, name string) {
	s.RequireNoError(err, rec, createCause(rec, err))
	posts := rec.Count(check.Match{Verb: "create", Resource: "deployments"})
	rec.Requiref(posts == 1, "one Create is one POST", "%d deployments were posted, want 1", posts)
	s.Require(created != nil, "CreateDeployment returned no Deployment and no error", "return what Create returned")
	d, err := s.Clientset().AppsV1().Deployments(ns).Get(s.Context(), name, metav1.GetOptions{})
	rec.Requiref(err == nil, "the namespace or the name is another one than the caller's",
		"namespace %s holds no deployment %s after the call: %v", ns, name, err)
	s.Requiref(created.UID == d.UID && created.Name == name && created.Spec.RevisionHistoryLimit != nil,
		"the object that was sent is returned in place of the one that the server sent back",
		"the returned Deployment has the UID %q; the one in the cluster has %q", created.UID, d.UID)
}

func judgeCreated(s *check.S, d *appsv1.Deployment, replicas int32, containers []corev1.Container) {
	s.Requiref(*d.Spec.Replicas == replicas, "Replicas is a pointer: nil, which leaving it out also is, becomes 1",
		"deployment %s has replicas %d, want %d", d.Name, *d.Spec.Replicas, replicas)
	labelled := func(where string, got map[string]string) {
		s.Requiref(got["app"] == d.Name, "the label goes to three places: the Deployment, the pod template, the selector",
			"%s of deployment %s is %v, want app=%s in it", where, d.Name, got, d.Name)
	}
	labelled("metadata.labels", d.Labels)
	labelled("spec.template.metadata.labels", d.Spec.Template.Labels)
	selector, err := metav1.LabelSelectorAsSelector(d.Spec.Selector)
	s.Setup(err, "read the selector of deployment "+d.Name)
	others := labels.Merge(d.Spec.Template.Labels, labels.Set{"app": d.Name + "-another"})
	s.Requiref(!selector.Matches(others), "the selector must ask for app="+d.Name,
		"the selector %q of deployment %s takes pods of another app as well", selector, d.Name)
	show := func(containers []corev1.Container) (out []string) {
		for _, c := range containers {
			out = append(out, fmt.Sprintf("%s %s %v %v %s", c.Name, c.Image, c.Env, c.Args, c.WorkingDir))
		}
		return out
	}
	got, want := show(d.Spec.Template.Spec.Containers), show(containers)
	s.Requiref(slices.Equal(got, want), "put the caller's containers into the pod template as they are",
		"deployment %s has the containers %v, want %v", d.Name, got, want)
}

func createCause(rec *check.Recorder, err error) string {
	posts := rec.Requests(check.Match{Verb: "create"})
	switch {
	case err == nil:
		return ""
	case len(posts) > 0 && posts[0].Namespace == "":
		return "the POST went to " + posts[0].Path + ": " + emptyNamespaceCause
	case strings.Contains(err.Error(), "resourceVersion should not be set"):
		return "the object carries the resourceVersion of another that was read before: the server gives a new object its own. " +
			"Begin with an empty appsv1.Deployment"
	case strings.Contains(err.Error(), "selector"):
		return "the selector and the labels of the pod template must match: app={name} in both"
	}
	return check.CauseOf(err)
}

// update is a step that writes to a Deployment of one namespace under conflict.
type update struct {
	s    *check.S
	ns   string
	name string // of the function
	// subresource is where its PUTs should go.
	subresource string
}

// judgeConflicts lets somebody else write between the GET and the PUT, twice, and
// returns the Deployment after that.
func (u update) judgeConflicts(cause string, step func(fault) (*check.Recorder, error)) (*check.Recorder, *appsv1.Deployment) {
	writes := 0
	write := writeLater(u.s, u.ns, "busy")
	rec, err := step(func(rec *check.Recorder) {
		put := check.Match{Verb: "update", Resource: "deployments", Subresource: u.subresource, Name: "busy"}
		rec.Before(put, 2, func() error { writes++; return write() })
	})
	rec.Requiref(err == nil, conflictCause(rec, u.subresource, err),
		"another writer changed deployment busy between the GET and the PUT, twice, and %s returned an error: %v", u.name, err)
	busy := u.s.Deployment(u.ns, "busy")
	judgeOthersKept(busy, writes, rec, cause)
	return rec, busy
}

// updateCause explains an error of an update that should have succeeded. The
// controller is a writer as well, so it may be a conflict that no check made.
func updateCause(rec *check.Recorder, subresource string, err error) string {
	if apierrors.IsConflict(err) {
		return conflictCause(rec, subresource, err)
	}
	return check.CauseOf(err)
}

// conflictCause explains a 409 that got out. subresource is the one that the PUTs should go to.
func conflictCause(rec *check.Recorder, subresource string, err error) string {
	puts := rec.Count(check.Match{Verb: "update", Subresource: subresource})
	gets := rec.Count(check.Match{Verb: "get", Subresource: subresource})
	switch {
	case err != nil && strings.Contains(err.Error(), "resource name may not be empty"):
		return check.CauseOf(err)
	case puts == 1:
		return "a 409 Conflict is not the end: do GET, change and PUT again, in retry.RetryOnConflict"
	case gets < puts:
		return "the retry sends the same stale object again: the GET belongs inside the function that RetryOnConflict repeats"
	default:
		return "each try needs a fresh GET, the change, and a PUT"
	}
}

func TestStep4_SetImage(t *testing.T) {
	check.Step(t, 4, "SetImage", func(s *check.S) {
		ns := s.Namespace()
		set := func(name, container, image string, faults ...fault) (*check.Recorder, *appsv1.Deployment, error) {
			// More than enough for a few tries with a growing pause, and too little for a loop without an end.
			return check.Recorded(s, 10*time.Second, func(ctx context.Context, cfg *rest.Config) (*appsv1.Deployment, error) {
				return SetImage(ctx, s.ClientsetFor(cfg), ns, name, container, "registry.k8s.io/pause:"+image)
			}, faults...)
		}
		before := s.CreateDeployment(ns, twoContainers("quiet", 0))
		rec, updated, err := set("quiet", "log", "3.9")
		judgeNamespace(s, rec, err)
		s.RequireNoError(err, rec, updateCause(rec, "", err))
		judgeImages(s.Deployment(ns, "quiet"), rec)
		judgePuts(s, rec)
		s.Require(updated != nil && updated.Spec.Template.Spec.Containers[1].Image == "registry.k8s.io/pause:3.9" &&
			updated.Generation > before.Generation, notSentBackCause, "return what Update returned")

		s.CreateDeployment(ns, twoContainers("busy", 0))
		rec, busy := update{s, ns, "SetImage", ""}.judgeConflicts(unconditionalCause, func(others fault) (*check.Recorder, error) {
			rec, _, err := set("busy", "log", "3.9", others)
			return rec, err
		})
		judgeImages(busy, rec)

		s.CreateDeployment(ns, twoContainers("hopeless", 0))
		rec, _, err = set("hopeless", "log", "3.9", check.Refusing("update", http.StatusConflict))
		rec.Requiref(err != nil, "the last conflict is dropped", "every PUT was answered with 409, and SetImage returned no error")
		rec.Requiref(apierrors.IsConflict(err), giveUpCause,
			"every PUT was answered with 409, and apierrors.IsConflict is false for the error: %v", err)

		rec, _, err = set("missing", "log", "3.9")
		s.RequireReason(err, metav1.StatusReasonNotFound, rec, absent, "return the error of the GET, wrapped with %w")
		rec, _, err = set("busy", "log", "3.8", check.Refusing("update", http.StatusForbidden))
		s.RequireReason(err, metav1.StatusReasonForbidden, rec, "the PUT was answered with 403", "return the error of the PUT, wrapped with %w")
		rec.Requiref(rec.Count(check.Match{Verb: "update"}) == 1, onlyConflictCause,
			"the PUT was answered with 403, and %d were sent, want 1", rec.Count(check.Match{Verb: "update"}))

		rec, _, err = set("busy", "no-such-container", "3.9")
		judgeNoContainer(s, rec, err)
	})
}

// judgePuts wants a PUT, and a resourceVersion in each.
func judgePuts(s *check.S, rec *check.Recorder) {
	puts := rec.Requests(check.Match{Verb: "update", Resource: "deployments", Name: "quiet"})
	rec.Requiref(len(puts) > 0, "the step is about a full update: GET, change, PUT", "no PUT of deployment quiet was sent")
	for _, put := range puts {
		body, err := put.Object()
		s.Setup(err, "decode the body of a PUT")
		rec.Requiref(!empty(dig(body, "metadata")["resourceVersion"]), unconditionalCause, "a PUT carries no resourceVersion")
	}
}

// judgeImages wants container log with the new image and container web as it was.
func judgeImages(d *appsv1.Deployment, rec *check.Recorder) {
	var got []string
	for _, c := range d.Spec.Template.Spec.Containers {
		got = append(got, fmt.Sprintf("%s %s %v", c.Name, strings.TrimPrefix(c.Image, "registry.k8s.io/"), c.Env))
	}
	want := []string{"web pause:3.10 [{COLOUR red nil}]", "log pause:3.9 [{LEVEL info nil}]"}
	cause := "find the container by its name, change its image, and leave all else as the GET brought it"
	if slices.Equal(got, []string{want[0], strings.Replace(want[1], "3.9", "3.10", 1)}) {
		cause = "the PUT did not change the spec: a copy of the container was changed (range gives copies), " +
			"or the PUT went to the status subresource, which leaves the spec alone"
	}
	rec.Requiref(slices.Equal(got, want), cause, "deployment %s has the containers %v\nwant %v", d.Name, got, want)
}

func judgeNoContainer(s *check.S, rec *check.Recorder, err error) {
	const what = "deployment busy has no container no-such-container"
	rec.Requiref(err != nil, "the loop over the containers ended without a match, and nobody looked",
		what+", and SetImage returned no error")
	s.Requiref(strings.Contains(err.Error(), "no-such-container"), "say which container is missing",
		what+", and the error does not name it: %v", err)
	rec.Requiref(rec.Count(check.Match{Verb: "update"})+rec.Count(check.Match{Verb: "patch"}) == 0,
		"look for the container before you write, and never add one", what+", and it was written to")
}

func TestStep5_ScaleDeployment(t *testing.T) {
	check.Step(t, 5, "ScaleDeployment", func(s *check.S) {
		ns := s.Namespace()
		scale := func(name string, replicas int32, faults ...fault) (*check.Recorder, *autoscalingv1.Scale, error) {
			return check.Recorded(s, 10*time.Second, func(ctx context.Context, cfg *rest.Config) (*autoscalingv1.Scale, error) {
				return ScaleDeployment(ctx, s.ClientsetFor(cfg), ns, name, replicas)
			}, faults...)
		}
		s.CreateDeployment(ns, twoContainers("quiet", 1))
		for _, replicas := range []int32{3, 0} {
			before := s.Deployment(ns, "quiet")
			rec, scaled, err := scale("quiet", replicas)
			judgeScaled(s, rec, before, scaled, err, replicas)
		}

		s.CreateDeployment(ns, twoContainers("busy", 0))
		rec, busy := update{s, ns, "ScaleDeployment", "scale"}.judgeConflicts(
			"a Scale holds nothing but the number; whatever else was written comes from another request",
			func(others fault) (*check.Recorder, error) {
				rec, _, err := scale("busy", 2, others)
				return rec, err
			})
		rec.Requiref(*busy.Spec.Replicas == 2, "the retry sets the number again",
			"deployment busy wants %d replicas, want 2", *busy.Spec.Replicas)

		rec, _, err := scale("busy", 4, check.Refusing("update", http.StatusConflict))
		if rec.Count(check.Match{Verb: "update"}) > 0 {
			s.RequireReason(err, metav1.StatusReasonConflict, rec, "every PUT was answered with 409", giveUpCause)
		}
		rec, _, err = scale("missing", 1)
		s.RequireReason(err, metav1.StatusReasonNotFound, rec, absent, wrapCause)
		rec, _, err = scale("busy", -1)
		const negative = "for -1 replicas, which the server refuses"
		s.RequireReason(err, metav1.StatusReasonInvalid, rec, negative, wrapCause)
		written := rec.Count(check.Match{Verb: "update"}) + rec.Count(check.Match{Verb: "patch"})
		rec.Requiref(written == 1, onlyConflictCause, negative+", %d requests to write were sent, want 1", written)

		// It wants two pods, and its controller waits with them.
		bare := twoContainers("bare", 2)
		bare.Spec.Paused = true
		_, err = s.Clientset().AppsV1().Deployments(ns).Create(s.Context(), bare, metav1.CreateOptions{})
		s.Setup(err, "create deployment bare")
		rec, _, err = scale("bare", 0)
		now := *s.Deployment(ns, "bare").Spec.Replicas
		rec.Requiref(err == nil && now == 0,
			"Status.Replicas is what is there, Spec.Replicas what is wanted: the status does not tell that nothing is to be done",
			"deployment bare wanted 2 replicas, and none was there; scaled to 0, it wants %d (error: %v)", now, err)
	})
}

// judgeScaled wants a Deployment to be scaled through its Scale.
func judgeScaled(s *check.S, rec *check.Recorder, before *appsv1.Deployment, scaled *autoscalingv1.Scale, err error, replicas int32) {
	judgeNamespace(s, rec, err)
	judgeScaleRequests(rec)
	s.RequireNoError(err, rec, updateCause(rec, "scale", err))
	now := *s.Deployment(before.Namespace, before.Name).Spec.Replicas
	cause := "set Spec.Replicas of the Scale to the number that the caller wants, and send it with UpdateScale"
	if now == *before.Spec.Replicas {
		cause += "; Status.Replicas only reports what is there"
	}
	rec.Requiref(now == replicas, cause, "deployment quiet wants %d replicas, want %d", now, replicas)
	s.Requiref(scaled != nil && scaled.Spec.Replicas == replicas, "return what the server sent back",
		"the returned Scale is %+v, want spec.replicas %d", scaled, replicas)
	s.Require(scaled.UID == before.UID && scaled.ResourceVersion != "" && scaled.ResourceVersion != before.ResourceVersion,
		"the returned Scale is not the object that the server sent back", "return what UpdateScale returned")
}

// judgeScaleRequests wants requests to the subresource and no others.
func judgeScaleRequests(rec *check.Recorder) {
	written := 0
	for _, req := range rec.Requests(check.Match{}) {
		rec.Requiref(req.Resource == "deployments" && req.Subresource == "scale",
			"a request to the Deployment itself needs the right to change all of it: use GetScale and UpdateScale",
			"%s does not go to the scale subresource", req)
		if req.Verb == "update" || req.Verb == "patch" {
			written++
		}
	}
	rec.Requiref(written > 0, "a Scale that is changed in memory alone changes nothing: send it with UpdateScale",
		"nothing was written to the scale subresource")
}

// envCall is one call of SetEnv for container log, and the variables wanted after it.
type envCall struct {
	what, key, value string
	want             []corev1.EnvVar
}

func envCalls() []envCall {
	const quotes, blanks = "{\"a\":\t\"b\\n\"}", " \x1b[1m "
	env := func(level, format string) []corev1.EnvVar {
		return []corev1.EnvVar{{Name: "LEVEL", Value: level}, {Name: "FORMAT", Value: format}}
	}
	return []envCall{
		{"a new variable", "FORMAT", "json", env("info", "json")},
		{"a variable that is there", "LEVEL", "warn", env("warn", "json")},
		{"a value with quotes", "FORMAT", quotes, env("warn", quotes)},
		{"a value with an escape character and blanks", "FORMAT", blanks, env("warn", blanks)},
	}
}

func TestStep6_SetEnv(t *testing.T) {
	check.Step(t, 6, "SetEnv", func(s *check.S) {
		ns := s.Namespace()
		set := func(name, container, key, value string) (*check.Recorder, *appsv1.Deployment, error) {
			return check.Recorded(s, check.CallTimeout, func(ctx context.Context, cfg *rest.Config) (*appsv1.Deployment, error) {
				return SetEnv(ctx, s.ClientsetFor(cfg), ns, name, container, key, value)
			})
		}
		s.CreateDeployment(ns, twoContainers("web", 0))
		for _, tc := range envCalls() {
			before := s.Deployment(ns, "web")
			rec, patched, err := set("web", "log", tc.key, tc.value)
			judgeNamespace(s, rec, err)
			envPatch{s, tc.what, rec, err}.judge("log", tc.key)
			d := s.Deployment(ns, "web")
			judgeEnv(s, tc, before, d, rec)
			s.Require(patched != nil && patched.UID == d.UID && patched.Generation > before.Generation,
				tc.what+": "+notSentBackCause, "return what Patch returned")
		}

		const cause = "return the error of the PATCH, wrapped with %w"
		rec, _, err := set("missing", "web", "A", "b")
		s.RequireReason(err, metav1.StatusReasonNotFound, rec, absent, cause)
		rec, _, err = set("web", "no-such-container", "A", "b")
		s.RequireReason(err, metav1.StatusReasonInvalid, rec,
			"for a container that does not exist, which the server takes for a new one without an image", cause)
		containers := s.Deployment(ns, "web").Spec.Template.Spec.Containers
		s.Require(len(containers) == 2, "deployment web has a container that was not there before: "+showContainers(containers),
			"the patch must not bring an image")
	})
}

// judgeEnv wants the variables of container log, and all else of the containers as it was.
func judgeEnv(s *check.S, tc envCall, before, now *appsv1.Deployment, rec *check.Recorder) {
	byName := func(d *appsv1.Deployment) map[string]corev1.Container {
		out := map[string]corev1.Container{}
		for _, c := range d.DeepCopy().Spec.Template.Spec.Containers {
			// A strategic merge patch puts new entries in front: the order is the server's business.
			slices.SortFunc(c.Env, func(a, b corev1.EnvVar) int { return -strings.Compare(a.Name, b.Name) })
			out[c.Name] = c
		}
		return out
	}
	got, want := byName(now), byName(before)
	log := want["log"]
	log.Env = tc.want
	want["log"] = log
	s.Requiref(reflect.DeepEqual(got, want),
		"the patch must change this variable of this container, and leave the others",
		"%s: the containers of deployment web are\n  %s\nwant\n  %s\nthe patch was %s",
		tc.what, showContainers(now.Spec.Template.Spec.Containers), showContainers([]corev1.Container{want["web"], log}),
		rec.Requests(check.Match{Verb: "patch"})[0].Body)
}

func showContainers(containers []corev1.Container) string {
	var out []string
	for _, c := range containers {
		out = append(out, fmt.Sprintf("%s %s %v", c.Name, c.Image, c.Env))
	}
	return strings.Join(out, ", ")
}

// envPatch is the patch of one call of SetEnv, which ended with err.
type envPatch struct {
	s    *check.S
	what string
	rec  *check.Recorder
	err  error
}

// judge wants one strategic merge patch that names one container and one variable.
func (p envPatch) judge(container, key string) {
	sent := p.rec.Requests(check.Match{Verb: "patch", Resource: "deployments"})
	p.require(len(sent) == 1 && p.rec.Count(check.Match{}) == 1, p.rec.Saw("want one PATCH of the Deployment and no other request"),
		"a patch says what to change; nothing has to be read first, and nothing else written")
	contentType, patch := sent[0].ContentType, string(sent[0].Body)
	p.require(contentType == string(types.StrategicMergePatchType),
		p.rec.Saw("the Content-Type is %q, want %q", contentType, types.StrategicMergePatchType), wrongPatchCause(contentType))
	body, err := sent[0].Object()
	p.require(err == nil, "the patch is not JSON: "+patch, "encode the patch with encoding/json: a value may hold quotes, "+
		"line breaks and more, and what %q of fmt writes is Go, not JSON")

	list, _ := dig(body, "spec", "template", "spec")["containers"].([]any)
	p.require(len(list) > 0, "the patch has no spec.template.spec.containers: "+patch, "the containers are in the pod template")
	p.require(len(list) == 1, fmt.Sprintf("the patch names %d containers, want 1: %s", len(list), patch),
		"what was read before is sent back, and overwrites what somebody changed meanwhile: name only the container that you change")
	entry := dig(list[0])
	p.require(entry["name"] != nil, "the container in the patch has no name: "+patch,
		"the name is the merge key: without it the server cannot tell which container is meant")
	p.require(entry["name"] == container, fmt.Sprintf("the patch names container %v, want %s: %s", entry["name"], container, patch),
		"use the container that the caller named")
	for field, value := range entry {
		known := field == "name" || field == "env" || strings.HasPrefix(field, "$setElementOrder")
		p.require(known || empty(value), fmt.Sprintf("the patch sets %s of container %s as well: %s", field, container, patch),
			"with the image in it the patch overwrites an image that somebody changed, and makes a new container when the name is misspelt")
	}
	env, _ := entry["env"].([]any)
	p.require(len(env) == 1 && dig(env[0])["name"] == key, fmt.Sprintf("the patch has the variables %v, want %s alone: %s", env, key, patch),
		"a variable is found by its name, too: name only the one that you set. $patch: replace would remove the others")
	p.require(p.err == nil, "SetEnv returned an error, and the patch was "+patch, nullsCause(body, p.err))
}

func (p envPatch) require(ok bool, seen, cause string) {
	p.s.Requiref(ok, cause, "%s: %s\nthe error was: %v", p.what, seen, p.err)
}

func wrongPatchCause(contentType string) string {
	switch types.PatchType(contentType) {
	case types.MergePatchType:
		return "a JSON merge patch replaces a list as a whole: the other container is lost, and this one loses its image. " +
			"types.StrategicMergePatchType merges lists by name"
	case types.JSONPatchType:
		return "a JSON patch finds a container by its position, which another writer may change"
	case types.ApplyPatchType:
		return "an apply takes the field over for its manager; that is step 7"
	}
	return "the second argument of Patch chooses the kind: types.StrategicMergePatchType"
}

func nullsCause(body map[string]any, err error) string {
	if value, named := dig(body, "spec")["selector"]; named && value == nil {
		return "the patch holds \"selector\":null, which removes it: a typed Deployment sends its empty fields too. Build the patch from maps"
	}
	return check.CauseOf(err)
}

// dig follows keys through nested maps; the last one is empty when there is none.
func dig(value any, keys ...string) map[string]any {
	m, _ := value.(map[string]any)
	for _, key := range keys {
		m, _ = m[key].(map[string]any)
	}
	return m
}

func empty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	case string:
		return v == ""
	}
	return false
}

// applied is one call of ApplyReplicas for deployment web.
type applied struct {
	s   *check.S
	ns  string
	rec *check.Recorder
	got *appsv1.Deployment
	err error
	// now is the Deployment after the call, when there is one.
	now *appsv1.Deployment
}

func TestStep7_ApplyReplicas(t *testing.T) {
	check.Step(t, 7, "ApplyReplicas", func(s *check.S) {
		ns := s.Namespace()
		apply := func(manager string, replicas int32, force bool) applied {
			a := applied{s: s, ns: ns}
			a.rec, a.got, a.err = check.Recorded(s, 8*time.Second, func(ctx context.Context, cfg *rest.Config) (*appsv1.Deployment, error) {
				return ApplyReplicas(ctx, s.ClientsetFor(cfg), ns, "web", manager, replicas, force)
			})
			a.now = s.Deployment(ns, "web")
			return a
		}
		s.CreateDeployment(ns, twoContainers("web", 1))

		// The same number as the other manager has: nothing to quarrel about.
		a := apply("alpha", 1, false)
		judgeNamespace(s, a.rec, a.err)
		a.judgeRequest("alpha", false)
		s.RequireNoError(a.err, a.rec, applyCause(a.rec, a.err))
		s.Require(a.got != nil && a.got.UID == a.now.UID, notSentBackCause, "return what Apply returned")
		a.judgeOwned("alpha")

		// Another number: a conflict with the check, which created the Deployment.
		apply("beta", 4, false).judgeConflict()
		a = apply("beta", 4, true)
		a.judgeForced("beta", 4)
		a = apply("beta", 0, true)
		a.rec.Requiref(a.err == nil && *a.now.Spec.Replicas == 0,
			"0 replicas is a number like any other: left out of the configuration, the field is given up",
			"manager beta applied 0 replicas, and deployment web wants %d (error: %v)", *a.now.Spec.Replicas, a.err)

		rec, _, err := check.Recorded(s, 8*time.Second, func(ctx context.Context, cfg *rest.Config) (*appsv1.Deployment, error) {
			return ApplyReplicas(ctx, s.ClientsetFor(cfg), ns, "missing", "alpha", 1, false)
		})
		rec.Requiref(err != nil, "return the error of the apply, wrapped with %w",
			"deployment missing does not exist, and ApplyReplicas returned no error")
	})
}

// judgeConflict wants a refused apply to be the end, and to say whose the field is.
func (a applied) judgeConflict() {
	const owned = "another manager owns spec.replicas with another value"
	a.rec.Requiref(a.err != nil, "the field was taken by force although the caller did not ask for it: hand force on as it is",
		"%s, force is false, and ApplyReplicas returned no error; deployment web now wants %d replicas", owned, *a.now.Spec.Replicas)
	a.s.RequireReason(a.err, metav1.StatusReasonConflict, a.rec, owned, applyCause(a.rec, a.err))
	sent := a.rec.Count(check.Match{Verb: "patch"})
	a.rec.Requiref(sent == 1,
		"this conflict is about who owns a field, not about a stale version: another try changes nothing. RetryOnConflict is for Update",
		"an apply that met a conflict was sent %d times, want 1", sent)
	now := *a.now.Spec.Replicas
	a.rec.Requiref(now == 1, "nothing else may write the field", "the apply was refused, and deployment web wants %d replicas, want 1", now)
	a.s.Requiref(apierrors.HasStatusCause(a.err, metav1.CauseTypeFieldManagerConflict),
		"the server's answer holds a cause for each field: return that error, wrapped with %w, and none of your own making",
		"the error of the conflict no longer says which field another manager owns: %v", a.err)
}

// judgeForced wants an apply by force to take the field, and nothing else.
func (a applied) judgeForced(manager string, replicas int32) {
	a.rec.Requiref(a.err == nil, "Force of ApplyOptions takes the field from its owner: hand force on as it is",
		"with force, ApplyReplicas returned an error: %v", a.err)
	a.judgeRequest(manager, true)
	now := *a.now.Spec.Replicas
	a.rec.Requiref(now == replicas, "apply the number that the caller wants",
		"with force, deployment web wants %d replicas, want %d", now, replicas)
	a.s.Require(a.got != nil && a.got.UID == a.now.UID && *a.got.Spec.Replicas == replicas, notSentBackCause, "return what Apply returned")
	a.judgeOwned(manager)
	containers := a.now.Spec.Template.Spec.Containers
	a.s.Require(len(containers) == 2, "the containers of deployment web are now "+showContainers(containers),
		"apply the number and nothing else")
}

// judgeRequest wants one apply, in the name of the manager.
func (a applied) judgeRequest(manager string, force bool) {
	require := func(ok bool, cause, format string, args ...any) {
		a.s.Requiref(ok, cause, "%s\nthe error was: %v", a.rec.Saw(format, args...), a.err)
	}
	var applies []check.Request
	for _, req := range a.rec.Requests(check.Match{}) {
		if req.Verb == "get" || req.Verb == "list" {
			continue
		}
		require(req.Verb == "patch" && strings.HasPrefix(req.ContentType, "application/apply-patch+"),
			"Update and the other kinds of patch write without asking who owns a field: use Apply of the typed client",
			"%s, Content-Type %q, is no server-side apply", req, req.ContentType)
		applies = append(applies, req)
	}
	require(len(applies) == 1, applyCause(a.rec, a.err), "%d applies were sent, want 1", len(applies))
	query := applies[0].Query
	require(query.Get("fieldManager") == manager,
		"the server keeps the owner of each field by this name: set FieldManager in ApplyOptions to the caller's",
		"the apply has fieldManager=%q, want %q", query.Get("fieldManager"), manager)
	require((query.Get("force") == "true") == force, "force is the caller's decision: hand it on as it is",
		"the apply has force=%q, want %t", query.Get("force"), force)
}

// judgeOwned wants spec.replicas, and no other field, to belong to manager.
func (a applied) judgeOwned(manager string) {
	for _, entry := range a.now.ManagedFields {
		if entry.Manager != manager || entry.Operation != metav1.ManagedFieldsOperationApply {
			continue
		}
		var owned map[string]any
		a.s.Setup(json.Unmarshal(entry.FieldsV1.GetRawBytes(), &owned), "decode the managed fields")
		want := map[string]any{"f:spec": map[string]any{"f:replicas": map[string]any{}}}
		a.rec.Requiref(reflect.DeepEqual(owned, want),
			"what the configuration names, the manager owns: every other writer of these fields now meets a conflict. "+
				"Name spec.replicas and nothing else",
			"manager %s owns %s, want spec.replicas alone", manager, entry.FieldsV1.GetRawString())
		return
	}
	a.s.Fail(a.rec.Saw("manager %s owns nothing of deployment %s by an apply", manager, a.now.Name),
		"the number was written in another way than by an apply in the name of the manager")
}

// namesEmpty tells whether an apply asks to empty the selector.
func namesEmpty(rec *check.Recorder) bool {
	return slices.ContainsFunc(rec.Requests(check.Match{Verb: "patch"}), func(req check.Request) bool {
		body, err := req.Object()
		selector, named := dig(body, "spec")["selector"]
		return err == nil && named && selector == nil
	})
}

func applyCause(rec *check.Recorder, err error) string {
	text := ""
	if err != nil {
		text = err.Error()
	}
	switch {
	case strings.Contains(text, "fieldManager"):
		return "an apply needs the name of its manager: FieldManager in ApplyOptions"
	case strings.Contains(text, "managedFields"):
		return "an object that was read cannot be applied: it carries managedFields. Build an apply configuration with the one field"
	case strings.Contains(text, "Kind") || strings.Contains(text, "kind"):
		return "kind and apiVersion are empty in a typed object that came from the server, and an apply must name them: " +
			"an apply configuration, appsv1apply.Deployment(name, namespace), does"
	case namesEmpty(rec):
		return "a typed Deployment names its empty fields too, such as selector and containers, and so asks to own and to empty them: " +
			"an apply configuration holds only what you set"
	case apierrors.IsConflict(err):
		return "the configuration names more than spec.replicas, or force was not handed on"
	case err == nil:
		return "one Apply is one PATCH"
	}
	return check.CauseOf(err)
}
