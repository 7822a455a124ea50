package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	corelisters "k8s.io/client-go/listers/core/v1"
	networkinglisters "k8s.io/client-go/listers/networking/v1"

	"example.com/client-go-workshop/internal/check"
)

func TestStep5_decide(t *testing.T) { check.Step(t, 5, "decide", judgeDecide) }

func TestStep6_reconcile(t *testing.T) {
	check.Step(t, 6, "reconcile", func(s *check.S) {
		judgeEach(s, step6(), judgeCreate, judgeRepair, judgeRemove, judgeForeign, judgeEnding, judgeRaces, judgeErrors, judgeOnce, judgeStops)
	})
}

func TestStep7_syncIngress(t *testing.T) {
	check.Step(t, 7, "syncIngress", func(s *check.S) {
		judgeEach(s, step7(), judgeCreate, judgeRepair, judgeRemove, judgeStale, judgeForeign, judgeEnding, judgeRaces, judgeErrors,
			judgeLost, judgeVanished, judgeContended, judgeStops, judgeLookAgain)
	})
}

func TestStep8_syncService(t *testing.T) {
	check.Step(t, 8, "syncService", func(s *check.S) {
		judgeEach(s, step8(), judgeCreate, judgeRepair, judgeRemove, judgeInvalid, judgeStale, judgeForeign, judgeGone, judgeOrphans, judgeEnding,
			judgeRaces, judgeErrors, judgeLost, judgeListers, judgeVanished, judgeContended, judgeInvalidStays, judgeNames, judgeStops,
			judgeLookAgain)
		judgeTerminating(step8().fresh(s, s.Namespace()))
	})
}

// judgeEach gives each judge a world of its own in one namespace.
func judgeEach(s *check.S, w world, judges ...func(w *world)) {
	ns := s.Namespace()
	for _, judge := range judges {
		judge(w.fresh(s, ns))
	}
}

func judgeDecide(s *check.S) {
	service := newService("shop", "web", nil)
	want := ingressFor(service, "web.example.com")
	foreign := edited(want, func(i *networkingv1.Ingress) { i.OwnerReferences = nil })
	differs := edited(want, func(i *networkingv1.Ingress) { i.Spec.Rules[0].Host = "old.example.com" })
	deleted := edited(differs, func(i *networkingv1.Ingress) { i.DeletionTimestamp = new(metav1.Now()) })
	for _, c := range []struct {
		what              string
		existing, desired *networkingv1.Ingress
		action            action
		foreign           bool
		cause             string
	}{
		{"no Ingress, and none is desired", nil, nil, actionNone, false, "there is nothing to do"},
		{"no Ingress, and one is desired", nil, want, actionCreate, false, "what is missing is created"},
		{"the Service's Ingress, as desired", want, want, actionNone, false, "an Ingress that is right is left alone: NeedsChange says false"},
		{"the Service's Ingress, which differs", differs, want, actionApply, false, "what differs is put right: NeedsChange says true"},
		{"the Service's Ingress, and none is desired", want, nil, actionDelete, false, "an Ingress of the Service that nobody wants is deleted"},
		{"an Ingress that is being deleted", deleted, want, actionNone, false, "nothing can be done until it is gone: NeedsChange says false"},
		{"an Ingress that is being deleted, and none is desired", deleted, nil, actionNone, false, "it goes by itself"},
		{"a foreign Ingress", foreign, want, actionNone, true, "it is not ours to change, and the user must hear why there is no Ingress"},
		{"a foreign Ingress, and none is desired", foreign, nil, actionNone, false,
			"a Service that should have no Ingress does not mind whose it is"},
	} {
		existing, desired := c.existing.DeepCopy(), c.desired.DeepCopy()
		got, err := check.Call(s, func(context.Context) (action, error) { return decide(service, existing, desired) })
		var theirs *ForeignError
		s.Requiref(got == c.action, c.cause, "for %s, decide returned %q, want %q", c.what, got, c.action)
		s.Requiref(errors.As(err, &theirs) == c.foreign && (err == nil || c.foreign), c.cause, "for %s, decide returned %s, want %s",
			c.what, check.ErrorText(err), map[bool]string{true: "a *ForeignError", false: "no error"}[c.foreign])
		s.Requiref(sameIngress(existing, c.existing) && sameIngress(desired, c.desired),
			"existing comes from a cache that others read: it must stay as it is", "for %s, decide changed one of the two Ingresses", c.what)
	}
}

const staleCause = "the cache may be behind the server: after AlreadyExists or Conflict, one GET (getIngress) says what really is there, " +
	"and the decision is made again on that"

