package existing

import (
	"context"
	"fmt"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/client-go/rest"

	"example.com/client-go-workshop/internal/cluster/access"
)

// Right is something that a user of a shared cluster may not be allowed, beside
// the role edit in the user's own namespace.
type Right struct {
	// Words name it as access.Words does; $NAMESPACE is the user's own.
	Words string
	// For is what cannot be done without it.
	For []string
}

// ownNamespaces is the right that lets each check have a namespace of its own.
func ownNamespaces() authorizationv1.ResourceAttributes {
	return authorizationv1.ResourceAttributes{Verb: "create", Resource: "namespaces"}
}

// missing says what the user, whose namespace is own, lacks of rights.
func missing(ctx context.Context, cfg *rest.Config, rights []Right, own string) ([]string, error) {
	var notes []string
	for _, r := range rights {
		what, err := access.Parse(strings.ReplaceAll(r.Words, "$NAMESPACE", own))
		if err != nil {
			return nil, err
		}
		may, err := access.May(ctx, cfg, what)
		if err != nil {
			return nil, err
		}
		if !may {
			notes = append(notes, fmt.Sprintf("you may not %s, which these need: %s", access.Words(what), strings.Join(r.For, ", ")))
		}
	}
	return notes, nil
}
