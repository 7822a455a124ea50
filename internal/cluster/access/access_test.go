package access

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestDenied(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	assert.True(t, Denied(fmt.Errorf("list: %w", apierrors.NewForbidden(pods, "", errors.New(`User "ana" cannot list resource "pods"`)))))
	assert.False(t, Denied(apierrors.NewForbidden(pods, "web", errors.New("exceeded quota: small"))))
	assert.False(t, Denied(apierrors.NewNotFound(pods, `User "ana"`)))
	assert.False(t, Denied(nil))
}

func TestWords(t *testing.T) {
	for words, what := range map[string]authorizationv1.ResourceAttributes{
		"patch pods/status in ana": {Verb: "patch", Resource: "pods", Subresource: "status", Namespace: "ana"},
		"create deployments.apps":  {Verb: "create", Group: "apps", Resource: "deployments"},
	} {
		assert.Equal(t, words, Words(what))
		got, err := Parse(words)
		assert.NoError(t, err)
		assert.Equal(t, what, got)
	}
	for _, words := range []string{"", "create", "create pods and nodes", "create pods in two places"} {
		_, err := Parse(words)
		assert.Error(t, err, words)
	}
}
