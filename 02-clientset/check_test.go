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
	"sync/atomic"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"example.com/client-go-workshop/internal/check"
)

// clientsetFor is the client of the check's own making: a step is judged whether
// or not step 1 is written.
func clientsetFor(s *check.S, cfg *rest.Config) kubernetes.Interface {
	client, err := kubernetes.NewForConfig(cfg)
	s.Setup(err, "build a clientset")
	return client
}

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

// createDeployment is part of the check's preparation. It waits until the
// controller has nothing more to write for now.
func createDeployment(s *check.S, ns string, deployment *appsv1.Deployment) *appsv1.Deployment {
	_, err := s.Clientset().AppsV1().Deployments(ns).Create(s.Context(), deployment, metav1.CreateOptions{})
	s.Setup(err, "create deployment "+deployment.Name)
	return until(s, ns, deployment.Name, "its controller has seen it", settled())
}

// settled is the state in which a Deployment's controller has made its pods and
// written nothing for a moment.
func settled() func(*appsv1.Deployment) bool {
	version, since := "", time.Now()
	return func(d *appsv1.Deployment) bool {
		if d.ResourceVersion != version {
			version, since = d.ResourceVersion, time.Now()
		}
		return d.Status.ObservedGeneration >= d.Generation && d.Status.Replicas == *d.Spec.Replicas && time.Since(since) > 100*time.Millisecond
	}
}

// until waits for a state of a Deployment, as part of the check's preparation.
func until(s *check.S, ns, name, what string, reached func(*appsv1.Deployment) bool) *appsv1.Deployment {
	deployment, err := await(s.Context(), s.Clientset(), ns, name, reached)
	s.Setup(err, "wait until "+what)
	return deployment
}

