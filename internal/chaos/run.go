package chaos

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/client-go-workshop/internal/sleep"
)

const (
	// leaseName is the Lease of a run's two replicas.
	leaseName = "chaos"
	// freezeBound is how long the second replica may take to lead, exitBound how
	// long the first may live on when it is awake again.
	freezeBound = 30 * time.Second
	exitBound   = 15 * time.Second
	startBound  = 30 * time.Second
	// stopBound is what the rules grant a controller after SIGTERM.
	stopBound = 5 * time.Second
	// goneBound is how long a namespace may take to be deleted.
	goneBound = 90 * time.Second
)

// run is one run of the chaos test.
type run struct {
	*Runner
	plan     Plan
	program  string
	dir      string
	ns       string
	proxy    *proxy
	deal     *dealer
	ledger   *ledger
	writers  *writers
	replicas []*replica
	// settled is how long the controller took after the last fault.
	settled time.Duration
	alive   sync.WaitGroup

	// expected says that a replica may end by itself.
	expected atomic.Bool
	// cut says that connections were refused at some time.
	cut atomic.Bool
}

// finding is what a run found wrong with the controller. Any other error is a
// failure of the test itself.
type finding struct{ lines []string }

func (f *finding) Error() string { return strings.Join(f.lines, "\n") }

func found(format string, args ...any) error {
	return &finding{lines: []string{fmt.Sprintf(format, args...)}}
}

// do carries out the plan and returns a *finding when the controller is at fault.
func (r *run) do(ctx context.Context) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	script, err := os.Create(filepath.Join(r.dir, "script.log"))
	if err != nil {
		return fmt.Errorf("keep the script's log: %w", err)
	}
	defer script.Close()
	if err := os.WriteFile(filepath.Join(r.dir, "plan.txt"), []byte(r.plan.String()), 0o600); err != nil {
		return fmt.Errorf("keep the plan: %w", err)
	}
	if r.plan.Stubborn {
		r.calm.RLock()
		defer r.calm.RUnlock()
	}
	if err := r.prepare(ctx, script); err != nil {
		return err
	}
	defer r.proxy.close()
	defer r.removeNamespace(context.WithoutCancel(ctx))
	defer func() { err = errors.Join(err, r.keepRequests()) }()
	defer r.halt(cancel)
	if err := r.launch(ctx); err != nil {
		return err
	}
	if err := r.disturb(ctx); err != nil {
		return err
	}
	if r.plan.Stubborn {
		if err := r.giveUp(ctx); err != nil {
			return err
		}
	} else {
		// The API server stays as it is while a run is judged.
		r.calm.RLock()
		defer r.calm.RUnlock()
	}
	r.deal.stop()
	if err := r.settle(ctx); err != nil {
		return err
	}
	if err := r.reads(); err != nil {
		return err
	}
	return r.end(ctx)
}

// prepare makes the namespace, what is in it from the beginning, and the proxy.
func (r *run) prepare(ctx context.Context, script *os.File) error {
	r.deal, r.ledger = newDealer(r.plan.Faults), newLedger()
	err := again(ctx, func() error {
		ns, err := r.client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
			GenerateName: fmt.Sprintf("chaos-%d-", r.plan.Seed),
		}}, metav1.CreateOptions{})
		if err == nil {
			r.ns = ns.Name
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("create a namespace: %w", err)
	}
	r.writers = &writers{client: r.client, ns: r.ns, ledger: r.ledger, log: script}
	if err := r.writers.play(ctx, "setup", r.plan.Setup); err != nil {
		return err
	}
	r.proxy, err = newProxy(r.cfg, r.deal, hooks{kill: r.kill, race: r.writers.race})
	if err == nil && r.plan.Stubborn {
		r.deal.refuse(stubborn)
	}
	return err
}

func (r *run) kill(name string, away time.Duration) {
	for _, replica := range r.replicas {
		if replica.name == name {
			replica.kill(away)
		}
	}
}