// judgeCreate: no Ingress where one is wanted.
func judgeCreate(w *world) {
	s, name := w.s, w.s.Name()
	service := w.hosted("create")
	w.want(w.sync("create") == nil, "nothing is wrong with this Service",
		"for a Service that asks for an Ingress and has none, %s returned an error", name)
	live := w.live("create")
	w.want(live != nil, "createIngress with what is desired", "a Service asks for an Ingress, and after the call there is none")
	w.want(metav1.IsControlledBy(live, service) && hostOfIngress(live) == "create.example.com", "send it as it is",
		"the Ingress is not the desired one: %s", live)
	w.want(w.reads() == 0, "Services and Ingresses are read through the listers; a GET for each key is what a cache is there to save",
		"for a Service without an Ingress, %s read from the server", name)
	w.want(w.writes() == 1, "one create is enough", "for one new Ingress, %d writes were sent, want 1", w.writes())
	s.Require(len(warningsOf(w.events.take())) == 0, "a sync without a fault made a Warning Event", "Warnings are for what people have to fix")

	w.catchUp("create")
	w.want(w.sync("create") == nil && w.rec.Count(check.Match{}) == 0,
		"nothing is written, and nothing read from the server, while nothing changes",
		"for an Ingress that is as it should be, requests were sent")
}

// judgeRepair: an Ingress of ours that differs.
func judgeRepair(w *world) {
	s := w.s
	service := w.hosted("repair")
	w.ingress(ingressFor(service, "repair.example.com"))
	w.patch("repair", `{"metadata":{"labels":{"team":"red"},"annotations":{"note":"mine"},"finalizers":["workshop.example.com/hold"]},
		"spec":{"tls":[{"hosts":["repair.example.com"],"secretName":"repair"}],"rules":[{"host":"by-hand.example.com"}]}}`)
	defer w.patch("repair", `{"metadata":{"finalizers":null}}`)
	w.catchUp("repair")
	err := w.sync("repair")
	live := w.live("repair")
	right := live != nil && hostOfIngress(live) == "repair.example.com" && len(live.Spec.Rules) == 1 && live.Spec.Rules[0].HTTP != nil
	w.want(err == nil && right, "what differs is put right: create and delete alone leave it as it is",
		"an Ingress of ours was edited by hand; after the call (%s) it is %s", err, live)
	w.want(live.Labels["team"] == "red" && live.Annotations["note"] == "mine" && len(live.Spec.TLS) == 1 && len(live.Finalizers) == 1,
		"send the fields that you own and no others (server-side apply), or an update of a copy of what is there",
		"other writers' fields are lost: labels %v, annotations %v, finalizers %v, %d TLS entries", live.Labels, live.Annotations,
		live.Finalizers, len(live.Spec.TLS))
	s.Require(metav1.IsControlledBy(live, service), "after the repair the Ingress has lost its owner",
		"server-side apply keeps what is in the configuration: the owner reference belongs in it")
	w.want(w.writes() == 1 && w.reads() == 0, "the lister has the Ingress, and one write puts it right",
		"for one repair, want one write and no read")
	w.catchUp("repair")
	w.want(w.sync("repair") == nil && w.rec.Count(check.Match{}) == 0, "the Ingress is right now: nothing more is to be done",
		"after a repair, a second call sent requests")
}

// judgeRemove: an Ingress of ours that nobody wants any more.
func judgeRemove(w *world) {
	s := w.s
	w.ingress(ingressFor(w.hosted("remove"), "remove.example.com"))
	w.catchUp("remove")
	w.annotate("remove", `{"ingress/http":"false"}`)
	err := w.sync("remove")
	w.want(err == nil && w.live("remove") == nil, "an Ingress of ours that nobody wants is deleted",
		"the annotation is gone, and after the call (%s) the Ingress is still there", err)

	w.reset() // the cache still has it
	err = w.sync("remove")
	w.want(err == nil && w.live("remove") == nil && w.rec.Count(check.Match{}) <= 3,
		"what is gone when you want to delete it needs no more work: NotFound is no error here",
		"the Ingress to delete is gone already, and %s returned %s", s.Name(), err)

	w.catchUp("remove")
	w.want(w.sync("remove") == nil && w.rec.Count(check.Match{}) == 0, "there is nothing to do",
		"a Service that wants no Ingress and has none caused requests")
}

// owner is an object of nobody's: an owner must exist, or the garbage collector
// takes what it owns.
func (w *world) owner() metav1.OwnerReference {
	created, err := w.api.CoreV1().ConfigMaps(w.ns).Create(w.s.Context(),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "owner-"}}, metav1.CreateOptions{})
	w.s.Setup(err, "create a ConfigMap")
	return ownerRef("v1", "ConfigMap", created.Name, created.UID)
}

