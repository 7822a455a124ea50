package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
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

// replica is a call of Lead in the background.
type replica struct {
	s        *check.S
	rec      *check.Recorder
	election Election
	client   kubernetes.Interface
	stop     context.CancelFunc
	// running is true from the begin of run to its end; runs counts them.
	running atomic.Bool
	runs    atomic.Int64
	// released is how often the Lease had been given back when run ended.
	released atomic.Int64
	result   chan error
}

func newReplica(s *check.S, ns, lease, identity string, unit time.Duration) *replica {
	rec, cfg := s.Recorder()
	return &replica{s: s, rec: rec, client: clientset(s, cfg), result: make(chan error, 1), election: Election{
		Enabled: true, Namespace: ns, Name: lease, Identity: identity,
		LeaseDuration: 20 * unit, RenewDeadline: 15 * unit, RetryPeriod: unit,
	}}
}

// begin calls Lead with a run that goes on until its context ends, and a bit longer.
func (r *replica) begin(run func(context.Context) error) {
	ctx, stop := context.WithCancel(r.s.Context())
	r.stop = stop
	r.s.T().Cleanup(stop)
	go func() {
		r.result <- Lead(ctx, r.client, r.election, func(ctx context.Context) error {
			r.runs.Add(1)
			r.running.Store(true)
			err := run(ctx)
			r.released.Store(int64(r.releases()))
			r.running.Store(false)
			return err
		})
	}()
}

// end waits for Lead to return.
func (r *replica) end(what string) error {
	select {
	case err := <-r.result:
		r.s.Require(!r.running.Load(), what+", Lead returned while run was running", "wait for run: what it still writes, it writes beside the next leader")
		return err
	case <-time.After(check.CallTimeout):
		r.s.Fail(what+", Lead did not return within "+check.CallTimeout.String(), "a wait that looks neither at ctx nor at the end of run")
		return nil
	}
}

func (r *replica) renewals() int {
	return r.rec.Count(check.Match{Resource: "leases", Verb: "update"}) + r.rec.Count(check.Match{Resource: "leases", Verb: "patch"})
}

// releases counts the writes that leave the Lease without a holder.
func (r *replica) releases() int {
	n := 0
	for _, req := range r.rec.Requests(check.Match{Resource: "leases"}) {
		if !isWrite(req.Verb) || req.Verb == "create" {
			continue
		}
		object, err := req.Object()
		if err != nil {
			continue // another form of a patch; the Lease itself is looked at, too
		}
		spec, _ := object["spec"].(map[string]any)
		if holder, _ := spec["holderIdentity"].(string); holder == "" {
			n++
		}
	}
	return n
}

func holder(s *check.S, ns, name string) string {
	lease, err := s.Clientset().CoordinationV1().Leases(ns).Get(s.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return ""
	}
	s.Setup(err, "get lease "+name)
	return deref(lease.Spec.HolderIdentity)
}

func untilEnd(ctx context.Context) error {
	<-ctx.Done()
	time.Sleep(300 * time.Millisecond)
	return nil
}

func judgeLead(s *check.S) {
	ns := s.Namespace()
	bad := newReplica(s, ns, "bad", "a", 200*time.Millisecond)
	bad.election.RenewDeadline = 2 * bad.election.LeaseDuration
	err := s.Call(func(ctx context.Context) error {
		return Lead(ctx, bad.client, bad.election, func(context.Context) error { bad.runs.Add(1); return nil })
	})
	s.Require(err != nil && bad.runs.Load() == 0, fmt.Sprintf("with a RenewDeadline longer than the LeaseDuration, Lead returned %s, and run was called %d times", check.ErrorText(err), bad.runs.Load()), "leaderelection.NewLeaderElector refuses this: return its error. RunOrDie would panic")

	judgeTwo(s, ns)
	judgeStandby(s, ns)
	judgeLost(s, ns)
	judgeOwnEnd(s, ns)
	judgeSilentServer(s, ns)
}