func await(ctx context.Context, client kubernetes.Interface, ns, name string, reached func(*appsv1.Deployment) bool) (*appsv1.Deployment, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		deployment, err := client.AppsV1().Deployments(ns).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, fmt.Errorf("get deployment %s: %w", name, err)
		}
		if reached(deployment) {
			return deployment, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("deployment %s stays as it is, %+v: %w", name, deployment.Status, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func getDeployment(s *check.S, ns, name string) *appsv1.Deployment {
	deployment, err := s.Clientset().AppsV1().Deployments(ns).Get(s.Context(), name, metav1.GetOptions{})
	s.Setup(err, "get deployment "+name)
	return deployment
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
		_, err = await(s.Context(), client, ns, name, settled())
		return err
	}
}

// keepsOthers wants what writeLater wrote the given number of times.
func keepsOthers(s *check.S, deployment *appsv1.Deployment, writes int, rec *check.Recorder, cause string) {
	for i := range writes {
		label := fmt.Sprintf("example.com/other-%d", i+1)
		s.Require(deployment.Labels[label] == "yes", fmt.Sprintf("another writer set label %s of deployment %s, and it is lost\n%s", label, deployment.Name, rec.Trace()), cause)
	}
	s.Require(deployment.Spec.MinReadySeconds == int32(writes),
		fmt.Sprintf("another writer set minReadySeconds of deployment %s to %d, and it is %d\n%s", deployment.Name, writes, deployment.Spec.MinReadySeconds, rec.Trace()), cause)
}

const unconditionalCause = "a PUT without a resourceVersion, or one built from scratch, overwrites whatever is there, and the server does not complain: send the object that the GET brought, with its resourceVersion"

func TestStep1_NewClientset(t *testing.T) {
	check.Step(t, 1, "NewClientset", func(s *check.S) {
		ns := s.Namespace()
		s.CreatePod(ns, check.PendingPod("web", nil))
		rec, cfg := s.Recorder()
		cfg.QPS, cfg.Burst = 0, 0
		before := rest.CopyConfig(cfg)

		var client *kubernetes.Clientset
		err := s.Call(func(context.Context) (err error) {
			client, err = NewClientset(cfg)
			return err
		})
		s.Require(err == nil, fmt.Sprintf("NewClientset returned an error: %v", err), clientsetCause(err))
		s.Require(client != nil, "NewClientset returned no client and no error", "the client is not returned")
		s.Require(rec.Count(check.Match{}) == 0, "NewClientset made a request\n"+rec.Trace(), "a client is built without asking the server")
		for _, field := range []struct {
			name      string
			was, is   any
			unchanged bool
		}{
			{"QPS", before.QPS, cfg.QPS, cfg.QPS == before.QPS},
			{"Burst", before.Burst, cfg.Burst, cfg.Burst == before.Burst},
			{"RateLimiter", before.RateLimiter, cfg.RateLimiter, cfg.RateLimiter == nil},
			{"UserAgent", before.UserAgent, cfg.UserAgent, cfg.UserAgent == before.UserAgent},
			{"ContentType", before.ContentType, cfg.ContentType, cfg.ContentType == before.ContentType},
			{"Timeout", before.Timeout, cfg.Timeout, cfg.Timeout == before.Timeout},
		} {
			s.Require(field.unchanged, fmt.Sprintf("the caller's config was changed: %s was %v and is %v", field.name, field.was, field.is),
				"rest.Config is shared: work on rest.CopyConfig(cfg)")
		}

		var pod *corev1.Pod
		err = s.Call(func(ctx context.Context) (err error) {
			pod, err = client.CoreV1().Pods(ns).Get(ctx, "web", metav1.GetOptions{})
			return err
		})
		sent := rec.Requests(check.Match{})
		s.Require(len(sent) == 1 && err == nil && pod.Name == "web",
			fmt.Sprintf("a GET of pod %s/web with the new client gave the error: %v\n%s", ns, err, rec.Trace()), "the client does not use the config that it was given")
		s.Require(sent[0].UserAgent == "client-go-workshop/clientset",
			fmt.Sprintf("the User-Agent is %q, want %q", sent[0].UserAgent, "client-go-workshop/clientset"), "UserAgent is not set in the config")
		judgeSharedLimit(s, client)

		theirs := rest.CopyConfig(cfg)
		theirs.QPS, theirs.Burst, theirs.UserAgent = 7, 9, "the-caller/1.0"
		first := client
		s.Must(func(ctx context.Context) (err error) {
			if client, err = NewClientset(theirs); err != nil {
				return err
			}
			_, err = client.CoreV1().Pods(ns).Get(ctx, "web", metav1.GetOptions{})
			return err
		})
		s.Require(client != first, "for another config, NewClientset returned the client of the first", "a client is kept for the whole process: each call builds one from its own config")
		for _, req := range rec.Requests(check.Match{})[1:] {
			s.Require(req.UserAgent == "client-go-workshop/clientset", fmt.Sprintf("the caller's config has a User-Agent of its own, and the client sends %q, want %q", req.UserAgent, "client-go-workshop/clientset"),
				"UserAgent is set only when it is empty: set it in each copy")
		}
		limiter := client.CoreV1().RESTClient().GetRateLimiter()
		s.Require(limiter != nil && limiter.QPS() == 50, "the caller's config has QPS 7 and Burst 9, and the set's limiter has not QPS 50", "QPS and Burst are set only when they are 0: set them in each copy")
		judgeSharedLimit(s, client)

		bad := rest.CopyConfig(cfg)
		bad.TLSClientConfig.CAData, bad.TLSClientConfig.CAFile = nil, filepath.Join(s.T().TempDir(), "no-such-ca.crt")
		err = s.Call(func(context.Context) error {
			_, err := NewClientset(bad)
			return err
		})
		s.Require(err != nil, "for a config whose CA file does not exist, NewClientset returned no error", "the error of kubernetes.NewForConfig is dropped")
	})
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
	s.Require(core != nil && apps != nil, "the set's clients have no rate limit, want QPS 50 and Burst 100", "QPS is negative, which turns the limit off")
	s.Require(core.QPS() == 50, fmt.Sprintf("the QPS of the set's clients is %v, want 50", core.QPS()),
		"QPS is not set in the config that NewForConfig gets: then each group-version has its own limiter with the default of 5")
	s.Require(core == apps, "CoreV1 and AppsV1 have a limiter each, want one for both", "one limiter is shared when QPS and Burst are set before kubernetes.NewForConfig")
	burst := 0
	for burst < 1000 && core.TryAccept() {
		burst++
	}
	// The bucket fills while it is counted, and a request is gone already.
	s.Require(burst >= 90 && burst <= 150, fmt.Sprintf("the set lets %d requests go at once, want about 100", burst), "Burst in the config is not 100")
}

func TestStep2_ListPods(t *testing.T) {
	check.Step(t, 2, "ListPods", func(s *check.S) {
		s.Needs(authorizationv1.ResourceAttributes{Verb: "list", Resource: "pods"})
		ns, other := s.Namespace(), s.Namespace()
		run := ns // a label value that nobody else has
		var want []string
		for i := range 7 {
			name := fmt.Sprintf("web-%d", i)
			want = append(want, ns+"/"+name)
			s.CreatePod(ns, check.PendingPod(name, map[string]string{"app": "web", "run": run}))
		}
		s.CreatePod(ns, check.PendingPod("db", map[string]string{"app": "db", "run": run}))
		s.CreatePod(other, check.PendingPod("far", map[string]string{"app": "web", "run": run}))
		selector := "app in (web),run=" + run

		// A list that never ends is cut off here, and judged below.
		const enough = 20
		list := func(namespace, selector string, pageSize int64, faults ...func(*check.Recorder)) (*check.Recorder, []string, error) {
			rec, cfg := s.Recorder()
			cfg.ContentType = "application/json" // so that a page can be cut
			for _, fault := range faults {
				fault(rec)
			}
			rec.Answer(check.Match{Verb: "list"}, enough, check.Always, http.StatusInternalServerError, metav1.StatusReasonInternalError, "the check has seen enough list requests")
			var names []string
			err := s.Call(func(ctx context.Context) error {
				pods, err := ListPods(ctx, clientsetFor(s, cfg), namespace, selector, pageSize)
				for _, pod := range pods {
					names = append(names, pod.Namespace+"/"+pod.Name)
				}
				return err
			})
			slices.Sort(names)
			judgeScope(s, rec, namespace)
			s.Require(rec.Count(check.Match{Verb: "list"}) < enough, fmt.Sprintf("more than %d list requests were sent for a few pods in pages of %d\n%s", enough, pageSize, rec.Trace()),
				endlessListCause(rec))
			return rec, names, err
		}

		rec, got, err := list(ns, selector, 3)
		judgePages(s, rec, got, want, err, ns, other)

		all := append(slices.Clone(want), other+"/far")
		slices.Sort(all)
		rec, got, err = list(metav1.NamespaceAll, selector, 3)
		s.Require(err == nil, fmt.Sprintf("for all namespaces, ListPods returned an error: %v\n%s", err, rec.Trace()), check.CauseOf(err))
		s.Require(slices.Equal(got, all), fmt.Sprintf("for all namespaces, the list holds %d pods: %v\nwant %d: %v\n%s", len(got), got, len(all), all, rec.Trace()),
			"an empty namespace means all namespaces, not the default one: hand it to Pods(namespace) as it is")
		for _, req := range rec.Requests(check.Match{Verb: "list"}) {
			s.Require(req.Query.Get("limit") == "3", fmt.Sprintf("for all namespaces, a request has limit=%q, want 3\n%s", req.Query.Get("limit"), rec.Trace()),
				"the page size is for the list of all namespaces as well, which is the longest")
		}

		rec, got, err = list(ns, selector, 3, func(rec *check.Recorder) { rec.Rewrite(check.Match{Verb: "list"}, 1, withoutLastPod) })
		s.Require(err == nil && len(got) == len(want)-1, fmt.Sprintf("the first page held 2 pods although 3 were asked for, and a token; the list holds %d pods, want %d: %v (error: %v)\n%s", len(got), len(want)-1, got, err, rec.Trace()),
			"a server may send fewer than the limit, and more behind the token: only a page without a token is the last")

		rec, got, err = list(ns, selector, 0)
		s.Require(err == nil && slices.Equal(got, want), fmt.Sprintf("with page size 0, ListPods gave %v and the error: %v\n%s", got, err, rec.Trace()),
			"a limit of 0 means no limit: one request brings all")
		rec, got, err = list(ns, "app=nobody", 3)
		s.Require(err == nil && len(got) == 0, fmt.Sprintf("for a selector that matches nothing, ListPods gave %v and the error: %v\n%s", got, err, rec.Trace()),
			"an empty list is no error")

		judgeExpiredToken(s, list, ns, selector, want)
		for _, skip := range []int{0, 1} {
			rec, got, err = list(ns, selector, 3, func(rec *check.Recorder) {
				rec.Answer(check.Match{Verb: "list"}, skip, check.Always, http.StatusInternalServerError, metav1.StatusReasonInternalError, "injected by the check")
			})
			s.Require(err != nil, fmt.Sprintf("page %d was answered with 500, and ListPods returned %d pods and no error\n%s", skip+1, len(got), rec.Trace()),
				"the error of a page is dropped: part of a list looks like the whole")
			s.Require(apierrors.IsInternalError(err), fmt.Sprintf("page %d was answered with 500, and the error of ListPods hides it: %v", skip+1, err),
				"wrap the error with %w, so that callers can look at its status")
			s.Require(len(got) == 0, fmt.Sprintf("page %d was answered with 500, and ListPods returned %d pods beside its error", skip+1, len(got)),
				"a caller that forgets the error must not work with part of a list: return nil")
		}
	})
}

// withoutLastPod takes the last pod from a page and leaves its token.
func withoutLastPod(body []byte) ([]byte, error) {
	var page map[string]any
	if err := json.Unmarshal(body, &page); err != nil {
		return nil, fmt.Errorf("decode a page: %w", err)
	}
	items, _ := page["items"].([]any)
	if len(items) == 0 {
		return nil, errors.New("the page is empty")
	}
	page["items"] = items[:len(items)-1]
	return json.Marshal(page)
}

// judgeScope wants a list of all namespaces to be one question.
func judgeScope(s *check.S, rec *check.Recorder, namespace string) {
	if namespace != metav1.NamespaceAll {
		return
	}
	for _, req := range rec.Requests(check.Match{Verb: "list", Resource: "pods"}) {
		s.Require(req.Namespace == "", fmt.Sprintf("for all namespaces, a request went to %s, want /api/v1/pods\n%s", req.Path, rec.Trace()),
			"an empty namespace means all namespaces: one request without a namespace lists all of them")
	}
}

func judgePages(s *check.S, rec *check.Recorder, got, want []string, err error, ns, other string) {
	sent := rec.Requests(check.Match{Verb: "list"})
	s.Require(err == nil, fmt.Sprintf("ListPods returned an error: %v\n%s", err, rec.Trace()), listErrorCause(err))
	s.Require(len(sent) > 0, "ListPods sent no list request\n"+rec.Trace(), "the pods must come from the server")
	s.Require(!slices.Contains(got, other+"/far"), fmt.Sprintf("the list holds pod far of namespace %s; the namespace asked for is %s\n%s", other, ns, rec.Trace()),
		"Pods(\"\") lists every namespace: hand the namespace over")
	s.Require(!slices.Contains(got, ns+"/db"), "the list holds pod db, which the selector does not match\n"+rec.Trace(),
		"the selector does not reach the server: set LabelSelector in ListOptions")
	if len(sent) == 1 && sent[0].Query.Get("resourceVersion") == "0" {
		s.Fail("the list was asked for with resourceVersion=0, and came in one piece\n"+rec.Trace(),
			"resourceVersion 0 lets the server answer from a cache that may be old, and it takes no notice of the limit: leave it out")
	}
	s.Require(slices.Equal(got, want), fmt.Sprintf("the list holds %d pods: %v\nwant %d: %v\n%s", len(got), got, len(want), want, rec.Trace()), listCause(sent[0], ns, len(got), len(want)))
	s.Require(sent[0].Query.Get("limit") == "3", fmt.Sprintf("the first request has limit=%q, want 3\n%s", sent[0].Query.Get("limit"), rec.Trace()),
		"the page size does not reach the server: set Limit in ListOptions")
	for i, req := range sent[1:] {
		s.Require(req.Query.Get("continue") != "", fmt.Sprintf("list request %d has no continue token\n%s", i+2, rec.Trace()),
			"each further page is asked for with the token of the page before: copy page.Continue into ListOptions.Continue")
	}
	s.Require(len(sent) == 3, fmt.Sprintf("%d list requests were sent for 7 pods in pages of 3, want 3\n%s", len(sent), rec.Trace()),
		"follow the continue token until it is empty, with the limit in each request")
}

// judgeExpiredToken answers further pages with 410 Gone: first one of them, then all.
func judgeExpiredToken(s *check.S, list func(string, string, int64, ...func(*check.Recorder)) (*check.Recorder, []string, error), ns, selector string, want []string) {
	expire := func(skip, times int) func(*check.Recorder) {
		return func(rec *check.Recorder) {
			rec.Answer(check.Match{Verb: "list"}, skip, times, http.StatusGone, metav1.StatusReasonExpired, "the provided continue parameter is too old (injected by the check)")
		}
	}
	for _, page := range []int{2, 3} {
		rec, got, err := list(ns, selector, 3, expire(page-1, 1))
		s.Require(err == nil, fmt.Sprintf("page %d was answered with 410 Gone, once, and ListPods returned the error: %v\n%s", page, err, rec.Trace()),
			"a token grows old while a long list is read: at apierrors.IsResourceExpired begin again without a token")
		sent := rec.Requests(check.Match{Verb: "list"})
		cause := "the pages from before the 410 belong to an older list: drop them when you begin again"
		if len(got) < len(want) {
			cause = "410 Gone is not the end of the list: begin again without a token"
		}
		s.Require(slices.Equal(got, want), fmt.Sprintf("page %d was answered with 410 Gone, once; the list holds %d pods: %v\nwant %d: %v\n%s", page, len(got), got, len(want), want, rec.Trace()), cause)
		s.Require(len(sent) > page && sent[page].Query.Get("continue") == "", fmt.Sprintf("page %d was answered with 410 Gone, and the next request has a continue token again\n%s", page, rec.Trace()),
			"an old token stays old: begin again without one")
		for _, req := range sent {
			s.Require(req.Query.Get("resourceVersion") != "0", fmt.Sprintf("page %d was answered with 410 Gone, and a request has resourceVersion=0\n%s", page, rec.Trace()),
				"resourceVersion 0 lets the server answer from a cache that may be old, and it takes no notice of the limit: begin again without it")
		}
	}

	rec, got, err := list(ns, selector, 3, expire(1, check.Always))
	s.Require(err != nil, fmt.Sprintf("every page after the first was answered with 410 Gone, and ListPods returned %d pods and no error\n%s", len(got), rec.Trace()),
		"part of a list looks like the whole")
	s.Require(apierrors.IsResourceExpired(err), fmt.Sprintf("every page after the first was answered with 410 Gone, and apierrors.IsResourceExpired is false for the error: %v", err),
		"return the 410 itself, wrapped with %w")
}

func endlessListCause(rec *check.Recorder) string {
	gone := slices.ContainsFunc(rec.Requests(check.Match{Verb: "list"}), func(r check.Request) bool { return r.Status == http.StatusGone })
	if gone {
		return "the server answers with 410 Gone again and again: begin again without the old token, and only a few times"
	}
	return "the same page is asked for again and again: the continue token of the page does not get into the next request, or its end is not seen"
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
		create := func(cfg *rest.Config, ns, name string, replicas int32, containers []corev1.Container) (*appsv1.Deployment, error) {
			var created *appsv1.Deployment
			err := s.Call(func(ctx context.Context) (err error) {
				created, err = CreateDeployment(ctx, clientsetFor(s, cfg), ns, name, replicas, containers)
				return err
			})
			return created, err
		}
		containers := []corev1.Container{
			{Name: "web", Image: "registry.k8s.io/pause:3.10"},
			{Name: "log", Image: "registry.k8s.io/pause:3.9", Args: []string{"-v"}, WorkingDir: "/tmp", Env: []corev1.EnvVar{{Name: "LEVEL", Value: "info"}}},
		}
		for _, tc := range []struct {
			name       string
			replicas   int32
			containers []corev1.Container
		}{{"web", 2, containers}, {"shop", 0, containers[:1]}} {
			rec, cfg := s.Recorder()
			created, err := create(cfg, ns, tc.name, tc.replicas, tc.containers)
			s.Require(err == nil, fmt.Sprintf("CreateDeployment returned an error: %v\n%s", err, rec.Trace()), createCause(rec, err))
			posts := rec.Requests(check.Match{Verb: "create", Resource: "deployments"})
			s.Require(len(posts) == 1, fmt.Sprintf("%d deployments were posted, want 1\n%s", len(posts), rec.Trace()), "one Create is one POST")
			s.Require(created != nil, "CreateDeployment returned no Deployment and no error", "return what Create returned")

			d, err := s.Clientset().AppsV1().Deployments(ns).Get(s.Context(), tc.name, metav1.GetOptions{})
			s.Require(err == nil, fmt.Sprintf("namespace %s holds no deployment %s after the call: %v\n%s", ns, tc.name, err, rec.Trace()), "the namespace or the name is another one than the caller's")
			judgeCreated(s, d, tc.replicas, tc.containers)
			s.Require(created.UID == d.UID && created.Name == tc.name && created.Spec.RevisionHistoryLimit != nil,
				fmt.Sprintf("the returned Deployment has the UID %q; the one in the cluster has %q", created.UID, d.UID),
				"the object that was sent is returned in place of the one that the server sent back")
		}

		_, err := create(s.Config(), ns, "web", 1, containers)
		s.Require(apierrors.IsAlreadyExists(err), fmt.Sprintf("deployment web was created a second time; want an error that is AlreadyExists, got %s", check.ErrorText(err)),
			"a name that is taken is the caller's business: return the error, wrapped with %w")
		now := getDeployment(s, ns, "web")
		s.Require(*now.Spec.Replicas == 2, fmt.Sprintf("deployment web was there already, and the call changed its replicas from 2 to %d", *now.Spec.Replicas), "creating is not updating")
		_, err = create(s.Config(), ns, "empty", 1, nil)
		s.Require(apierrors.IsInvalid(err), fmt.Sprintf("the server refuses a Deployment without containers; want an error that is Invalid, got %s", check.ErrorText(err)),
			"the status of the server is lost: return the error, wrapped with %w")
	})
}

