// Package churn changes a Deployment again and again, so that a program that
// watches pods has something to show.
package churn

import (
	"context"
	"errors"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	typedappsv1 "k8s.io/client-go/kubernetes/typed/apps/v1"
	"k8s.io/client-go/rest"

	"example.com/client-go-workshop/internal/sleep"
)

const (
	// name is the Deployment that Run changes, the same as in the chapters.
	name = "web"
	// label marks a Deployment that Run itself made, and may delete.
	label = "workshop.example.com/churn"
	// pauseAfter is how long each change stays, so that a person can look at it.
	pauseAfter = 3 * time.Second
	// cleanUpWithin is how long putting things back may take, also after Ctrl-C.
	cleanUpWithin = 10 * time.Second
)

// Options say what to change, and how.
type Options struct {
	// Namespace is that of the Deployment. It must exist.
	Namespace string
	// Pods is how many pods there are at the most.
	Pods int32
	// Length is how long to go on.
	Length time.Duration
	// Say receives a line for each change.
	Say func(line string)
}

// Run creates the Deployment web, scales it up and down and deletes it, until the
// time is over. It leaves the namespace as it was, also when ctx ends: a
// Deployment that was there before is only scaled, and gets its replicas back.
func Run(ctx context.Context, cfg *rest.Config, opts Options) error {
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return fmt.Errorf("build a client: %w", err)
	}
	c := &churn{Options: opts, deployments: client.AppsV1().Deployments(opts.Namespace), pause: pauseAfter}
	return c.run(ctx)
}

type churn struct {
	Options
	deployments typedappsv1.DeploymentInterface
	pause       time.Duration
	// found is the number of replicas of somebody else's Deployment.
	found *int32
}

func (c *churn) run(ctx context.Context) (err error) {
	if err := c.look(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.putBack(ctx)) }()
	limited, cancel := context.WithTimeout(ctx, c.Length)
	defer cancel()
	for limited.Err() == nil {
		if err := c.round(limited); err != nil && limited.Err() == nil {
			return err
		}
	}
	return ctx.Err()
}

// place is the Deployment as messages name it.
func (c *churn) place() string { return c.Namespace + "/" + name }

func (c *churn) say(format string, args ...any) { c.Say(fmt.Sprintf(format, args...)) }

// look finds out whether a Deployment of somebody else is there already.
func (c *churn) look(ctx context.Context) error {
	web, err := c.deployments.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("get deployment %s: %w", c.place(), err)
	}
	if _, own := web.Labels[label]; own {
		return nil // an earlier Run that was killed left it
	}
	c.found = new(int32(1))
	if web.Spec.Replicas != nil {
		c.found = web.Spec.Replicas
	}
	c.say("deployment %s is there already, with %d pods: it is scaled only", c.place(), *c.found)
	return nil
}

// round makes each change once. A Deployment of somebody else is not deleted.
func (c *churn) round(ctx context.Context) error {
	changes := []func(context.Context) error{c.create, c.scale(c.Pods), c.scale(1), c.scale(c.Pods), c.remove}
	if c.found != nil {
		changes = []func(context.Context) error{c.scale(c.Pods), c.scale(1), c.scale(0)}
	}
	for _, change := range changes {
		if err := change(ctx); err != nil {
			return err
		}
		if err := sleep.For(ctx, c.pause); err != nil {
			return err
		}
	}
	return nil
}

func (c *churn) create(ctx context.Context) error {
	pods := map[string]string{"app": name}
	_, err := c.deployments.Create(ctx, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": name, label: "true"}},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(1)),
			Selector: &metav1.LabelSelector{MatchLabels: pods},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: pods},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "registry.k8s.io/pause:3.10"}}},
			},
		},
	}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create deployment %s: %w", c.place(), err)
	}
	c.say("created deployment %s with 1 pod", c.place())
	return nil
}

func (c *churn) scale(pods int32) func(context.Context) error {
	return func(ctx context.Context) error {
		patch := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, pods)
		if _, err := c.deployments.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			return fmt.Errorf("scale deployment %s to %d: %w", c.place(), pods, err)
		}
		c.say("scaled deployment %s to %d", c.place(), pods)
		return nil
	}
}

func (c *churn) remove(ctx context.Context) error {
	err := c.deployments.Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationBackground)})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete deployment %s: %w", c.place(), err)
	}
	c.say("deleted deployment %s", c.place())
	return nil
}

// putBack leaves the namespace as it was, also when ctx has ended. Somebody
// else's Deployment may be gone by now, and so may the namespace.
func (c *churn) putBack(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanUpWithin)
	defer cancel()
	if c.found == nil {
		return c.remove(ctx)
	}
	if err := c.scale(*c.found)(ctx); !apierrors.IsNotFound(err) {
		return err
	}
	return nil
}
