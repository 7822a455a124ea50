//workshop:mutant rules-events-new-group
//workshop:fault Events are allowed in the group that they are not sent to
//workshop:step 9
//workshop:want events.events.k8s.io, which the controller never does

package main

import (
	rbacv1 "k8s.io/api/rbac/v1"
)

func Rules(lease string) (everywhere, own []rbacv1.PolicyRule, err error) {
	everywhere = []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"services"}, Verbs: []string{"list", "watch"}},
		{APIGroups: []string{"networking.k8s.io"}, Resources: []string{"ingresses"}, Verbs: []string{"list", "watch", "get", "create", "patch", "delete"}},
		{APIGroups: []string{"events.k8s.io"}, Resources: []string{"events"}, Verbs: []string{"create", "patch"}},
	}
	own = []rbacv1.PolicyRule{
		{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"create"}},
		{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, ResourceNames: []string{lease}, Verbs: []string{"get", "update"}},
	}
	return everywhere, own, nil
}
