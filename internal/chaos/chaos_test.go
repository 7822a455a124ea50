package chaos

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

func TestPlanFollowsFromTheSeed(t *testing.T) {
	require.Equal(t, NewPlan(7).String(), NewPlan(7).String())
	require.NotEqual(t, NewPlan(7).String(), NewPlan(8).String())
}

// Every kind of change and of trouble must come up, or a chaos test proves less
// than it says.
func TestPlansHoldEveryKind(t *testing.T) {
	var all strings.Builder
	for seed := range uint64(200) {
		all.WriteString(NewPlan(seed).String())
	}
	for _, do := range []Action{
		ServiceCreate, ServiceDelete, ServiceAnnotate, ServicePorts, ServiceExternal, ServiceInternal,
		IngressHost, IngressPath, IngressPort, IngressRule, IngressNoRules, IngressClass, IngressLabel,
		IngressNote, IngressTLS, IngressDelete, IngressOrphan, ForeignCreate, ForeignEdit, ForeignDelete,
	} {
		require.Contains(t, all.String(), string(do))
	}
	for _, kind := range []Kind{Write500, Write409, Write429, WriteLost, WriteSlow, WriteRace, KillBefore, KillAfter, Read500,
		WatchDelay, WatchCut, WatchExpired, WatchGone} {
		require.Contains(t, all.String(), string(kind))
	}
	for _, kind := range []DisruptionKind{Kill, Freeze, Outage, APIRestart} {
		require.Contains(t, all.String(), string(kind))
	}
}

// A controller may give up in the end, so one object must not fail for ever.
func TestFaultsOfOneObjectAreBounded(t *testing.T) {
	faults := Faults{Writes: make([]Fault, 40)}
	for i := range faults.Writes {
		faults.Writes[i].Kind = Write500
	}
	d := newDealer(faults)
	row := 0
	for range 40 {
		if d.write("a").Kind == NoFault {
			row = 0
			continue
		}
		row++
		require.LessOrEqual(t, row, mostInARow)
	}
	d.stop()
	require.Equal(t, NoFault, d.write("a").Kind)
}

func TestFramesAreEvents(t *testing.T) {
	for _, contentType := range []string{"application/json", "application/vnd.kubernetes.protobuf;stream=watch"} {
		gone := status(410, metav1.StatusReasonExpired, "too old")
		one, err := errorFrame(contentType, gone)
		require.NoError(t, err)
		events := newFrames(bytes.NewReader(append(bytes.Clone(one), one...)), contentType)
		for range 2 {
			frame, err := events.next()
			require.NoError(t, err)
			require.Equal(t, one, frame, contentType)
		}
		_, err = events.next()
		require.Error(t, err)
	}
}

// service wants an Ingress unless a test changes it.
func service() *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "ns", UID: "1", Annotations: map[string]string{annotationHTTP: "true"}},
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Name: "metrics", Port: 9090}, {Name: "http", Port: 8080}}},
	}
}

func ingress(change func(*networkingv1.Ingress)) *networkingv1.Ingress {
	prefix := networkingv1.PathTypePrefix
	ing := &networkingv1.Ingress{
		ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "ns", UID: "2",
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(service(), corev1.SchemeGroupVersion.WithKind("Service"))}},
		Spec: networkingv1.IngressSpec{Rules: []networkingv1.IngressRule{{
			Host: "a.ns.example.com",
			IngressRuleValue: networkingv1.IngressRuleValue{HTTP: &networkingv1.HTTPIngressRuleValue{Paths: []networkingv1.HTTPIngressPath{{
				Path: "/", PathType: &prefix,
				Backend: networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{Name: "a",
					Port: networkingv1.ServiceBackendPort{Number: 8080}}},
			}}}},
		}}},
	}
	if change != nil {
		change(ing)
	}
	return ing
}

func warning(uid types.UID, message string) corev1.Event {
	return corev1.Event{Type: corev1.EventTypeWarning, Message: message, InvolvedObject: corev1.ObjectReference{UID: uid}}
}

