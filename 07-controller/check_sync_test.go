package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	corelisters "k8s.io/client-go/listers/core/v1"
	networkinglisters "k8s.io/client-go/listers/networking/v1"
	"k8s.io/client-go/tools/cache"

	"example.com/client-go-workshop/internal/check"
)

var ingressRequests = check.Match{Resource: "ingresses"}

func ingressVerb(verb string) check.Match { return check.Match{Resource: "ingresses", Verb: verb} }

const staleCause = "the cache may be behind the server: after AlreadyExists or Conflict, one GET (getIngress) says what really is there, and the decision is made again on that"

// judgeCreate: no Ingress where one is wanted.
func judgeCreate(w *world) {
	s := w.s
	service := w.service("create", map[string]string{askHost: "create.example.com"})
	s.Require(w.sync("create") == nil, "for a Service that asks for an Ingress and has none, syncService returned an error\n"+w.rec.Trace(), "nothing is wrong with this Service")
	live := w.live("create")
	s.Require(live != nil, "a Service asks for an Ingress, and after the sync there is none\n"+w.rec.Trace(), "createIngress with what c.policy.Desired returned")
	s.Require(metav1.IsControlledBy(live, service) && hostOfIngress(live) == "create.example.com", "the Ingress is not what c.policy.Desired returned: "+describeIngress(live), "send it as it is")
	s.Require(len(w.reads()) == 0, "a sync of a Service without an Ingress read from the server\n"+w.rec.Trace(), "Services and Ingresses are read through the listers (c.services, c.ingresses); a GET for each key is what a cache is there to save")
	s.Require(len(w.writes()) == 1, fmt.Sprintf("for one new Ingress, %d writes were sent, want 1\n%s", len(w.writes()), w.rec.Trace()), "one create is enough")
	s.Require(len(warningsOf(w.events.take())) == 0, "a sync without a fault made a Warning Event", "Warnings are for what people have to mend")

	w.catchUp("create")
	w.reset()
	s.Require(w.sync("create") == nil && w.rec.Count(check.Match{}) == 0, "for an Ingress that is as it should be, requests were sent\n"+w.rec.Trace(), "nothing is written, and nothing read from the server, while nothing changes")
}

// judgeRepair: an Ingress of ours that differs.
func judgeRepair(w *world) {
	s := w.s
	service := w.service("repair", map[string]string{askHost: "repair.example.com"})
	w.ingress(ingressFor(service, "repair.example.com"))
	w.patch("repair", `{"metadata":{"labels":{"team":"red"},"annotations":{"note":"mine"},"finalizers":["workshop.example.com/hold"]},
		"spec":{"tls":[{"hosts":["repair.example.com"],"secretName":"repair"}],"rules":[{"host":"by-hand.example.com"}]}}`)
	defer func() {
		_, err := w.patchLive("repair", `{"metadata":{"finalizers":null}}`)
		s.Setup(err, "release ingress repair")
	}()
	w.catchUp("repair")
	w.reset()
	err := w.sync("repair")
	live := w.live("repair")
	s.Require(err == nil && live != nil && hostOfIngress(live) == "repair.example.com" && len(live.Spec.Rules) == 1 && live.Spec.Rules[0].HTTP != nil,
		fmt.Sprintf("an Ingress of ours was edited by hand; after the sync (%s) it is %s\n%s", check.ErrorText(err), describeIngress(live), w.rec.Trace()), "what differs is put right: create and delete alone leave it as it is")
	s.Require(live.Labels["team"] == "red" && live.Annotations["note"] == "mine" && len(live.Spec.TLS) == 1 && len(live.Finalizers) == 1,
		fmt.Sprintf("other writers' fields are lost: labels %v, annotations %v, finalizers %v, %d TLS entries", live.Labels, live.Annotations, live.Finalizers, len(live.Spec.TLS)),
		"send the fields that you own and no others (server-side apply), or an update of a copy of what is there")
	s.Require(metav1.IsControlledBy(live, service), "after the repair the Ingress has lost its owner", "server-side apply keeps what is in the configuration: the owner reference belongs in it")
	s.Require(len(w.writes()) == 1 && len(w.reads()) == 0, "for one repair, want one write and no read\n"+w.rec.Trace(), "the lister has the Ingress, and one write puts it right")
	w.catchUp("repair")
	w.reset()
	s.Require(w.sync("repair") == nil && w.rec.Count(check.Match{}) == 0, "after a repair, a second sync sent requests\n"+w.rec.Trace(), "the Ingress is right now: nothing more is to be done")
}