func judgeCreated(s *check.S, d *appsv1.Deployment, replicas int32, containers []corev1.Container) {
	s.Require(*d.Spec.Replicas == replicas, fmt.Sprintf("deployment %s has replicas %d, want %d", d.Name, *d.Spec.Replicas, replicas),
		"Replicas is a pointer: nil, which leaving it out also is, becomes 1")
	for _, at := range []struct {
		where  string
		labels map[string]string
	}{{"metadata.labels", d.Labels}, {"spec.template.metadata.labels", d.Spec.Template.Labels}} {
		s.Require(at.labels["app"] == d.Name, fmt.Sprintf("%s of deployment %s is %v, want app=%s in it", at.where, d.Name, at.labels, d.Name),
			"the label goes to three places: the Deployment, the pod template, the selector")
	}
	selector, err := metav1.LabelSelectorAsSelector(d.Spec.Selector)
	s.Setup(err, "read the selector of deployment "+d.Name)
	others := labels.Set{}
	for key, value := range d.Spec.Template.Labels {
		others[key] = value
	}
	others["app"] = d.Name + "-another"
	s.Require(!selector.Matches(others), fmt.Sprintf("the selector %q of deployment %s takes pods of another app as well", selector, d.Name),
		"the selector must ask for app="+d.Name)
	var got, want []string
	for _, c := range d.Spec.Template.Spec.Containers {
		got = append(got, fmt.Sprintf("%s %s %v %v %s", c.Name, c.Image, c.Env, c.Args, c.WorkingDir))
	}
	for _, c := range containers {
		want = append(want, fmt.Sprintf("%s %s %v %v %s", c.Name, c.Image, c.Env, c.Args, c.WorkingDir))
	}
	s.Require(slices.Equal(got, want), fmt.Sprintf("deployment %s has the containers %v, want %v", d.Name, got, want), "put the caller's containers into the pod template as they are")
}

// judgeNamespace looks whether every request for Deployments is for one namespace.
func judgeNamespace(s *check.S, rec *check.Recorder, err error) {
	for _, req := range rec.Requests(check.Match{Resource: "deployments"}) {
		s.Require(req.Namespace != "", fmt.Sprintf("%s is for no namespace\n%s\nthe error was: %v", req, rec.Trace(), err), emptyNamespaceCause)
	}
	s.Require(err == nil || !strings.Contains(err.Error(), "an empty namespace may not be set"), fmt.Sprintf("the client sent no request: %v", err), emptyNamespaceCause)
}

const emptyNamespaceCause = "the namespace is empty. A typed client drops an empty namespace from the path: a list or a watch is then for all namespaces, a POST is answered with 405, and a request for one object with 404, which does not say that the object is absent. Deployments(namespace) wants the caller's"

func createCause(rec *check.Recorder, err error) string {
	posts := rec.Requests(check.Match{Verb: "create"})
	switch {
	case err == nil:
		return ""
	case len(posts) > 0 && posts[0].Namespace == "":
		return "the POST went to " + posts[0].Path + ": " + emptyNamespaceCause
	case strings.Contains(err.Error(), "resourceVersion should not be set"):
		return "the object carries the resourceVersion of another that was read before: the server gives a new object its own. Begin with an empty appsv1.Deployment"
	case strings.Contains(err.Error(), "selector"):
		return "the selector and the labels of the pod template must match: app={name} in both"
	}
	return check.CauseOf(err)
}

func TestStep4_SetImage(t *testing.T) {
	check.Step(t, 4, "SetImage", func(s *check.S) {
		ns := s.Namespace()
		setImage := func(cfg *rest.Config, name, container, image string) (*appsv1.Deployment, error) {
			var updated *appsv1.Deployment
			// More than enough for a few tries with a growing pause, and too little for a loop without an end.
			err := s.CallWithin(10*time.Second, func(ctx context.Context) (err error) {
				updated, err = SetImage(ctx, clientsetFor(s, cfg), ns, name, container, image)
				return err
			})
			return updated, err
		}

		before := createDeployment(s, ns, twoContainers("quiet", 0))
		rec, cfg := s.Recorder()
		updated, err := setImage(cfg, "quiet", "log", "registry.k8s.io/pause:3.9")
		judgeNamespace(s, rec, err)
		s.Require(err == nil, fmt.Sprintf("SetImage returned an error: %v\n%s", err, rec.Trace()), updateCause(rec, "", err))
		judgeImages(s, getDeployment(s, ns, "quiet"), rec)
		puts := rec.Requests(check.Match{Verb: "update", Resource: "deployments", Name: "quiet"})
		s.Require(len(puts) > 0, "no PUT of deployment quiet was sent\n"+rec.Trace(), "the step is about a full update: GET, change, PUT")
		s.Require(updated != nil && updated.Spec.Template.Spec.Containers[1].Image == "registry.k8s.io/pause:3.9" && updated.Generation > before.Generation,
			"the returned Deployment is not the object that the server sent back", "return what Update returned")
		judgeVersion(s, puts, rec)

		// Somebody else writes between the GET and the PUT, twice.
		createDeployment(s, ns, twoContainers("busy", 0))
		rec, cfg = s.Recorder()
		rec.Before(check.Match{Verb: "update", Resource: "deployments", Name: "busy"}, 2, writeLater(s, ns, "busy"))
		_, err = setImage(cfg, "busy", "log", "registry.k8s.io/pause:3.9")
		s.Require(err == nil, fmt.Sprintf("another writer changed deployment busy between the GET and the PUT, twice, and SetImage returned an error: %v\n%s", err, rec.Trace()), conflictCause(rec, "", err))
		busy := getDeployment(s, ns, "busy")
		keepsOthers(s, busy, 2, rec, unconditionalCause)
		judgeImages(s, busy, rec)

		// The conflicts do not end.
		createDeployment(s, ns, twoContainers("hopeless", 0))
		rec, cfg = s.Recorder()
		rec.Answer(check.Match{Verb: "update", Resource: "deployments"}, 0, check.Always, http.StatusConflict, metav1.StatusReasonConflict, "injected by the check")
		_, err = setImage(cfg, "hopeless", "log", "registry.k8s.io/pause:3.9")
		s.Require(err != nil, "every PUT was answered with 409, and SetImage returned no error\n"+rec.Trace(), "the last conflict is dropped")
		s.Require(apierrors.IsConflict(err), fmt.Sprintf("every PUT was answered with 409, and apierrors.IsConflict is false for the error: %v\n%s", err, rec.Trace()),
			"give up after some tries and return the conflict itself, wrapped with %w; retry.RetryOnConflict does")

		// Errors that are no conflicts.
		rec, cfg = s.Recorder()
		_, err = setImage(cfg, "missing", "log", "registry.k8s.io/pause:3.9")
		s.Require(apierrors.IsNotFound(err), fmt.Sprintf("for a Deployment that does not exist, want an error that is NotFound, got %s\n%s", check.ErrorText(err), rec.Trace()),
			"return the error of the GET, wrapped with %w")
		rec, cfg = s.Recorder()
		rec.Answer(check.Match{Verb: "update"}, 0, check.Always, http.StatusForbidden, metav1.StatusReasonForbidden, "injected by the check")
		_, err = setImage(cfg, "busy", "log", "registry.k8s.io/pause:3.8")
		s.Require(apierrors.IsForbidden(err), fmt.Sprintf("the PUT was answered with 403; want an error that is Forbidden, got %s\n%s", check.ErrorText(err), rec.Trace()),
			"return the error of the PUT, wrapped with %w")
		s.Require(rec.Count(check.Match{Verb: "update"}) == 1, fmt.Sprintf("the PUT was answered with 403, and %d were sent, want 1\n%s", rec.Count(check.Match{Verb: "update"}), rec.Trace()),
			"only a 409 Conflict is worth another try: retry.RetryOnConflict looks at the error")

		rec, cfg = s.Recorder()
		_, err = setImage(cfg, "busy", "no-such-container", "registry.k8s.io/pause:3.9")
		s.Require(err != nil, "deployment busy has no container no-such-container, and SetImage returned no error\n"+rec.Trace(), "the loop over the containers ended without a match, and nobody looked")
		s.Require(strings.Contains(err.Error(), "no-such-container"), fmt.Sprintf("deployment busy has no container no-such-container, and the error does not name it: %v", err), "say which container is missing")
		s.Require(rec.Count(check.Match{Verb: "update"})+rec.Count(check.Match{Verb: "patch"}) == 0, "deployment busy has no container no-such-container, and it was written to\n"+rec.Trace(),
			"look for the container before you write, and never add one")
	})
}

