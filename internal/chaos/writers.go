package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"

	"example.com/client-go-workshop/internal/sleep"
)

// manager is the field manager of what the hands write into the controller's
// Ingresses.
const manager = "chaos-hand"

// errSkipped is for a change that has no object at that moment.
var errSkipped = errors.New("nothing to do it to")

// writers carry out the script. They talk to the API server straight.
type writers struct {
	client kubernetes.Interface
	ns     string
	ledger *ledger

	mu  sync.Mutex
	log io.Writer
}

// play makes one change after the other.
func (w *writers) play(ctx context.Context, name string, ops []Op) error {
	for _, op := range ops {
		if err := sleep.For(ctx, op.Pause); err != nil {
			return err
		}
		err := w.do(ctx, op)
		w.note(name, op, err)
		if err != nil && !skipped(err) {
			return fmt.Errorf("writer %s: %s: %w", name, op, err)
		}
	}
	return nil
}

// skipped is true of an error that the other writers explain.
func skipped(err error) bool {
	return errors.Is(err, errSkipped) || apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err) || apierrors.IsConflict(err)
}

// race takes the Ingress from the controller that is about to write to it, or
// its name. That of the Service steady is labelled only.
func (w *writers) race(ctx context.Context, write Request) {
	op := Op{Do: IngressOrphan, Name: write.Name}
	switch {
	case write.Name == steady:
		op = Op{Do: IngressLabel, Name: write.Name, Key: "example.org/race", Value: "won"}
	case write.Verb == "create":
		op.Do = ForeignCreate
	}
	w.note("race", op, w.do(ctx, op))
}

func (w *writers) note(name string, op Op, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	outcome := "done"
	if err != nil {
		outcome = err.Error()
	}
	fmt.Fprintf(w.log, "%s %s: %s: %s\n", time.Now().Format(clock), name, op, outcome)
}