// judgeRemove: an Ingress of ours that nobody wants any more.
func judgeRemove(w *world) {
	s := w.s
	service := w.service("remove", map[string]string{askHost: "remove.example.com"})
	w.ingress(ingressFor(service, "remove.example.com"))
	w.catchUp("remove")
	w.annotate("remove", `{"ingress/http":"false"}`)
	err := w.sync("remove")
	s.Require(err == nil && w.live("remove") == nil, fmt.Sprintf("the annotation is gone, and after the sync (%s) the Ingress is still there\n%s", check.ErrorText(err), w.rec.Trace()), "an Ingress of ours that nobody wants is deleted")

	w.reset() // the cache still has it
	err = w.sync("remove")
	s.Require(err == nil && w.live("remove") == nil && w.rec.Count(check.Match{}) <= 3, fmt.Sprintf("the Ingress to delete is gone already, and syncService returned %s\n%s", check.ErrorText(err), w.rec.Trace()), "what is gone when you want to delete it needs no more work: NotFound is no error here")

	w.catchUp("remove")
	w.reset()
	s.Require(w.sync("remove") == nil && w.rec.Count(check.Match{}) == 0, "a Service that wants no Ingress and has none caused requests\n"+w.rec.Trace(), "there is nothing to do")
}

// judgeForeignSync: Ingresses that belong to somebody else.
func judgeForeignSync(w *world) {
	s := w.s
	// The owner must exist, or the garbage collector takes what it owns.
	other, err := w.api.CoreV1().ConfigMaps(w.ns).Create(s.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "owner-"}}, metav1.CreateOptions{})
	s.Setup(err, "create a ConfigMap")
	owners := map[string][]metav1.OwnerReference{
		"nobody":          nil,
		"somebody":        {{APIVersion: "v1", Kind: "ConfigMap", Name: other.Name, UID: other.UID, Controller: new(true)}},
		"not-controller":  nil,
		"unknown-to-list": nil,
	}
	// In the same order each time, so that the same fault has the same message.
	for _, name := range slices.Sorted(maps.Keys(owners)) {
		owner := owners[name]
		service := w.service(name, map[string]string{askHost: name + ".example.com"})
		foreign := ingressFor(service, "foreign.example.com")
		foreign.OwnerReferences = owner
		if name == "not-controller" {
			foreign.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Service", Name: name, UID: service.UID}}
		}
		created := w.ingress(foreign)
		if name != "unknown-to-list" {
			w.catchUp(name)
		}
		for _, annotations := range []string{`{"ingress/http":"true"}`, `{"ingress/host":"bad"}`, `{"ingress/http":null}`} {
			w.annotate(name, annotations)
			w.reset()
			err := w.sync(name)
			live := w.live(name)
			s.Require(live != nil && live.UID == created.UID, fmt.Sprintf("Ingress %s does not belong to the Service (owner references %v), and was deleted (annotations %s)\n%s", name, created.OwnerReferences, annotations, w.rec.Trace()),
				"the name alone proves nothing: c.policy.NeedsChange says whose it is, before an update and before a deletion")
			s.Require(live.ResourceVersion == created.ResourceVersion, fmt.Sprintf("Ingress %s does not belong to the Service (owner references %v), and was written (annotations %s)\n%s", name, created.OwnerReferences, annotations, w.rec.Trace()),
				"the name alone proves nothing: c.policy.NeedsChange says whose it is, before an update and before a deletion")
			// Of an Ingress that the cache does not know, no event may come when it goes.
			retry := name == "unknown-to-list" && annotations == `{"ingress/http":"true"}`
			s.Require(err == nil || retry, fmt.Sprintf("for a foreign Ingress of the name %s (annotations %s), syncService returned %s", name, annotations, check.ErrorText(err)), "it is no failure: a retry mends nothing, and when that Ingress goes, its event brings the key back")
			calls := w.again.take()
			s.Require(name == "unknown-to-list" || len(calls) == 0, fmt.Sprintf("for a foreign Ingress in the cache, syncService called %v of the queue, want nothing", calls), "it is no failure, and needs no look from time to time: when that Ingress goes, its event brings the key back")
			s.Require(name == "unknown-to-list" || len(w.writes()) == 0, "for a foreign Ingress in the cache, writes were sent\n"+w.rec.Trace(), "who it belongs to is known from the cache")
			warned := warningsOf(w.events.take())
			if annotations == `{"ingress/http":null}` {
				s.Require(len(warned) == 0, "a Service that asks for no Ingress got "+describeEvents(warned), "a Service that wants none does not mind whose Ingress has its name")
				continue
			}
			s.Require(len(warned) == 1 && warned[0].uid == service.UID, fmt.Sprintf("for a foreign Ingress (annotations %s), want one Warning Event on the Service, got %s", annotations, describeEvents(warned)), "people look at the Service to find out why it has no Ingress: c.warn")
			s.Require(annotations != `{"ingress/host":"bad"}` || strings.Contains(warned[0].message, "bad"), "for a bad host beside a foreign Ingress, the Warning says: "+describeEvents(warned), "a Service that can have no Ingress does not mind whose Ingress has its name; say what is wrong with it")
		}
	}
}