// launch starts the replicas.
func (r *run) launch(ctx context.Context) error {
	names := []string{"a"}
	if r.plan.Leader {
		names = append(names, "b")
		r.expected.Store(true)
	}
	for _, name := range names {
		kubeconfig, err := r.proxy.kubeconfig(r.dir, name)
		if err != nil {
			return err
		}
		replica, err := newReplica(name, r.program, r.dir, r.flags(name, kubeconfig))
		if err != nil {
			return err
		}
		r.replicas = append(r.replicas, replica)
	}
	for _, replica := range r.replicas {
		r.alive.Go(func() { replica.run(ctx) })
	}
	if r.plan.LateStart {
		return nil
	}
	return r.until(ctx, startBound, "no replica watches services", func() bool {
		return len(r.proxy.seen(func(q Request) bool { return q.Resource == "services" })) > 0
	})
}

func (r *run) flags(name, kubeconfig string) []string {
	flags := []string{
		"--kubeconfig", kubeconfig,
		"--namespace", r.ns,
		"--domain", r.plan.Domain,
		"--ingress-class", r.plan.Class,
		"--workers", fmt.Sprint(r.plan.Workers),
		"--max-retry", fmt.Sprint(r.maxRetry()),
	}
	if r.plan.Leader {
		flags = append(flags, "--leader-elect",
			"--leader-elect-namespace", r.ns, "--leader-elect-name", leaseName,
			"--leader-elect-lease-duration", "2s", "--leader-elect-renew-deadline", "1500ms", "--leader-elect-retry-period", "300ms",
			"--identity", name)
	}
	return flags
}

// maxRetry is more than the faults of a run need, unless the controller shall
// give up.
func (r *run) maxRetry() int {
	if r.plan.Stubborn {
		return 6
	}
	return 15
}

