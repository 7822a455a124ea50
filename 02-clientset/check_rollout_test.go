package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"example.com/client-go-workshop/internal/check"
)

// complete tells whether the cluster runs what the spec says.
func complete(d *appsv1.Deployment) bool {
	want, status := *d.Spec.Replicas, d.Status
	return status.ObservedGeneration >= d.Generation &&
		status.UpdatedReplicas == want && status.Replicas == want && status.AvailableReplicas == want
}

// hasReason tells whether a condition of a Deployment has this reason.
func hasReason(reason string) func(*appsv1.Deployment) bool {
	return func(d *appsv1.Deployment) bool {
		return slices.ContainsFunc(d.Status.Conditions, func(c appsv1.DeploymentCondition) bool { return c.Reason == reason })
	}
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

// patchDeployment is a write of the check's own.
func patchDeployment(ctx context.Context, client kubernetes.Interface, ns, name, patch string) error {
	_, err := client.AppsV1().Deployments(ns).Patch(ctx, name, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

// rolloutState is a Deployment as a rollout goes on, and what RolloutComplete has to say of it.
type rolloutState struct {
	what string
	// replicas are those of the spec, -1 for nil.
	replicas, updated, available, total int32
	behind                              bool
	condition                           *appsv1.DeploymentCondition
	want                                bool
	cause                               string
}

const (
	deadlineReason = "ProgressDeadlineExceeded"
	oldPodsCause   = "availableReplicas and readyReplicas count old pods as well, and the condition Available is true all the while: " +
		"the rollout is complete when updatedReplicas, replicas and availableReplicas all equal spec.replicas"
	obstacleCause = "the controller may meet an obstacle, and Progressing be False for a while: " +
		"only the reason ProgressDeadlineExceeded says that it has given up"
	newPodsCause = ": updatedReplicas says how many run the new spec"
	behindCause  = "a status is about the generation that observedGeneration names: as long as it is behind metadata.generation, " +
		"the counts and the conditions describe the old spec"
)

func rolloutStates() []rolloutState {
	const (
		equal = "compare updatedReplicas, replicas and availableReplicas with spec.replicas, each for equality"
		none  = "Replicas is a pointer: nil means 1"
		zero  = "0 replicas is a number like any other"
	)
	is := func(kind appsv1.DeploymentConditionType, status corev1.ConditionStatus, reason string) *appsv1.DeploymentCondition {
		return &appsv1.DeploymentCondition{Type: kind, Status: status, Reason: reason}
	}
	available := is(appsv1.DeploymentAvailable, corev1.ConditionTrue, "MinimumReplicasAvailable")
	obstacle := is(appsv1.DeploymentProgressing, corev1.ConditionFalse, "ReplicaSetCreateError")
	given := is(appsv1.DeploymentProgressing, corev1.ConditionFalse, deadlineReason)
	ready := is(appsv1.DeploymentProgressing, corev1.ConditionTrue, "NewReplicaSetAvailable")
	return []rolloutState{
		{"all pods are new and available", 2, 2, 2, 2, false, available, true, equal},
		{"the controller has not seen the spec", 2, 2, 2, 2, true, available, false, behindCause},
		{"the controller gave up on the spec before this one", 2, 0, 0, 2, true, given, false, behindCause},
		{"all pods are available, and all of them are old", 2, 0, 2, 2, false, available, false, oldPodsCause + newPodsCause},
		{"two new pods do not run, and two old ones do", 2, 2, 2, 4, false, available, false, oldPodsCause},
		{"one of two new pods is ready, and not available yet", 2, 2, 1, 2, false, available, false, oldPodsCause},
		{"the spec wants three pods, and there are two", 3, 2, 2, 2, false, ready, false, equal},
		{"the spec wants one pod, and there are two", 1, 2, 2, 2, false, ready, false, equal},
		{"the spec wants no pod, and there is none", 0, 0, 0, 0, false, ready, true, zero},
		{"the spec wants no pod, and one is left", 0, 0, 0, 1, false, ready, false, zero},
		{"spec.replicas is nil, and there is one pod", -1, 1, 1, 1, false, ready, true, none},
		{"spec.replicas is nil, and there is no pod", -1, 0, 0, 0, false, nil, false, none},
		{"a quota refuses the new pods", 2, 0, 2, 2, false, obstacle, false, obstacleCause},
	}
}

// deployment is one in the state.
func (st rolloutState) deployment() *appsv1.Deployment {
	d := twoContainers("web", st.replicas)
	if st.replicas < 0 {
		d.Spec.Replicas = nil
	}
	d.Namespace, d.Generation = "shop", 7
	d.Status = appsv1.DeploymentStatus{
		ObservedGeneration: 7, Replicas: st.total, UpdatedReplicas: st.updated,
		ReadyReplicas: max(st.updated, st.available), AvailableReplicas: st.available,
	}
	if st.behind {
		d.Status.ObservedGeneration = 6
	}
	if st.condition != nil {
		d.Status.Conditions = []appsv1.DeploymentCondition{*st.condition}
	}
	return d
}

func TestStep8_RolloutComplete(t *testing.T) {
	check.Step(t, 8, "RolloutComplete", func(s *check.S) {
		for _, st := range rolloutStates() {
			got, err := callRolloutComplete(s, st)
			s.Requiref(err == nil, st.cause, "%s, and RolloutComplete returned an error: %v", st.what, err)
			s.Requiref(got == st.want, st.cause, "%s, and RolloutComplete returned %t, want %t", st.what, got, st.want)
		}
		given := appsv1.DeploymentCondition{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionFalse, Reason: deadlineReason}
		got, err := callRolloutComplete(s, rolloutState{what: "the controller has given up", replicas: 2, total: 2, condition: &given})
		s.Requiref(!got && err != nil && strings.Contains(err.Error(), deadlineReason),
			"the controller has given up on this rollout: look at the conditions, or a wait has no end",
			"the condition Progressing has the reason %s; want an error that names it, got %t and %s", deadlineReason, got, check.ErrorText(err))
	})
}

// callRolloutComplete calls the step and wants its Deployment unchanged.
func callRolloutComplete(s *check.S, st rolloutState) (bool, error) {
	d := st.deployment()
	got, err := check.Call(s, func(context.Context) (bool, error) { return RolloutComplete(d) })
	s.Requiref(reflect.DeepEqual(d, st.deployment()), "the object is the caller's: read it and leave it",
		"%s, and RolloutComplete changed the Deployment", st.what)
	return got, err
}

// rollout is one call of WaitForRollout.
type rollout = *check.Wait[*appsv1.Deployment]

func newRollout(s *check.S, ns, name string) rollout {
	r := check.NewWait(s, describe, func(ctx context.Context, cfg *rest.Config) (*appsv1.Deployment, error) {
		return WaitForRollout(ctx, s.ClientsetFor(cfg), ns, name)
	})
	r.AnyContext = true // that of an informer inside watchtools.UntilWithSync is its own
	return r
}

func describe(d *appsv1.Deployment) string {
	if d == nil {
		return "no Deployment"
	}
	return fmt.Sprintf("deployment %s with generation %d, observedGeneration %d, and of %d replicas %d updated, %d available, %d in all",
		d.Name, d.Generation, d.Status.ObservedGeneration,
		*d.Spec.Replicas, d.Status.UpdatedReplicas, d.Status.AvailableReplicas, d.Status.Replicas)
}

func TestStep9_WaitForRollout(t *testing.T) {
	check.Step(t, 9, "WaitForRollout", func(s *check.S) {
		ns := s.Namespace()
		// stuck first: most of its deadline passes while the others are judged.
		stuck := twoContainers("stuck", 1)
		stuck.Spec.ProgressDeadlineSeconds = new(int32(1))
		s.CreateDeployment(ns, stuck)
		s.CreateDeployment(ns, twoContainers("idle", 0))
		slow := twoContainers("web", 2)
		slow.Spec.Strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{
			MaxSurge: new(intstr.FromString("100%")), MaxUnavailable: new(intstr.FromInt32(0)),
		}
		s.CreateDeployment(ns, slow)
		s.Setup(bindPods(s.Context(), s.Clientset(), ns, "web"), "start the pods of deployment web")
		s.CreateDeployment(ns, twoContainers("old", 1))
		s.CreateDeployment(ns, twoContainers("doomed", 1))

		r := newRollout(s, ns, "idle")
		err := r.Call(6*time.Second, nil)
		judgeNamespace(s, r.Rec, err)
		s.Require(err == nil, "the rollout of deployment idle was complete before the call, and "+r.Ended(err),
			"look at the state first: a watch from there brings an event only when something changes")
		s.Require(r.Got != nil && r.Got.Name == "idle", "WaitForRollout returned no Deployment and no error", "return the Deployment as it is")

		s.UntilDeployment(ns, "web", "its first rollout is complete", complete)
		judgeRollout(s, ns)
		judgeCompaction(s, ns)
		judgeStuck(s, ns)
		newRollout(s, ns, "doomed").JudgeTimeout(time.Second, "the pods of deployment doomed did not run", "rollout")
		judgeGone(s, ns, "missing")
		judgeGone(s, ns, "doomed")
		judgePaused(s, ns)
	})
}

// points says at which points of a rollout the step had returned.
type points struct{ stale, half, floods atomic.Bool }

// judgeRollout takes deployment web through a rollout that stops at two points
// where it looks complete to one who does not look at everything: the controller
// has not seen the spec; the new pods are there and only the old ones run.
func judgeRollout(s *check.S, ns string) {
	forbidReplicaSets(s, ns)
	err := patchDeployment(s.Context(), s.Clientset(), ns, "web",
		`{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"registry.k8s.io/pause:3.9"}]}}}}`)
	s.Setup(err, "change deployment web")
	s.UntilDeployment(ns, "web", "its controller has met the quota", func(d *appsv1.Deployment) bool {
		return slices.ContainsFunc(d.Status.Conditions, func(c appsv1.DeploymentCondition) bool {
			return c.Type == appsv1.DeploymentProgressing && c.Status == corev1.ConditionFalse
		})
	})

	r := newRollout(s, ns, "web")
	var at points
	var going atomic.Bool
	r.Rec.EndWatchesWhile(check.Match{Resource: "deployments"}, func() bool { return !going.Load() })
	err = r.Call(check.CallTimeout, func(ctx context.Context) error {
		r.Pause(ctx, 3*time.Second, func() bool { return len(r.Watches()) > 0 })
		r.Pause(ctx, 900*time.Millisecond, nil)
		at.stale.Store(r.Returned())
		at.floods.Store(r.Floods(ctx))
		going.Store(true)
		if err := makeNewPods(ctx, r, s.Clientset(), ns); err != nil {
			return err
		}
		at.half.Store(r.Returned())
		return bindPods(ctx, s.Clientset(), ns, "web")
	})
	judgePoints(r, &at, err)
	s.Require(err == nil && r.Got != nil && r.Got.Name == "web" && complete(r.Got),
		"the rollout of deployment web was completed, and "+r.Ended(err),
		"look at the status that each event brings, and return the Deployment of the event that completed the rollout")
	r.Rec.Requiref(len(r.Watches()) > 0, "asking again and again costs requests and misses nothing less: a watch tells you",
		"no watch was opened")
}

// makeNewPods lets the controller make the new pods of deployment web, which nobody
// schedules, and gives another Deployment, which is complete, the label of this one.
func makeNewPods(ctx context.Context, r rollout, admin kubernetes.Interface, ns string) error {
	if err := admin.CoreV1().ResourceQuotas(ns).Delete(ctx, "no-replicasets", metav1.DeleteOptions{}); err != nil {
		return err
	}
	// A label does not change the generation.
	if err := patchDeployment(ctx, admin, ns, "web", `{"metadata":{"labels":{"example.com/go":"yes"}}}`); err != nil {
		return err
	}
	if _, err := check.AwaitDeployment(ctx, admin, ns, "web", func(d *appsv1.Deployment) bool {
		return d.Status.ObservedGeneration >= d.Generation && d.Status.UpdatedReplicas == 2 && d.Status.Replicas == 4
	}); err != nil {
		return err
	}
	r.Pause(ctx, 300*time.Millisecond, nil)
	err := patchDeployment(ctx, admin, ns, "idle", `{"metadata":{"labels":{"app":"web"}}}`)
	r.Pause(ctx, 400*time.Millisecond, nil)
	return err
}

// judgePoints fails for a step that floods, or that returned too early.
func judgePoints(r rollout, at *points, err error) {
	r.JudgeFlood(at.floods.Load())
	closed := "a closed channel says that this watch is over, not that the rollout is: look again and watch on. " +
		"A receive from it gives a zero event, so look at its second value"
	if len(r.Watches()) == 0 && err != nil {
		closed = obstacleCause
	}
	stale, failed := at.stale.Load(), err != nil || r.Got == nil
	r.S.Require(!stale || !failed, "the rollout went on while every watch is closed by the server, and "+r.Ended(err), closed)
	r.S.Require(!stale, "the spec was changed, and before the controller had seen it "+r.Ended(err), behindCause)
	half := oldPodsCause
	if r.Got != nil && r.Got.Name != "web" {
		half = "that is another Deployment, and it may have the same labels: watch this name only, with a field selector, " +
			"or look at the name of what the event brings"
	}
	r.S.Require(!at.half.Load(), "two new pods did not run yet, two old ones did, and "+r.Ended(err), half)
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
		Spec: appsv1.ReplicaSetSpec{
			Replicas: new(int32(0)),
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "probe"}},
			Template: twoContainers("probe", 0).Spec.Template,
		},
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		_, err := client.AppsV1().ReplicaSets(ns).Create(s.Context(), probe, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if apierrors.IsForbidden(err) {
			return
		}
		s.Setup(err, "try a quota")
		if time.Now().After(end) {
			s.Setup(errors.New("the quota has no effect"), "keep the Deployment controller back")
		}
	}
}

// judgeCompaction answers the first watch, and those from before it, with 410 Gone.
func judgeCompaction(s *check.S, ns string) {
	r := newRollout(s, ns, "old")
	err := r.JudgeCompaction(ns, check.Match{Resource: "deployments"}, func(ctx context.Context) error {
		return bindPods(ctx, s.Clientset(), ns, "old")
	})
	s.Require(err == nil && r.Got != nil && complete(r.Got),
		"a watch was answered with 410 Gone, the rollout was completed later, and "+r.Ended(err),
		"after an event of the type Error look again and watch on")
}

// judgePaused has a controller that sees the new spec and does not begin: all
// pods are there and available, and all of them are old.
func judgePaused(s *check.S, ns string) {
	err := patchDeployment(s.Context(), s.Clientset(), ns, "old",
		`{"spec":{"paused":true,"template":{"spec":{"containers":[{"name":"web","image":"registry.k8s.io/pause:3.9"}]}}}}`)
	s.Setup(err, "pause deployment old and change it")
	s.UntilDeployment(ns, "old", "its controller has seen the pause", func(d *appsv1.Deployment) bool {
		return d.Status.ObservedGeneration >= d.Generation && d.Status.UpdatedReplicas == 0
	})
	r := newRollout(s, ns, "old")
	err = r.CallFor(time.Second)
	s.Require(err != nil, "the spec was changed, the controller has seen it and is paused, and "+r.Ended(err),
		"replicas and availableReplicas count old pods as well"+newPodsCause)
}

// judgeStuck has a controller that has given up.
func judgeStuck(s *check.S, ns string) {
	s.UntilDeployment(ns, "stuck", "the controller has given up on deployment stuck", hasReason(deadlineReason))
	r := newRollout(s, ns, "stuck")
	err := r.Call(8*time.Second, nil)
	s.Require(err != nil && strings.Contains(err.Error(), deadlineReason),
		"the condition Progressing of deployment stuck has the reason "+deadlineReason+"; want an error that names it, and "+r.Ended(err),
		"the controller has given up on this rollout: look at the conditions, or the wait has no end")
}

// judgeGone waits for deployment missing, and for doomed, which is deleted meanwhile.
func judgeGone(s *check.S, ns, name string) {
	r := newRollout(s, ns, name)
	what := "deployment missing does not exist"
	cause := "an empty list, or a GET that says NotFound: return an error that apierrors.IsNotFound knows"
	var remove func(context.Context) error
	if name == "doomed" {
		what = "deployment doomed was deleted during the wait"
		cause = "an event of the type Deleted ends the wait: there will be no rollout any more"
		remove = func(ctx context.Context) error {
			r.Pause(ctx, 3*time.Second, func() bool { return len(r.Watches()) > 0 })
			r.Pause(ctx, 200*time.Millisecond, nil)
			return s.Clientset().AppsV1().Deployments(ns).Delete(ctx, name, metav1.DeleteOptions{})
		}
	}
	err := r.Call(8*time.Second, remove)
	s.Require(apierrors.IsNotFound(err), what+", want an error that is NotFound, and "+r.Ended(err), cause)
}

// hold keeps the pods of a Deployment terminating for as long as they have it.
const hold = "workshop.example.com/hold"

func TestStep10_DeleteDeployment(t *testing.T) {
	check.Step(t, 10, "DeleteDeployment", func(s *check.S) {
		ns := s.Namespace()
		judgeHeld(s, ns)
		rec, err := deleteWithin(s, check.CallTimeout, ns, "never-there")
		rec.Requiref(err == nil, "what was asked for is already so: NotFound is no error here",
			"for a Deployment that is not there, DeleteDeployment returned: %v", err)
		judgeDeleteErrors(s, ns)
		judgeDeleteTimeout(s, ns)
		judgeSuccessor(s, ns)
	})
}

func deleteWithin(s *check.S, limit time.Duration, ns, name string, faults ...fault) (*check.Recorder, error) {
	rec, _, err := check.Recorded(s, limit, func(ctx context.Context, cfg *rest.Config) (any, error) {
		return nil, DeleteDeployment(ctx, s.ClientsetFor(cfg), ns, name)
	}, faults...)
	return rec, err
}

// createHeld creates a Deployment whose pod stays, terminating, until hold is taken off.
func createHeld(s *check.S, ns, name string) {
	held := twoContainers(name, 1)
	held.Spec.Template.Finalizers = []string{hold}
	s.CreateDeployment(ns, held)
}

// judgeHeld deletes a Deployment whose pod takes its time.
func judgeHeld(s *check.S, ns string) {
	createHeld(s, ns, "web")
	w := check.NewWait(s, nil, func(ctx context.Context, cfg *rest.Config) (any, error) {
		return nil, DeleteDeployment(ctx, s.ClientsetFor(cfg), ns, "web")
	})
	rec := w.Rec
	var early atomic.Bool
	err := w.Call(check.CallTimeout, func(context.Context) error { return release(s, ns, w, &early) })
	judgeNamespace(s, rec, err)
	judgePropagation(s, rec, err)
	rec.Requiref(!early.Load(),
		"an accepted DELETE is not the end, and neither is a deletionTimestamp: wait until a GET of the Deployment says NotFound",
		"DeleteDeployment returned (error: %v) while a pod of deployment web was still there, terminating, held by a finalizer", err)
	rec.Requiref(err == nil, "NotFound is what the wait is for, not a failure",
		"deployment web and its pod are gone, and DeleteDeployment returned an error: %v", err)
	rec.Requiref(rec.Unpaused() < 10, "a loop without a pause floods the API server: wait.PollUntilContextCancel has an interval",
		"%d requests followed the answer before them without a pause, while a pod was terminating", rec.Unpaused())
	judgeLooked(rec)
	judgeNothingLeft(s, ns, rec)
}

// release lets go of the pod of deployment web some time after its deletion began.
func release(s *check.S, ns string, w *check.Wait[any], early *atomic.Bool) error {
	ctx, pods := s.Context(), s.Clientset().CoreV1().Pods(ns)
	var listErr error
	w.Pause(ctx, 10*time.Second, func() bool {
		list, err := pods.List(ctx, metav1.ListOptions{LabelSelector: "app=web"})
		listErr = err
		return err != nil || len(list.Items) > 0 && list.Items[0].DeletionTimestamp != nil
	})
	if listErr != nil {
		return fmt.Errorf("list the pods: %w", listErr)
	}
	time.Sleep(700 * time.Millisecond)
	early.Store(w.Returned())
	list, err := pods.List(ctx, metav1.ListOptions{LabelSelector: "app=web"})
	if err != nil {
		return fmt.Errorf("list the pods: %w", err)
	}
	for _, pod := range list.Items {
		_, err := pods.Patch(ctx, pod.Name, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("patch pod %s: %w", pod.Name, err)
		}
	}
	return nil
}

func judgePropagation(s *check.S, rec *check.Recorder, err error) {
	deletes := rec.Requests(check.Match{Verb: "delete", Resource: "deployments", Name: "web"})
	s.Requiref(len(deletes) > 0, "the Deployment itself is deleted; the garbage collector sees to the rest",
		"%s\nthe error was: %v", rec.Saw("no DELETE of deployment web was sent"), err)
	for _, req := range deletes {
		policy := req.Query.Get("propagationPolicy")
		if body, err := req.Object(); err == nil && body["propagationPolicy"] != nil {
			policy = fmt.Sprint(body["propagationPolicy"])
		}
		cause := "PropagationPolicy in DeleteOptions is a pointer to metav1.DeletePropagationForeground"
		switch policy {
		case "", string(metav1.DeletePropagationBackground):
			cause = "in the background, which is the default here, the Deployment is gone at once and its pods go later: " +
				"nobody can see when. " + cause
		case string(metav1.DeletePropagationOrphan):
			cause = "Orphan leaves the ReplicaSets and their pods to run on. " + cause
		}
		rec.Requiref(policy == string(metav1.DeletePropagationForeground), cause,
			"the DELETE has the propagationPolicy %q, want Foreground", policy)
	}
}

// judgeLooked wants to see the Deployment asked about, or watched, after its DELETE.
func judgeLooked(rec *check.Recorder) {
	deleted, looked := false, false
	for _, req := range rec.Requests(check.Match{Resource: "deployments"}) {
		deleted = deleted || req.Verb == "delete"
		looked = looked || req.Verb == "watch" || deleted && (req.Verb == "get" || req.Verb == "list")
	}
	rec.Requiref(looked,
		"its pods go before the Deployment does, and their end is not its end: wait until a GET of the Deployment says NotFound",
		"after the DELETE nobody looked at deployment web")
}

func judgeNothingLeft(s *check.S, ns string, rec *check.Recorder) {
	_, err := s.Clientset().AppsV1().Deployments(ns).Get(s.Context(), "web", metav1.GetOptions{})
	rec.Requiref(apierrors.IsNotFound(err), "only NotFound, or another UID, means gone",
		"DeleteDeployment returned nil and deployment web is still there")
	pods, err := s.Clientset().CoreV1().Pods(ns).List(s.Context(), metav1.ListOptions{LabelSelector: "app=web"})
	s.Setup(err, "list the pods")
	rec.Requiref(len(pods.Items) == 0, "delete with foreground propagation and wait for the end of the Deployment",
		"DeleteDeployment returned nil and %d pods of deployment web are still there", len(pods.Items))
}

// judgeDeleteErrors has the DELETE fail, then every GET, then those after the DELETE.
func judgeDeleteErrors(s *check.S, ns string) {
	createHeld(s, ns, "unlucky")
	rec, err := deleteWithin(s, 6*time.Second, ns, "unlucky", check.Refusing("delete", http.StatusForbidden))
	s.RequireReason(err, metav1.StatusReasonForbidden, rec, "the DELETE was answered with 403",
		"a DELETE that is refused is an error to return at once, wrapped with %w")

	reads := []string{"get", "list", "watch"}
	rec, err = deleteWithin(s, 10*time.Second, ns, "unlucky", func(rec *check.Recorder) {
		for _, verb := range reads {
			rec.Refuse(check.Match{Verb: verb}, http.StatusInternalServerError)
		}
	})
	rec.Requiref(err != nil, "any error of the first GET counts as \"not there\": only apierrors.IsNotFound does",
		"every GET was answered with 500, and DeleteDeployment said that the Deployment is gone")

	rec, err = deleteWithin(s, 10*time.Second, ns, "unlucky", func(rec *check.Recorder) {
		for _, verb := range reads {
			rec.AnswerAfter(check.Match{Verb: "delete"}, check.Match{Verb: verb}, 500, metav1.StatusReasonInternalError, "injected by the check")
		}
	})
	rec.Requiref(err != nil, "any error counts as gone: only apierrors.IsNotFound does",
		"every GET after the DELETE was answered with 500, and DeleteDeployment said that the Deployment is gone")
}

// judgeDeleteTimeout ends ctx while the pod of deployment unlucky is still held, so
// that its Deployment stays.
func judgeDeleteTimeout(s *check.S, ns string) {
	const what = "ctx ended while deployment unlucky was still there"
	rec, _, err := check.Recorded(s, 10*time.Second, func(ctx context.Context, cfg *rest.Config) (any, error) {
		ctx, cancel := context.WithTimeout(ctx, 1500*time.Millisecond)
		defer cancel()
		return nil, DeleteDeployment(ctx, s.ClientsetFor(cfg), ns, "unlucky")
	})
	rec.Requiref(err != nil, "the end of ctx is not the end of the Deployment: return ctx.Err(), wrapped",
		what+", and DeleteDeployment returned no error")
	s.Requiref(errors.Is(err, context.DeadlineExceeded),
		"wrap the context's error with %w, so that a caller can tell \"too slow\" from \"refused\"",
		what+", and errors.Is(err, context.DeadlineExceeded) is false: %v", err)
}

// judgeSuccessor puts a new Deployment of the same name in the place of the deleted one.
func judgeSuccessor(s *check.S, ns string) {
	deployments := s.Clientset().AppsV1().Deployments(ns)
	old := s.CreateDeployment(ns, twoContainers("reborn", 0))
	var successor *appsv1.Deployment
	rec, err := deleteWithin(s, check.CallTimeout, ns, "reborn", func(rec *check.Recorder) {
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
	})
	rec.Requiref(err == nil, "a name is not an identity: compare the UID; another UID means that the old one is gone",
		"deployment reborn was deleted and a new one of that name was made, and DeleteDeployment returned: %v", err)
	now, err := deployments.Get(s.Context(), "reborn", metav1.GetOptions{})
	rec.Requiref(err == nil && successor != nil && now.UID == successor.UID && now.DeletionTimestamp == nil,
		"the DELETE is repeated by name and hits one that is not meant: send it once, or with the UID as precondition",
		"the new Deployment of the same name was deleted as well")
}