// judgeImages wants container log with the new image and container web as it was.
func judgeImages(s *check.S, d *appsv1.Deployment, rec *check.Recorder) {
	var got []string
	for _, c := range d.Spec.Template.Spec.Containers {
		got = append(got, fmt.Sprintf("%s %s %v", c.Name, strings.TrimPrefix(c.Image, "registry.k8s.io/"), c.Env))
	}
	want := []string{"web pause:3.10 [{COLOUR red nil}]", "log pause:3.9 [{LEVEL info nil}]"}
	cause := "find the container by its name, change its image, and leave all else as the GET brought it"
	if slices.Equal(got, []string{want[0], strings.Replace(want[1], "3.9", "3.10", 1)}) {
		cause = "the PUT did not change the spec: a copy of the container was changed (range gives copies), or the PUT went to the status subresource, which leaves the spec alone"
	}
	s.Require(slices.Equal(got, want), fmt.Sprintf("deployment %s has the containers %v\nwant %v\n%s", d.Name, got, want, rec.Trace()), cause)
}

func judgeVersion(s *check.S, puts []check.Request, rec *check.Recorder) {
	for _, put := range puts {
		body, err := put.Object()
		s.Setup(err, "decode the body of a PUT")
		metadata, _ := body["metadata"].(map[string]any)
		version, _ := metadata["resourceVersion"].(string)
		s.Require(version != "", "a PUT carries no resourceVersion\n"+rec.Trace(), unconditionalCause)
	}
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
	puts := rec.Requests(check.Match{Verb: "update", Subresource: subresource})
	gets := rec.Count(check.Match{Verb: "get", Subresource: subresource})
	switch {
	case err != nil && strings.Contains(err.Error(), "resource name may not be empty"):
		return check.CauseOf(err)
	case len(puts) == 1:
		return "a 409 Conflict is not the end: do GET, change and PUT again, in retry.RetryOnConflict"
	case gets < len(puts):
		return "the retry sends the same stale object again: the GET belongs inside the function that RetryOnConflict repeats"
	default:
		return "each try needs a fresh GET, the change, and a PUT"
	}
}

func TestStep5_ScaleDeployment(t *testing.T) {
	check.Step(t, 5, "ScaleDeployment", func(s *check.S) {
		ns := s.Namespace()
		scale := func(cfg *rest.Config, name string, replicas int32) (*autoscalingv1.Scale, error) {
			var scaled *autoscalingv1.Scale
			err := s.CallWithin(10*time.Second, func(ctx context.Context) (err error) {
				scaled, err = ScaleDeployment(ctx, clientsetFor(s, cfg), ns, name, replicas)
				return err
			})
			return scaled, err
		}

		createDeployment(s, ns, twoContainers("quiet", 1))
		for _, replicas := range []int32{3, 0} {
			before := getDeployment(s, ns, "quiet")
			rec, cfg := s.Recorder()
			scaled, err := scale(cfg, "quiet", replicas)
			judgeNamespace(s, rec, err)
			judgeScaleRequests(s, rec)
			s.Require(err == nil, fmt.Sprintf("ScaleDeployment returned an error: %v\n%s", err, rec.Trace()), updateCause(rec, "scale", err))
			d := getDeployment(s, ns, "quiet")
			cause := "set Spec.Replicas of the Scale to the number that the caller wants, and send it with UpdateScale"
			if *d.Spec.Replicas == *before.Spec.Replicas {
				cause += "; Status.Replicas only reports what is there"
			}
			s.Require(*d.Spec.Replicas == replicas, fmt.Sprintf("deployment quiet wants %d replicas, want %d\n%s", *d.Spec.Replicas, replicas, rec.Trace()), cause)
			s.Require(scaled != nil && scaled.Spec.Replicas == replicas, fmt.Sprintf("the returned Scale is %+v, want spec.replicas %d", scaled, replicas), "return what the server sent back")
			s.Require(scaled.UID == before.UID && scaled.ResourceVersion != "" && scaled.ResourceVersion != before.ResourceVersion,
				"the returned Scale is not the object that the server sent back", "return what UpdateScale returned")
		}

		// Somebody else writes between the GET and the PUT.
		createDeployment(s, ns, twoContainers("busy", 0))
		rec, cfg := s.Recorder()
		writes := 0
		write := writeLater(s, ns, "busy")
		rec.Before(check.Match{Verb: "update", Subresource: "scale"}, 2, func() error { writes++; return write() })
		_, err := scale(cfg, "busy", 2)
		s.Require(err == nil, fmt.Sprintf("another writer changed deployment busy between the GET and the PUT, twice, and ScaleDeployment returned an error: %v\n%s", err, rec.Trace()),
			conflictCause(rec, "scale", err))
		busy := getDeployment(s, ns, "busy")
		keepsOthers(s, busy, writes, rec, "a Scale holds nothing but the number; whatever else was written comes from another request")
		s.Require(*busy.Spec.Replicas == 2, fmt.Sprintf("deployment busy wants %d replicas, want 2\n%s", *busy.Spec.Replicas, rec.Trace()), "the retry sets the number again")

		// The conflicts do not end.
		rec, cfg = s.Recorder()
		rec.Answer(check.Match{Verb: "update"}, 0, check.Always, http.StatusConflict, metav1.StatusReasonConflict, "injected by the check")
		_, err = scale(cfg, "busy", 4)
		if rec.Count(check.Match{Verb: "update"}) > 0 {
			s.Require(apierrors.IsConflict(err), fmt.Sprintf("every PUT was answered with 409; want an error that is Conflict, got %s\n%s", check.ErrorText(err), rec.Trace()),
				"give up after some tries and return the conflict itself, wrapped with %w")
		}

		_, err = scale(s.Config(), "missing", 1)
		s.Require(apierrors.IsNotFound(err), fmt.Sprintf("for a Deployment that does not exist, want an error that is NotFound, got %s", check.ErrorText(err)),
			"return the error of the request, wrapped with %w")
		rec, cfg = s.Recorder()
		_, err = scale(cfg, "busy", -1)
		s.Require(apierrors.IsInvalid(err), fmt.Sprintf("for -1 replicas, which the server refuses, want an error that is Invalid, got %s", check.ErrorText(err)),
			"return the error of the request, wrapped with %w")
		written := rec.Count(check.Match{Verb: "update"}) + rec.Count(check.Match{Verb: "patch"})
		s.Require(written == 1, fmt.Sprintf("for -1 replicas, which the server refuses, %d requests to write were sent, want 1\n%s", written, rec.Trace()),
			"only a 409 Conflict is worth another try: retry.RetryOnConflict looks at the error")

		// It wants two pods, and its controller waits with them.
		bare := twoContainers("bare", 2)
		bare.Spec.Paused = true
		_, err = s.Clientset().AppsV1().Deployments(ns).Create(s.Context(), bare, metav1.CreateOptions{})
		s.Setup(err, "create deployment bare")
		rec, cfg = s.Recorder()
		_, err = scale(cfg, "bare", 0)
		d := getDeployment(s, ns, "bare")
		s.Require(err == nil && *d.Spec.Replicas == 0, fmt.Sprintf("deployment bare wanted 2 replicas, and none was there; scaled to 0, it wants %d (error: %v)\n%s", *d.Spec.Replicas, err, rec.Trace()),
			"Status.Replicas is what is there, Spec.Replicas what is wanted: the status does not tell that nothing is to be done")
	})
}

// judgeScaleRequests wants requests to the subresource and no others.
func judgeScaleRequests(s *check.S, rec *check.Recorder) {
	written := 0
	for _, req := range rec.Requests(check.Match{}) {
		s.Require(req.Resource == "deployments" && req.Subresource == "scale", fmt.Sprintf("%s does not go to the scale subresource\n%s", req, rec.Trace()),
			"a request to the Deployment itself needs the right to change all of it: use GetScale and UpdateScale")
		if req.Verb == "update" || req.Verb == "patch" {
			written++
		}
	}
	s.Require(written > 0, "nothing was written to the scale subresource\n"+rec.Trace(), "a Scale that is changed in memory alone changes nothing: send it with UpdateScale")
}

func TestStep6_SetEnv(t *testing.T) {
	check.Step(t, 6, "SetEnv", func(s *check.S) {
		ns := s.Namespace()
		setEnv := func(cfg *rest.Config, name, container, key, value string) (*appsv1.Deployment, error) {
			var patched *appsv1.Deployment
			err := s.Call(func(ctx context.Context) (err error) {
				patched, err = SetEnv(ctx, clientsetFor(s, cfg), ns, name, container, key, value)
				return err
			})
			return patched, err
		}

		d := createDeployment(s, ns, twoContainers("web", 0))
		want := slices.Clone(d.Spec.Template.Spec.Containers)
		for _, tc := range []struct {
			what, container, key, value string
			want                        []corev1.EnvVar
		}{
			{"a new variable", "log", "FORMAT", "json", []corev1.EnvVar{{Name: "LEVEL", Value: "info"}, {Name: "FORMAT", Value: "json"}}},
			{"a variable that is there", "log", "LEVEL", "warn", []corev1.EnvVar{{Name: "LEVEL", Value: "warn"}, {Name: "FORMAT", Value: "json"}}},
			{"a value with quotes", "log", "FORMAT", "{\"a\":\t\"b\\n\"}", []corev1.EnvVar{{Name: "LEVEL", Value: "warn"}, {Name: "FORMAT", Value: "{\"a\":\t\"b\\n\"}"}}},
			{"a value with an escape character and blanks", "log", "FORMAT", " \x1b[1m ", []corev1.EnvVar{{Name: "LEVEL", Value: "warn"}, {Name: "FORMAT", Value: " \x1b[1m "}}},
		} {
			before := getDeployment(s, ns, "web")
			rec, cfg := s.Recorder()
			patched, err := setEnv(cfg, "web", tc.container, tc.key, tc.value)
			judgeNamespace(s, rec, err)
			judgeStrategicPatch(s, rec, err, tc.what, tc.container, tc.key)
			d := getDeployment(s, ns, "web")
			want[1].Env = tc.want
			got := slices.Clone(d.Spec.Template.Spec.Containers)
			for _, c := range got {
				// A strategic merge patch puts new entries in front: the order is the server's business.
				slices.SortFunc(c.Env, func(a, b corev1.EnvVar) int { return -strings.Compare(a.Name, b.Name) })
			}
			s.Require(reflect.DeepEqual(containersByName(got), containersByName(want)), fmt.Sprintf("%s: the containers of deployment web are\n  %s\nwant\n  %s\nthe patch was %s",
				tc.what, showContainers(got), showContainers(want), rec.Requests(check.Match{Verb: "patch"})[0].Body), "the patch must change this variable of this container, and leave the others")
			s.Require(patched != nil && patched.UID == d.UID && patched.Generation > before.Generation, tc.what+": the returned Deployment is not the object that the server sent back", "return what Patch returned")
		}

		_, err := setEnv(s.Config(), "missing", "web", "A", "b")
		s.Require(apierrors.IsNotFound(err), fmt.Sprintf("for a Deployment that does not exist, want an error that is NotFound, got %s", check.ErrorText(err)),
			"return the error of the PATCH, wrapped with %w")
		_, err = setEnv(s.Config(), "web", "no-such-container", "A", "b")
		s.Require(apierrors.IsInvalid(err), fmt.Sprintf("for a container that does not exist, which the server takes for a new one without an image, want its error, Invalid, got %s", check.ErrorText(err)),
			"return the error of the PATCH, wrapped with %w")
		d = getDeployment(s, ns, "web")
		s.Require(len(d.Spec.Template.Spec.Containers) == 2, "deployment web has a container that was not there before: "+showContainers(d.Spec.Template.Spec.Containers), "the patch must not bring an image")
	})
}

