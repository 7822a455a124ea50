package existing

import (
	"context"
	"fmt"
	"slices"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/client-go/rest"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/cluster/access"
)

// right is something that steps need and that a user of a shared cluster may not
// be allowed.
type right struct {
	authorizationv1.ResourceAttributes
	// steps are those whose checks cannot run without it.
	steps []string
	// more is what else cannot be done without it, or "".
	more string
}

// rights are what a user needs beside the role edit in the namespace own. A test
// runs every step as such a user and compares.
func rights(own string) []right {
	const (
		rbac       = "rbac.authorization.k8s.io"
		extensions = "apiextensions.k8s.io"
	)
	return []right{
		{authorizationv1.ResourceAttributes{Verb: "create", Resource: "namespaces"},
			[]string{"01.3", "02.2", "05.1", "05.4", "06.3", "06.8", "07.5"}, "the programs of 01, 02, 03 and 06"},
		{authorizationv1.ResourceAttributes{Verb: "list", Resource: "pods"}, []string{"02.2"}, ""},
		{authorizationv1.ResourceAttributes{Verb: "list", Resource: "nodes"}, []string{"02.8"}, ""},
		{authorizationv1.ResourceAttributes{Verb: "patch", Resource: "pods", Subresource: "status", Namespace: own}, []string{"05.2"}, ""},
		{authorizationv1.ResourceAttributes{Verb: "create", Group: rbac, Resource: "rolebindings", Namespace: cluster.Namespace}, []string{"07.9"}, ""},
		{authorizationv1.ResourceAttributes{Verb: "get", Group: "apps", Resource: "deployments", Namespace: "kube-system"}, []string{"03.1"}, ""},
		{authorizationv1.ResourceAttributes{Verb: "create", Group: extensions, Resource: "customresourcedefinitions"},
			[]string{"03.5", "03.6", "03.7", "03.9", "03.10", "04.4", "04.8"}, "the programs of 03 and 04"},
		{authorizationv1.ResourceAttributes{Verb: "create", Group: "apiregistration.k8s.io", Resource: "apiservices"}, []string{"04.3"}, ""},
		{authorizationv1.ResourceAttributes{Verb: "create", Group: rbac, Resource: "clusterroles"}, nil, "scripts/kind-deploy.sh of 07"},
	}
}

// ownNamespaces says whether it is the right that lets each check have a namespace of its own.
func (r right) ownNamespaces() bool { return r.Verb == "create" && r.Resource == "namespaces" }

func (r right) String() string {
	without := slices.Clone(r.steps)
	if r.more != "" {
		without = append(without, r.more)
	}
	return fmt.Sprintf("you may not %s, which these need: %s", access.Words(r.ResourceAttributes), strings.Join(without, ", "))
}

// missingRights are those that the user lacks, whose namespace is own.
func missingRights(ctx context.Context, cfg *rest.Config, own string) ([]right, error) {
	var missing []right
	for _, r := range rights(own) {
		may, err := access.May(ctx, cfg, r.ResourceAttributes)
		if err != nil {
			return nil, err
		}
		if !may {
			missing = append(missing, r)
		}
	}
	return missing, nil
}
