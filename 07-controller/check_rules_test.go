package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"example.com/client-go-workshop/internal/check"
	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/todo"
)

func TestStep14_Rules(t *testing.T) {
	check.Step(t, 14, "Rules", func(s *check.S) {
		judgeRules(s)
		judgeManifests(s)
		judgeWithRules(s)
	})
}

// permission is one thing that a rule allows; name is empty for every name.
type permission struct{ group, resource, name, verb string }

func (p permission) String() string {
	what := p.resource
	if p.group != "" {
		what += "." + p.group
	}
	if p.name != "" {
		what += " " + p.name
	}
	return p.verb + " " + what
}

// permissions takes rules apart. Two ways to do the same thing become one: an
// Ingress may be patched or updated.
func permissions(rules []rbacv1.PolicyRule) []permission {
	var all []permission
	for _, rule := range rules {
		names := rule.ResourceNames
		if len(names) == 0 {
			names = []string{""}
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					for _, name := range names {
						p := permission{group, resource, name, verb}
						if p.resource == "ingresses" && p.verb == "update" {
							p.verb = "patch"
						}
						if !slices.Contains(all, p) {
							all = append(all, p)
						}
					}
				}
			}
		}
	}
	return all
}

func judgeRules(s *check.S) {
	const lease = "some-lease"
	var everywhere, own []rbacv1.PolicyRule
	s.Must(func(context.Context) error { everywhere, own = Rules(lease); return nil })
	judgeDoubles(s, everywhere, own)
	judgePermissions(s, "everywhere", permissions(everywhere), []permission{
		{"", "services", "", "list"}, {"", "services", "", "watch"},
		{"networking.k8s.io", "ingresses", "", "list"}, {"networking.k8s.io", "ingresses", "", "watch"},
		{"networking.k8s.io", "ingresses", "", "get"}, {"networking.k8s.io", "ingresses", "", "create"},
		{"networking.k8s.io", "ingresses", "", "patch"}, {"networking.k8s.io", "ingresses", "", "delete"},
		{"", "events", "", "create"}, {"", "events", "", "patch"},
	})
	judgePermissions(s, "own", permissions(own), []permission{
		{"coordination.k8s.io", "leases", "", "create"},
		{"coordination.k8s.io", "leases", lease, "get"}, {"coordination.k8s.io", "leases", lease, "update"},
	})
}

// judgeDoubles looks for two ways to do what the controller does in one.
func judgeDoubles(s *check.S, lists ...[]rbacv1.PolicyRule) {
	all := slices.Concat(lists...)
	allows := func(verb string) bool {
		return slices.ContainsFunc(all, func(rule rbacv1.PolicyRule) bool {
			return slices.Contains(rule.Resources, "ingresses") && slices.Contains(rule.Verbs, verb)
		})
	}
	for _, rule := range all {
		s.Requiref(len(rule.NonResourceURLs) == 0, "the controller sends requests for resources only; its own /metrics is none of the API "+
			"server's", "a rule allows the paths %v, which are no resources", rule.NonResourceURLs)
	}
	s.Require(!allows("patch") || !allows("update"), "the rules allow to patch Ingresses as well as to update them",
		"your steps put an Ingress right in one of the two ways: an apply is a patch")
}

func judgePermissions(s *check.S, list string, got, want []permission) {
	for _, p := range got {
		s.Requiref(p.group != "*" && p.resource != "*" && p.verb != "*", "a star allows what nobody thought of, also what a later version brings",
			"the list %s has a rule with \"*\": %s", list, p)
		limited, unlimited := p, p
		limited.name, unlimited.name = "some-lease", ""
		known := slices.Contains(want, p)
		s.Requiref(known || p.name != "" || !slices.Contains(want, limited), "resourceNames limits a rule to one Lease: other programs have "+
			"theirs in the same namespace", "the list %s allows to %s of every name", list, p)
		s.Requiref(known || p.name == "" || !slices.Contains(want, unlimited), "a create has no name yet that resourceNames could be compared "+
			"with", "the list %s allows to %s: such a rule never applies", list, p)
		s.Requiref(known || p.name == "" || !slices.Contains(want, limited), "the name is Rules' argument", "the list %s allows to %s, a Lease "+
			"of another name; it is called some-lease here", list, p)
		s.Requiref(known, "what is not needed is what an attacker uses: look at the requests that the steps send",
			"the list %s allows to %s, which the controller never does", list, p)
	}
	for _, p := range want {
		s.Requiref(slices.Contains(got, p), "without it the controller gets 403 there; look at the requests that the steps send",
			"the list %s does not allow to %s", list, p)
	}
}