// judgeForeign: Ingresses that belong to somebody else.
func judgeForeign(w *world) {
	somebody := w.owner()
	// In the same order each time, so that the same fault has the same message.
	for _, name := range []string{"nobody", "not-controller", "somebody", "unlisted"} {
		if name == "unlisted" && !w.looks {
			continue // judgeOnce has it
		}
		service := w.hosted(name)
		foreign := ingressFor(service, "foreign.example.com")
		switch name {
		case "somebody":
			foreign.OwnerReferences = []metav1.OwnerReference{somebody}
		case "not-controller":
			foreign.OwnerReferences[0].Controller = nil
		default:
			foreign.OwnerReferences = nil
		}
		created := w.ingress(foreign)
		if name != "unlisted" {
			w.catchUp(name)
		}
		for _, annotations := range []string{`{"ingress/http":"true"}`, `{"ingress/host":"` + badHost + `"}`, `{"ingress/http":null}`} {
			service = w.annotate(name, annotations)
			w.reset()
			err := w.sync(name)
			w.requireLeftAlone(created, annotations)
			w.requireForeign(service, name != "unlisted", err)
		}
	}
}

// requireLeftAlone wants the server to have the Ingress as it was made.
func (w *world) requireLeftAlone(created *networkingv1.Ingress, annotations string) {
	const cause = "the name alone proves nothing: decide says whose it is, before an update and before a deletion"
	live := w.live(created.Name)
	w.want(live != nil && live.UID == created.UID, cause,
		"Ingress %s does not belong to the Service (owner references %v), and was deleted (annotations %s)", created.Name,
		created.OwnerReferences, annotations)
	w.want(live.ResourceVersion == created.ResourceVersion, cause,
		"Ingress %s does not belong to the Service (owner references %v), and was written (annotations %s)", created.Name,
		created.OwnerReferences, annotations)
}

// requireForeign judges what the step said about a foreign Ingress.
func (w *world) requireForeign(service *corev1.Service, listed bool, err error) {
	s, wanted := w.s, service.Annotations[askFor] == "true" && service.Annotations[askHost] != badHost
	var foreign *ForeignError
	if wanted && !w.reports {
		w.want(errors.As(err, &foreign), "return the error of decide: the caller tells the user why the Service has no Ingress",
			"for a foreign Ingress, %s returned %s, want a *ForeignError", s.Name(), err)
	}
	// When one that the cache does not have goes, no event may come.
	returned := wanted && (!w.reports || !listed)
	w.want(err == nil || returned, "it is no failure: a retry does not help, and when that Ingress goes, its event brings the key back",
		"for a foreign Ingress of the name %s, %s returned %s", service.Name, s.Name(), err)
	calls := w.queue.added()
	w.want(!listed || len(calls) == 0,
		"it is no failure, and needs no look from time to time: when that Ingress goes, its event brings the key back",
		"for a foreign Ingress in the cache, %s called %v of the queue, want nothing", s.Name(), calls)
	w.want(!listed || w.writes() == 0, "who it belongs to is known from the cache", "for a foreign Ingress in the cache, writes were sent")
	if !w.reports {
		return
	}
	warned := warningsOf(w.events.take())
	if service.Annotations[askFor] != "true" {
		s.Require(len(warned) == 0, "a Service that asks for no Ingress got "+describeEvents(warned),
			"a Service that wants none does not mind whose Ingress has its name")
		return
	}
	w.want(len(warned) == 1 && warned[0].uid == service.UID, "people look at the Service to find out why it has no Ingress: c.warn",
		"for a foreign Ingress, want one Warning Event on the Service, got %s", warned)
	w.want(wanted || strings.Contains(warned[0].message, badHost),
		"a Service that can have no Ingress does not mind whose Ingress has its name; say what is wrong with it",
		"for a bad host beside a foreign Ingress, the Warning says: %s", warned)
}

// judgeInvalid: a Service that cannot have an Ingress.
func judgeInvalid(w *world) {
	s := w.s
	w.ingress(ingressFor(w.hosted("invalid"), "invalid.example.com"))
	w.catchUp("invalid")
	changed := w.annotate("invalid", `{"ingress/host":"`+badHost+`"}`)
	err := w.sync("invalid")
	w.want(err == nil, "it is no failure: an error brings the key back again and again, and no retry mends an annotation",
		"for a Service that cannot have an Ingress, syncService returned %s", err)
	calls := w.queue.added()
	w.want(len(calls) == 0, "no retry mends an annotation, and a change of the Service brings its key back",
		"for a Service that cannot have an Ingress, syncService called %v of the queue, want nothing", calls)
	w.want(w.live("invalid") == nil,
		"an *InvalidError means that there should be none: delete the one that is there, if it is the Service's own",
		"the Service cannot have an Ingress any more, and the old one stays")
	warned := warningsOf(w.events.take())
	_, invalid := DesiredIngress(changed, w.c.options)
	s.Setup(boolError(invalid != nil), "see step 1 refuse the host "+badHost)
	w.want(len(warned) == 1 && warned[0].uid == changed.UID && strings.Contains(warned[0].message, invalid.Error()) && warned[0].reason != "",
		"c.warn(service, REASON, the error's text)", "want one Warning Event on the Service that says what is wrong, got %s", warned)
}

