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
	assert.Equal(t, "patch pods/status in ana", Words(authorizationv1.ResourceAttributes{Verb: "patch", Resource: "pods", Subresource: "status", Namespace: "ana"}))
	assert.Equal(t, "create deployments.apps", Words(authorizationv1.ResourceAttributes{Verb: "create", Group: "apps", Resource: "deployments"}))
}
