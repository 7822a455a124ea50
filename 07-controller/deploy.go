package main

import (
	"context"
	"errors"
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"

	"example.com/client-go-workshop/internal/todo"
)

// Step 9: say what the controller needs to be allowed, and nothing more.
//
// Return two lists of RBAC rules, with every group, resource and verb by its
// name, no "*":
//
//   - everywhere, for a ClusterRole: what the informers and steps 5 and 6 send.
//     An informer sends two verbs. Count the requests of syncService: the one
//     look at the server is a verb of its own. Events are sent as new ones, and
//     as patches of one that is repeated; they are in the core group;
//   - own, for a Role in the controller's own namespace: what step 8 sends for
//     the Lease called lease. Where RBAC can, limit the rule to that name
//     (resourceNames). It cannot where an object does not exist yet.
//
// 07-controller/deploy/rbac.yaml holds the same rules. The program asks the
// server at its start whether it has them; see checkAccess.
func Rules(lease string) (everywhere, own []rbacv1.PolicyRule, err error) {
	panic(todo.Step(9))
}

// checkAccess asks the server about each permission that the controller needs
// in namespace, empty for all, and returns an error that names those it lacks.
// A question that is not answered is no reason to stop.
func checkAccess(ctx context.Context, client kubernetes.Interface, namespace string, election Election) error {
	everywhere, own, err := Rules(election.Name)
	if err != nil {
		return err
	}
	questions := questionsOf(everywhere, namespace)
	if election.Enabled {
		questions = append(questions, questionsOf(own, election.Namespace)...)
	}
	var missing []error
	for _, question := range questions {
		review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &question}}
		answer, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			klog.FromContext(ctx).Info("Could not ask for a permission", "verb", question.Verb, "resource", question.Resource, "err", err)
			continue
		}
		if !answer.Status.Allowed {
			missing = append(missing, forbidden(question))
		}
	}
	return errors.Join(missing...)
}

func questionsOf(rules []rbacv1.PolicyRule, namespace string) []authorizationv1.ResourceAttributes {
	var questions []authorizationv1.ResourceAttributes
	for _, rule := range rules {
		names := rule.ResourceNames
		if len(names) == 0 {
			names = []string{""}
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					for _, name := range names {
						questions = append(questions, authorizationv1.ResourceAttributes{Namespace: namespace, Verb: verb, Group: group, Resource: resource, Name: name})
					}
				}
			}
		}
	}
	return questions
}

func forbidden(q authorizationv1.ResourceAttributes) error {
	what := schema.GroupResource{Group: q.Group, Resource: q.Resource}.String()
	if q.Name != "" {
		what += " " + q.Name
	}
	where := "in namespace " + q.Namespace
	if q.Namespace == "" {
		where = "in all namespaces"
	}
	return fmt.Errorf("not allowed to %s %s %s: see deploy/rbac.yaml", q.Verb, what, where)
}