// judgeInvalidStays: the Ingress of such a Service cannot be deleted.
func judgeInvalidStays(w *world) {
	w.ingress(ingressFor(w.hosted("invalid-stays"), "invalid-stays.example.com"))
	w.catchUp("invalid-stays")
	w.annotate("invalid-stays", `{"ingress/host":"`+badHost+`"}`)
	w.rec.Refuse(check.Match{Resource: "ingresses", Verb: "delete"}, http.StatusInternalServerError)
	err := w.sync("invalid-stays")
	w.s.RequireReason(err, metav1.StatusReasonInternalError, w.rec,
		"a Service cannot have an Ingress any more, and the server answered the deletion of the old one with 500",
		"that the Service is invalid is no failure, but that the old Ingress stays is one: the key has to come back for it")
}

// judgeGone: nothing to do for a Service that is gone or going.
func judgeGone(w *world) {
	s := w.s
	err := w.sync("never-was")
	w.want(err == nil && w.rec.Count(check.Match{}) == 0,
		"the Service was deleted: the garbage collector takes its Ingress; a NotFound of the lister is no error",
		"for a key without a Service, want no request and no error, got %s", err)

	for name, annotation := range map[string]string{"going-wanted": "true", "going-unwanted": "false"} {
		service := newService(w.ns, name, map[string]string{askFor: annotation, askHost: name + ".example.com"})
		service.DeletionTimestamp, service.Finalizers = new(metav1.Now()), []string{"foregroundDeletion"}
		s.Setup(w.services.Add(service), "fill the cache")
		if annotation == "false" {
			s.Setup(w.ingresses.Add(ingressFor(service, name+".example.com")), "fill the cache")
		}
		w.reset()
		err := w.sync(name)
		w.want(err == nil && w.rec.Count(check.Match{}) == 0,
			"with a deletionTimestamp the garbage collector is at work: a new Ingress would hold up the end of its owner",
			"for a Service that is being deleted (%s %q), want no request and no error, got %s", askFor, annotation, err)
	}
}

// judgeEnding: an Ingress of ours that is being deleted.
func judgeEnding(w *world) {
	ending := ingressFor(w.hosted("ending"), "old.example.com")
	ending.Finalizers = []string{"workshop.example.com/hold"}
	w.ingress(ending)
	w.drop("ending")
	defer w.patch("ending", `{"metadata":{"finalizers":null}}`)
	kept := w.live("ending")
	for _, cached := range []bool{false, true} {
		if cached {
			w.catchUp("ending")
		}
		if !cached && !w.looks {
			continue
		}
		err := w.sync("ending")
		w.want(err == nil && w.live("ending").ResourceVersion == kept.ResourceVersion,
			"nothing can be done until it is gone, and its end brings the key back; decide returns actionNone for it",
			"an Ingress of ours is being deleted (in the cache: %v), and %s returned %s", cached, w.s.Name(), err)
	}
}

// judgeOrphans: Ingresses whose Service the lister does not have. The garbage
// collector takes those of a Service that is gone; a sync that does so as well is
// right as long as it takes no other.
func judgeOrphans(w *world) {
	s := w.s
	keeper := w.service("keeper", nil)
	early, err := w.api.CoreV1().Services(w.ns).Create(s.Context(), newService(w.ns, "orphan-early", nil), metav1.CreateOptions{})
	s.Setup(err, "create a Service")
	// What the cache has is the live Ingress, or an earlier one of a Service that is gone.
	for name, c := range map[string]struct {
		what    string
		owners  []metav1.OwnerReference
		earlier bool
	}{
		"orphan-nobody": {what: "an Ingress without an owner"},
		"orphan-other":  {what: "an Ingress of a ConfigMap", owners: []metav1.OwnerReference{w.owner()}},
		"orphan-keeper": {"an Ingress of Service keeper", []metav1.OwnerReference{ownerRef("v1", "Service", "keeper", keeper.UID)}, false},
		"orphan-replaced": {what: "in the cache the Ingress of the Service that is gone, and on the server another one without an owner",
			earlier: true},
		"orphan-early": {"an Ingress of a Service that the server has, and the lister does not yet",
			[]metav1.OwnerReference{ownerRef("v1", "Service", "orphan-early", early.UID)}, false},
	} {
		ingress := ingressFor(newService(w.ns, name, nil), "orphan.example.com")
		ingress.OwnerReferences = c.owners
		created := w.ingress(ingress)
		wantWrites := 0
		w.catchUp(name)
		if c.earlier {
			earlier := ingressFor(newService(w.ns, name, nil), "orphan.example.com")
			earlier.UID, earlier.ResourceVersion, wantWrites = "uid-of-earlier", "1", 1
			s.Setup(w.ingresses.Add(earlier), "fill the cache")
		}
		err := w.sync(name)
		live := w.live(name)
		w.want(live != nil && live.ResourceVersion == created.ResourceVersion && w.writes() <= wantWrites,
			"the garbage collector takes the Ingress of a Service that is gone. Who deletes it as well has to know that it is this Service's "+
				"(the controller reference), that the server has no such Service either, and that the Ingress is still the same one (Preconditions)",
			"for a key without a Service, with %s, want it left alone; it is %s", c.what, live)
		w.want(err == nil || c.earlier && apierrors.IsConflict(err), "there is nothing to do for a Service that is gone",
			"for a key without a Service, with %s, want no error, got %s", c.what, err)
	}
}