// judgeManifests holds the files in deploy equal to the program.
func judgeManifests(s *check.S) {
	var everywhere, own []rbacv1.PolicyRule
	for _, doc := range manifests(s, "rbac.yaml") {
		role := rbacv1.ClusterRole{}
		s.Setup(yaml.Unmarshal(doc, &role), "read deploy/rbac.yaml")
		switch role.Kind {
		case "ClusterRole":
			everywhere = append(everywhere, role.Rules...)
		case "Role":
			own = append(own, role.Rules...)
		}
	}
	wantEverywhere, wantOwn := Rules(fieldManager)
	const cause = "the file and the function say the same: the program asks for what the function says, and gets what the file says"
	for _, c := range []struct {
		kind      string
		got, want []rbacv1.PolicyRule
	}{{"ClusterRole", everywhere, wantEverywhere}, {"Role", own, wantOwn}} {
		got, want := permissions(c.got), permissions(c.want)
		for _, p := range want {
			s.Requiref(slices.Contains(got, p), cause, "the %s in deploy/rbac.yaml does not allow to %s, as Rules does", c.kind, p)
		}
		for _, p := range got {
			s.Requiref(slices.Contains(want, p), cause, "the %s in deploy/rbac.yaml allows to %s, and Rules does not", c.kind, p)
		}
	}
	deployment := appsv1.Deployment{}
	s.Setup(yaml.Unmarshal(manifests(s, "deployment.yaml")[0], &deployment), "read deploy/deployment.yaml")
	_, err := parse(deployment.Spec.Template.Spec.Containers[0].Args)
	s.Requiref(err == nil, "parse in main.go and the file say the same", "the program does not take the arguments in "+
		"deploy/deployment.yaml: %s", check.ErrorText(err))
}

// manifests are the documents of a file in deploy.
func manifests(s *check.S, name string) [][]byte {
	file, err := os.ReadFile(filepath.Join("deploy", name))
	s.Setup(err, "read deploy/"+name)
	var docs [][]byte
	for _, doc := range strings.Split(string(file), "\n---\n") {
		docs = append(docs, []byte(doc))
	}
	return docs
}

// accountName is the name of the account, and of its Role.
const accountName = "controller"

// account is a ServiceAccount with rules in one namespace, and a kubeconfig for it.
type account struct {
	s          *check.S
	ns         string
	kubeconfig string
}

func newAccount(s *check.S, ns string) *account {
	// Who may not write to the workshop's own namespace may often write to ns.
	s.Needs(authorizationv1.ResourceAttributes{Verb: "create", Group: rbacv1.GroupName, Resource: "rolebindings",
		Namespace: cluster.Namespace})
	a := &account{s: s, ns: ns, kubeconfig: filepath.Join(s.T().TempDir(), "kubeconfig")}
	accounts := s.Clientset().CoreV1().ServiceAccounts(ns)
	_, err := accounts.Create(s.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: accountName, Labels: s.Labels()}},
		metav1.CreateOptions{})
	s.Setup(err, "create a ServiceAccount")
	token, err := accounts.CreateToken(s.Context(), accountName, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	s.Setup(err, "create a token")
	a.bind(ns, accountName)
	a.readMarker()

	cfg := s.Config()
	s.Setup(clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters: map[string]*clientcmdapi.Cluster{"c": {Server: cfg.Host, CertificateAuthority: cfg.CAFile,
			CertificateAuthorityData: cfg.CAData}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"u": {Token: token.Status.Token}},
		Contexts:       map[string]*clientcmdapi.Context{"x": {Cluster: "c", AuthInfo: "u"}},
		CurrentContext: "x",
	}, a.kubeconfig), "write a kubeconfig")
	return a
}

// bind gives the account a Role of this namespace, and returns the binding's name.
func (a *account) bind(namespace, role string) string {
	binding, err := a.s.Clientset().RbacV1().RoleBindings(namespace).Create(a.s.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{GenerateName: a.ns + "-", Labels: a.s.Labels()},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: a.ns, Name: accountName}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role},
	}, metav1.CreateOptions{})
	a.s.Setup(err, "bind a Role")
	return binding.Name
}

