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

// Rules returns the permissions that the controller needs.
//
// Step 14: name every permission, and none too many.
//
// Return two lists of RBAC rules. Write each group, resource and verb by its
// name, never "*".
//
//   - everywhere goes into a ClusterRole. It holds what the two informers and the
//     steps 6 to 9 send. An informer sends two verbs. The reads of syncIngress
//     have a verb of their own. The recorder sends a new Event as a create, and a
//     repeated one as a patch. Its Events are in the core group.
//   - own goes into a Role in the namespace of the controller. It holds what the
//     steps 12 and 13 send for the Lease called lease. Limit a rule to that name
//     (ResourceNames) wherever RBAC can: a create has no name yet.
//
// 07-controller/deploy/rbac.yaml holds the same rules. At its start, the program
// asks the API server for each of them: see checkAccess.
func Rules(lease string) (everywhere, own []rbacv1.PolicyRule) {
	panic(todo.Step(14))
}

// checkAccess asks the API server about each permission that the controller
// needs in namespace, empty for all, and returns an error that names those it
// lacks. It goes on when the API server does not answer.
func checkAccess(ctx context.Context, client kubernetes.Interface, namespace string, election Election) error {
	everywhere, own := Rules(election.Name)
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
						questions = append(questions, authorizationv1.ResourceAttributes{
							Namespace: namespace, Verb: verb, Group: group, Resource: resource, Name: name})
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