func judgeTwo(s *check.S, ns string) {
	first, second := newReplica(s, ns, "two", "first", 200*time.Millisecond), newReplica(s, ns, "two", "second", 200*time.Millisecond)
	first.begin(untilEnd)
	s.Require(eventually(s, first.running.Load), "a single replica never leads: run is not called\n"+first.rec.Trace(), "the Lease in the namespace and of the name of election is free: take it, and call run once you have it (OnStartedLeading)")
	s.Require(holder(s, ns, "two") == "first", fmt.Sprintf("run was called, and the holder of Lease %s/two is %q, want first", ns, holder(s, ns, "two")), "the Lease is election's Namespace and Name, the holder its Identity")
	second.begin(func(ctx context.Context) error { return errors.Join(untilEnd(ctx), errSync) })
	begun := first.renewals()
	s.Setup(boolError(eventually(s, func() bool { return first.renewals() >= begun+3 })), "see the leader renew its Lease")
	s.Require(second.runs.Load() == 0 && first.running.Load(), "two replicas run at the same time", "run is for the one that holds the Lease")

	first.stop()
	err := first.end("ctx ended while it led")
	s.Require(first.released.Load() == 0, "the Lease was given back before run had returned, while run was running\n"+first.rec.Trace(), "the next replica begins at once: the context of the election has to live longer than that of run (context.WithoutCancel)")
	s.Require(err == nil, "ctx ended while it led; Lead returned "+check.ErrorText(err), "stopping is no error, and losing the Lease is another thing than giving it back")
	s.Require(first.releases() > 0 || holder(s, ns, "two") != "first", "ctx ended while it led, and the Lease was not given back\n"+first.rec.Trace(), "ReleaseOnCancel, and wait for the elector before you return: else the next replica waits for the Lease's end")
	s.Require(eventually(s, second.running.Load), "the leader has gone, and the other replica does not lead", "who stands by goes on trying")
	second.stop()
	err = second.end("ctx ended while it led")
	s.Require(errors.Is(err, errSync), "ctx ended while it led, and run returned the error: "+errSync.Error()+"; Lead returned "+check.ErrorText(err), "return what run returned, nil or an error")
	s.Require(!errors.Is(err, ErrLostLease), "ctx ended while it led; Lead returned "+check.ErrorText(err), "losing the Lease is another thing than giving it back")
	s.Require(first.runs.Load() == 1 && second.runs.Load() == 1, fmt.Sprintf("run was called %d and %d times, want once each", first.runs.Load(), second.runs.Load()), "who has led ends; it does not lead a second time")
}

func judgeStandby(s *check.S, ns string) {
	_, err := s.Clientset().CoordinationV1().Leases(ns).Create(s.Context(), &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: "held"},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: new("somebody"), LeaseDurationSeconds: new(int32(3600)),
			AcquireTime: new(metav1.NowMicro()), RenewTime: new(metav1.NowMicro())},
	}, metav1.CreateOptions{})
	s.Setup(err, "create a Lease")
	r := newReplica(s, ns, "held", "late", 200*time.Millisecond)
	r.election.LeaseDuration, r.election.RenewDeadline = time.Hour, time.Minute
	r.begin(untilEnd)
	r.rec.WaitFor(s.Context(), check.Match{Resource: "leases"})
	r.stop()
	err = r.end("ctx ended while it stood by")
	s.Require(err == nil, "ctx ended while it stood by; Lead returned "+check.ErrorText(err), "stopping is no error")
	s.Require(r.runs.Load() == 0, "the Lease is held by somebody else, and run was called", "run is for the one that holds the Lease")
	s.Require(holder(s, ns, "held") == "somebody", fmt.Sprintf("the Lease was held by somebody, and now by %q", holder(s, ns, "held")), "only what is yours can be given back")
}

func judgeLost(s *check.S, ns string) {
	r := newReplica(s, ns, "lost", "unlucky", 100*time.Millisecond)
	r.begin(func(ctx context.Context) error { return errors.Join(untilEnd(ctx), errSync) })
	s.Require(eventually(s, r.running.Load), "a single replica never leads: run is not called\n"+r.rec.Trace(), "the Lease is free: take it")
	for _, verb := range []string{"update", "patch", "get"} {
		r.rec.Answer(check.Match{Resource: "leases", Verb: verb}, 0, check.Always, http.StatusInternalServerError, metav1.StatusReasonInternalError, "the check says no")
	}
	err := r.end("the Lease could not be renewed")
	s.Require(r.runs.Load() == 1, fmt.Sprintf("the Lease was lost, and run was called %d times", r.runs.Load()), "the process ends and starts afresh")
	s.Require(errors.Is(err, ErrLostLease), "the Lease was lost; Lead returned "+check.ErrorText(err), "another replica may lead by now: this one ends with an error that wraps ErrLostLease, also where run returned an error of its own")
}