func containersByName(containers []corev1.Container) map[string]corev1.Container {
	out := map[string]corev1.Container{}
	for _, c := range containers {
		out[c.Name] = c
	}
	return out
}

func showContainers(containers []corev1.Container) string {
	var out []string
	for _, c := range containers {
		out = append(out, fmt.Sprintf("%s %s %v", c.Name, c.Image, c.Env))
	}
	return strings.Join(out, ", ")
}

// judgeStrategicPatch wants one PATCH of the right kind that names one container
// and one variable.
func judgeStrategicPatch(s *check.S, rec *check.Recorder, err error, what, container, key string) {
	sent := rec.Requests(check.Match{Verb: "patch", Resource: "deployments"})
	s.Require(len(sent) == 1 && rec.Count(check.Match{}) == 1, fmt.Sprintf("%s: want one PATCH of the Deployment and no other request\n%s\nthe error was: %v", what, rec.Trace(), err),
		"a patch says what to change; nothing has to be read first, and nothing else written")
	s.Require(sent[0].ContentType == string(types.StrategicMergePatchType), fmt.Sprintf("%s: the Content-Type is %q, want %q\n%s\nthe error was: %v", what, sent[0].ContentType, types.StrategicMergePatchType, rec.Trace(), err),
		wrongPatchCause(sent[0].ContentType))
	body, decodeErr := sent[0].Object()
	s.Require(decodeErr == nil, fmt.Sprintf("%s: the patch is not JSON: %s", what, sent[0].Body), "encode the patch with encoding/json: a value may hold quotes, line breaks and more, and what %q of fmt writes is Go, not JSON")

	pod := dig(body, "spec", "template", "spec")
	list, _ := pod["containers"].([]any)
	s.Require(len(list) > 0, fmt.Sprintf("%s: the patch has no spec.template.spec.containers: %s", what, sent[0].Body), "the containers are in the pod template")
	s.Require(len(list) == 1, fmt.Sprintf("%s: the patch names %d containers, want 1: %s", what, len(list), sent[0].Body),
		"what was read before is sent back, and overwrites what somebody changed meanwhile: name only the container that you change")
	entry, _ := list[0].(map[string]any)
	s.Require(entry["name"] != nil, fmt.Sprintf("%s: the container in the patch has no name: %s\nthe error was: %v", what, sent[0].Body, err),
		"the name is the merge key: without it the server cannot tell which container is meant")
	s.Require(entry["name"] == container, fmt.Sprintf("%s: the patch names container %v, want %s: %s", what, entry["name"], container, sent[0].Body), "use the container that the caller named")
	for field, value := range entry {
		if field != "name" && field != "env" && !strings.HasPrefix(field, "$setElementOrder") && !empty(value) {
			s.Fail(fmt.Sprintf("%s: the patch sets %s of container %s as well: %s", what, field, container, sent[0].Body),
				"with the image in it the patch overwrites an image that somebody changed, and makes a new container when the name is misspelt")
		}
	}
	env, _ := entry["env"].([]any)
	s.Require(len(env) == 1 && dig(env[0])["name"] == key, fmt.Sprintf("%s: the patch has the variables %v, want %s alone: %s", what, env, key, sent[0].Body),
		"a variable is found by its name, too: name only the one that you set. $patch: replace would remove the others")
	s.Require(err == nil, fmt.Sprintf("%s: SetEnv returned an error: %v\nthe patch was %s", what, err, sent[0].Body), nullsCause(body, err))
}

func wrongPatchCause(contentType string) string {
	switch types.PatchType(contentType) {
	case types.MergePatchType:
		return "a JSON merge patch replaces a list as a whole: the other container is lost, and this one loses its image. types.StrategicMergePatchType merges lists by name"
	case types.JSONPatchType:
		return "a JSON patch finds a container by its position, which another writer may change"
	case types.ApplyPatchType:
		return "an apply takes the field over for its manager; that is step 7"
	}
	return "the second argument of Patch chooses the kind: types.StrategicMergePatchType"
}

func nullsCause(body map[string]any, err error) string {
	spec := dig(body, "spec")
	if value, named := spec["selector"]; named && value == nil {
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

func TestStep7_ApplyReplicas(t *testing.T) {
	check.Step(t, 7, "ApplyReplicas", func(s *check.S) {
		ns := s.Namespace()
		apply := func(name, manager string, replicas int32, force bool) (*check.Recorder, *appsv1.Deployment, error) {
			rec, cfg := s.Recorder()
			var applied *appsv1.Deployment
			err := s.CallWithin(8*time.Second, func(ctx context.Context) (err error) {
				applied, err = ApplyReplicas(ctx, clientsetFor(s, cfg), ns, name, manager, replicas, force)
				return err
			})
			return rec, applied, err
		}
		createDeployment(s, ns, twoContainers("web", 1))

		// The same number as the other manager has: nothing to quarrel about.
		rec, applied, err := apply("web", "alpha", 1, false)
		judgeNamespace(s, rec, err)
		judgeApplyRequest(s, rec, err, "alpha", false)
		s.Require(err == nil, fmt.Sprintf("ApplyReplicas returned an error: %v\n%s", err, rec.Trace()), applyCause(rec, err))
		d := getDeployment(s, ns, "web")
		s.Require(applied != nil && applied.UID == d.UID, "the returned Deployment is not the object that the server sent back", "return what Apply returned")
		judgeOwned(s, d, "alpha", rec)

		// Another number: a conflict with the check, which created the Deployment.
		rec, _, err = apply("web", "beta", 4, false)
		d = getDeployment(s, ns, "web")
		s.Require(err != nil, fmt.Sprintf("another manager owns spec.replicas with another value, force is false, and ApplyReplicas returned no error; deployment web now wants %d replicas\n%s", *d.Spec.Replicas, rec.Trace()),
			"the field was taken by force although the caller did not ask for it: hand force on as it is")
		s.Require(apierrors.IsConflict(err), fmt.Sprintf("another manager owns spec.replicas with another value; want an error that is Conflict, got: %v\n%s", err, rec.Trace()), applyCause(rec, err))
		s.Require(rec.Count(check.Match{Verb: "patch"}) == 1, fmt.Sprintf("an apply that met a conflict was sent %d times, want 1\n%s", rec.Count(check.Match{Verb: "patch"}), rec.Trace()),
			"this conflict is about who owns a field, not about a stale version: another try changes nothing. RetryOnConflict is for Update")
		s.Require(*d.Spec.Replicas == 1, fmt.Sprintf("the apply was refused, and deployment web wants %d replicas, want 1\n%s", *d.Spec.Replicas, rec.Trace()), "nothing else may write the field")
		s.Require(apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict), fmt.Sprintf("the error of the conflict no longer says which field another manager owns: %v", err),
			"the server's answer holds a cause for each field: return that error, wrapped with %w, and none of your own making")

		// By force.
		rec, applied, err = apply("web", "beta", 4, true)
		s.Require(err == nil, fmt.Sprintf("with force, ApplyReplicas returned an error: %v\n%s", err, rec.Trace()), "Force of ApplyOptions takes the field from its owner: hand force on as it is")
		judgeApplyRequest(s, rec, err, "beta", true)
		d = getDeployment(s, ns, "web")
		s.Require(*d.Spec.Replicas == 4, fmt.Sprintf("with force, deployment web wants %d replicas, want 4\n%s", *d.Spec.Replicas, rec.Trace()), "apply the number that the caller wants")
		s.Require(applied != nil && applied.UID == d.UID && *applied.Spec.Replicas == 4, "the returned Deployment is not the object that the server sent back", "return what Apply returned")
		judgeOwned(s, d, "beta", rec)
		s.Require(len(d.Spec.Template.Spec.Containers) == 2, "the containers of deployment web are now "+showContainers(d.Spec.Template.Spec.Containers), "apply the number and nothing else")

		rec, _, err = apply("web", "beta", 0, true)
		d = getDeployment(s, ns, "web")
		s.Require(err == nil && *d.Spec.Replicas == 0, fmt.Sprintf("manager beta applied 0 replicas, and deployment web wants %d (error: %v)\n%s", *d.Spec.Replicas, err, rec.Trace()),
			"0 replicas is a number like any other: left out of the configuration, the field is given up")

		rec, _, err = apply("missing", "alpha", 1, false)
		s.Require(err != nil, "deployment missing does not exist, and ApplyReplicas returned no error\n"+rec.Trace(), "return the error of the apply, wrapped with %w")
	})
}

func judgeApplyRequest(s *check.S, rec *check.Recorder, err error, manager string, force bool) {
	var applies []check.Request
	for _, req := range rec.Requests(check.Match{}) {
		if req.Verb == "get" || req.Verb == "list" {
			continue
		}
		s.Require(req.Verb == "patch" && strings.HasPrefix(req.ContentType, "application/apply-patch+"), fmt.Sprintf("%s, Content-Type %q, is no server-side apply\n%s\nthe error was: %v", req, req.ContentType, rec.Trace(), err),
			"Update and the other kinds of patch write without asking who owns a field: use Apply of the typed client")
		applies = append(applies, req)
	}
	s.Require(len(applies) == 1, fmt.Sprintf("%d applies were sent, want 1\n%s\nthe error was: %v", len(applies), rec.Trace(), err), applyCause(rec, err))
	got := applies[0].Query.Get("fieldManager")
	s.Require(got == manager, fmt.Sprintf("the apply has fieldManager=%q, want %q\n%s\nthe error was: %v", got, manager, rec.Trace(), err),
		"the server keeps the owner of each field by this name: set FieldManager in ApplyOptions to the caller's")
	s.Require((applies[0].Query.Get("force") == "true") == force, fmt.Sprintf("the apply has force=%q, want %t\n%s", applies[0].Query.Get("force"), force, rec.Trace()),
		"force is the caller's decision: hand it on as it is")
}

// judgeOwned wants spec.replicas, and no other field, to belong to manager.
func judgeOwned(s *check.S, d *appsv1.Deployment, manager string, rec *check.Recorder) {
	for _, entry := range d.ManagedFields {
		if entry.Manager != manager || entry.Operation != metav1.ManagedFieldsOperationApply {
			continue
		}
		var owned map[string]any
		s.Setup(json.Unmarshal(entry.FieldsV1.Raw, &owned), "decode the managed fields")
		want := map[string]any{"f:spec": map[string]any{"f:replicas": map[string]any{}}}
		s.Require(reflect.DeepEqual(owned, want), fmt.Sprintf("manager %s owns %s, want spec.replicas alone\n%s", manager, entry.FieldsV1.Raw, rec.Trace()),
			"what the configuration names, the manager owns: every other writer of these fields now meets a conflict. Name spec.replicas and nothing else")
		return
	}
	s.Fail(fmt.Sprintf("manager %s owns nothing of deployment %s by an apply\n%s", manager, d.Name, rec.Trace()), "the number was written in another way than by an apply in the name of the manager")
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
		return "kind and apiVersion are empty in a typed object that came from the server, and an apply must name them: an apply configuration, appsv1apply.Deployment(name, namespace), does"
	case namesEmpty(rec):
		return "a typed Deployment names its empty fields too, such as selector and containers, and so asks to own and to empty them: an apply configuration holds only what you set"
	case apierrors.IsConflict(err):
		return "the configuration names more than spec.replicas, or force was not handed on"
	case err == nil:
		return "one Apply is one PATCH"
	}
	return check.CauseOf(err)
}