// judgeInvalidSync: a Service that cannot have an Ingress.
func judgeInvalidSync(w *world) {
	s := w.s
	service := w.service("invalid", map[string]string{askHost: "invalid.example.com"})
	w.ingress(ingressFor(service, "invalid.example.com"))
	w.catchUp("invalid")
	changed := w.annotate("invalid", `{"ingress/host":"bad"}`)
	w.reset()
	err := w.sync("invalid")
	s.Require(err == nil, "for a Service that cannot have an Ingress, syncService returned "+check.ErrorText(err), "it is no failure: an error brings the key back again and again, and no retry mends an annotation")
	calls := w.again.take()
	s.Require(len(calls) == 0, fmt.Sprintf("for a Service that cannot have an Ingress, syncService called %v of the queue, want nothing", calls), "no retry mends an annotation, and a change of the Service brings its key back")
	s.Require(w.live("invalid") == nil, "the Service cannot have an Ingress any more, and the old one stays\n"+w.rec.Trace(), "an *InvalidError means that there should be none: delete the one that is there, if it is the Service's own")
	warned := warningsOf(w.events.take())
	s.Require(len(warned) == 1 && warned[0].uid == changed.UID && strings.Contains(warned[0].message, "the host is bad, says the check") && warned[0].reason != "",
		"want one Warning Event on the Service that says what is wrong, got "+describeEvents(warned), "c.warn(service, REASON, the error's text)")

	w.annotate("invalid", `{"ingress/host":"broken"}`)
	w.reset()
	err = w.sync("invalid")
	s.Require(errors.Is(err, errPolicy), "c.policy.Desired failed with an error that is no *InvalidError, and syncService returned "+check.ErrorText(err), "errors.As tells the two apart; any other error is a failure, and is returned")
}

// judgeGone: nothing to do for a Service that is gone or going.
func judgeGone(w *world) {
	s := w.s
	err := w.sync("never-was")
	s.Require(err == nil && w.rec.Count(check.Match{}) == 0, "for a key without a Service, want no request and no error, got "+check.ErrorText(err)+"\n"+w.rec.Trace(), "the Service was deleted: the garbage collector takes its Ingress; a NotFound of the lister is no error")

	judgeOrphans(w)

	for name, annotation := range map[string]string{"going-wanted": "true", "going-unwanted": "false"} {
		service := newService(w.ns, name, map[string]string{askFor: annotation, askHost: name + ".example.com"})
		service.DeletionTimestamp, service.Finalizers = new(metav1.Now()), []string{"foregroundDeletion"}
		s.Setup(w.services.Add(service), "fill the cache")
		if annotation == "false" {
			s.Setup(w.ingresses.Add(ingressFor(service, name+".example.com")), "fill the cache")
		}
		w.reset()
		err := w.sync(name)
		s.Require(err == nil && w.rec.Count(check.Match{}) == 0, fmt.Sprintf("for a Service that is being deleted (%s %q), want no request and no error, got %s\n%s", askFor, annotation, check.ErrorText(err), w.rec.Trace()),
			"with a deletionTimestamp the garbage collector is at work: a new Ingress would hold up the end of its owner")
	}

	service := w.service("ending", map[string]string{askHost: "ending.example.com"})
	ending := ingressFor(service, "old.example.com")
	ending.Finalizers = []string{"workshop.example.com/hold"}
	w.ingress(ending)
	s.Setup(w.api.NetworkingV1().Ingresses(w.ns).Delete(s.Context(), "ending", metav1.DeleteOptions{}), "delete ingress ending")
	defer func() {
		_, err := w.patchLive("ending", `{"metadata":{"finalizers":null}}`)
		s.Setup(err, "release ingress ending")
	}()
	kept := w.live("ending")
	for _, cached := range []bool{false, true} {
		if cached {
			w.catchUp("ending")
		}
		w.reset()
		err := w.sync("ending")
		s.Require(err == nil && w.live("ending").ResourceVersion == kept.ResourceVersion, fmt.Sprintf("an Ingress of ours is being deleted (in the cache: %v), and syncService returned %s\n%s", cached, check.ErrorText(err), w.rec.Trace()),
			"nothing can be done until it is gone, and its end brings the key back; c.policy.NeedsChange says false for it")
	}
}