func judgeOwnEnd(s *check.S, ns string) {
	for name, want := range map[string]error{"fails": errSync, "ends": nil} {
		r := newReplica(s, ns, name, "one", 200*time.Millisecond)
		r.begin(func(context.Context) error { return want })
		err := r.end("run returned by itself")
		s.Require(errors.Is(err, want), fmt.Sprintf("run returned %s by itself; Lead returned %s", check.ErrorText(want), check.ErrorText(err)), "who leads and does nothing any more keeps the others from it: return what run returned")
		s.Require(!errors.Is(err, ErrLostLease), "run returned by itself; Lead returned "+check.ErrorText(err), "the Lease was not lost: it is given back")
		s.Require(holder(s, ns, name) == "", fmt.Sprintf("run returned by itself, and the Lease is still held by %q", holder(s, ns, name)), "give the Lease back: the next replica need not wait for its end")
	}
}

func judgeSilentServer(s *check.S, ns string) {
	r := newReplica(s, ns, "silent", "one", 200*time.Millisecond)
	r.election.LeaseDuration, r.election.RenewDeadline = 2*time.Minute, time.Minute
	r.begin(untilEnd)
	s.Require(eventually(s, r.running.Load), "a single replica never leads: run is not called\n"+r.rec.Trace(), "the Lease is free: take it")
	r.rec.Delay(check.Match{Resource: "leases"}, check.Always, time.Minute)
	r.stop()
	_ = r.end("ctx ended while the server did not answer any more") // what it returns is not in the task
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
	s.Must(func(context.Context) (err error) { everywhere, own, err = Rules(lease); return err })
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
	judgeManifests(s)
	judgeWithRules(s)
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
		s.Require(len(rule.NonResourceURLs) == 0, fmt.Sprintf("a rule allows the paths %v, which are no resources", rule.NonResourceURLs), "the controller sends requests for resources only; its own /metrics is none of the API server's")
	}
	s.Require(!allows("patch") || !allows("update"), "the rules allow to patch Ingresses as well as to update them", "your steps put an Ingress right in one of the two ways: an apply is a patch")
}