// judgeStale: the cache is behind the server.
func judgeStale(w *world) {
	s, name := w.s, w.s.Name()
	created := w.ingress(ingressFor(w.hosted("stale"), "stale.example.com"))
	err := w.sync("stale")
	w.want(err == nil, staleCause, "the Ingress is there and right, but not in the cache yet; %s returned %s", name, err)
	w.want(w.live("stale").ResourceVersion == created.ResourceVersion, staleCause,
		"the Ingress is there and right, but not in the cache yet, and was written")
	s.Require(len(warningsOf(w.events.take())) == 0, "the Ingress is our own, only not in the cache yet, and a Warning says otherwise",
		staleCause)
	w.want(w.rec.Count(check.Match{Resource: "ingresses"}) <= 2, staleCause, "want at most a create and one GET")

	const older = `{"spec":{"rules":[{"host":"older.example.com"}]}}`
	w.patch("stale", older)
	w.reset()
	err = w.sync("stale")
	w.want(err == nil && hostOfIngress(w.live("stale")) == "stale.example.com", staleCause,
		"the Ingress differs and is not in the cache yet; %s returned %s and left %s", name, err, w.live("stale"))

	// The cache has an older version of it.
	w.patch("stale", older)
	w.catchUp("stale")
	w.patch("stale", `{"metadata":{"labels":{"team":"red"}}}`)
	err = w.sync("stale")
	live := w.live("stale")
	w.want(err == nil && hostOfIngress(live) == "stale.example.com" && live.Labels["team"] == "red", staleCause,
		"the cache has an older version of the Ingress; %s returned %s and left %s with the labels %v", name, err, live, live.Labels)

	// A deletion with an older version in the cache.
	w.catchUp("stale")
	w.patch("stale", `{"metadata":{"labels":{"team":"blue"}}}`)
	w.annotate("stale", `{"ingress/http":null}`)
	err = w.sync("stale")
	w.want(err == nil && w.live("stale") == nil, staleCause, "the cache has an older version of an Ingress that has to go; %s returned %s",
		name, err)
}

// judgeRaces: another writer comes between the decision and the write.
func judgeRaces(w *world) {
	s := w.s
	for _, c := range []struct{ name, write, what string }{
		{"taken-over-repair", "repair", "took over"}, {"taken-over-remove", "remove", "took over"},
		{"replaced-repair", "repair", "replaced"}, {"replaced-remove", "remove", "replaced"},
	} {
		service := w.hosted(c.name)
		w.ingress(ingressFor(service, "old.example.com"))
		w.catchUp(c.name)
		if c.write == "remove" {
			w.annotate(c.name, `{"ingress/http":null}`)
		}
		var theirs *networkingv1.Ingress
		other := func() (err error) {
			if theirs == nil {
				theirs, err = w.takeOver(service, c.what == "replaced")
			}
			return err
		}
		for _, verb := range []string{"patch", "update", "delete", "deletecollection"} {
			w.rec.Before(check.Match{Resource: "ingresses", Verb: verb}, 1, other)
		}
		err := w.sync(c.name)
		w.want(theirs != nil, "the Ingress is our own, in the cache, and not as it should be", "for an Ingress to %s, no write was sent (%s)",
			c.write, err)
		live := w.live(c.name)
		w.want(live != nil && live.UID == theirs.UID && live.ResourceVersion == theirs.ResourceVersion,
			"make the write conditional on what the decision was made on: resourceVersion and UID in an update or apply, both as Preconditions "+
				"of a delete; the helpers do that if you hand them what you decided on",
			"just before the write (%s) another writer %s the Ingress, and what they made of it is lost", c.write, c.what)
		if !w.looks {
			w.want(err != nil, "the write was refused, and the caller has to hear of it: return the error",
				"just before the write (%s) another writer %s the Ingress, and reconcile returned no error", c.write, c.what)
			continue
		}
		// The lister has an Ingress of this name, but not the one that replaced it.
		var foreign *ForeignError
		told := errors.As(err, &foreign) && c.write == "repair" && (c.what == "replaced" || !w.reports)
		w.want(err == nil || apierrors.IsConflict(err) || told, staleCause, "after such a conflict, %s returned %s", s.Name(), err)
	}
}