// complete tells whether the cluster runs what the spec says.
func complete(d *appsv1.Deployment) bool {
	want, status := *d.Spec.Replicas, d.Status
	return status.ObservedGeneration >= d.Generation && status.UpdatedReplicas == want && status.Replicas == want && status.AvailableReplicas == want
}

// bindPods does for pods of app name what no scheduler does: they start then.
func bindPods(ctx context.Context, client kubernetes.Interface, ns, name string) error {
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil || len(nodes.Items) == 0 {
		return fmt.Errorf("find a node for the pods: %w", err)
	}
	pods, err := client.CoreV1().Pods(ns).List(ctx, metav1.ListOptions{LabelSelector: "app=" + name})
	if err != nil {
		return fmt.Errorf("list the pods of %s: %w", name, err)
	}
	for _, pod := range pods.Items {
		if pod.Spec.NodeName != "" {
			continue
		}
		err := client.CoreV1().Pods(ns).Bind(ctx, &corev1.Binding{
			ObjectMeta: metav1.ObjectMeta{Name: pod.Name},
			Target:     corev1.ObjectReference{Kind: "Node", Name: nodes.Items[len(nodes.Items)-1].Name},
		}, metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("bind pod %s: %w", pod.Name, err)
		}
	}
	return nil
}

// rollout is one call of WaitForRollout, and what the check does meanwhile.
type rollout struct {
	s        *check.S
	ns, name string
	client   kubernetes.Interface
	rec      *check.Recorder
	cfg      *rest.Config
	returned atomic.Bool
}

func newRollout(s *check.S, ns, name string) *rollout {
	rec, cfg := s.Recorder()
	return &rollout{s: s, ns: ns, name: name, client: s.Clientset(), rec: rec, cfg: cfg}
}

// wait calls the step, and meanwhile the function that it is given.
func (r *rollout) wait(limit time.Duration, meanwhile func(ctx context.Context) error) (*appsv1.Deployment, error) {
	ctx, cancel := context.WithTimeout(r.s.Context(), limit)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- meanwhile(ctx) }()
	var deployment *appsv1.Deployment
	err := r.s.CallWithin(limit, func(ctx context.Context) (err error) {
		defer r.returned.Store(true)
		deployment, err = WaitForRollout(ctx, clientsetFor(r.s, r.cfg), r.ns, r.name)
		return err
	})
	r.s.Setup(<-done, "bring deployment "+r.name+" into the state that the check needs")
	return deployment, err
}

