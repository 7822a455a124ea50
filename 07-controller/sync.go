package main

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/client-go/tools/cache"

	"example.com/client-go-workshop/internal/todo"
)

// action is what has to be done to an Ingress.
type action string

const (
	actionNone   action = "none"
	actionCreate action = "create"
	actionApply  action = "apply"
	actionDelete action = "delete"
)

// decide returns what has to be done to the Ingress of service.
//
// Step 5: decide what to do.
//
// existing is the Ingress with the Service's name that the cluster has, desired
// the Ingress that the Service should have. Both may be nil. NeedsChange
// (step 2) tells you which row applies when existing is not nil:
//
//	existing                   desired nil     desired not nil
//	-------------------------  --------------  -------------------------
//	nil                        actionNone      actionCreate
//	the Service's, as desired  -               actionNone
//	the Service's, differs     actionDelete    actionApply
//	being deleted              actionNone      actionNone
//	not the Service's          actionNone      actionNone, *ForeignError
//
// Return the *ForeignError of NeedsChange. A Service that should have no Ingress
// does not care who owns the Ingress of its name: return no error then.
//
// This is a pure function, as steps 1 and 2 are.
func decide(service *corev1.Service, existing, desired *networkingv1.Ingress) (action, error) {
	panic(todo.Step(5))
}

// reconcile makes existing what desired says.
//
// Step 6: act.
//
// Call decide and do what it returns, with one request at most:
//
//   - actionNone: send nothing. Return the error of decide.
//   - actionCreate: c.createIngress.
//   - actionApply: c.applyIngress. Pass existing, which you decided on: its UID
//     and resourceVersion make the request fail if somebody has changed the
//     Ingress since.
//   - actionDelete: c.deleteIngress, also with existing. NotFound is no error: the
//     Ingress is gone, as it should be.
//
// Return every other error, so that the caller can tell what it was: wrap it with
// %w or return it as it is. Do not repeat a request, and pass ctx to each.
// existing comes from a cache, so do not modify it.
func (c *Controller) reconcile(ctx context.Context, service *corev1.Service, existing, desired *networkingv1.Ingress) error {
	panic(todo.Step(6))
}

// lookAgain is the time after which the cache should have what the server has.
const lookAgain = 3 * time.Second

// syncIngress reconciles the Ingress of service, also when the cache is stale.
//
// Step 7: cope with a stale cache.
//
// listed is the Ingress of the Service's name in the cache, nil for none. Call
// c.reconcile with it. The cache may be behind the API server. The API server
// then answers AlreadyExists or Conflict, and you
//
//   - read the Ingress once from the API server (c.getIngress), and
//   - call c.reconcile once more, with what the API server has, which may be nil.
//
// Return what that says. Do not read from the API server before a write failed:
// a cache is there to save these requests. Do not try a third time: the queue
// does, with a pause.
//
// There is a second trap. If listed is nil, the cache has not received the
// Ingress yet. If somebody deletes the Ingress before the cache receives it, no
// event comes, and nobody calls you again. So if listed is nil, desired is not,
// and all went well, call c.queue.AddAfter with the key of the Service and
// lookAgain. Do this after a create, too. Do not sleep: the worker has other keys.
func (c *Controller) syncIngress(ctx context.Context, service *corev1.Service, listed, desired *networkingv1.Ingress) error {
	panic(todo.Step(7))
}

// syncService reconciles the Service with this key.
//
// Step 8: reconcile one Service, and report what its user has to fix.
//
// The key says which Service to look at, and not what has happened to it. Read
// the Service and the Ingress of its name from c.serviceLister and
// c.ingressLister. A lister returns the object, NotFound, or another error. Return
// the other error. What a lister returns is shared, so do not modify it.
//
// If there is no Service, or it is being deleted, send no request and return nil.
// The garbage collector deletes the Ingress, and a new one would hold it up. If
// there is no Service, call c.warned.forget.
//
// Otherwise call DesiredIngress with c.options, then c.syncIngress. An
// *InvalidError of DesiredIngress means that the Service should have no Ingress:
// call c.syncIngress with nil, so that an old one goes. Then report:
//
//	result of c.syncIngress              c.warn             return
//	-----------------------------------  -----------------  ----------------
//	nil                                  -                  nil
//	nil, and there was an *InvalidError  "InvalidService"   nil
//	*ForeignError, lister has one        "IngressNotOwned"  nil
//	*ForeignError, lister has none       "IngressNotOwned"  the error
//	the namespace is being deleted       -                  nil
//	any other error                      -                  the error
//
// The message of c.warn is the text of the *InvalidError or *ForeignError. In the
// first row call c.warned.forget, so that a later warning is made again.
//
// Where the table says nil, a retry would not help: an event brings the key back
// when something changes. In the fourth row no event may come, for the reason
// that step 7 has. The API server accepts no new object in a namespace that is
// being deleted: apierrors.HasStatusCause finds
// corev1.NamespaceTerminatingCause in the error. Wrap an error that you return
// with %w, and name the Service.
func (c *Controller) syncService(ctx context.Context, key cache.ObjectName) error {
	panic(todo.Step(8))
}
