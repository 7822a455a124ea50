package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulinghelper "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
)

// schedule binds a pod to the node, or says in the pod's condition why not. It
// honours node selectors, required node affinity, taints and cordons, and
// nothing else that the real scheduler weighs.
func (n *node) schedule(ctx context.Context, pod *corev1.Pod) error {
	if pod.DeletionTimestamp != nil || ended(pod) || len(pod.Spec.SchedulingGates) > 0 ||
		pod.Spec.SchedulerName != corev1.DefaultSchedulerName {
		return nil
	}
	machine, err := n.nodes.Get(nodeName)
	if apierrors.IsNotFound(err) {
		// The node's own event brings the pod back.
		return nil
	}
	if err != nil {
		return fmt.Errorf("look up node %s: %w", nodeName, err)
	}
	if reason := misfit(pod, machine); reason != "" {
		return n.reportUnschedulable(ctx, pod, reason)
	}
	binding := &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
		Target:     corev1.ObjectReference{Kind: "Node", Name: nodeName},
	}
	if err := n.client.CoreV1().Pods(pod.Namespace).Bind(ctx, binding, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("bind pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	return nil
}

// misfit says why a pod cannot be placed on machine; empty means that it can.
func misfit(pod *corev1.Pod, machine *corev1.Node) string {
	if machine.Spec.Unschedulable {
		return "0/1 nodes are available: 1 node(s) were unschedulable."
	}
	taint, untolerated := schedulinghelper.FindMatchingUntoleratedTaint(
		klog.Background(), machine.Spec.Taints, pod.Spec.Tolerations,
		func(t *corev1.Taint) bool { return t.Effect != corev1.TaintEffectPreferNoSchedule }, false)
	if untolerated {
		return fmt.Sprintf("0/1 nodes are available: 1 node(s) had untolerated taint(s) {%s: %s}.", taint.Key, taint.Value)
	}
	matches, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(machine)
	if err != nil || !matches {
		return "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector."
	}
	return ""
}

// reportUnschedulable records the reason once.
func (n *node) reportUnschedulable(ctx context.Context, pod *corev1.Pod, reason string) error {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Message == reason {
			return nil
		}
	}
	changed := pod.DeepCopy()
	setCondition(changed, corev1.PodScheduled, corev1.ConditionFalse, corev1.PodReasonUnschedulable, metav1.NewTime(n.now()))
	for i := range changed.Status.Conditions {
		if changed.Status.Conditions[i].Type == corev1.PodScheduled {
			changed.Status.Conditions[i].Message = reason
		}
	}
	if _, err := n.client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, changed, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("report pod %s/%s unschedulable: %w", pod.Namespace, pod.Name, err)
	}
	return nil
}