// pause waits until the step has returned, or enough has been seen, or by has passed.
func (r *rollout) pause(ctx context.Context, by time.Duration, enough func() bool) {
	for end := time.Now().Add(by); time.Now().Before(end) && !r.returned.Load() && !enough(); {
		select {
		case <-ctx.Done():
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (r *rollout) watches() []check.Request {
	return r.rec.Requests(check.Match{Verb: "watch", Resource: "deployments"})
}

func never() bool                       { return false }
func nothing(ctx context.Context) error { return nil }

func TestStep8_WaitForRollout(t *testing.T) {
	check.Step(t, 8, "WaitForRollout", func(s *check.S) {
		ns := s.Namespace()
		// stuck first: most of its deadline passes while the others are judged.
		stuck := twoContainers("stuck", 1)
		stuck.Spec.ProgressDeadlineSeconds = new(int32(1))
		createDeployment(s, ns, stuck)
		createDeployment(s, ns, twoContainers("idle", 0))
		slow := twoContainers("web", 2)
		slow.Spec.Strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{MaxSurge: new(intstr.FromString("100%")), MaxUnavailable: new(intstr.FromInt32(0))}
		createDeployment(s, ns, slow)
		s.Setup(bindPods(s.Context(), s.Clientset(), ns, "web"), "start the pods of deployment web")
		createDeployment(s, ns, twoContainers("old", 1))
		createDeployment(s, ns, twoContainers("doomed", 1))

		r := newRollout(s, ns, "idle")
		d, err := r.wait(6*time.Second, nothing)
		judgeNamespace(s, r.rec, err)
		s.Require(err == nil, fmt.Sprintf("the rollout of deployment idle was complete before the call, and WaitForRollout returned an error: %v\n%s", err, r.rec.Trace()),
			"look at the state first: a watch from there brings an event only when something changes")
		s.Require(d != nil && d.Name == "idle", "WaitForRollout returned no Deployment and no error", "return the Deployment as it is")

		until(s, ns, "web", "its first rollout is complete", complete)
		judgeRollout(s, ns)
		judgeCompaction(s, ns)
		judgeEnds(s, ns)
		judgePaused(s, ns)
	})
}

// judgeRollout takes deployment web through a rollout that stops at two points
// where it looks complete to one who does not look at everything: the controller
// has not seen the spec; the new pods are there and only the old ones run.
func judgeRollout(s *check.S, ns string) {
	admin := s.Clientset()
	forbidReplicaSets(s, ns)
	_, err := admin.AppsV1().Deployments(ns).Patch(s.Context(), "web", types.StrategicMergePatchType,
		[]byte(`{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"registry.k8s.io/pause:3.9"}]}}}}`), metav1.PatchOptions{})
	s.Setup(err, "change deployment web")
	until(s, ns, "web", "its controller has met the quota", func(d *appsv1.Deployment) bool {
		return slices.ContainsFunc(d.Status.Conditions, func(c appsv1.DeploymentCondition) bool {
			return c.Type == appsv1.DeploymentProgressing && c.Status == corev1.ConditionFalse
		})
	})

	r := newRollout(s, ns, "web")
	var ending, hot atomic.Bool
	var stale, half atomic.Bool
	ending.Store(true)
	r.rec.EndWatchesWhile(check.Match{Resource: "deployments"}, ending.Load)
	d, err := r.wait(check.CallTimeout, func(ctx context.Context) error {
		r.pause(ctx, 3*time.Second, func() bool { return len(r.watches()) > 0 })
		r.pause(ctx, 900*time.Millisecond, never)
		stale.Store(r.returned.Load())
		// A loop without a pause gets more time where the machine is busy.
		flood := func(least int) bool {
			all := r.rec.Count(check.Match{})
			return r.rec.UnpausedAfter(check.Match{Verb: "watch"}) >= least || all >= 3*least && r.rec.Unpaused()*4 > all*3
		}
		if flood(3) {
			r.pause(ctx, 6*time.Second, func() bool { return flood(15) })
		}
		hot.Store(flood(15))
		ending.Store(false)

		// The controller is let go, and makes new pods, which nobody schedules.
		if err := r.client.CoreV1().ResourceQuotas(ns).Delete(ctx, "no-replicasets", metav1.DeleteOptions{}); err != nil {
			return err
		}
		if err := label(ctx, r.client, ns, "web", "example.com/go"); err != nil {
			return err
		}
		if _, err := await(ctx, r.client, ns, "web", func(d *appsv1.Deployment) bool {
			return d.Status.ObservedGeneration >= d.Generation && d.Status.UpdatedReplicas == 2 && d.Status.Replicas == 4
		}); err != nil {
			return err
		}
		r.pause(ctx, 300*time.Millisecond, never)
		// Another Deployment, which is complete, takes the label of this one.
		if _, err := r.client.AppsV1().Deployments(ns).Patch(ctx, "idle", types.MergePatchType, []byte(`{"metadata":{"labels":{"app":"web"}}}`), metav1.PatchOptions{}); err != nil {
			return err
		}
		r.pause(ctx, 400*time.Millisecond, never)
		half.Store(r.returned.Load())
		return bindPods(ctx, r.client, ns, "web")
	})

	ended := fmt.Sprintf("WaitForRollout returned %s (error: %v)", describe(d), err)
	switch {
	case hot.Load():
		s.Fail(fmt.Sprintf("every watch ended at once, and %d requests followed the answer before them without a pause\n%s", r.rec.Unpaused(), r.rec.Trace()),
			"a server that is in trouble gets a flood of requests on top: pause before you look again")
	case stale.Load() && (err != nil || d == nil):
		cause := "a closed channel says that this watch is over, not that the rollout is: look again and watch on. A receive from it gives a zero event, so look at its second value"
		if len(r.watches()) == 0 && err != nil {
			cause = "the controller may meet an obstacle, and Progressing be False for a while: only the reason ProgressDeadlineExceeded says that it has given up"
		}
		s.Fail("every watch is closed by the server, and "+ended+" while the rollout went on\n"+r.rec.Trace(), cause)
	case stale.Load():
		s.Fail("the spec was changed, and "+ended+" before the controller had seen it\n"+r.rec.Trace(),
			"a status is about the generation that observedGeneration names: as long as it is behind metadata.generation, the counts describe the old spec")
	case half.Load():
		s.Fail("two new pods did not run yet, two old ones did, and "+ended+"\n"+r.rec.Trace(), halfCause(d))
	}
	s.Require(err == nil, fmt.Sprintf("the rollout of deployment web was completed, and %s\n%s", ended, r.rec.Trace()), "look at the status that each event brings")
	s.Require(d != nil && d.Name == "web" && complete(d), "the rollout of deployment web was completed, and "+ended+"\n"+r.rec.Trace(), "return the Deployment of the event that completed the rollout")
	s.Require(len(r.watches()) > 0, "no watch was opened\n"+r.rec.Trace(), "asking again and again costs requests and misses nothing less: a watch tells you")
}

func halfCause(d *appsv1.Deployment) string {
	if d != nil && d.Name != "web" {
		return "that is another Deployment, and it may have the same labels: watch this name only, with a field selector, or look at the name of what the event brings"
	}
	return "availableReplicas and readyReplicas count old pods as well, and the condition Available is true all the while: the rollout is complete when updatedReplicas, replicas and availableReplicas all equal spec.replicas"
}

func describe(d *appsv1.Deployment) string {
	if d == nil {
		return "no Deployment"
	}
	return fmt.Sprintf("deployment %s with generation %d, observedGeneration %d, and of %d replicas %d updated, %d available, %d in all",
		d.Name, d.Generation, d.Status.ObservedGeneration, *d.Spec.Replicas, d.Status.UpdatedReplicas, d.Status.AvailableReplicas, d.Status.Replicas)
}

// forbidReplicaSets keeps the Deployment controller from making a new ReplicaSet:
// so long observedGeneration stays behind.
func forbidReplicaSets(s *check.S, ns string) {
	client := s.Clientset()
	_, err := client.CoreV1().ResourceQuotas(ns).Create(s.Context(), &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "no-replicasets", Labels: s.Labels()},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"count/replicasets.apps": resource.MustParse("0")}},
	}, metav1.CreateOptions{})
	s.Setup(err, "create a quota")
	probe := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "probe-"},
		Spec:       appsv1.ReplicaSetSpec{Replicas: new(int32(0)), Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "probe"}}, Template: twoContainers("probe", 0).Spec.Template},
	}
	for end := time.Now().Add(10 * time.Second); ; {
		_, err := client.AppsV1().ReplicaSets(ns).Create(s.Context(), probe, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if apierrors.IsForbidden(err) {
			return
		}
		s.Setup(err, "try a quota")
		if time.Now().After(end) {
			s.Setup(errors.New("the quota has no effect"), "keep the Deployment controller back")
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// label changes a Deployment without changing its generation.
func label(ctx context.Context, client kubernetes.Interface, ns, name, key string) error {
	_, err := client.AppsV1().Deployments(ns).Patch(ctx, name, types.MergePatchType, []byte(`{"metadata":{"labels":{"`+key+`":"yes"}}}`), metav1.PatchOptions{})
	return err
}

// judgeCompaction answers the first watch, and those from before it, with 410 Gone.
func judgeCompaction(s *check.S, ns string) {
	r := newRollout(s, ns, "old")
	var oldest atomic.Value
	r.rec.CompactAtFirstWatch(check.Match{Resource: "deployments"}, func() (string, error) {
		cm, err := r.client.CoreV1().ConfigMaps(ns).Create(s.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "compaction-"}}, metav1.CreateOptions{})
		oldest.Store(cm.ResourceVersion)
		return cm.ResourceVersion, err
	})
	healthy := func() bool {
		limit, _ := oldest.Load().(string)
		return slices.ContainsFunc(r.watches(), func(req check.Request) bool {
			from := req.Query.Get("resourceVersion")
			return from == "" || from == "0" || limit != "" && (len(from) > len(limit) || len(from) == len(limit) && from >= limit)
		})
	}
	var recovered, early atomic.Bool
	d, err := r.wait(12*time.Second, func(ctx context.Context) error {
		r.pause(ctx, 5*time.Second, healthy)
		recovered.Store(healthy())
		early.Store(r.returned.Load())
		return bindPods(ctx, r.client, ns, "old")
	})
	const gone = "a watch was answered with an event of the type Error that says 410 Gone"
	s.Require(!early.Load(), fmt.Sprintf("%s, and WaitForRollout returned %s (error: %v) while the rollout went on\n%s", gone, describe(d), err, r.rec.Trace()),
		"410 Gone says that the server has forgotten the resourceVersion from which you watch, and no more: look again, and watch from the list's")
	s.Require(recovered.Load(), fmt.Sprintf("%s, and no watch from a newer resourceVersion was opened in five seconds\n%s", gone, r.rec.Trace()),
		"the same old resourceVersion is refused again and again. A new GET of an object that has not changed brings the same one: take the resourceVersion of a fresh list")
	s.Require(err == nil && d != nil && complete(d), fmt.Sprintf("%s, the rollout was completed later, and WaitForRollout returned %s (error: %v)\n%s", gone, describe(d), err, r.rec.Trace()),
		"after an event of the type Error look again and watch on")
}

// judgePaused has a controller that sees the new spec and does not begin: all
// pods are there and available, and all of them are old.
func judgePaused(s *check.S, ns string) {
	_, err := s.Clientset().AppsV1().Deployments(ns).Patch(s.Context(), "old", types.StrategicMergePatchType,
		[]byte(`{"spec":{"paused":true,"template":{"spec":{"containers":[{"name":"web","image":"registry.k8s.io/pause:3.9"}]}}}}`), metav1.PatchOptions{})
	s.Setup(err, "pause deployment old and change it")
	until(s, ns, "old", "its controller has seen the pause", func(d *appsv1.Deployment) bool {
		return d.Status.ObservedGeneration >= d.Generation && d.Status.UpdatedReplicas == 0
	})
	r := newRollout(s, ns, "old")
	var d *appsv1.Deployment
	err = s.CallWithin(10*time.Second, func(ctx context.Context) (err error) {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		d, err = WaitForRollout(ctx, clientsetFor(s, r.cfg), ns, "old")
		return err
	})
	s.Require(err != nil, fmt.Sprintf("the spec was changed, the controller has seen it and is paused, and WaitForRollout returned %s\n%s", describe(d), r.rec.Trace()),
		"replicas and availableReplicas count old pods as well: updatedReplicas says how many run the new spec")
}

// judgeEnds looks at the waits that do not end well.
func judgeEnds(s *check.S, ns string) {
	until(s, ns, "stuck", "the controller has given up on deployment stuck", func(d *appsv1.Deployment) bool {
		return slices.ContainsFunc(d.Status.Conditions, func(c appsv1.DeploymentCondition) bool { return c.Reason == "ProgressDeadlineExceeded" })
	})
	r := newRollout(s, ns, "stuck")
	d, err := r.wait(8*time.Second, nothing)
	s.Require(err != nil && strings.Contains(err.Error(), "ProgressDeadlineExceeded"),
		fmt.Sprintf("deployment stuck has the condition Progressing with the reason ProgressDeadlineExceeded; want an error that names it, got %s and %s\n%s", describe(d), check.ErrorText(err), r.rec.Trace()),
		"the controller has given up on this rollout: look at the conditions, or the wait has no end")

	r = newRollout(s, ns, "doomed")
	err = s.CallWithin(10*time.Second, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_, err := WaitForRollout(ctx, clientsetFor(s, r.cfg), ns, "doomed")
		return err
	})
	s.Require(err != nil, "ctx ended while the pods of deployment doomed did not run, and WaitForRollout returned no error\n"+r.rec.Trace(), "the end of ctx closes the watch, and is not the end of the rollout")
	s.Require(errors.Is(err, context.DeadlineExceeded), fmt.Sprintf("ctx ended, and errors.Is(err, context.DeadlineExceeded) is false: %v", err), "wrap the context's error with %w")

	for _, name := range []string{"missing", "doomed"} {
		r = newRollout(s, ns, name)
		d, err = r.wait(8*time.Second, func(ctx context.Context) error {
			if name == "missing" {
				return nil
			}
			r.pause(ctx, 3*time.Second, func() bool { return len(r.watches()) > 0 })
			r.pause(ctx, 200*time.Millisecond, never)
			return r.client.AppsV1().Deployments(ns).Delete(ctx, name, metav1.DeleteOptions{})
		})
		what, cause := "deployment missing does not exist", "an empty list, or a GET that says NotFound: return an error that apierrors.IsNotFound knows"
		if name == "doomed" {
			what, cause = "deployment doomed was deleted during the wait", "an event of the type Deleted ends the wait: there will be no rollout any more"
		}
		s.Require(apierrors.IsNotFound(err), fmt.Sprintf("%s; want an error that is NotFound, got %s and %s\n%s", what, describe(d), check.ErrorText(err), r.rec.Trace()), cause)
	}
}

