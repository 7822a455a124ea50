package existing

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// right is something that steps need and that a user of a shared cluster may not
// be allowed.
type right struct {
	verb, group, resource string
	// namespace is where, "" for all or none.
	namespace string
	// without says what cannot run without it.
	without string
}

func rights() []right {
	return []right{
		{"create", "", "namespaces", "", "no check can run, since each makes a namespace of its own; programs that take -namespace can"},
		{"delete", "", "namespaces", "", "the namespaces of the checks stay behind"},
		{"list", "", "pods", "", "02.2, which lists the pods of all namespaces, cannot run"},
		{"get", "apps", "deployments", "kube-system", "03.2, which reads the Deployment coredns there, cannot run"},
		{"create", "apiextensions.k8s.io", "customresourcedefinitions", "", "the steps with a kind of their own, most of 03 from step 4 on and some of 04, cannot run"},
		{"create", "apiregistration.k8s.io", "apiservices", "", "04.3, which adds an API that does not answer, cannot run"},
		{"impersonate", "", "users", "", "05.3, which acts as a user without rights, cannot run"},
		{"create", "rbac.authorization.k8s.io", "clusterroles", "", "the controller of 07 cannot be deployed with its own rights"},
	}
}

// jsonConfig is cfg for requests whose bodies are plain JSON.
func jsonConfig(cfg *rest.Config) *rest.Config {
	plain := rest.CopyConfig(cfg)
	plain.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	return plain
}

// missingRights says which steps cannot run for want of a right.
func missingRights(ctx context.Context, cfg *rest.Config) ([]string, error) {
	client, err := rest.UnversionedRESTClientFor(jsonConfig(cfg))
	if err != nil {
		return nil, fmt.Errorf("ask for your rights: %w", err)
	}
	var missing []string
	for _, r := range rights() {
		ask := authorizationv1.SelfSubjectAccessReview{
			TypeMeta: metav1.TypeMeta{APIVersion: "authorization.k8s.io/v1", Kind: "SelfSubjectAccessReview"},
			Spec: authorizationv1.SelfSubjectAccessReviewSpec{
				ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: r.verb, Group: r.group, Resource: r.resource, Namespace: r.namespace},
			},
		}
		body, err := json.Marshal(ask)
		if err != nil {
			return nil, fmt.Errorf("ask for your rights: %w", err)
		}
		answer, err := client.Post().AbsPath("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews").
			SetHeader("Content-Type", "application/json").Body(body).DoRaw(ctx)
		if err != nil {
			return nil, fmt.Errorf("ask for your rights: %w", err)
		}
		if err := json.Unmarshal(answer, &ask); err != nil {
			return nil, fmt.Errorf("ask for your rights: %w", err)
		}
		if !ask.Status.Allowed {
			name := strings.TrimSuffix(r.resource+"."+r.group, ".")
			if r.namespace != "" {
				name += " in " + r.namespace
			}
			missing = append(missing, fmt.Sprintf("you may not %s %s: %s", r.verb, name, r.without))
		}
	}
	return missing, nil
}
