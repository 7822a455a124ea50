package check

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
)

func TestAnHourOfFakeTimeTakesAnInstant(t *testing.T) {
	started := time.Now()
	var took time.Duration
	out := inBubble(t, func(context.Context) error {
		begun := time.Now()
		time.Sleep(time.Hour)
		took = time.Since(begun)
		return context.Canceled
	})
	assert.Equal(t, time.Hour, took)
	assert.Less(t, time.Since(started), time.Minute)
	require.ErrorIs(t, out.err, context.Canceled)
	assert.False(t, out.stuck)
}

func TestInFakeTimeAWaitForNothingIsFound(t *testing.T) {
	out := inBubble(t, func(context.Context) error { select {} })
	assert.True(t, out.stuck)
}

func TestInFakeTimeAGoroutineThatIsLeftIsNoFault(t *testing.T) {
	out := inBubble(t, func(context.Context) error {
		go func() { select {} }()
		return nil
	})
	assert.Equal(t, outcome{}, out)
}

func TestInFakeTimeAPanicIsTheCalls(t *testing.T) {
	out := inBubble(t, func(context.Context) error { panic("boo") })
	assert.Equal(t, "boo", out.panicked)
	assert.NotEmpty(t, out.stack)
}

func TestSlowPodTakesItsTimeAndEndsItsWatches(t *testing.T) {
	server := NewSlowPod("ns", "slow", 150*time.Second)
	rec, cfg := server.Recorder(nil)
	client, err := kubernetes.NewForConfig(cfg)
	require.NoError(t, err)
	pods := client.CoreV1().Pods("ns")
	out := inBubble(t, func(ctx context.Context) error {
		pod, err := pods.Get(ctx, "slow", metav1.GetOptions{})
		require.NoError(t, err)
		other := metav1.NewPreconditionDeleteOptions("another")
		err = pods.Delete(ctx, "slow", *other)
		assert.True(t, apierrors.IsConflict(err), "%v", err)
		require.NoError(t, pods.Delete(ctx, "slow", *metav1.NewPreconditionDeleteOptions(string(pod.UID))))

		var seen []watch.EventType
		for version := pod.ResourceVersion; !slices.Contains(seen, watch.Deleted); {
			w, err := pods.Watch(ctx, metav1.ListOptions{ResourceVersion: version})
			require.NoError(t, err)
			for event := range w.ResultChan() {
				seen = append(seen, event.Type)
				version = event.Object.(*corev1.Pod).ResourceVersion
			}
		}
		assert.Equal(t, []watch.EventType{watch.Modified, watch.Deleted}, seen)
		_, err = pods.Get(ctx, "slow", metav1.GetOptions{})
		assert.True(t, apierrors.IsNotFound(err))
		return nil
	})
	require.NoError(t, out.err)
	assert.Equal(t, 3, rec.Count(Match{Verb: "watch"}))
}
