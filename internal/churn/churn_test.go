package churn

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
)

func newChurn(objects ...runtime.Object) (*churn, *[]string) {
	said := &[]string{}
	return &churn{
		Options: Options{
			Namespace: "shop", Pods: 5, Length: 20 * time.Millisecond,
			Say: func(line string) { *said = append(*said, line) },
		},
		deployments: fake.NewClientset(objects...).AppsV1().Deployments("shop"),
		pause:       time.Millisecond,
	}, said
}

func web(replicas int32, labels map[string]string) *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop", Labels: labels},
		Spec:       appsv1.DeploymentSpec{Replicas: &replicas},
	}
}

func TestRoundCreatesScalesAndDeletes(t *testing.T) {
	c, said := newChurn()
	require.NoError(t, c.look(t.Context()))
	require.NoError(t, c.round(t.Context()))
	assert.Equal(t, []string{
		"created deployment shop/web with 1 pod",
		"scaled deployment shop/web to 5",
		"scaled deployment shop/web to 1",
		"scaled deployment shop/web to 5",
		"deleted deployment shop/web",
	}, *said)
}

func TestRunLeavesNothing(t *testing.T) {
	for name, ctx := range map[string]func() (context.Context, context.CancelFunc){
		"the time is over": func() (context.Context, context.CancelFunc) { return t.Context(), func() {} },
		"interrupted": func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(t.Context(), 5*time.Millisecond)
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := newChurn(web(7, map[string]string{label: "true"})) // what a killed Run left
			ctx, cancel := ctx()
			defer cancel()
			require.ErrorIs(t, c.run(ctx), ctx.Err())
			_, err := c.deployments.Get(t.Context(), "web", metav1.GetOptions{})
			assert.True(t, apierrors.IsNotFound(err), "the deployment is gone: %v", err)
		})
	}
}

func TestRunGivesBackWhatItFound(t *testing.T) {
	c, said := newChurn(web(3, nil))
	require.NoError(t, c.run(t.Context()))
	after, err := c.deployments.Get(t.Context(), "web", metav1.GetOptions{})
	require.NoError(t, err, "somebody else's deployment is not deleted")
	assert.Equal(t, new(int32(3)), after.Spec.Replicas)
	assert.Contains(t, *said, "scaled deployment shop/web to 0")
	assert.NotContains(t, *said, "deleted deployment shop/web")
}

func TestRoundSaysWhatFailed(t *testing.T) {
	c, _ := newChurn(web(3, nil))
	require.NoError(t, c.look(t.Context()))
	require.NoError(t, c.deployments.Delete(t.Context(), "web", metav1.DeleteOptions{}))
	require.ErrorContains(t, c.round(t.Context()), "scale deployment shop/web to 5")
	assert.NoError(t, c.putBack(t.Context()), "what somebody else removed needs no putting back")
}