// takeOver makes the Ingress of service one that belongs to nobody.
func (w *world) takeOver(service *corev1.Service, replace bool) (*networkingv1.Ingress, error) {
	if !replace {
		return w.patchLive(service.Name, `{"metadata":{"ownerReferences":null},"spec":{"rules":[{"host":"theirs.example.com"}]}}`)
	}
	ingresses := w.api.NetworkingV1().Ingresses(w.ns)
	if err := ingresses.Delete(w.s.Context(), service.Name, metav1.DeleteOptions{}); err != nil {
		return nil, err
	}
	foreign := ingressFor(service, "theirs.example.com")
	foreign.OwnerReferences = nil
	return ingresses.Create(w.s.Context(), foreign, metav1.CreateOptions{})
}

// prepared is a Service for which the step has to send this verb.
func (w *world) prepared(name, verb string) {
	host := "old.example.com"
	if verb == "get" {
		host = name + ".example.com"
	}
	service := w.hosted(name)
	if verb != "create" {
		w.ingress(ingressFor(service, host))
	}
	if verb != "create" && verb != "get" {
		w.catchUp(name)
	}
	if verb == "delete" {
		w.annotate(name, `{"ingress/http":null}`)
	}
	w.reset()
}

// judgeErrors: what fails is returned, so that it is tried again.
func judgeErrors(w *world) {
	s := w.s
	for _, verb := range []string{"create", "write", "delete", "get"} {
		if verb == "get" && !w.looks {
			continue
		}
		w.prepared("error-"+verb, verb)
		for _, code := range []int{http.StatusInternalServerError, http.StatusForbidden} {
			w.reset()
			for _, hit := range map[string][]string{"create": {"create", "patch"}, "write": {"patch", "update"}, "delete": {"delete"},
				"get": {"get"}}[verb] {
				w.rec.Refuse(check.Match{Resource: "ingresses", Verb: hit}, code)
			}
			err := w.sync("error-" + verb)
			if verb == "get" && w.rec.Count(check.Match{Resource: "ingresses", Verb: "get"}) == 0 {
				continue // another way to look, or an error that has the key come back
			}
			reason := map[int]metav1.StatusReason{500: metav1.StatusReasonInternalError, 403: metav1.StatusReasonForbidden}[code]
			s.RequireReason(err, reason, w.rec, fmt.Sprintf("the server answered a %s of the Ingress with %d", verb, code),
				"an error that is not returned is an Ingress that is lost until the next change: the caller tries again. %w keeps the server's reason")
			w.want(w.rec.Count(check.Match{Resource: "ingresses"}) <= 4, "the retries are the queue's: return the error",
				"after an error, %s went on by itself", s.Name())
		}
	}

	w.hosted("ended")
	err := w.syncIn("ended", func(ctx context.Context) context.Context {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		return ctx
	})
	w.want(err != nil && w.live("ended") == nil, "hand ctx to every request: who stops the controller stops its requests, too",
		"with a ctx that has ended, %s returned %s and sent", s.Name(), err)
}

// judgeOnce: a refused write is not repeated.
func judgeOnce(w *world) {
	const cause = "one request at most: what becomes of the error is the caller's to decide"
	w.ingress(ingressFor(w.hosted("exists"), "old.example.com"))
	err := w.sync("exists")
	w.s.RequireReason(err, metav1.StatusReasonAlreadyExists, w.rec, "existing is nil, and the server has an Ingress of this name", cause)
	w.want(w.rec.Count(check.Match{}) == 1, cause, "after AlreadyExists, reconcile went on by itself")
	w.prepared("conflict", "write")
	for _, verb := range []string{"patch", "update"} {
		w.rec.Refuse(check.Match{Resource: "ingresses", Verb: verb}, http.StatusConflict)
	}
	err = w.sync("conflict")
	w.s.RequireReason(err, metav1.StatusReasonConflict, w.rec, "the server answered a write with 409 Conflict", cause)
	w.want(w.rec.Count(check.Match{}) == 1, cause, "after Conflict, reconcile went on by itself")
}

// judgeLost: the write happened, the answer is lost.
func judgeLost(w *world) {
	w.hosted("lost")
	w.rec.Lose(check.Match{Resource: "ingresses", Verb: "create"}, 1)
	first := w.sync("lost")
	created := w.live("lost")
	w.s.Setup(boolError(created != nil || first != nil), "lose an answer")
	second := w.sync("lost")
	live := w.live("lost")
	w.want(second == nil && live != nil && (created == nil || live.ResourceVersion == created.ResourceVersion), staleCause,
		"the answer to a create was lost (%s); the next call returned %s", first, second)
}