// judgeOrphans: Ingresses whose Service the lister does not have. The garbage
// collector takes those of a Service that is gone; a sync that does so as well is
// right as long as it takes no other.
func judgeOrphans(w *world) {
	s := w.s
	const cause = "the garbage collector takes the Ingress of a Service that is gone. Who deletes it as well has to know that it is this Service's (the controller reference), that the server has no such Service either, and that the Ingress is still the same one (Preconditions)"
	other, err := w.api.CoreV1().ConfigMaps(w.ns).Create(s.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "keeper-"}}, metav1.CreateOptions{})
	s.Setup(err, "create a ConfigMap")
	keeper := w.service("keeper", nil)
	owners := func(apiVersion, kind, name string, uid types.UID) []metav1.OwnerReference {
		return []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: name, UID: uid, Controller: new(true)}}
	}
	// What the cache has is the live Ingress, or an earlier one of a Service that is gone.
	for name, c := range map[string]struct {
		what       string
		owners     []metav1.OwnerReference
		earlier    bool
		unlisted   bool
		wantWrites int
	}{
		"orphan-nobody":   {what: "an Ingress without an owner"},
		"orphan-other":    {what: "an Ingress of a ConfigMap", owners: owners("v1", "ConfigMap", other.Name, other.UID)},
		"orphan-keeper":   {what: "an Ingress of Service keeper", owners: owners("v1", "Service", "keeper", keeper.UID)},
		"orphan-replaced": {what: "in the cache the Ingress of the Service that is gone, and on the server another one without an owner", earlier: true, wantWrites: 1},
		"orphan-early":    {what: "an Ingress of a Service that the server has, and the lister does not yet", unlisted: true},
	} {
		if c.unlisted {
			service, err := w.api.CoreV1().Services(w.ns).Create(s.Context(), newService(w.ns, name, nil), metav1.CreateOptions{})
			s.Setup(err, "create service "+name)
			c.owners = owners("v1", "Service", name, service.UID)
		}
		ingress := ingressFor(newService(w.ns, name, nil), "orphan.example.com")
		ingress.OwnerReferences = c.owners
		created := w.ingress(ingress)
		if c.earlier {
			earlier := ingressFor(newService(w.ns, name, nil), "orphan.example.com")
			earlier.UID, earlier.ResourceVersion = "uid-of-earlier", "1"
			s.Setup(w.ingresses.Add(earlier), "fill the cache")
		} else {
			w.catchUp(name)
		}
		w.reset()
		err := w.sync(name)
		live := w.live(name)
		s.Require(live != nil && live.ResourceVersion == created.ResourceVersion && len(w.writes()) <= c.wantWrites,
			fmt.Sprintf("for a key without a Service, with %s, want it left alone; it is %s\n%s", c.what, describeIngress(live), w.rec.Trace()), cause)
		s.Require(err == nil || c.earlier && apierrors.IsConflict(err), fmt.Sprintf("for a key without a Service, with %s, want no error, got %s\n%s", c.what, check.ErrorText(err), w.rec.Trace()), "there is nothing to do for a Service that is gone")
	}
}

// judgeStale: the cache is behind the server.
func judgeStale(w *world) {
	s := w.s
	service := w.service("stale", map[string]string{askHost: "stale.example.com"})
	created := w.ingress(ingressFor(service, "stale.example.com"))
	err := w.sync("stale")
	s.Require(err == nil, "the Ingress is there and right, but not in the cache yet; syncService returned "+check.ErrorText(err)+"\n"+w.rec.Trace(), staleCause)
	s.Require(w.live("stale").ResourceVersion == created.ResourceVersion, "the Ingress is there and right, but not in the cache yet, and was written\n"+w.rec.Trace(), staleCause)
	s.Require(len(warningsOf(w.events.take())) == 0, "the Ingress is our own, only not in the cache yet, and a Warning says otherwise", staleCause)
	s.Require(w.rec.Count(ingressRequests) <= 2, "want at most a create and one GET\n"+w.rec.Trace(), staleCause)

	w.patch("stale", `{"spec":{"rules":[{"host":"older.example.com"}]}}`)
	w.reset()
	err = w.sync("stale")
	s.Require(err == nil && hostOfIngress(w.live("stale")) == "stale.example.com", fmt.Sprintf("the Ingress differs and is not in the cache yet; syncService returned %s and left %s\n%s", check.ErrorText(err), describeIngress(w.live("stale")), w.rec.Trace()), staleCause)

	// The cache has an older version of it.
	w.patch("stale", `{"spec":{"rules":[{"host":"older.example.com"}]}}`)
	w.catchUp("stale")
	w.patch("stale", `{"metadata":{"labels":{"team":"red"}}}`)
	w.reset()
	err = w.sync("stale")
	live := w.live("stale")
	s.Require(err == nil && hostOfIngress(live) == "stale.example.com" && live.Labels["team"] == "red", fmt.Sprintf("the cache has an older version of the Ingress; syncService returned %s and left %s with the labels %v\n%s", check.ErrorText(err), describeIngress(live), live.Labels, w.rec.Trace()), staleCause)

	// A deletion with an older version in the cache.
	w.catchUp("stale")
	w.patch("stale", `{"metadata":{"labels":{"team":"blue"}}}`)
	w.annotate("stale", `{"ingress/http":null}`)
	w.reset()
	err = w.sync("stale")
	s.Require(err == nil && w.live("stale") == nil, fmt.Sprintf("the cache has an older version of an Ingress that has to go; syncService returned %s\n%s", check.ErrorText(err), w.rec.Trace()), staleCause)
}

