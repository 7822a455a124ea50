//workshop:accept rules-one-verb-each
//workshop:why the rules may be cut in other pieces
//workshop:step Rules

package main

import (
	rbacv1 "k8s.io/api/rbac/v1"
)

func Rules(lease string) (everywhere, own []rbacv1.PolicyRule) {
	rule := func(group, resource, verb string, names ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: []string{verb}, ResourceNames: names}
	}
	for _, verb := range []string{"get", "list", "watch", "create", "patch", "delete"} {
		everywhere = append(everywhere, rule("networking.k8s.io", "ingresses", verb))
	}
	everywhere = append(everywhere, rule("", "services", "list"), rule("", "services", "watch"), rule("", "events", "create"), rule("", "events", "patch"))
	own = append(own, rule("coordination.k8s.io", "leases", "get", lease), rule("coordination.k8s.io", "leases", "update", lease), rule("coordination.k8s.io", "leases", "create"))
	return everywhere, own
}