func TestStep9_DeleteDeployment(t *testing.T) {
	check.Step(t, 9, "DeleteDeployment", func(s *check.S) {
		ns := s.Namespace()
		admin := s.Clientset()

		// A finalizer keeps the pod, terminating, for a while.
		held := twoContainers("web", 1)
		held.Spec.Template.Finalizers = []string{"workshop.example.com/hold"}
		createDeployment(s, ns, held)
		rec, cfg := s.Recorder()
		var returned, early atomic.Bool
		released := make(chan error, 1)
		go func() {
			released <- release(s.Context(), admin, rec, ns, &returned, &early)
		}()
		err := s.Call(func(ctx context.Context) error {
			defer returned.Store(true)
			return DeleteDeployment(ctx, clientsetFor(s, cfg), ns, "web")
		})
		s.Setup(<-released, "release the pod of deployment web")
		judgeNamespace(s, rec, err)
		judgePropagation(s, rec, err)
		s.Require(!early.Load(), fmt.Sprintf("DeleteDeployment returned (error: %v) while a pod of deployment web was still there, terminating, held by a finalizer\n%s", err, rec.Trace()),
			"an accepted DELETE is not the end, and neither is a deletionTimestamp: wait until a GET of the Deployment says NotFound")
		s.Require(err == nil, fmt.Sprintf("deployment web and its pod are gone, and DeleteDeployment returned an error: %v\n%s", err, rec.Trace()), "NotFound is what the wait is for, not a failure")
		s.Require(rec.Unpaused() < 10, fmt.Sprintf("%d requests followed the answer before them without a pause, while a pod was terminating\n%s", rec.Unpaused(), rec.Trace()),
			"a loop without a pause floods the API server: wait.PollUntilContextCancel has an interval")
		judgeLooked(s, rec)
		judgeNothingLeft(s, ns, rec)

		rec, cfg = s.Recorder()
		err = s.Call(func(ctx context.Context) error { return DeleteDeployment(ctx, clientsetFor(s, cfg), ns, "never-there") })
		s.Require(err == nil, fmt.Sprintf("for a Deployment that is not there, DeleteDeployment returned: %v\n%s", err, rec.Trace()), "what was asked for is already so: NotFound is no error here")

		judgeDeleteErrors(s, ns)
		judgeSuccessor(s, ns)
	})
}

// release lets go of the pod of deployment web some time after its deletion began.
func release(ctx context.Context, client kubernetes.Interface, rec *check.Recorder, ns string, returned, early *atomic.Bool) error {
	list := func() ([]corev1.Pod, error) {
		pods, err := client.CoreV1().Pods(ns).List(ctx, metav1.ListOptions{LabelSelector: "app=web"})
		if err != nil {
			return nil, fmt.Errorf("list the pods: %w", err)
		}
		return pods.Items, nil
	}
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end) && !returned.Load(); time.Sleep(20 * time.Millisecond) {
		pods, err := list()
		if err != nil {
			return err
		}
		if len(pods) > 0 && pods[0].DeletionTimestamp != nil {
			break
		}
	}
	time.Sleep(700 * time.Millisecond)
	early.Store(returned.Load())
	pods, err := list()
	if err != nil {
		return err
	}
	for _, pod := range pods {
		_, err := client.CoreV1().Pods(ns).Patch(ctx, pod.Name, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("patch pod %s: %w", pod.Name, err)
		}
	}
	return nil
}

func judgePropagation(s *check.S, rec *check.Recorder, err error) {
	deletes := rec.Requests(check.Match{Verb: "delete", Resource: "deployments", Name: "web"})
	s.Require(len(deletes) > 0, fmt.Sprintf("no DELETE of deployment web was sent\n%s\nthe error was: %v", rec.Trace(), err), "the Deployment itself is deleted; the garbage collector sees to the rest")
	for _, req := range deletes {
		policy := req.Query.Get("propagationPolicy")
		if body, err := req.Object(); err == nil && body["propagationPolicy"] != nil {
			policy = fmt.Sprint(body["propagationPolicy"])
		}
		cause := "PropagationPolicy in DeleteOptions is a pointer to metav1.DeletePropagationForeground"
		switch policy {
		case "", string(metav1.DeletePropagationBackground):
			cause = "in the background, which is the default here, the Deployment is gone at once and its pods go later: nobody can see when. " + cause
		case string(metav1.DeletePropagationOrphan):
			cause = "Orphan leaves the ReplicaSets and their pods to run on. " + cause
		}
		s.Require(policy == string(metav1.DeletePropagationForeground), fmt.Sprintf("the DELETE has the propagationPolicy %q, want Foreground\n%s", policy, rec.Trace()), cause)
	}
}

// judgeLooked wants to see the Deployment asked about, or watched, after its DELETE.
func judgeLooked(s *check.S, rec *check.Recorder) {
	deleted, looked := false, false
	for _, req := range rec.Requests(check.Match{Resource: "deployments"}) {
		deleted = deleted || req.Verb == "delete"
		looked = looked || req.Verb == "watch" || deleted && (req.Verb == "get" || req.Verb == "list")
	}
	s.Require(looked, "after the DELETE nobody looked at deployment web\n"+rec.Trace(),
		"its pods go before the Deployment does, and their end is not its end: wait until a GET of the Deployment says NotFound")
}

func judgeNothingLeft(s *check.S, ns string, rec *check.Recorder) {
	_, err := s.Clientset().AppsV1().Deployments(ns).Get(s.Context(), "web", metav1.GetOptions{})
	s.Require(apierrors.IsNotFound(err), "DeleteDeployment returned nil and deployment web is still there\n"+rec.Trace(), "only NotFound, or another UID, means gone")
	pods, err := s.Clientset().CoreV1().Pods(ns).List(s.Context(), metav1.ListOptions{LabelSelector: "app=web"})
	s.Setup(err, "list the pods")
	s.Require(len(pods.Items) == 0, fmt.Sprintf("DeleteDeployment returned nil and %d pods of deployment web are still there\n%s", len(pods.Items), rec.Trace()), "delete with foreground propagation and wait for the end of the Deployment")
}

// judgeDeleteErrors has the DELETE fail, then every GET, then those after the
// DELETE, then ctx end.
func judgeDeleteErrors(s *check.S, ns string) {
	held := twoContainers("unlucky", 1)
	held.Spec.Template.Finalizers = []string{"workshop.example.com/hold"}
	createDeployment(s, ns, held)
	rec, cfg := s.Recorder()
	rec.Answer(check.Match{Verb: "delete"}, 0, check.Always, http.StatusForbidden, metav1.StatusReasonForbidden, "injected by the check")
	err := s.CallWithin(6*time.Second, func(ctx context.Context) error { return DeleteDeployment(ctx, clientsetFor(s, cfg), ns, "unlucky") })
	s.Require(apierrors.IsForbidden(err), fmt.Sprintf("the DELETE was answered with 403; want an error that is Forbidden, got %s\n%s", check.ErrorText(err), rec.Trace()),
		"a DELETE that is refused is an error to return at once, wrapped with %w")

	rec, cfg = s.Recorder()
	for _, verb := range []string{"get", "list", "watch"} {
		rec.Answer(check.Match{Verb: verb}, 0, check.Always, http.StatusInternalServerError, metav1.StatusReasonInternalError, "injected by the check")
	}
	err = s.CallWithin(10*time.Second, func(ctx context.Context) error { return DeleteDeployment(ctx, clientsetFor(s, cfg), ns, "unlucky") })
	s.Require(err != nil, "every GET was answered with 500, and DeleteDeployment said that the Deployment is gone\n"+rec.Trace(),
		"any error of the first GET counts as \"not there\": only apierrors.IsNotFound does")

	rec, cfg = s.Recorder()
	for _, verb := range []string{"get", "list", "watch"} {
		rec.AnswerAfter(check.Match{Verb: "delete"}, check.Match{Verb: verb}, http.StatusInternalServerError, metav1.StatusReasonInternalError, "injected by the check")
	}
	err = s.CallWithin(10*time.Second, func(ctx context.Context) error { return DeleteDeployment(ctx, clientsetFor(s, cfg), ns, "unlucky") })
	s.Require(err != nil, "every GET after the DELETE was answered with 500, and DeleteDeployment said that the Deployment is gone\n"+rec.Trace(),
		"any error counts as gone: only apierrors.IsNotFound does")

	// The pod of unlucky is still held, so its Deployment stays.
	rec, cfg = s.Recorder()
	err = s.CallWithin(10*time.Second, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, 1500*time.Millisecond)
		defer cancel()
		return DeleteDeployment(ctx, clientsetFor(s, cfg), ns, "unlucky")
	})
	s.Require(err != nil, "ctx ended while deployment unlucky was still there, and DeleteDeployment returned no error\n"+rec.Trace(), "the end of ctx is not the end of the Deployment: return ctx.Err(), wrapped")
	s.Require(errors.Is(err, context.DeadlineExceeded), fmt.Sprintf("ctx ended while deployment unlucky was still there, and errors.Is(err, context.DeadlineExceeded) is false: %v", err),
		"wrap the context's error with %w, so that a caller can tell \"too slow\" from \"refused\"")
}

// judgeSuccessor puts a new Deployment of the same name in the place of the deleted one.
func judgeSuccessor(s *check.S, ns string) {
	deployments := s.Clientset().AppsV1().Deployments(ns)
	old := createDeployment(s, ns, twoContainers("reborn", 0))
	rec, cfg := s.Recorder()
	var successor *appsv1.Deployment
	rec.After(check.Match{Verb: "delete", Name: "reborn"}, 1, func() (err error) {
		for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			now, err := deployments.Get(s.Context(), "reborn", metav1.GetOptions{})
			if apierrors.IsNotFound(err) || err == nil && now.UID != old.UID {
				break
			}
		}
		successor, err = deployments.Create(s.Context(), twoContainers("reborn", 0), metav1.CreateOptions{})
		return err
	})
	err := s.CallWithin(check.CallTimeout, func(ctx context.Context) error { return DeleteDeployment(ctx, clientsetFor(s, cfg), ns, "reborn") })
	s.Require(err == nil, fmt.Sprintf("deployment reborn was deleted and a new one of that name was made, and DeleteDeployment returned: %v\n%s", err, rec.Trace()),
		"a name is not an identity: compare the UID; another UID means that the old one is gone")
	now, err := deployments.Get(s.Context(), "reborn", metav1.GetOptions{})
	s.Require(err == nil && successor != nil && now.UID == successor.UID && now.DeletionTimestamp == nil, "the new Deployment of the same name was deleted as well\n"+rec.Trace(),
		"the DELETE is repeated by name and hits one that is not meant: send it once, or with the UID as precondition")
}