// readMarker lets the account read the marker, as the workshop's own guard does;
// in a pod there is no guard.
func (a *account) readMarker() {
	roles := a.s.Clientset().RbacV1()
	marker, err := roles.Roles(cluster.Namespace).Create(a.s.Context(), &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{GenerateName: a.ns + "-"},
		Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, ResourceNames: []string{cluster.MarkerName},
			Verbs: []string{"get"}}}}, metav1.CreateOptions{})
	a.s.Setup(err, "create a Role")
	binding := a.bind(cluster.Namespace, marker.Name)
	a.s.T().Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		err := errors.Join(roles.RoleBindings(cluster.Namespace).Delete(ctx, binding, metav1.DeleteOptions{}),
			roles.Roles(cluster.Namespace).Delete(ctx, marker.Name, metav1.DeleteOptions{}))
		if err != nil {
			a.s.T().Logf("clean up: %v", err)
		}
	})
}

// allow makes rules all that the account may do in its namespace, and waits
// until the server goes by them.
func (a *account) allow(rules []rbacv1.PolicyRule, taken ...permission) {
	roles := a.s.Clientset().RbacV1().Roles(a.ns)
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: accountName, Labels: a.s.Labels()}, Rules: rules}
	_, err := roles.Update(a.s.Context(), role, metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		_, err = roles.Create(a.s.Context(), role, metav1.CreateOptions{})
	}
	a.s.Setup(err, "write a Role")
	for _, p := range permissions(rules) {
		a.s.Await("see that the account may "+p.String(), func() bool { return a.may(p) })
	}
	for _, p := range taken {
		a.s.Await("see that the account may no more "+p.String(), func() bool { return !a.may(p) })
	}
}

// may asks the server, which learns of a changed Role a little later.
func (a *account) may(p permission) bool {
	verbs := []string{p.verb}
	if p.resource == "ingresses" && p.verb == "patch" {
		verbs = append(verbs, "update")
	}
	for _, verb := range verbs {
		answer, err := a.s.Clientset().AuthorizationV1().SubjectAccessReviews().Create(a.s.Context(),
			&authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
				User: "system:serviceaccount:" + a.ns + ":" + accountName,
				ResourceAttributes: &authorizationv1.ResourceAttributes{
					Namespace: a.ns, Verb: verb, Group: p.group, Resource: p.resource, Name: p.name},
			}}, metav1.CreateOptions{})
		a.s.Setup(err, "ask what the account may do")
		if answer.Status.Allowed {
			return true
		}
	}
	return false
}

// program runs the whole program as the account until the function that it
// returns is called. Its result is what the program returned.
func (a *account) program() (result <-chan error, stop func()) {
	ctx, cancel := context.WithCancel(a.s.Context())
	a.s.T().Cleanup(cancel)
	ended := make(chan error, 1)
	args := []string{"--kubeconfig", a.kubeconfig, "--namespace", a.ns, "--controller-name", a.ns, "--leader-elect",
		"--leader-elect-namespace", a.ns}
	go func() { ended <- todo.Run(ctx, func(ctx context.Context) error { return run(ctx, args) }) }()
	return ended, cancel
}

// judgeWithRules runs the program with the rules and nothing else, and then with
// each permission taken away. It can do so only when the other steps are written.
func judgeWithRules(s *check.S) {
	ns := s.Namespace()
	a := newAccount(s, ns)
	everywhere, own := Rules(fieldManager)
	all := slices.Concat(everywhere, own)
	a.allow(all)
	for name, host := range map[string]string{"web": "web.example.com", "bad": badHost, "gone": "gone.example.com"} {
		_, err := s.Clientset().CoreV1().Services(ns).Create(s.Context(), newService(ns, name, map[string]string{askHost: host}),
			metav1.CreateOptions{})
		s.Setup(err, "create service "+name)
	}
	result, stop := a.program()
	var early error
	ended, missing := false, ""
	done := s.Eventually(func() bool {
		select {
		case early = <-result:
			ended = true
			return true
		default:
		}
		missing = unmet(s, s.Clientset(), ns)
		return missing == ""
	})
	if todo.Is(early) {
		return // another step's check says so
	}
	s.Require(!ended, "with the rules of Rules and nothing else, the program ended: "+check.ErrorText(early),
		"the error names what it may not do")
	s.Require(done, "with the rules of Rules and nothing else, the program runs, and "+missing, "its log below says what it may not do")
	stop()
	s.Require(<-result == nil, "the program was stopped and returned an error", "stopping is no error")
	for _, taken := range permissions(all) {
		a.judgeWithout(all, taken)
	}
}

