package existing

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// right is something that steps need and that a user of a shared cluster may not
// be allowed.
type right struct {
	// resource may be a subresource, as in pods/status.
	verb, group, resource string
	// namespace is where, "" for all or none.
	namespace string
	// steps are those whose checks cannot run without it.
	steps []string
	// more is what else cannot be done without it, or "".
	more string
}

// rights are what a user needs beside the role edit in one namespace. A test runs
// every step as such a user and compares.
func rights(own string) []right {
	return []right{
		{verb: "create", resource: "namespaces", steps: []string{"01.3", "02.2", "05.1", "05.4", "06.3", "06.8", "07.5"},
			more: "the programs of 01, 02, 03 and 06"},
		{verb: "list", resource: "pods", steps: []string{"02.2"}},
		{verb: "list", resource: "nodes", steps: []string{"02.8"}},
		{verb: "patch", resource: "pods/status", namespace: own, steps: []string{"05.2"}},
		{verb: "create", group: "rbac.authorization.k8s.io", resource: "rolebindings", namespace: own, steps: []string{"07.9"}},
		{verb: "get", group: "apps", resource: "deployments", namespace: "kube-system", steps: []string{"03.1"}},
		{verb: "create", group: "apiextensions.k8s.io", resource: "customresourcedefinitions", steps: []string{"03.5", "03.6", "03.7", "03.9", "03.10", "04.4", "04.8"},
			more: "the programs of 03 and 04"},
		{verb: "create", group: "apiregistration.k8s.io", resource: "apiservices", steps: []string{"04.3"}},
		{verb: "create", group: "rbac.authorization.k8s.io", resource: "clusterroles", more: "scripts/kind-deploy.sh of 07"},
	}
}

// ownNamespaces says whether it is the right that lets each check have a namespace of its own.
func (r right) ownNamespaces() bool { return r.verb == "create" && r.resource == "namespaces" }

func (r right) String() string {
	name := strings.TrimSuffix(r.resource+"."+r.group, ".")
	if r.namespace != "" {
		name += " in " + r.namespace
	}
	without := slices.Clone(r.steps)
	if r.more != "" {
		without = append(without, r.more)
	}
	return fmt.Sprintf("you may not %s %s: without that there is no %s", r.verb, name, strings.Join(without, ", "))
}

// jsonConfig is cfg for requests whose bodies are plain JSON.
func jsonConfig(cfg *rest.Config) *rest.Config {
	plain := rest.CopyConfig(cfg)
	plain.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	return plain
}

// missingRights are those that the user lacks, whose namespace is own.
func missingRights(ctx context.Context, cfg *rest.Config, own string) ([]right, error) {
	client, err := rest.UnversionedRESTClientFor(jsonConfig(cfg))
	if err != nil {
		return nil, fmt.Errorf("ask for your rights: %w", err)
	}
	var missing []right
	for _, r := range rights(own) {
		resource, sub, _ := strings.Cut(r.resource, "/")
		ask := authorizationv1.SelfSubjectAccessReview{
			TypeMeta: metav1.TypeMeta{APIVersion: "authorization.k8s.io/v1", Kind: "SelfSubjectAccessReview"},
			Spec: authorizationv1.SelfSubjectAccessReviewSpec{
				ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: r.verb, Group: r.group, Resource: resource, Subresource: sub, Namespace: r.namespace},
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
			missing = append(missing, r)
		}
	}
	return missing, nil
}