// judgeStops has ctx end while a request is on its way.
func judgeStops(w *world) {
	for _, verb := range []string{"get", "patch", "update", "delete"} {
		name := "stopped-" + verb
		w.prepared(name, verb)
		err := w.syncIn(name, func(ctx context.Context) context.Context {
			ctx, cancel := context.WithCancel(ctx)
			w.rec.Before(check.Match{Resource: "ingresses", Verb: verb}, 1, func() error { cancel(); return nil })
			w.s.T().Cleanup(cancel)
			return ctx
		})
		if w.rec.Count(check.Match{Resource: "ingresses", Verb: verb}) == 0 {
			continue // another way to look or to write
		}
		w.want(err != nil, "hand ctx to every request, also to the second look: a request with another context goes on when the controller stops",
			"ctx ended while a %s of the Ingress was on its way, and %s returned no error", verb, w.s.Name())
	}
}

// failing is a lister that cannot read, of Services or of Ingresses.
type failing[T any] struct{}

var errLister = errors.New("the check's lister says no")

func (failing[T]) List(labels.Selector) ([]*T, error) { return nil, errLister }
func (failing[T]) Get(string) (*T, error)             { return nil, errLister }

type failingServices struct{ failing[corev1.Service] }

func (f failingServices) Services(string) corelisters.ServiceNamespaceLister { return f }

type failingIngresses struct{ failing[networkingv1.Ingress] }

func (f failingIngresses) Ingresses(string) networkinglisters.IngressNamespaceLister { return f }

// judgeListers: any other error of a lister than NotFound is a failure.
func judgeListers(w *world) {
	for _, annotation := range []string{"true", "false"} {
		service := w.service("listed-"+annotation, map[string]string{askFor: annotation, askHost: "listed.example.com"})
		services, ingresses := w.c.serviceLister, w.c.ingressLister
		w.c.ingressLister = failingIngresses{}
		w.reset()
		err := w.sync(service.Name)
		w.want(errors.Is(err, errLister) && w.writes() == 0,
			"three cases: no error, NotFound, anything else. Who treats the last like one of the others does the wrong thing",
			"the lister of Ingresses failed (%s %q), and syncService returned %s, want its error and no write", askFor, annotation, err)
		w.c.serviceLister, w.c.ingressLister = failingServices{}, ingresses
		err = w.sync(service.Name)
		w.want(errors.Is(err, errLister) && w.writes() == 0, "only NotFound means that the Service is gone",
			"the lister of Services failed, and syncService returned %s, want its error and no write", err)
		w.c.serviceLister = services
	}
}

// judgeNames: the options are those of the controller, and errors name the Service.
func judgeNames(w *world) {
	w.service("named", nil)
	err := w.sync("named")
	want := "named." + w.ns + "." + w.c.options.Domain
	w.want(err == nil && hostOfIngress(orNone(w.live("named"))) == want, "the host and the class of an Ingress come from c.options",
		"for a Service without a host, syncService returned %s and left %s, want the host %s", err, w.live("named"), want)

	w.prepared("sought", "create")
	w.rec.Answer(check.Match{Resource: "ingresses"}, 0, check.Always, http.StatusInternalServerError, metav1.StatusReasonInternalError, "no")
	w.c.ingressLister = failingIngresses{}
	err = w.sync("sought")
	w.want(err != nil && strings.Contains(err.Error(), "sought"),
		"who reads the error in the log wants to know which Service it is about: wrap it with %w and name the Service",
		"the lister failed for the Service sought, and syncService returned %s", err)
}

func orNone(ingress *networkingv1.Ingress) *networkingv1.Ingress {
	if ingress == nil {
		return &networkingv1.Ingress{}
	}
	return ingress
}