// judgeRaces: another writer comes between the decision and the write.
func judgeRaces(w *world) {
	s := w.s
	for _, c := range []struct {
		name, write string
		replaced    bool
	}{
		{"taken-over-repair", "repair", false}, {"taken-over-remove", "remove", false},
		{"replaced-repair", "repair", true}, {"replaced-remove", "remove", true},
	} {
		service := w.service(c.name, map[string]string{askHost: c.name + ".example.com"})
		w.ingress(ingressFor(service, "old.example.com"))
		w.catchUp(c.name)
		if c.write == "remove" {
			w.annotate(c.name, `{"ingress/http":null}`)
		}
		w.reset()
		var theirs *networkingv1.Ingress
		other := func() (err error) {
			if theirs != nil {
				return nil
			}
			ingresses := w.api.NetworkingV1().Ingresses(w.ns)
			if !c.replaced {
				theirs, err = w.patchLive(c.name, `{"metadata":{"ownerReferences":null},"spec":{"rules":[{"host":"theirs.example.com"}]}}`)
				return err
			}
			if err = ingresses.Delete(s.Context(), c.name, metav1.DeleteOptions{}); err != nil {
				return err
			}
			foreign := ingressFor(service, "theirs.example.com")
			foreign.OwnerReferences = nil
			theirs, err = ingresses.Create(s.Context(), foreign, metav1.CreateOptions{})
			return err
		}
		for _, verb := range []string{"patch", "update", "delete", "deletecollection"} {
			w.rec.Before(ingressVerb(verb), 1, other)
		}
		err := w.sync(c.name)
		s.Require(theirs != nil, fmt.Sprintf("for an Ingress to %s, no write was sent (%s)\n%s", c.write, check.ErrorText(err), w.rec.Trace()), "the Ingress is our own, in the cache, and not as it should be")
		live := w.live(c.name)
		s.Require(live != nil && live.UID == theirs.UID && live.ResourceVersion == theirs.ResourceVersion,
			fmt.Sprintf("just before the write (%s) another writer %s the Ingress, and what they made of it is lost\n%s", c.write, map[bool]string{false: "took over", true: "replaced"}[c.replaced], w.rec.Trace()),
			"make the write conditional on what the decision was made on: resourceVersion and UID in an update or apply, both as Preconditions of a delete; the helpers do that if you hand them what you decided on")
		// The lister has an Ingress of this name, but not the one that replaced it.
		var foreign *ForeignError
		unseen := c.replaced && c.write == "repair" && errors.As(err, &foreign)
		s.Require(err == nil || apierrors.IsConflict(err) || unseen, "after such a conflict, syncService returned "+check.ErrorText(err), staleCause)
	}
}

