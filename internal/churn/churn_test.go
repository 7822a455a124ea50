package main

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	dynamicfake "k8s.io/client-go/dynamic/fake"
)

func newStirrer(t *testing.T, objects ...runtime.Object) (*stirrer, *[]string) {
	t.Helper()
	resource := schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(),
		map[schema.GroupVersionResource]string{resource: "DeploymentList"}, objects...)
	said := &[]string{}
	return &stirrer{
		deployments: client.Resource(resource).Namespace("shop"),
		say:         func(format string, args ...any) { *said = append(*said, fmt.Sprintf(format, args...)) },
		place:       "shop/web",
		pods:        5,
		pause:       time.Millisecond,
	}, said
}

func webObject(replicas int64, labels map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"name": "web", "namespace": "shop", "labels": labels},
		"spec":     map[string]any{"replicas": replicas},
	}}
}

func getWeb(t *testing.T, deployments dynamic.ResourceInterface) (*unstructured.Unstructured, error) {
	t.Helper()
	return deployments.Get(context.Background(), "web", metav1.GetOptions{})
}

func TestStirCreatesScalesAndDeletes(t *testing.T) {
	s, said := newStirrer(t)
	require.NoError(t, s.look(t.Context()))
	require.NoError(t, s.round(t.Context()))
	assert.Equal(t, []string{
		"created deployment shop/web with 1 pod",
		"scaled deployment shop/web to 5",
		"scaled deployment shop/web to 1",
		"scaled deployment shop/web to 5",
		"deleted deployment shop/web",
	}, *said)
}

func TestStirLeavesNothing(t *testing.T) {
	for name, ctx := range map[string]func() (context.Context, context.CancelFunc){
		"the time is over": func() (context.Context, context.CancelFunc) { return t.Context(), func() {} },
		"interrupted": func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(t.Context(), 5*time.Millisecond)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := newStirrer(t, webObject(7, map[string]any{stirLabel: "true"})) // what a killed stir left
			ctx, cancel := ctx()
			defer cancel()
			err := s.run(ctx, 20*time.Millisecond)
			assert.ErrorIs(t, err, ctx.Err())
			_, err = getWeb(t, s.deployments)
			assert.True(t, apierrors.IsNotFound(err), "the deployment is gone: %v", err)
		})
	}
}

func TestStirGivesBackWhatItFound(t *testing.T) {
	s, said := newStirrer(t, webObject(3, nil))
	require.NoError(t, s.run(t.Context(), 20*time.Millisecond))
	web, err := getWeb(t, s.deployments)
	require.NoError(t, err, "somebody else's deployment is not deleted")
	replicas, _, err := unstructured.NestedInt64(web.Object, "spec", "replicas")
	require.NoError(t, err)
	assert.EqualValues(t, 3, replicas)
	assert.Contains(t, *said, "scaled deployment shop/web to 0")
	assert.NotContains(t, *said, "deleted deployment shop/web")
}

func TestStirSaysWhatFailed(t *testing.T) {
	s, _ := newStirrer(t, webObject(3, nil))
	require.NoError(t, s.look(t.Context()))
	require.NoError(t, s.deployments.Delete(t.Context(), "web", metav1.DeleteOptions{}))
	assert.ErrorContains(t, s.round(t.Context()), "scale deployment shop/web to 5")
	assert.NoError(t, s.putBack(t.Context()), "what somebody else removed needs no putting back")
}
