package chaos

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// world is what there is in the namespace at one moment.
type world struct {
	services  map[string]*corev1.Service
	ingresses map[string]*networkingv1.Ingress
	events    []corev1.Event
}

// rules are the controller's flags that the model must know.
type rules struct {
	domain, class string
}

// want is what a Service asks for.
type want struct {
	// ingress says that there is to be one.
	ingress bool
	host    string
	port    corev1.ServicePort
	// problems are the words one of which the Warning must hold.
	problems []string
}

// wanted applies the rules to one Service.
func (r rules) wanted(svc *corev1.Service) want {
	if svc.Annotations[annotationHTTP] != "true" {
		return want{}
	}
	w := want{ingress: true, host: svc.Name + "." + svc.Namespace + "." + r.domain}
	if svc.Spec.Type == corev1.ServiceTypeExternalName {
		w.problems = append(w.problems, "externalname")
	}
	if len(svc.Spec.Ports) == 0 {
		w.problems = append(w.problems, "port")
	}
	if host, ok := svc.Annotations[annotationHost]; ok {
		w.host = host
		if !validHost(host) {
			w.problems = append(w.problems, annotationHost, strings.ToLower(host))
		}
	}
	if len(svc.Spec.Ports) > 0 {
		w.choosePort(svc)
	}
	if len(w.problems) > 0 {
		w.ingress = false
	}
	return w
}

func (w *want) choosePort(svc *corev1.Service) {
	value, ok := svc.Annotations[annotationPort]
	if !ok {
		w.port = svc.Spec.Ports[0]
		if i := slices.IndexFunc(svc.Spec.Ports, func(p corev1.ServicePort) bool { return p.Name == "http" }); i >= 0 {
			w.port = svc.Spec.Ports[i]
		}
		return
	}
	number, err := strconv.Atoi(value)
	for _, port := range svc.Spec.Ports {
		if err == nil && int(port.Port) == number || err != nil && port.Name == value {
			w.port = port
			return
		}
	}
	w.problems = append(w.problems, annotationPort, strings.ToLower(value))
}

var (
	hostPattern    = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	addressPattern = regexp.MustCompile(`^[0-9]+(\.[0-9]+){3}$`)
)

// validHost is what the API server takes as the host of a rule, but for
// wildcards, which no script uses.
func validHost(host string) bool {
	return len(host) <= 253 && hostPattern.MatchString(host) && !addressPattern.MatchString(host)
}

// ownedBy says that the Service is the Ingress's controller.
func ownedBy(ing *networkingv1.Ingress, svc *corev1.Service) bool {
	owner := metav1.GetControllerOf(ing)
	return owner != nil && owner.UID == svc.UID && owner.Kind == "Service" && owner.APIVersion == "v1" && owner.Name == svc.Name
}

// differences compares the world with the model, a line for each.
func (r rules) differences(now world, ledger *ledger) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for name, svc := range now.services {
		if svc.DeletionTimestamp != nil {
			add("service %s: its deletion has not ended", name)
			continue
		}
		for _, problem := range r.judge(svc, now) {
			add("service %s: %s", name, problem)
		}
	}
	for name, ing := range now.ingresses {
		if owner := metav1.GetControllerOf(ing); owner != nil && owner.Kind == "Service" {
			svc := now.services[name]
			if svc == nil || svc.UID != owner.UID {
				add("ingress %s: its owner, service %s with uid %s, does not exist any more", name, owner.Name, owner.UID)
			}
		} else if !ledger.knows(ing.UID) {
			add("ingress %s: nobody made it: its controller is %v", name, owner)
		}
	}
	out = append(out, ledger.differences(now)...)
	slices.Sort(out)
	return out
}

// judge compares what one Service has with what it wants.
func (r rules) judge(svc *corev1.Service, now world) []string {
	w := r.wanted(svc)
	ing := now.ingresses[svc.Name]
	own := ing != nil && ownedBy(ing, svc)
	switch {
	case ing == nil && w.ingress:
		return []string{"its ingress is missing"}
	case own && !w.ingress:
		return append(warned(svc, now, w.problems), fmt.Sprintf("it has an ingress, but %s", reason(svc, w)))
	case own:
		return r.compare(svc, ing, w)
	case ing != nil && w.ingress:
		return warned(svc, now, foreignWords())
	case w.ingress || len(w.problems) > 0:
		return warned(svc, now, w.problems)
	}
	return nil
}

func reason(svc *corev1.Service, w want) string {
	if len(w.problems) > 0 {
		return "it is faulty: " + w.problems[0]
	}
	return fmt.Sprintf("%s is %q", annotationHTTP, svc.Annotations[annotationHTTP])
}

// foreignWords are what a Warning about an Ingress of somebody else may hold.
func foreignWords() []string {
	return []string{"own", "foreign", "belong", "control", "exist", "conflict", "taken", "another", "managed"}
}

// warned looks for a Warning Event on this very Service that holds one of the words.
func warned(svc *corev1.Service, now world, words []string) []string {
	if len(words) == 0 {
		return nil
	}
	var seen []string
	for _, e := range now.events {
		if e.InvolvedObject.UID != svc.UID || e.Type != corev1.EventTypeWarning {
			continue
		}
		text := strings.ToLower(e.Reason + " " + e.Message)
		if slices.ContainsFunc(words, func(word string) bool { return word != "" && strings.Contains(text, word) }) {
			return nil
		}
		seen = append(seen, e.Reason+": "+e.Message)
	}
	return []string{fmt.Sprintf("no Warning on it holds one of %q; seen: %q", words, seen)}
}

// compare holds the fields of an owned Ingress against the rules.
func (r rules) compare(svc *corev1.Service, ing *networkingv1.Ingress, w want) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, "its ingress: "+fmt.Sprintf(format, args...)) }
	if r.class != "" && (ing.Spec.IngressClassName == nil || *ing.Spec.IngressClassName != r.class) {
		add("class %s, not %q", pointed(ing.Spec.IngressClassName), r.class)
	}
	if len(ing.Spec.Rules) != 1 || ing.Spec.Rules[0].HTTP == nil || len(ing.Spec.Rules[0].HTTP.Paths) != 1 {
		add("not one rule with one path, but %s", printRules(ing.Spec.Rules))
		return out
	}
	rule := ing.Spec.Rules[0]
	path := rule.HTTP.Paths[0]
	if rule.Host != w.host {
		add("host %q, not %q", rule.Host, w.host)
	}
	if path.Path != "/" || path.PathType == nil || *path.PathType != networkingv1.PathTypePrefix {
		add("path %q of type %s, not / of type Prefix", path.Path, pointed(path.PathType))
	}
	backend := path.Backend.Service
	if backend == nil || backend.Name != svc.Name {
		add("backend %v, not the service", path.Backend)
		return out
	}
	byName := backend.Port.Name != "" && backend.Port.Name == w.port.Name
	byNumber := backend.Port.Number != 0 && backend.Port.Number == w.port.Port
	if !byName && !byNumber {
		add("port %q %d, not %q %d", backend.Port.Name, backend.Port.Number, w.port.Name, w.port.Port)
	}
	return out
}

func pointed[T ~string](p *T) string {
	if p == nil {
		return "none"
	}
	return strconv.Quote(string(*p))
}

func printRules(all []networkingv1.IngressRule) string {
	var parts []string
	for _, rule := range all {
		paths := 0
		if rule.HTTP != nil {
			paths = len(rule.HTTP.Paths)
		}
		parts = append(parts, fmt.Sprintf("%q with %d paths", rule.Host, paths))
	}
	return cmp.Or(strings.Join(parts, ", "), "none")
}
