// Package access asks a cluster what its user may do there.
package access

import (
	"context"
	"fmt"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// May asks whether cfg's user may do what. An empty namespace means all.
func May(ctx context.Context, cfg *rest.Config, what authorizationv1.ResourceAttributes) (bool, error) {
	api, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return false, fmt.Errorf("ask whether you may %s: %w", Words(what), err)
	}
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &what}}
	answer, err := api.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, fmt.Errorf("ask whether you may %s: %w", Words(what), err)
	}
	return answer.Status.Allowed, nil
}

// Denied says whether an error is that the user lacks a right. A quota and an
// admission rule forbid as well, to everybody.
func Denied(err error) bool {
	return apierrors.IsForbidden(err) && strings.Contains(err.Error(), `User "`)
}

// Words says what in words, for example: create deployments.apps in kube-system.
func Words(what authorizationv1.ResourceAttributes) string {
	text := what.Verb + " " + what.Resource
	if what.Subresource != "" {
		text += "/" + what.Subresource
	}
	if what.Group != "" {
		text += "." + what.Group
	}
	if what.Namespace != "" {
		text += " in " + what.Namespace
	}
	return text
}

// Parse is the opposite of Words.
func Parse(words string) (authorizationv1.ResourceAttributes, error) {
	var what authorizationv1.ResourceAttributes
	text, namespace, _ := strings.Cut(words, " in ")
	verb, resource, ok := strings.Cut(text, " ")
	if !ok || verb == "" || resource == "" || strings.ContainsAny(resource+namespace, " ") {
		return what, fmt.Errorf("right %q: want a verb and a resource, such as: create deployments.apps in kube-system", words)
	}
	resource, what.Group, _ = strings.Cut(resource, ".")
	what.Resource, what.Subresource, _ = strings.Cut(resource, "/")
	what.Verb, what.Namespace = verb, namespace
	return what, nil
}