// judgeTerminating: a namespace that is being deleted takes nothing new.
func judgeTerminating(w *world) {
	s := w.s
	w.hosted("late")
	hold := check.PendingPod("hold", nil)
	hold.Finalizers = []string{"workshop.example.com/hold"}
	s.CreatePod(w.ns, hold)
	s.Setup(w.api.CoreV1().Namespaces().Delete(s.Context(), w.ns, metav1.DeleteOptions{}), "delete namespace "+w.ns)
	s.Await("see the namespace terminate", func() bool {
		probe := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "probe-"}}
		_, err := w.api.CoreV1().ConfigMaps(w.ns).Create(s.Context(), probe, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause)
	})
	err := w.sync("late")
	w.want(err == nil,
		"the server refuses every new object there, and an error brings the key back for it: apierrors.HasStatusCause(err, "+
			"corev1.NamespaceTerminatingCause)",
		"in a namespace that is being deleted, syncService returned %s", err)
	calls := w.queue.added()
	w.want(len(calls) == 0, "the server will never take a new object there: do not try again",
		"in a namespace that is being deleted, syncService called %v of the queue, want nothing", calls)
	w.want(w.rec.Count(check.Match{Resource: "ingresses"}) <= 2, "one refusal is enough",
		"in a namespace that is being deleted, there were several tries")
	_, err = w.api.CoreV1().Pods(w.ns).Patch(s.Context(), "hold", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`),
		metav1.PatchOptions{})
	s.Setup(err, "release pod hold")
}

// judgeVanished: the server has no Ingress any more.
func judgeVanished(w *world) {
	w.prepared("vanished", "write")
	w.drop("vanished")
	err := w.sync("vanished")
	w.want(err != nil || hostOfIngress(orNone(w.live("vanished"))) == "vanished.example.com",
		"the GET after a conflict may find that there is none: decide again on that, and a Service that should have one and has none gets one",
		"an Ingress of ours that differs in the cache is gone from the server; after the call, which returned no error, it is not there")
}

// judgeContended: the server goes on saying no.
func judgeContended(w *world) {
	for _, c := range []struct {
		name, verb string
		verbs      []string
		reason     metav1.StatusReason
	}{
		{"contended", "write", []string{"patch", "update"}, metav1.StatusReasonConflict},
		{"hidden", "create", []string{"create", "patch"}, metav1.StatusReasonAlreadyExists},
	} {
		w.prepared(c.name, c.verb)
		for _, verb := range c.verbs {
			w.rec.Answer(check.Match{Resource: "ingresses", Verb: verb}, 0, check.Always, http.StatusConflict, c.reason, "the check says no")
		}
		err := w.sync(c.name)
		w.want(err != nil,
			"one look at the server, and one more try; when that is refused as well, the Ingress is still not what it should be: return the "+
				"error, and the key comes back",
			"the server answered each write with %s, and %s returned no error", c.reason, w.s.Name())
		n := w.rec.Count(check.Match{Resource: "ingresses"})
		w.want(n <= 6,
			"the retries are the queue's, with a pause before each: read the Ingress once from the server, decide once more, and return the error",
			"the server answered each write with %s, and %s sent %d requests", c.reason, w.s.Name(), n)
	}
}

// judgeLookAgain: of an Ingress that the cache has not seen, no event may come.
func judgeLookAgain(w *world) {
	s := w.s
	w.hosted("again")
	w.requireAgain("the lister has no Ingress, and %s has just made it")
	w.requireAgain("the lister has no Ingress, and the server has the right one, says %s")
	w.patch("again", `{"spec":{"rules":[{"host":"older.example.com"}]}}`)
	w.requireAgain("the lister has no Ingress, and %s has just put right the one that the server has")
	w.catchUp("again")
	err := w.sync("again")
	calls := w.queue.added()
	w.want(err == nil && len(calls) == 0, "an Ingress that the cache has brings its own events: who looks again at each look never stops",
		"the lister has the right Ingress, and %s returned %s and called %v of the queue, want nothing", s.Name(), err, calls)

	service := w.hosted("unseen")
	theirs := ingressFor(service, "theirs.example.com")
	theirs.OwnerReferences = nil
	w.ingress(theirs)
	w.reset()
	err = w.sync("unseen")
	w.want(err != nil || len(w.queue.added()) > 0,
		"it may go before the cache has heard of it, and then no event brings the key back: return the *ForeignError, so that the key is "+
			"tried again",
		"the lister has no Ingress, and the server a foreign one; %s returned no error", s.Name())
	w.want(!w.reports || len(warningsOf(w.events.take())) == 1, "people look at the Service to find out why it has no Ingress: c.warn",
		"the lister has no Ingress, and the server a foreign one, and there is not one Warning Event on the Service")
}

// requireAgain wants the key of Service again to come back after lookAgain.
func (w *world) requireAgain(what string) {
	w.reset()
	err := w.sync("again")
	what = fmt.Sprintf(what, w.s.Name())
	w.want(err == nil, "nothing is wrong with this Service", "%s, and returned %s", what, err)
	calls := w.queue.added()
	wrong := func(a call) bool { return a.key != w.key("again") || a.after < lookAgain/2 || a.after > 4*lookAgain }
	w.want(len(calls) > 0 && !slices.ContainsFunc(calls, wrong),
		"the Ingress may go before the cache has heard of it, and then no event brings the key back: c.queue.AddAfter(key, lookAgain). Not at "+
			"once, when the cache is as far behind as before, and not by a sleep, for which this worker does nothing else",
		"%s; the key comes back by %v, want AddAfter(%s) after about %s", what, calls, w.key("again"), lookAgain)
}