func TestModel(t *testing.T) {
	annotate := func(key, value string) func(*corev1.Service) {
		return func(s *corev1.Service) { s.Annotations[key] = value }
	}
	path := func(ing *networkingv1.Ingress) *networkingv1.HTTPIngressPath { return &ing.Spec.Rules[0].HTTP.Paths[0] }
	tests := map[string]struct {
		service func(*corev1.Service)
		ingress *networkingv1.Ingress
		events  []corev1.Event
		class   string
		// want is a part of the one difference, "" for none.
		want string
	}{
		"as it should be": {ingress: ingress(nil)},
		"port by name": {ingress: ingress(func(i *networkingv1.Ingress) {
			path(i).Backend.Service.Port = networkingv1.ServiceBackendPort{Name: "http"}
		})},
		"missing":                {want: "its ingress is missing"},
		"not wanted":             {service: annotate(annotationHTTP, "false"), ingress: ingress(nil), want: `ingress/http is "false"`},
		"not wanted, none there": {service: annotate(annotationHTTP, "True")},
		"host": {service: annotate(annotationHost, "b.example.org"), ingress: ingress(nil),
			want: `host "a.ns.example.com", not "b.example.org"`},
		"first port": {service: func(s *corev1.Service) { s.Spec.Ports[1].Name = "web" }, ingress: ingress(nil),
			want: `not "metrics" 9090`},
		"port of the annotation": {service: annotate(annotationPort, "metrics"), ingress: ingress(nil), want: `not "metrics" 9090`},
		"no port of the service": {service: annotate(annotationPort, "4444"), want: "no Warning on it"},
		"bad host, warned": {service: annotate(annotationHost, "a..b"),
			events: []corev1.Event{warning("1", `ingress/host: "a..b" is bad`)}},
		"bad host, another's warning": {service: annotate(annotationHost, "a..b"), events: []corev1.Event{warning("0", "ingress/host")},
			want: "no Warning on it"},
		"an address": {service: annotate(annotationHost, "127.0.0.1"), want: "no Warning on it"},
		"bad, and there": {service: annotate(annotationHost, "a..b"), ingress: ingress(nil), events: []corev1.Event{warning("1", "a..b")},
			want: "it has an ingress, but it is faulty"},
		"no ports": {service: func(s *corev1.Service) { s.Spec.Ports = nil }, want: "no Warning on it"},
		"external": {service: func(s *corev1.Service) { s.Spec.Type = corev1.ServiceTypeExternalName },
			events: []corev1.Event{warning("1", "type ExternalName")}},
		"class": {ingress: ingress(nil), class: "nginx", want: `class none, not "nginx"`},
		"path":  {ingress: ingress(func(i *networkingv1.Ingress) { path(i).Path = "/x" }), want: `path "/x"`},
		"a rule too many": {ingress: ingress(func(i *networkingv1.Ingress) { i.Spec.Rules = append(i.Spec.Rules, i.Spec.Rules[0]) }),
			want: "not one rule"},
		"nobody's": {ingress: ingress(func(i *networkingv1.Ingress) { i.OwnerReferences = nil }),
			events: []corev1.Event{warning("1", "is not owned")}, want: "nobody made it"},
		"other group": {ingress: ingress(func(i *networkingv1.Ingress) {
			i.OwnerReferences[0].APIVersion = schema.GroupVersion{Group: "serving.knative.dev", Version: "v1"}.String()
		}), events: []corev1.Event{warning("1", "is not owned")}},
		"old owner": {ingress: ingress(func(i *networkingv1.Ingress) { i.OwnerReferences[0].UID = "0" }),
			events: []corev1.Event{warning("1", "is not owned")}, want: "does not exist any more"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			svc := service()
			if test.service != nil {
				test.service(svc)
			}
			now := world{services: map[string]*corev1.Service{"a": svc}, ingresses: map[string]*networkingv1.Ingress{}, events: test.events}
			if test.ingress != nil {
				now.ingresses["a"] = test.ingress
			}
			got := rules{domain: "example.com", class: test.class}.differences(now, newLedger())
			if test.want == "" {
				require.Empty(t, got)
				return
			}
			require.Len(t, got, 1)
			require.Contains(t, got[0], test.want)
		})
	}
}

func TestLedgerTellsWhatWasLost(t *testing.T) {
	l := newLedger()
	foreign := ingress(func(i *networkingv1.Ingress) { i.Name, i.ResourceVersion = "f", "5" })
	l.noteForeign(foreign)
	marked := ingress(func(i *networkingv1.Ingress) { i.Name, i.Labels = steady, map[string]string{"k": "v"} })
	l.noteMark(marked)
	is := func(ings ...*networkingv1.Ingress) world {
		now := world{ingresses: map[string]*networkingv1.Ingress{}}
		for _, ing := range ings {
			now.ingresses[ing.Name] = ing
		}
		return now
	}
	require.Empty(t, l.differences(is(foreign, marked)))
	require.Len(t, l.differences(is()), 2)
	touched := foreign.DeepCopy()
	touched.ResourceVersion = "6"
	bare := marked.DeepCopy()
	bare.Labels = nil
	require.Len(t, l.differences(is(touched, bare)), 2)
	l.forget("f")
	require.Empty(t, l.differences(is(marked)))
}