func judgePermissions(s *check.S, list string, got, want []permission) {
	for _, p := range got {
		s.Require(p.group != "*" && p.resource != "*" && p.verb != "*", fmt.Sprintf("the list %s has a rule with \"*\": %s", list, p), "a star allows what nobody thought of, also what a later version brings")
		limited, unlimited := p, p
		limited.name, unlimited.name = "some-lease", ""
		known := slices.Contains(want, p)
		s.Require(known || p.name != "" || !slices.Contains(want, limited), fmt.Sprintf("the list %s allows to %s of every name", list, p), "resourceNames limits a rule to one Lease: other programs have theirs in the same namespace")
		s.Require(known || p.name == "" || !slices.Contains(want, unlimited), fmt.Sprintf("the list %s allows to %s: such a rule never applies", list, p), "a create has no name yet that resourceNames could be compared with")
		s.Require(known || p.name == "" || !slices.Contains(want, limited), fmt.Sprintf("the list %s allows to %s, a Lease of another name; it is called some-lease here", list, p), "the name is Rules' argument")
		s.Require(slices.Contains(want, p), fmt.Sprintf("the list %s allows to %s, which the controller never does", list, p), "what is not needed is what an attacker uses: look at the requests that the steps send")
	}
	for _, p := range want {
		s.Require(slices.Contains(got, p), fmt.Sprintf("the list %s does not allow to %s", list, p), "without it the controller gets 403 there; look at the requests that the steps send")
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
	var wantEverywhere, wantOwn []rbacv1.PolicyRule
	s.Must(func(context.Context) (err error) { wantEverywhere, wantOwn, err = Rules(fieldManager); return err })
	for _, c := range []struct {
		kind      string
		got, want []rbacv1.PolicyRule
	}{{"ClusterRole", everywhere, wantEverywhere}, {"Role", own, wantOwn}} {
		got, want := permissions(c.got), permissions(c.want)
		for _, p := range want {
			s.Require(slices.Contains(got, p), fmt.Sprintf("the %s in deploy/rbac.yaml does not allow to %s, as Rules does", c.kind, p), "the file and the function say the same: the program asks for what the function says, and gets what the file says")
		}
		for _, p := range got {
			s.Require(slices.Contains(want, p), fmt.Sprintf("the %s in deploy/rbac.yaml allows to %s, and Rules does not", c.kind, p), "the file and the function say the same: the program asks for what the function says, and gets what the file says")
		}
	}
	deployment := appsv1.Deployment{}
	s.Setup(yaml.Unmarshal(manifests(s, "deployment.yaml")[0], &deployment), "read deploy/deployment.yaml")
	_, err := parse(deployment.Spec.Template.Spec.Containers[0].Args)
	s.Require(err == nil, "the program does not take the arguments in deploy/deployment.yaml: "+check.ErrorText(err), "parse in main.go and the file say the same")
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

// account is a ServiceAccount with rules in one namespace, and a kubeconfig for it.
type account struct {
	s          *check.S
	ns         string
	kubeconfig string
}

func newAccount(s *check.S, ns string) *account {
	// Who may not write to the workshop's own namespace may often write to ns.
	s.Needs(authorizationv1.ResourceAttributes{Verb: "create", Group: rbacv1.GroupName, Resource: "rolebindings", Namespace: cluster.Namespace})
	api := s.Clientset()
	const name = "controller"
	_, err := api.CoreV1().ServiceAccounts(ns).Create(s.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: s.Labels()}}, metav1.CreateOptions{})
	s.Setup(err, "create a ServiceAccount")
	token, err := api.CoreV1().ServiceAccounts(ns).CreateToken(s.Context(), name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	s.Setup(err, "create a token")
	subjects := []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: ns, Name: name}}
	bind := func(in, role string) *rbacv1.RoleBinding {
		binding, err := api.RbacV1().RoleBindings(in).Create(s.Context(), &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{GenerateName: ns + "-", Labels: s.Labels()}, Subjects: subjects,
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role}}, metav1.CreateOptions{})
		s.Setup(err, "bind a Role")
		return binding
	}
	bind(ns, name)
	// The workshop's own guard reads the marker; in a pod there is no guard.
	marker, err := api.RbacV1().Roles(cluster.Namespace).Create(s.Context(), &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{GenerateName: ns + "-"},
		Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, ResourceNames: []string{cluster.MarkerName}, Verbs: []string{"get"}}}}, metav1.CreateOptions{})
	s.Setup(err, "create a Role")
	binding := bind(cluster.Namespace, marker.Name)
	s.T().Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		roles := api.RbacV1()
		if err := errors.Join(roles.RoleBindings(cluster.Namespace).Delete(ctx, binding.Name, metav1.DeleteOptions{}), roles.Roles(cluster.Namespace).Delete(ctx, marker.Name, metav1.DeleteOptions{})); err != nil {
			s.T().Logf("clean up: %v", err)
		}
	})

	cfg := s.Config()
	kubeconfig := filepath.Join(s.T().TempDir(), "kubeconfig")
	s.Setup(clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"c": {Server: cfg.Host, CertificateAuthority: cfg.CAFile, CertificateAuthorityData: cfg.CAData}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"u": {Token: token.Status.Token}},
		Contexts:       map[string]*clientcmdapi.Context{"x": {Cluster: "c", AuthInfo: "u"}},
		CurrentContext: "x",
	}, kubeconfig), "write a kubeconfig")
	return &account{s: s, ns: ns, kubeconfig: kubeconfig}
}

// allow makes rules all that the account may do in its namespace, and waits
// until the server goes by them.
func (a *account) allow(rules []rbacv1.PolicyRule, taken ...permission) {
	roles := a.s.Clientset().RbacV1().Roles(a.ns)
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "controller", Labels: a.s.Labels()}, Rules: rules}
	_, err := roles.Update(a.s.Context(), role, metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		_, err = roles.Create(a.s.Context(), role, metav1.CreateOptions{})
	}
	a.s.Setup(err, "write a Role")
	for _, p := range permissions(rules) {
		a.s.Setup(boolError(eventually(a.s, func() bool { return a.may(p) })), "see that the account may "+p.String())
	}
	for _, p := range taken {
		a.s.Setup(boolError(eventually(a.s, func() bool { return !a.may(p) })), "see that the account may no more "+p.String())
	}
}