// judgeErrors: what fails is returned, so that it is tried again.
func judgeErrors(w *world) {
	s := w.s
	for _, verb := range []string{"create", "write", "delete", "get"} {
		name := "error-" + verb
		service := w.service(name, map[string]string{askHost: name + ".example.com"})
		if verb != "create" {
			w.ingress(ingressFor(service, "old.example.com"))
		}
		if verb == "write" || verb == "delete" {
			w.catchUp(name)
		}
		if verb == "delete" {
			w.annotate(name, `{"ingress/http":null}`)
		}
		for _, c := range []struct {
			code   int
			reason metav1.StatusReason
		}{{http.StatusInternalServerError, metav1.StatusReasonInternalError}, {http.StatusForbidden, metav1.StatusReasonForbidden}} {
			w.reset()
			for _, hit := range map[string][]string{"create": {"create", "patch"}, "write": {"patch", "update"}, "delete": {"delete"}, "get": {"get"}}[verb] {
				w.rec.Answer(ingressVerb(hit), 0, check.Always, c.code, c.reason, "the check says no")
			}
			err := w.sync(name)
			if verb == "get" && w.rec.Count(ingressVerb("get")) == 0 {
				continue // another way to look, or an error that has the key come back
			}
			s.Require(err != nil && apierrors.ReasonForError(err) == c.reason, fmt.Sprintf("the server answered a %s of the Ingress with %d; syncService returned %s, want an error that wraps it\n%s", verb, c.code, check.ErrorText(err), w.rec.Trace()),
				"an error that is not returned is an Ingress that is lost until the next change: the caller tries again. %w keeps the server's reason")
			s.Require(w.rec.Count(ingressRequests) <= 4, "after an error, syncService went on by itself\n"+w.rec.Trace(), "the retries are the queue's: return the error")
		}
	}

	// The write happened, the answer is lost.
	w.service("lost", map[string]string{askHost: "lost.example.com"})
	w.reset()
	w.rec.Lose(ingressVerb("create"), 1)
	first := w.sync("lost")
	created := w.live("lost")
	s.Setup(boolError(created != nil || first != nil), "lose an answer")
	second := w.sync("lost")
	live := w.live("lost")
	s.Require(second == nil && live != nil && (created == nil || live.ResourceVersion == created.ResourceVersion), fmt.Sprintf("the answer to a create was lost (%s); the next sync returned %s\n%s", check.ErrorText(first), check.ErrorText(second), w.rec.Trace()), staleCause)

	w.service("ended", map[string]string{askHost: "ended.example.com"})
	w.reset()
	err := s.Call(func(ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		return w.c.syncService(ctx, cache.ObjectName{Namespace: w.ns, Name: "ended"})
	})
	s.Require(err != nil && w.live("ended") == nil, fmt.Sprintf("with a ctx that has ended, syncService returned %s and sent\n%s", check.ErrorText(err), w.rec.Trace()), "hand ctx to every request: who stops the controller stops its requests, too")
}

// judgeStops has ctx end while a request is on its way.
func judgeStops(w *world) {
	s := w.s
	for _, verb := range []string{"get", "patch", "update", "delete"} {
		name := "stopped-" + verb
		service := w.service(name, map[string]string{askHost: name + ".example.com"})
		host := "old.example.com"
		if verb == "get" {
			host = name + ".example.com"
		}
		w.ingress(ingressFor(service, host))
		if verb != "get" {
			w.catchUp(name)
		}
		if verb == "delete" {
			w.annotate(name, `{"ingress/http":null}`)
		}
		w.reset()
		err := s.Call(func(ctx context.Context) error {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			w.rec.Before(ingressVerb(verb), 1, func() error { cancel(); return nil })
			return w.c.syncService(ctx, cache.ObjectName{Namespace: w.ns, Name: name})
		})
		if w.rec.Count(ingressVerb(verb)) == 0 {
			continue // another way to look or to write
		}
		s.Require(err != nil, fmt.Sprintf("ctx ended while a %s of the Ingress was on its way, and syncService returned no error\n%s", verb, w.rec.Trace()), "hand ctx to every request, also to the second look: a request with another context goes on when the controller stops")
	}
}

func boolError(ok bool) error {
	if ok {
		return nil
	}
	return errors.New("it did not happen")
}

// failing is a lister that cannot read.
type failing struct{}

var errLister = errors.New("the check's lister says no")

func (failing) List(labels.Selector) ([]*corev1.Service, error)    { return nil, errLister }
func (failing) Services(string) corelisters.ServiceNamespaceLister { return failing{} }
func (failing) Get(string) (*corev1.Service, error)                { return nil, errLister }

type failingIngresses struct{}

func (failingIngresses) List(labels.Selector) ([]*networkingv1.Ingress, error) { return nil, errLister }
func (failingIngresses) Ingresses(string) networkinglisters.IngressNamespaceLister {
	return failingIngresses{}
}
func (failingIngresses) Get(string) (*networkingv1.Ingress, error) { return nil, errLister }

// judgeListers: any other error of a lister than NotFound is a failure.
func judgeListers(w *world) {
	s := w.s
	for _, annotation := range []string{"true", "false"} {
		service := w.service("listed-"+annotation, map[string]string{askFor: annotation, askHost: "listed.example.com"})
		services, ingresses := w.c.services, w.c.ingresses
		w.c.ingresses = failingIngresses{}
		w.reset()
		err := w.sync(service.Name)
		s.Require(errors.Is(err, errLister) && len(w.writes()) == 0, fmt.Sprintf("the lister of Ingresses failed (%s %q), and syncService returned %s, want its error and no write\n%s", askFor, annotation, check.ErrorText(err), w.rec.Trace()),
			"three cases: no error, NotFound, anything else. Who treats the last like one of the others does the wrong thing")
		w.c.services, w.c.ingresses = failing{}, ingresses
		err = w.sync(service.Name)
		s.Require(errors.Is(err, errLister) && len(w.writes()) == 0, fmt.Sprintf("the lister of Services failed, and syncService returned %s, want its error and no write\n%s", check.ErrorText(err), w.rec.Trace()), "only NotFound means that the Service is gone")
		w.c.services = services
	}
}

