package main

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"sigs.k8s.io/yaml"
)

const (
	// auditMaxSizeMB and auditMaxBackups bound the log to two files.
	auditMaxSizeMB  = 20
	auditMaxBackups = 1
)

// auditPolicy keeps every request of a user with its body, since checks and
// guides look at what a learner's program really sent. Of the control plane
// itself it keeps what was written, without bodies, and leaves out reads and
// what repeats by the second.
func auditPolicy() auditv1.Policy {
	system := []string{user.APIServerUser}
	return auditv1.Policy{
		TypeMeta:   metav1.TypeMeta{APIVersion: auditv1.SchemeGroupVersion.String(), Kind: "Policy"},
		OmitStages: []auditv1.Stage{auditv1.StageRequestReceived},
		Rules: []auditv1.PolicyRule{
			{Level: auditv1.LevelNone, NonResourceURLs: []string{"/healthz*", "/livez*", "/readyz*", "/metrics"}},
			{Level: auditv1.LevelNone, Users: system, Verbs: []string{"get", "list", "watch"}},
			{Level: auditv1.LevelNone, Users: system, NonResourceURLs: []string{"*"}},
			{Level: auditv1.LevelNone, Users: system, Resources: []auditv1.GroupResources{
				{Group: "", Resources: []string{"events", "pods/status", "pods/binding", "nodes/status"}},
				{Group: "events.k8s.io"},
				{Group: "coordination.k8s.io"},
				{Group: "discovery.k8s.io"},
			}},
			{Level: auditv1.LevelMetadata, Users: system},
			{Level: auditv1.LevelRequest},
		},
	}
}

// writeAuditPolicy stores the policy in the form that the API server reads.
func writeAuditPolicy(path string) error {
	data, err := yaml.Marshal(auditPolicy())
	if err != nil {
		return fmt.Errorf("encode audit policy: %w", err)
	}
	return writeFileAtomic(path, data)
}