// again repeats f while the API server does not answer: the run may restart it.
func again(ctx context.Context, f func() error) error {
	for {
		err := f()
		if err == nil || errors.Is(err, errSkipped) || refused(err) {
			return err
		}
		if err := sleep.For(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

// refused is true of an answer that another try would not change. An API server
// that is about to end calls a Service invalid for which it finds no address.
func refused(err error) bool {
	if strings.Contains(err.Error(), "failed to allocate IP") {
		return false
	}
	code := apierrors.APIStatus(nil)
	return errors.As(err, &code) && code.Status().Code < 500 && code.Status().Code != 429
}

func (w *writers) do(ctx context.Context, op Op) error {
	return again(ctx, func() error {
		switch op.Do {
		case ServiceCreate, ServiceDelete, ServiceAnnotate, ServicePorts, ServiceExternal, ServiceInternal:
			return w.service(ctx, op)
		}
		defer w.ledger.lock(op.Name)()
		switch op.Do {
		case ForeignCreate, ForeignEdit, ForeignDelete:
			return w.foreign(ctx, op)
		}
		return w.hand(ctx, op)
	})
}

func (w *writers) service(ctx context.Context, op Op) error {
	services := w.client.CoreV1().Services(w.ns)
	switch op.Do {
	case ServiceCreate:
		_, err := services.Create(ctx, newService(op), metav1.CreateOptions{})
		return err
	case ServiceDelete:
		policy := metav1.DeletionPropagation(op.Value)
		return services.Delete(ctx, op.Name, metav1.DeleteOptions{PropagationPolicy: &policy})
	case ServiceAnnotate:
		var value any = op.Value
		if op.Remove {
			value = nil
		}
		patch, err := json.Marshal(object{"metadata": object{"annotations": object{op.Key: value}}})
		if err != nil {
			return err
		}
		_, err = services.Patch(ctx, op.Name, types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	}
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		svc, err := services.Get(ctx, op.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if err := change(svc, op); err != nil {
			return err
		}
		_, err = services.Update(ctx, svc, metav1.UpdateOptions{})
		return err
	})
}

type object = map[string]any

func newService(op Op) *corev1.Service {
	svc := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: op.Name, Annotations: op.Annotations},
		Spec:       corev1.ServiceSpec{Ports: servicePorts(op.Ports), Selector: map[string]string{"app": op.Name}},
	}
	if op.Headless {
		svc.Spec.ClusterIP = corev1.ClusterIPNone
	}
	return svc
}

func servicePorts(ports []Port) []corev1.ServicePort {
	var out []corev1.ServicePort
	for _, p := range ports {
		out = append(out, corev1.ServicePort{Name: p.Name, Port: p.Number, TargetPort: intstr.FromInt32(p.Number)})
	}
	return out
}

func change(svc *corev1.Service, op Op) error {
	external := svc.Spec.Type == corev1.ServiceTypeExternalName
	switch {
	case op.Do == ServicePorts:
		svc.Spec.Ports = servicePorts(op.Ports)
	case op.Do == ServiceExternal && !external:
		svc.Spec.Type, svc.Spec.ExternalName = corev1.ServiceTypeExternalName, "elsewhere.example.org"
		svc.Spec.ClusterIP, svc.Spec.ClusterIPs = "", nil
	case op.Do == ServiceInternal && external:
		svc.Spec.Type, svc.Spec.ExternalName = corev1.ServiceTypeClusterIP, ""
		svc.Spec.Ports = servicePorts(op.Ports)
	default:
		return errSkipped
	}
	return nil
}

// hand edits an Ingress of the controller, if there is one.
func (w *writers) hand(ctx context.Context, op Op) error {
	ingresses := w.client.NetworkingV1().Ingresses(w.ns)
	ing, err := ingresses.Get(ctx, op.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	owner := metav1.GetControllerOf(ing)
	if owner == nil || owner.Kind != "Service" {
		return errSkipped
	}
	if op.Do == IngressDelete {
		err := ingresses.Delete(ctx, op.Name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(ing.UID))})
		if err == nil {
			w.ledger.forget(op.Name)
		}
		return err
	}
	patch := handPatch(ing, op)
	// The owner may only be taken from the Ingress that was looked at.
	patch["metadata"].(object)["uid"] = ing.UID
	if op.Do == IngressOrphan {
		patch["metadata"].(object)["resourceVersion"] = ing.ResourceVersion
	}
	data, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	after, err := ingresses.Patch(ctx, op.Name, types.MergePatchType, data, metav1.PatchOptions{FieldManager: manager})
	if apierrors.IsInvalid(err) && strings.Contains(err.Error(), "metadata.uid") {
		return errSkipped // it is another one by now
	}
	if err != nil {
		return err
	}
	switch op.Do {
	case IngressOrphan:
		w.ledger.noteForeign(after)
	case IngressLabel, IngressNote, IngressTLS:
		w.ledger.noteMark(marksOf(after, w.ledger.marksNow(op.Name), op))
	}
	return nil
}

func handPatch(ing *networkingv1.Ingress, op Op) object {
	meta := object{}
	spec := object{}
	host := op.Value + ".hand.example.org"
	rule := func(host, path string, port int) object {
		return object{"host": host, "http": object{"paths": []object{{"path": path, "pathType": "Prefix",
			"backend": object{"service": object{"name": op.Name, "port": object{"number": port}}}}}}}
	}
	switch op.Do {
	case IngressHost:
		spec["rules"] = []object{rule(host, "/", 80)}
	case IngressPath:
		spec["rules"] = []object{rule(hostOf(ing), "/hand", 80)}
	case IngressPort:
		spec["rules"] = []object{rule(hostOf(ing), "/", 4444)}
	case IngressRule:
		spec["rules"] = []object{rule(hostOf(ing), "/", 80), rule(host, "/", 80)}
	case IngressNoRules:
		spec["rules"] = nil
		spec["defaultBackend"] = object{"service": object{"name": op.Name, "port": object{"number": 80}}}
	case IngressClass:
		spec["ingressClassName"] = "hand"
	case IngressLabel:
		meta["labels"] = object{op.Key: op.Value}
	case IngressNote:
		meta["annotations"] = object{op.Key: op.Value}
	case IngressTLS:
		spec["tls"] = []object{{"hosts": []string{host}, "secretName": op.Value}}
	case IngressOrphan:
		meta["ownerReferences"] = nil
	}
	return object{"metadata": meta, "spec": spec}
}