// judgeTerminating: a namespace that is being deleted takes nothing new.
func judgeTerminating(s *check.S) {
	w := newWorld(s, s.Namespace())
	w.service("late", map[string]string{askHost: "late.example.com"})
	hold := check.PendingPod("hold", nil)
	hold.Finalizers = []string{"workshop.example.com/hold"}
	s.CreatePod(w.ns, hold)
	s.Setup(w.api.CoreV1().Namespaces().Delete(s.Context(), w.ns, metav1.DeleteOptions{}), "delete namespace "+w.ns)
	s.Setup(boolError(eventually(s, func() bool {
		_, err := w.api.CoreV1().ConfigMaps(w.ns).Create(s.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "probe-"}}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause)
	})), "see the namespace terminate")
	err := w.sync("late")
	s.Require(err == nil, "in a namespace that is being deleted, syncService returned "+check.ErrorText(err), "the server refuses every new object there, and an error brings the key back for it: apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause)")
	calls := w.again.take()
	s.Require(len(calls) == 0, fmt.Sprintf("in a namespace that is being deleted, syncService called %v of the queue, want nothing", calls), "the server will never take a new object there: do not try again")
	s.Require(w.rec.Count(ingressRequests) <= 2, "in a namespace that is being deleted, there were several tries\n"+w.rec.Trace(), "one refusal is enough")
	_, err = w.api.CoreV1().Pods(w.ns).Patch(s.Context(), "hold", "application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	s.Setup(err, "release pod hold")
}

// judgeRefusals: the server goes on saying no, or has no Ingress any more.
func judgeRefusals(w *world) {
	s := w.s
	service := w.service("vanished", map[string]string{askHost: "vanished.example.com"})
	w.ingress(ingressFor(service, "old.example.com"))
	w.catchUp("vanished")
	s.Setup(w.api.NetworkingV1().Ingresses(w.ns).Delete(s.Context(), "vanished", metav1.DeleteOptions{}), "delete ingress vanished")
	w.reset()
	err := w.sync("vanished")
	s.Require(err != nil || hostOfIngress(orNone(w.live("vanished"))) == "vanished.example.com", "an Ingress of ours that differs in the cache is gone from the server; after the sync, which returned no error, it is not there\n"+w.rec.Trace(),
		"the GET after a conflict may find that there is none: decide again on that, and a Service that should have one and has none gets one")

	for _, c := range []struct {
		name   string
		verbs  []string
		reason metav1.StatusReason
	}{{"contended", []string{"patch", "update"}, metav1.StatusReasonConflict}, {"hidden", []string{"create", "patch"}, metav1.StatusReasonAlreadyExists}} {
		service := w.service(c.name, map[string]string{askHost: c.name + ".example.com"})
		if c.name == "contended" {
			w.ingress(ingressFor(service, "old.example.com"))
			w.catchUp(c.name)
		}
		w.reset()
		for _, verb := range c.verbs {
			w.rec.Answer(ingressVerb(verb), 0, check.Always, http.StatusConflict, c.reason, "the check says no")
		}
		err := w.sync(c.name)
		s.Require(err != nil, fmt.Sprintf("the server answered each write with %s, and syncService returned no error\n%s", c.reason, w.rec.Trace()),
			"one look at the server, and one more try; when that is refused as well, the Ingress is still not what it should be: return the error, and the key comes back")
		s.Require(w.rec.Count(ingressRequests) <= 6, fmt.Sprintf("the server answered each write with %s, and syncService sent %d requests\n%s", c.reason, w.rec.Count(ingressRequests), w.rec.Trace()), "the retries are the queue's, with a pause before each: read the Ingress once from the server, decide once more, and return the error")
	}

	service = w.service("invalid-stays", map[string]string{askHost: "invalid-stays.example.com"})
	w.ingress(ingressFor(service, "invalid-stays.example.com"))
	w.catchUp("invalid-stays")
	w.annotate("invalid-stays", `{"ingress/host":"bad"}`)
	w.reset()
	w.rec.Answer(ingressVerb("delete"), 0, check.Always, http.StatusInternalServerError, metav1.StatusReasonInternalError, "the check says no")
	err = w.sync("invalid-stays")
	s.Require(err != nil && apierrors.IsInternalError(err), fmt.Sprintf("for a Service that cannot have an Ingress any more, the server answered the deletion of the old one with 500, and syncService returned %s, want an error that wraps it\n%s", check.ErrorText(err), w.rec.Trace()),
		"that the Service is invalid is no failure, but that the old Ingress stays is one: the key has to come back for it")
}