// until waits for a condition, or finds fault with the controller.
func (r *run) until(ctx context.Context, bound time.Duration, complaint string, done func() bool) error {
	deadline := time.Now().Add(bound)
	for !done() {
		if time.Now().After(deadline) {
			return r.withExits(found("%s after %s", complaint, bound))
		}
		if err := sleep.For(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// disturb lets the writers and the disruptions work until all are done.
func (r *run) disturb(ctx context.Context) error {
	var group sync.WaitGroup
	errs := make([]error, len(r.plan.Writers)+1)
	for i, w := range r.plan.Writers {
		group.Go(func() { errs[i] = r.writers.play(ctx, w.Name, w.Ops) })
	}
	group.Go(func() { errs[len(errs)-1] = r.disrupt(ctx) })
	group.Wait()
	return errors.Join(errs...)
}

func (r *run) disrupt(ctx context.Context) error {
	for _, c := range r.plan.Disruptions {
		if err := sleep.For(ctx, c.Pause); err != nil {
			return err
		}
		var err error
		switch c.Do {
		case Kill:
			if r.replicas[0].kill(c.Hold) {
				r.deal.happened(string(Kill))
			}
		case Outage:
			err = r.outage(ctx, c.Hold)
		case Freeze:
			err = r.freeze(ctx, c.Hold)
		case APIRestart:
			err = r.restart(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// outage refuses connections for some time.
func (r *run) outage(ctx context.Context, hold time.Duration) error {
	r.expected.Store(true)
	r.cut.Store(true)
	r.proxy.close()
	r.deal.happened(string(Outage))
	waitErr := sleep.For(ctx, hold)
	return errors.Join(waitErr, r.proxy.listen())
}

// freeze stops the leader until the other replica leads, and lets it go on then:
// it has to find out and to end.
func (r *run) freeze(ctx context.Context, hold time.Duration) error {
	var frozen *replica
	began := time.Now()
	leads := func() bool {
		frozen = r.leader(ctx, began)
		return frozen != nil
	}
	if err := r.until(ctx, freezeBound, "no replica leads by its --identity", leads); err != nil {
		return err
	}
	thaw, err := frozen.freeze()
	if err != nil {
		return nil // it was killed at this moment: there is no leader to freeze
	}
	defer thaw()
	r.deal.happened(string(Freeze))
	process := frozen.startCount()
	over := func() bool {
		leader := r.leader(ctx, began)
		return leader != nil && leader != frozen || frozen.startCount() != process
	}
	if err := r.until(ctx, freezeBound, fmt.Sprintf("replica %s is frozen past its lease, and no other leads", frozen.name),
		over); err != nil {
		return err
	}
	if err := sleep.For(ctx, hold); err != nil {
		return err
	}
	thaw()
	complaint := fmt.Sprintf("replica %s lost its lease while it was frozen, and lives on", frozen.name)
	return r.until(ctx, exitBound, complaint, func() bool {
		return frozen.startCount() != process || !frozen.running()
	})
}

// leader is the replica that holds the Lease and knows it: its process of this
// moment has renewed it since. The Lease may name one that was killed, or one
// that the answer did not reach.
func (r *run) leader(ctx context.Context, since time.Time) *replica {
	lease, err := r.client.CoordinationV1().Leases(r.ns).Get(ctx, leaseName, metav1.GetOptions{})
	if err != nil || lease.Spec.HolderIdentity == nil {
		return nil
	}
	for _, replica := range r.replicas {
		if replica.name != *lease.Spec.HolderIdentity {
			continue
		}
		if started := replica.startTime(); started.After(since) {
			since = started
		}
		renewed := r.proxy.seen(func(q Request) bool {
			return q.Replica == replica.name && q.Resource == "leases" && q.Writes() && q.At.After(since) && q.Status/100 == 2
		})
		if len(renewed) > 1 && replica.running() {
			return replica
		}
	}
	return nil
}

// giveUp waits until the controller has given up on the Ingress that cannot be
// written, says so, and lets it be. The next change brings it back.
func (r *run) giveUp(ctx context.Context) error {
	said := func() bool {
		now, err := r.look(ctx)
		return err == nil && slices.ContainsFunc(now.events, func(e corev1.Event) bool {
			return e.InvolvedObject.Name == stubborn && e.Type == corev1.EventTypeWarning
		})
	}
	complaint := fmt.Sprintf("every write of an ingress fails, --max-retry is %d, and no Warning on its service tells of giving up",
		r.maxRetry())
	if err := r.until(ctx, r.Settle, complaint, said); err != nil {
		return err
	}
	tries := func() []Request {
		return r.proxy.seen(func(q Request) bool { return q.Resource == "ingresses" && q.Name == stubborn && q.Writes() })
	}
	before := len(tries())
	r.deal.refuse("")
	if err := sleep.For(ctx, idleFor); err != nil {
		return err
	}
	after := tries()
	switch most := r.maxRetry() + 1; {
	case len(after) > before:
		return &finding{lines: append([]string{"the controller said that it had given up, and went on; the last tries:"}, last(after, 4)...)}
	case before < 2 || before > most:
		return &finding{lines: append([]string{fmt.Sprintf("%d tries before giving up, not 2 to %d; the last:", before, most)},
			last(after, most+2)...)}
	}
	return r.writers.play(ctx, "change", []Op{{Do: ServiceAnnotate, Name: stubborn, Key: annotationHost, Value: "again.example.net"}})
}

// restart ends the API server and starts it again, for all runs.
func (r *run) restart(ctx context.Context) error {
	if r.Restart == nil {
		return nil
	}
	r.calm.Lock()
	defer r.calm.Unlock()
	r.Runner.restarting()
	r.deal.happened(string(APIRestart))
	// Half a restart would leave the other runs, and the next chaos test, without
	// an API server.
	if err := r.Restart(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("restart the API server: %w", err)
	}
	return nil
}

// exits finds fault with a replica that crashed, or that ended without a reason.
func (r *run) exits() error {
	for _, replica := range r.replicas {
		if line := replica.crash(); line != "" {
			return found("replica %s crashed: %s", replica.name, line)
		}
		for _, code := range replica.exitCodes() {
			if code == 0 {
				return found("replica %s ended by itself with code 0", replica.name)
			}
			if !r.expected.Load() {
				return found("replica %s ended by itself with code %d; its last words: %s", replica.name, code, replica.lastWords())
			}
		}
	}
	return nil
}

// withExits prefers the cause to the symptom: what ended cannot have worked.
func (r *run) withExits(err error) error {
	if cause := r.exits(); cause != nil {
		return cause
	}
	return err
}

// end stops the controller, in some runs after the namespace is gone.
func (r *run) end(ctx context.Context) error {
	if r.plan.Terminate {
		if err := r.terminate(ctx); err != nil {
			return err
		}
	}
	if err := r.exits(); err != nil {
		return err
	}
	var leader *replica
	if r.plan.Leader && !r.plan.Terminate {
		leader = r.leader(ctx, time.Time{})
	}
	// The leader first: else the other might lead without knowing it yet.
	if leader != nil {
		if err := r.stop(ctx, leader, true); err != nil {
			return err
		}
	}
	for _, replica := range r.replicas {
		if replica == leader {
			continue
		}
		if err := r.stop(ctx, replica, false); err != nil {
			return err
		}
	}
	return nil
}

// stop asks a replica to end and looks at how it does.
func (r *run) stop(ctx context.Context, replica *replica, leader bool) error {
	code, err := replica.stop(ctx, stopBound)
	switch {
	case errors.Is(err, errNotRunning):
		return nil
	case errors.Is(err, errLate):
		return found("replica %s did not end within %s of SIGTERM", replica.name, stopBound)
	case err != nil:
		return err
	case r.plan.Leader && r.plan.Terminate:
		return nil // its Lease went with the namespace, so it may just have been started again
	case code != 0:
		return found("replica %s ended with code %d after SIGTERM; its last words: %s", replica.name, code, replica.lastWords())
	}
	if !leader {
		return nil
	}
	lease, err := r.client.CoordinationV1().Leases(r.ns).Get(ctx, leaseName, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("read the lease: %w", err)
	}
	if holder := lease.Spec.HolderIdentity; holder != nil && *holder == replica.name {
		return found("replica %s ended after SIGTERM without giving its lease back", replica.name)
	}
	return nil
}

// mostWhileEnding is how many changes a controller may try for each Service
// while its namespace is being deleted.
const mostWhileEnding = 4

// terminate deletes the namespace under the running controller.
func (r *run) terminate(ctx context.Context) error {
	began := time.Now()
	services, err := r.client.CoreV1().Services(r.ns).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list the services: %w", err)
	}
	if err := r.client.CoreV1().Namespaces().Delete(ctx, r.ns, metav1.DeleteOptions{}); err != nil {
		return fmt.Errorf("delete namespace %s: %w", r.ns, err)
	}
	gone := func() bool {
		_, err := r.client.CoreV1().Namespaces().Get(ctx, r.ns, metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	}
	if err := r.until(ctx, goneBound, "the namespace is being deleted and does not go", gone); err != nil {
		return err
	}
	tried := r.proxy.seen(func(q Request) bool { return q.At.After(began) && q.Resource == "ingresses" && q.Writes() })
	if most := mostWhileEnding * len(services.Items); len(tried) > most {
		return &finding{lines: append([]string{fmt.Sprintf("%d changes of ingresses were tried while the namespace with %d services was "+
			"being deleted, more than %d; the last:",
			len(tried), len(services.Items), most)}, last(tried, 12)...)}
	}
	return nil
}

func last(requests []Request, n int) []string {
	var out []string
	for _, req := range requests[max(0, len(requests)-n):] {
		out = append(out, "  "+req.String())
	}
	return out
}

// halt ends what is left of the replicas.
func (r *run) halt(cancel context.CancelFunc) {
	cancel()
	r.alive.Wait()
}

func (r *run) removeNamespace(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	// What stays is in the way of nobody: each run has a namespace of its own.
	_ = again(ctx, func() error { return r.client.CoreV1().Namespaces().Delete(ctx, r.ns, metav1.DeleteOptions{}) })
}

func (r *run) keepRequests() error {
	var b strings.Builder
	for _, req := range r.proxy.seen(func(Request) bool { return true }) {
		b.WriteString(req.String() + "\n")
	}
	if err := os.WriteFile(filepath.Join(r.dir, "requests.log"), []byte(b.String()), 0o600); err != nil {
		return fmt.Errorf("keep the requests: %w", err)
	}
	return nil
}
