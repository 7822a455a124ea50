package chaos

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/client-go-workshop/internal/sleep"
)

const (
	// quietFor is how long nothing may have been written before the idle window
	// begins, and idleFor is how long that is.
	quietFor = 500 * time.Millisecond
	idleFor  = time.Second
)

// look reads the namespace.
func (r *run) look(ctx context.Context) (world, error) {
	now := world{services: map[string]*corev1.Service{}, ingresses: map[string]*networkingv1.Ingress{}}
	services, err := r.client.CoreV1().Services(r.ns).List(ctx, metav1.ListOptions{})
	if err != nil {
		return now, fmt.Errorf("list the services: %w", err)
	}
	for i := range services.Items {
		now.services[services.Items[i].Name] = &services.Items[i]
	}
	ingresses, err := r.client.NetworkingV1().Ingresses(r.ns).List(ctx, metav1.ListOptions{})
	if err != nil {
		return now, fmt.Errorf("list the ingresses: %w", err)
	}
	for i := range ingresses.Items {
		now.ingresses[ingresses.Items[i].Name] = &ingresses.Items[i]
	}
	events, err := r.client.CoreV1().Events(r.ns).List(ctx, metav1.ListOptions{})
	if err != nil {
		return now, fmt.Errorf("list the events: %w", err)
	}
	now.events = events.Items
	return now, nil
}

// settle waits until the cluster is as the model says and nobody writes, then
// looks on for a while: nothing may be written any more.
func (r *run) settle(ctx context.Context) error {
	began := time.Now()
	deadline := began.Add(r.Settle)
	rules := rules{domain: r.plan.Domain, class: r.plan.Class}
	for {
		now, err := r.look(ctx)
		if err != nil {
			return err
		}
		different := rules.differences(now, r.ledger)
		since := time.Now().Add(-quietFor)
		late := r.proxy.seen(func(q Request) bool { return q.At.After(since) && r.counts(q) })
		if len(different) == 0 && len(late) == 0 && !r.proxy.writing() && r.atWork(ctx, since) {
			r.settled = time.Since(began)
			return r.idle(ctx, rules)
		}
		if time.Now().After(deadline) {
			return r.withExits(r.unsettled(different, late))
		}
		if err := sleep.For(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
}

// atWork says that the controller has been watching since some time ago. One
// that was killed in the end may still have to say something, and one that waits
// before it opens a watch again does not know yet what has changed.
func (r *run) atWork(ctx context.Context, since time.Time) bool {
	working := r.replicas[0]
	if r.plan.Leader {
		if working = r.leader(ctx, time.Time{}); working == nil {
			return false
		}
	}
	started := working.startTime()
	mine := func(q Request) bool {
		return q.Replica == working.name && q.At.After(started) && q.At.Before(since)
	}
	watching := func(resource string) bool {
		return len(r.proxy.seen(func(q Request) bool { return mine(q) && q.Resource == resource && q.Verb == "watch" && !q.Ended })) > 0
	}
	led := r.proxy.seen(func(q Request) bool { return mine(q) && q.Resource == "leases" && q.Writes() })
	return working.running() && watching("services") && watching("ingresses") && (len(led) > 1 || !r.plan.Leader)
}

// counts says that a request is a write that an idle controller does not send.
// It may renew its lease, and ask what it is allowed to do. The client's
// recorder repeats an Event up to ten seconds after it found the API server away.
func (r *run) counts(q Request) bool {
	switch q.Resource {
	case "leases", "selfsubjectaccessreviews", "selfsubjectrulesreviews":
		return false
	case "events":
		return q.Writes() && !r.cut.Load()
	}
	return q.Writes()
}

func (r *run) unsettled(different []string, late []Request) error {
	f := &finding{}
	if len(different) > 0 {
		f.lines = append(f.lines, fmt.Sprintf("%s after the last fault the cluster is not as the model says:", r.Settle))
		for _, line := range different {
			f.lines = append(f.lines, "  "+line)
		}
	}
	if len(late) > 0 {
		f.lines = append(f.lines, fmt.Sprintf("%s after the last change there are still writes, %d in the last %s:", r.Settle, len(late),
			quietFor))
		f.lines = append(f.lines, last(late, 6)...)
	}
	if len(f.lines) == 0 {
		f.lines = []string{fmt.Sprintf("%s after the last fault a write is under way without an end, or no controller is at work", r.Settle)}
	}
	return f
}

// idle watches that nothing is written while nothing changes.
func (r *run) idle(ctx context.Context, rules rules) error {
	began := time.Now()
	if err := sleep.For(ctx, idleFor); err != nil {
		return err
	}
	if written := r.proxy.seen(func(q Request) bool { return q.At.After(began) && r.counts(q) }); len(written) > 0 {
		return r.withExits(&finding{lines: append([]string{"nothing changes, and yet there are writes:"}, last(written, 6)...)})
	}
	now, err := r.look(ctx)
	if err != nil {
		return err
	}
	if different := rules.differences(now, r.ledger); len(different) > 0 {
		return &finding{lines: append([]string{"the cluster was as the model says, and is not any more:"}, different...)}
	}
	return r.exits()
}

// reads holds the reads against the rule that they come from listers: one live
// read after a change that did not succeed is right.
func (r *run) reads() error {
	resource := func(q Request) bool { return q.Resource == "ingresses" || q.Resource == "services" }
	gets := r.proxy.seen(func(q Request) bool { return resource(q) && q.Verb == "get" })
	failed := r.proxy.seen(func(q Request) bool {
		return resource(q) && (q.Writes() && (q.Status < 200 || q.Status > 299) || q.Fault == Read500)
	})
	if len(gets) > len(failed) {
		return &finding{lines: append([]string{fmt.Sprintf("%d live reads of single objects, but only %d changes or reads failed: reads come "+
			"from listers; the last:",
			len(gets), len(failed))}, last(gets, 6)...)}
	}
	lists := r.proxy.seen(func(q Request) bool { return resource(q) && q.Verb == "list" })
	watches := r.proxy.seen(func(q Request) bool { return resource(q) && q.Verb == "watch" })
	starts := 0
	for _, replica := range r.replicas {
		starts += replica.startCount()
	}
	if most := 2*len(watches) + 4*starts; len(lists) > most {
		return &finding{lines: append([]string{fmt.Sprintf("%d lists, for %d watches and %d starts: reads come from listers; the last:",
			len(lists), len(watches), starts)}, last(lists, 6)...)}
	}
	return nil
}