func orNone(ingress *networkingv1.Ingress) *networkingv1.Ingress {
	if ingress == nil {
		return &networkingv1.Ingress{}
	}
	return ingress
}

// judgeUndecided: the policy cannot say.
func judgeUndecided(w *world) {
	s := w.s
	service := w.service("undecided", map[string]string{askHost: "undecided.example.com"})
	w.ingress(ingressFor(service, "old.example.com"))
	w.catchUp("undecided")
	w.reset()
	w.c.policy.NeedsChange = func(*corev1.Service, *networkingv1.Ingress, *networkingv1.Ingress) (bool, error) {
		return false, errPolicy
	}
	err := w.sync("undecided")
	s.Require(errors.Is(err, errPolicy) && len(w.writes()) == 0, fmt.Sprintf("c.policy.NeedsChange failed with an error that is no *ForeignError, and syncService returned %s, want that error and no write\n%s", check.ErrorText(err), w.rec.Trace()), "call the function that the field policy holds; an error that is no *ForeignError is a failure, and is returned")

	var got Options
	w.c.policy.Desired = func(_ *corev1.Service, options Options) (*networkingv1.Ingress, error) {
		got = options
		return nil, errPolicy
	}
	err = w.sync("undecided")
	s.Require(errors.Is(err, errPolicy) && got == w.c.options, fmt.Sprintf("c.policy.Desired got the options %+v, want those of the controller, %+v", got, w.c.options), "the host and the class of an Ingress come from c.options")
	w.c.policy = checkPolicy()

	w.service("sought", map[string]string{askHost: "broken"})
	w.reset()
	err = w.sync("sought")
	s.Require(errors.Is(err, errPolicy) && strings.Contains(err.Error(), "sought"), "c.policy.Desired failed for the Service sought, and syncService returned "+check.ErrorText(err), "who reads the error in the log wants to know which Service it is about: wrap it with %w and name the Service")
}

// judgeLookAgain: of an Ingress that the cache has not seen, no event may come.
func judgeLookAgain(w *world) {
	s := w.s
	const cause = "the Ingress may go before the cache has heard of it, and then no event brings the key back: c.queue.AddAfter(key, lookAgain). Not at once, when the cache is as far behind as before, and not by a sleep, for which this worker does nothing else"
	expect := func(name, what string) {
		w.reset()
		err := w.sync(name)
		s.Require(err == nil, what+", and syncService returned "+check.ErrorText(err)+"\n"+w.rec.Trace(), "nothing is wrong with this Service")
		calls := w.again.take()
		wrong := func(a again) bool {
			return a.key != cache.ObjectName{Namespace: w.ns, Name: name} || a.after < lookAgain/2 || a.after > 4*lookAgain
		}
		s.Require(len(calls) > 0 && !slices.ContainsFunc(calls, wrong), fmt.Sprintf("%s; the key comes back by %v, want AddAfter(%s/%s) after about %s", what, calls, w.ns, name, lookAgain), cause)
	}
	w.service("again", map[string]string{askHost: "again.example.com"})
	expect("again", "the lister has no Ingress, and syncService has just made it")
	expect("again", "the lister has no Ingress, and the server has the right one")
	w.patch("again", `{"spec":{"rules":[{"host":"older.example.com"}]}}`)
	expect("again", "the lister has no Ingress, and syncService has just put right the one that the server has")
	w.catchUp("again")
	w.reset()
	err := w.sync("again")
	calls := w.again.take()
	s.Require(err == nil && len(calls) == 0, fmt.Sprintf("the lister has the right Ingress, and syncService returned %s and called %v of the queue, want nothing", check.ErrorText(err), calls), "an Ingress that the cache has brings its own events: who looks again at each look never stops")

	service := w.service("unseen", map[string]string{askHost: "unseen.example.com"})
	theirs := ingressFor(service, "theirs.example.com")
	theirs.OwnerReferences = nil
	w.ingress(theirs)
	w.reset()
	err = w.sync("unseen")
	s.Require(err != nil || len(w.again.take()) > 0, "the lister has no Ingress, and the server a foreign one; syncService returned no error", "it may go before the cache has heard of it, and then no event brings the key back: return the *ForeignError, so that the key is tried again")
	s.Require(len(warningsOf(w.events.take())) == 1, "the lister has no Ingress, and the server a foreign one, and there is not one Warning Event on the Service", "people look at the Service to find out why it has no Ingress: c.warn")
}