// judgeWithout wants the program to end at once without this permission.
func (a *account) judgeWithout(all []rbacv1.PolicyRule, taken permission) {
	a.allow(without(all, taken), taken)
	result, stop := a.program()
	defer stop()
	select {
	case err := <-result:
		named := err != nil && strings.Contains(err.Error(), taken.resource) &&
			(strings.Contains(err.Error(), taken.verb) || taken.resource == "ingresses" && taken.verb == "patch" && strings.Contains(err.Error(),
				"update"))
		a.s.Requiref(named, "the error names the verb and the resource", "without the permission to %s, the program ended with %s", taken,
			check.ErrorText(err))
	case <-time.After(10 * time.Second):
		a.s.Failf("Rules is what checkAccess asks the server about at the start", "without the permission to %s, the program runs and says "+
			"nothing", taken)
	}
}

// unmet says what the program has not done yet; each is a permission of its own.
func unmet(s *check.S, api kubernetes.Interface, ns string) string {
	ingresses := api.NetworkingV1().Ingresses(ns)
	web, err := ingresses.Get(s.Context(), "web", metav1.GetOptions{})
	if err != nil {
		return "there is no Ingress web"
	}
	if _, err := ingresses.Get(s.Context(), "gone", metav1.GetOptions{}); err == nil {
		_, err = api.CoreV1().Services(ns).Patch(s.Context(), "gone", types.MergePatchType,
			[]byte(`{"metadata":{"annotations":{"ingress/http":null}}}`), metav1.PatchOptions{})
		s.Setup(err, "change service gone")
		return "the Ingress gone is not deleted"
	}
	if web.Labels["touched"] == "" {
		_, err = ingresses.Patch(s.Context(), "web", types.MergePatchType,
			[]byte(`{"metadata":{"labels":{"touched":"yes"}},"spec":{"rules":[{"host":"by-hand.example.com"}]}}`), metav1.PatchOptions{})
		s.Setup(err, "change ingress web")
		return "the Ingress web was changed by hand and is not put right"
	}
	if hostOfIngress(web) != "web.example.com" {
		return "the Ingress web was changed by hand and is not put right"
	}
	bad, err := api.CoreV1().Services(ns).Get(s.Context(), "bad", metav1.GetOptions{})
	s.Setup(err, "get service bad")
	list, err := api.CoreV1().Events(ns).List(s.Context(), metav1.ListOptions{})
	s.Setup(err, "list events")
	if !slices.ContainsFunc(list.Items, func(e corev1.Event) bool {
		// The API server may warn of a new Service's address as well, and the
		// Events of a Service outlive it in a namespace that stays.
		return e.Type == corev1.EventTypeWarning && e.InvolvedObject.UID == bad.UID && e.ReportingController != "ipallocator-repair-controller"
	}) {
		return "there is no Warning Event on Service bad"
	}
	if holder(s, ns, fieldManager) == "" {
		return "nobody holds the Lease"
	}
	return ""
}

// without takes one permission out of rules.
func without(rules []rbacv1.PolicyRule, taken permission) []rbacv1.PolicyRule {
	var out []rbacv1.PolicyRule
	for _, rule := range rules {
		rule = *rule.DeepCopy()
		if slices.Contains(rule.APIGroups, taken.group) && slices.Contains(rule.Resources, taken.resource) &&
			(taken.name == "" && len(rule.ResourceNames) == 0 || slices.Contains(rule.ResourceNames, taken.name)) {
			rule.Verbs = slices.DeleteFunc(rule.Verbs, func(verb string) bool {
				return verb == taken.verb || taken.resource == "ingresses" && taken.verb == "patch" && verb == "update"
			})
		}
		if len(rule.Verbs) > 0 {
			out = append(out, rule)
		}
	}
	return out
}