func hostOf(ing *networkingv1.Ingress) string {
	if len(ing.Spec.Rules) == 0 {
		return ""
	}
	return ing.Spec.Rules[0].Host
}

// marksOf adds what op wrote to what was noted of the same Ingress before.
func marksOf(after, before *networkingv1.Ingress, op Op) *networkingv1.Ingress {
	marks := &networkingv1.Ingress{ObjectMeta: metav1.ObjectMeta{
		Name: after.Name, UID: after.UID, Labels: map[string]string{}, Annotations: map[string]string{},
	}}
	if before != nil && before.UID == after.UID {
		before.DeepCopyInto(marks)
	}
	switch op.Do {
	case IngressLabel:
		marks.Labels[op.Key] = op.Value
	case IngressNote:
		marks.Annotations[op.Key] = op.Value
	case IngressTLS:
		marks.Spec.TLS = after.Spec.TLS
	}
	return marks
}

// foreign makes, changes and deletes an Ingress that is not the controller's.
func (w *writers) foreign(ctx context.Context, op Op) error {
	ingresses := w.client.NetworkingV1().Ingresses(w.ns)
	known := w.ledger.foreignNow(op.Name)
	switch {
	case op.Do == ForeignCreate:
		return w.createForeign(ctx, op)
	case known == nil:
		return errSkipped
	case op.Do == ForeignDelete:
		err := ingresses.Delete(ctx, op.Name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(known.UID))})
		if err == nil || apierrors.IsNotFound(err) {
			w.ledger.forget(op.Name)
		}
		return err
	}
	edited := known.DeepCopy()
	// An answer that was lost would leave another version than the known one:
	// this writer is the only one, so it may overwrite.
	edited.ResourceVersion = ""
	edited.Spec.Rules = []networkingv1.IngressRule{{Host: op.Value}}
	after, err := ingresses.Update(ctx, edited, metav1.UpdateOptions{FieldManager: manager})
	if err == nil {
		w.ledger.noteForeign(after)
	}
	return err
}

func (w *writers) createForeign(ctx context.Context, op Op) error {
	ing := &networkingv1.Ingress{
		ObjectMeta: metav1.ObjectMeta{Name: op.Name, Labels: map[string]string{"example.org/foreign": "yes"}},
		Spec:       networkingv1.IngressSpec{Rules: []networkingv1.IngressRule{{Host: op.Name + ".foreign.example.org"}}},
	}
	if op.Value == "configmap" {
		owner, err := w.configMap(ctx, op.Name)
		if err != nil {
			return err
		}
		ing.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(owner, corev1.SchemeGroupVersion.WithKind("ConfigMap"))}
	}
	ingresses := w.client.NetworkingV1().Ingresses(w.ns)
	after, err := ingresses.Create(ctx, ing, metav1.CreateOptions{FieldManager: manager})
	if apierrors.IsAlreadyExists(err) {
		// The answer to an earlier try may have been lost.
		found, getErr := ingresses.Get(ctx, op.Name, metav1.GetOptions{})
		if getErr != nil {
			return getErr
		}
		if found.Labels["example.org/foreign"] != "yes" {
			return err
		}
		after, err = found, nil
	}
	if err == nil {
		w.ledger.noteForeign(after)
	}
	return err
}

// configMap is an owner that stays.
func (w *writers) configMap(ctx context.Context, name string) (*corev1.ConfigMap, error) {
	maps := w.client.CoreV1().ConfigMaps(w.ns)
	owner, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return maps.Get(ctx, name, metav1.GetOptions{})
	}
	return owner, err
}