// may asks the server, which learns of a changed Role a little later.
func (a *account) may(p permission) bool {
	verbs := []string{p.verb}
	if p.resource == "ingresses" && p.verb == "patch" {
		verbs = append(verbs, "update")
	}
	for _, verb := range verbs {
		answer, err := a.s.Clientset().AuthorizationV1().SubjectAccessReviews().Create(a.s.Context(), &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User:               "system:serviceaccount:" + a.ns + ":controller",
			ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: a.ns, Verb: verb, Group: p.group, Resource: p.resource, Name: p.name},
		}}, metav1.CreateOptions{})
		a.s.Setup(err, "ask what the account may do")
		if answer.Status.Allowed {
			return true
		}
	}
	return false
}

// program runs the whole program as the account until the function that it
// returns is called, which returns what the program returned.
func (a *account) program() (result <-chan error, stop func()) {
	ctx, cancel := context.WithCancel(a.s.Context())
	a.s.T().Cleanup(cancel)
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"--kubeconfig", a.kubeconfig, "--namespace", a.ns, "--leader-elect", "--leader-elect-namespace", a.ns})
	}()
	return ended, cancel
}

// judgeWithRules runs the program with the rules and nothing else, and then with
// each permission taken away. It can do so only when the other steps are written.
func judgeWithRules(s *check.S) {
	ns := s.Namespace()
	api := s.Clientset()
	a := newAccount(s, ns)
	everywhere, own, err := Rules(fieldManager)
	s.Setup(err, "call Rules again")
	all := slices.Concat(everywhere, own)
	a.allow(all)

	result, stop := a.program()
	makeService := func(name, host string) {
		_, err := api.CoreV1().Services(ns).Create(s.Context(), newService(ns, name, map[string]string{askHost: host}), metav1.CreateOptions{})
		s.Setup(err, "create service "+name)
	}
	makeService("web", "web.example.com")
	makeService("bad", "a_b")
	makeService("gone", "gone.example.com")
	var early error
	missing := ""
	done := eventually(s, func() bool {
		select {
		case early = <-result:
			return true
		default:
		}
		missing = unmet(s, api, ns)
		return missing == ""
	})
	if todo.Is(early) {
		return // another step's check says so
	}
	s.Require(early == nil, "with the rules of Rules and nothing else, the program ended: "+check.ErrorText(early), "the error names what it may not do")
	s.Require(done, "with the rules of Rules and nothing else, the program runs, and "+missing, "its log below says what it may not do")
	stop()
	s.Require(<-result == nil, "the program was stopped and returned an error", "stopping is no error")

	for _, taken := range permissions(all) {
		a.allow(without(all, taken), taken)
		result, stop := a.program()
		var err error
		select {
		case err = <-result:
		case <-time.After(10 * time.Second):
			stop()
			s.Fail(fmt.Sprintf("without the permission to %s, the program runs and says nothing", taken), "Rules is what checkAccess asks the server about at the start")
		}
		named := err != nil && strings.Contains(err.Error(), taken.resource) &&
			(strings.Contains(err.Error(), taken.verb) || taken.resource == "ingresses" && taken.verb == "patch" && strings.Contains(err.Error(), "update"))
		s.Require(named,
			fmt.Sprintf("without the permission to %s, the program ended with %s", taken, check.ErrorText(err)), "the error names the verb and the resource")
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
		_, err = api.CoreV1().Services(ns).Patch(s.Context(), "gone", types.MergePatchType, []byte(`{"metadata":{"annotations":{"ingress/http":null}}}`), metav1.PatchOptions{})
		s.Setup(err, "change service gone")
		return "the Ingress gone is not deleted"
	}
	if web.Labels["touched"] == "" {
		_, err = ingresses.Patch(s.Context(), "web", types.MergePatchType, []byte(`{"metadata":{"labels":{"touched":"yes"}},"spec":{"rules":[{"host":"by-hand.example.com"}]}}`), metav1.PatchOptions{})
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
