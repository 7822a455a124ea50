//workshop:accept rules-twice
//workshop:why a permission may stand there twice
//workshop:step Rules

package main

import (
	rbacv1 "k8s.io/api/rbac/v1"
)

func Rules(lease string) (everywhere, own []rbacv1.PolicyRule) {
	everywhere = []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"services"}, Verbs: []string{"list", "watch"}},
		{APIGroups: []string{"networking.k8s.io"}, Resources: []string{"ingresses"}, Verbs: []string{"list", "watch", "get", "create", "patch", "delete"}},
		{APIGroups: []string{""}, Resources: []string{"events"}, Verbs: []string{"create", "patch"}},
	}
	own = []rbacv1.PolicyRule{
		{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"create"}},
		{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, ResourceNames: []string{lease}, Verbs: []string{"get", "update"}},
	}
	own = append(own, own[1])
	return everywhere, own
}
