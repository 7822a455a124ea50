package main

import (
	"runtime"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-base/version"
)

// completes tells whether a pod ends by itself: one that a Job owns does.
func completes(pod *corev1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.Kind == "Job" && pod.Spec.RestartPolicy != corev1.RestartPolicyAlways && !ended(pod)
}

// ended tells whether a pod has reached its last phase.
func ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// runningStatus makes every container run and the pod Ready, as far as its
// readiness gates allow.
func runningStatus(pod *corev1.Pod, ip string, now metav1.Time) {
	s := &pod.Status
	s.Phase = corev1.PodRunning
	s.HostIP = nodeIP
	s.HostIPs = []corev1.HostIP{{IP: nodeIP}}
	s.PodIP = ip
	s.PodIPs = []corev1.PodIP{{IP: ip}}
	s.StartTime = &now
	s.InitContainerStatuses = nil
	for _, c := range pod.Spec.InitContainers {
		state := exited(0, "Completed", now)
		sidecar := c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
		if sidecar {
			state = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}}
		}
		s.InitContainerStatuses = append(s.InitContainerStatuses, containerStatus(pod, c, state, true, sidecar))
	}
	s.ContainerStatuses = nil
	for _, c := range pod.Spec.Containers {
		state := corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}}
		s.ContainerStatuses = append(s.ContainerStatuses, containerStatus(pod, c, state, true, true))
	}
	setCondition(pod, corev1.PodReadyToStartContainers, corev1.ConditionTrue, "", now)
	setCondition(pod, corev1.PodInitialized, corev1.ConditionTrue, "", now)
	setCondition(pod, corev1.ContainersReady, corev1.ConditionTrue, "", now)
	ready, reason := corev1.ConditionTrue, ""
	if !gatesOpen(pod) {
		ready, reason = corev1.ConditionFalse, "ReadinessGatesNotReady"
	}
	setCondition(pod, corev1.PodReady, ready, reason, now)
}

// succeededStatus ends every container with exit code 0.
func succeededStatus(pod *corev1.Pod, _ string, now metav1.Time) {
	end(pod, corev1.PodSucceeded, exited(0, "Completed", now), "PodCompleted", now)
}

// failedStatus ends every container as a signal does.
func failedStatus(pod *corev1.Pod, _ string, now metav1.Time) {
	const terminated = 128 + 15
	end(pod, corev1.PodFailed, exited(terminated, "Error", now), "PodFailed", now)
}

func end(pod *corev1.Pod, phase corev1.PodPhase, state corev1.ContainerState, reason string, now metav1.Time) {
	s := &pod.Status
	s.Phase = phase
	for i := range s.ContainerStatuses {
		c := &s.ContainerStatuses[i]
		own := state.DeepCopy()
		own.Terminated.ContainerID = c.ContainerID
		if c.State.Running != nil {
			own.Terminated.StartedAt = c.State.Running.StartedAt
		}
		c.State, c.Ready, c.Started = *own, false, new(bool)
	}
	setCondition(pod, corev1.PodReadyToStartContainers, corev1.ConditionFalse, "", now)
	setCondition(pod, corev1.ContainersReady, corev1.ConditionFalse, reason, now)
	setCondition(pod, corev1.PodReady, corev1.ConditionFalse, reason, now)
}

func exited(code int32, reason string, now metav1.Time) corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
		ExitCode: code, Reason: reason, StartedAt: now, FinishedAt: now,
	}}
}

// containerStatus describes a container that never was: the scheme of its id
// says so.
func containerStatus(pod *corev1.Pod, c corev1.Container, state corev1.ContainerState, ready, started bool) corev1.ContainerStatus {
	id := "simulated://" + string(pod.UID) + "/" + c.Name
	if state.Terminated != nil {
		state.Terminated.ContainerID = id
	}
	return corev1.ContainerStatus{
		Name:        c.Name,
		Image:       c.Image,
		ImageID:     "simulated://" + c.Image,
		ContainerID: id,
		State:       state,
		Ready:       ready,
		Started:     &started,
	}
}

// gatesOpen tells whether somebody has set every condition that the pod's
// readiness gates ask for.
func gatesOpen(pod *corev1.Pod) bool {
	for _, gate := range pod.Spec.ReadinessGates {
		open := slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == gate.ConditionType && c.Status == corev1.ConditionTrue
		})
		if !open {
			return false
		}
	}
	return true
}

// setCondition sets a condition and dates it when it changed.
func setCondition(pod *corev1.Pod, kind corev1.PodConditionType, value corev1.ConditionStatus, reason string, now metav1.Time) {
	condition := corev1.PodCondition{
		Type: kind, Status: value, Reason: reason, LastTransitionTime: now, ObservedGeneration: pod.Generation,
	}
	for i, old := range pod.Status.Conditions {
		if old.Type != kind {
			continue
		}
		if old.Status == value {
			condition.LastTransitionTime = old.LastTransitionTime
		}
		pod.Status.Conditions[i] = condition
		return
	}
	pod.Status.Conditions = append(pod.Status.Conditions, condition)
}

// nodeObject is the node as it is created.
func nodeObject() *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: nodeName,
			Labels: map[string]string{
				corev1.LabelHostname:   nodeName,
				corev1.LabelOSStable:   "linux",
				corev1.LabelArchStable: runtime.GOARCH,
			},
		},
		Spec: corev1.NodeSpec{PodCIDR: podCIDR, PodCIDRs: []string{podCIDR}},
	}
}

// nodeReady tells whether a node was reported Ready by this version.
func nodeReady(node *corev1.Node) bool {
	return node.Status.NodeInfo.KubeletVersion == version.Get().GitVersion &&
		slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
			return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
		})
}

// nodeStatus is old, made Ready. Capacity is ample, since nothing is run.
func nodeStatus(old corev1.NodeStatus, now metav1.Time) corev1.NodeStatus {
	capacity := corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse("1k"),
		corev1.ResourceMemory:           resource.MustParse("1Ti"),
		corev1.ResourceEphemeralStorage: resource.MustParse("1Ti"),
		corev1.ResourcePods:             resource.MustParse("50k"),
	}
	old.Capacity, old.Allocatable = capacity, capacity
	old.Addresses = []corev1.NodeAddress{
		{Type: corev1.NodeInternalIP, Address: nodeIP},
		{Type: corev1.NodeHostName, Address: nodeName},
	}
	old.NodeInfo = corev1.NodeSystemInfo{
		KubeletVersion:          version.Get().GitVersion,
		ContainerRuntimeVersion: "simulated://1.0",
		OperatingSystem:         "linux",
		OSImage:                 "simulated",
		Architecture:            runtime.GOARCH,
	}
	for _, c := range []corev1.NodeCondition{
		{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "Simulated", Message: "the node is simulated"},
		{Type: corev1.NodeMemoryPressure, Status: corev1.ConditionFalse, Reason: "Simulated"},
		{Type: corev1.NodeDiskPressure, Status: corev1.ConditionFalse, Reason: "Simulated"},
		{Type: corev1.NodePIDPressure, Status: corev1.ConditionFalse, Reason: "Simulated"},
	} {
		c.LastHeartbeatTime, c.LastTransitionTime = now, now
		i := slices.IndexFunc(old.Conditions, func(o corev1.NodeCondition) bool { return o.Type == c.Type })
		if i < 0 {
			old.Conditions = append(old.Conditions, c)
			continue
		}
		if old.Conditions[i].Status == c.Status {
			c.LastTransitionTime = old.Conditions[i].LastTransitionTime
		}
		old.Conditions[i] = c
	}
	return old
}
