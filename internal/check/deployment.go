package check

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// CreateDeployment creates a Deployment as part of the check's preparation. It
// waits until the controller has nothing more to write for now.
func (s *S) CreateDeployment(ns string, deployment *appsv1.Deployment) *appsv1.Deployment {
	_, err := s.Clientset().AppsV1().Deployments(ns).Create(s.ctx, deployment, metav1.CreateOptions{})
	s.Setup(err, "create deployment "+deployment.Name)
	return s.UntilDeployment(ns, deployment.Name, "its controller has seen it", Settled())
}

// Deployment returns a Deployment as it is.
func (s *S) Deployment(ns, name string) *appsv1.Deployment {
	deployment, err := s.Clientset().AppsV1().Deployments(ns).Get(s.ctx, name, metav1.GetOptions{})
	s.Setup(err, "get deployment "+name)
	return deployment
}

// UntilDeployment waits for a state of a Deployment, as part of the check's preparation.
func (s *S) UntilDeployment(ns, name, what string, reached func(*appsv1.Deployment) bool) *appsv1.Deployment {
	deployment, err := AwaitDeployment(s.ctx, s.Clientset(), ns, name, reached)
	s.Setup(err, "wait until "+what)
	return deployment
}

// AwaitDeployment waits for a state of a Deployment, for 30 s at most.
func AwaitDeployment(
	ctx context.Context, client kubernetes.Interface, ns, name string, reached func(*appsv1.Deployment) bool,
) (*appsv1.Deployment, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		deployment, err := client.AppsV1().Deployments(ns).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, fmt.Errorf("get deployment %s: %w", name, err)
		}
		if reached(deployment) {
			return deployment, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("deployment %s stays as it is, %+v: %w", name, deployment.Status, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Settled is the state in which a Deployment's controller has made its pods and
// written nothing for a moment.
func Settled() func(*appsv1.Deployment) bool {
	version, since := "", time.Now()
	return func(d *appsv1.Deployment) bool {
		if d.ResourceVersion != version {
			version, since = d.ResourceVersion, time.Now()
		}
		return d.Status.ObservedGeneration >= d.Generation && d.Status.Replicas == *d.Spec.Replicas && time.Since(since) > 150*time.Millisecond
	}
}
