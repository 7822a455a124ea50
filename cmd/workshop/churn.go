package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"example.com/client-go-workshop/internal/cluster"
)

const (
	// stirName is the Deployment that stir works on, the same as in the chapters.
	stirName = "web"
	// stirLabel marks a Deployment that stir itself made, and may delete.
	stirLabel = "workshop.example.com/stir"
	// stirPause is how long stir leaves each change to be looked at.
	stirPause = 3 * time.Second
	// stirCleanUp is how long putting things back may take, also after Ctrl-C.
	stirCleanUp = 10 * time.Second
)

func (a *app) stirCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "stir [--namespace NAMESPACE] [--for DURATION] [--pods N]",
		Short: "Stir the cluster, so that there is something to watch",
		Long: `Stir the cluster for a while: create the Deployment web, scale it up and down
and delete it, again and again, so that a program that watches pods in another
terminal has something to show.

In the end, also after Ctrl-C, everything is as it was. A Deployment web that is
there already is only scaled, and gets its number of pods back.`,
		Example: `  go tool workshop stir                       # one minute in the namespace workshop
  go tool workshop stir --namespace informer-x7k2p --for 30s
  go tool workshop stir --pods 20`,
		Args: wantArgs(0, 0, ""),
	}
	namespace := cmd.Flags().StringP("namespace", "n", cluster.Namespace, "namespace of the Deployment; it must exist")
	length := cmd.Flags().Duration("for", time.Minute, "how long to go on")
	pods := cmd.Flags().Int("pods", 5, "how many pods there are at the most")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		switch {
		case *namespace == "":
			return usageError("stir wants the name of one namespace")
		case *length <= 0:
			return usageError("stir wants a time above zero, not --for %s", *length)
		case *pods < 1 || *pods > 100:
			return usageError("stir wants 1 to 100 pods, not --pods %d", *pods)
		}
		cfg, err := cluster.Config(cmd.Context())
		if err != nil {
			return err
		}
		client, err := dynamic.NewForConfig(cfg)
		if err != nil {
			return fmt.Errorf("build a client: %w", err)
		}
		deployments := schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
		s := &stirrer{
			deployments: client.Resource(deployments).Namespace(*namespace),
			say: func(format string, args ...any) {
				a.out.line("%s  %s", time.Now().Format("15:04:05"), fmt.Sprintf(format, args...))
			},
			place: *namespace + "/" + stirName,
			pods:  int64(*pods),
			pause: stirPause,
		}
		return s.run(cmd.Context(), *length)
	}
	return cmd
}

// stirrer changes one Deployment again and again.
type stirrer struct {
	deployments dynamic.ResourceInterface
	say         func(format string, args ...any)
	place       string
	pods        int64
	pause       time.Duration

	// found is the number of pods that somebody else's Deployment had.
	found *int64
}

// run stirs until the time is over, and puts things back.
func (s *stirrer) run(ctx context.Context, length time.Duration) (err error) {
	if err := s.look(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.putBack(ctx)) }()
	limited, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	for limited.Err() == nil {
		if err := s.round(limited); err != nil && limited.Err() == nil {
			return err
		}
	}
	return ctx.Err()
}

// look finds out whose the Deployment is that is there already, if there is one.
func (s *stirrer) look(ctx context.Context) error {
	web, err := s.deployments.Get(ctx, stirName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("get deployment %s: %w", s.place, err)
	}
	if _, own := web.GetLabels()[stirLabel]; own {
		return nil // a stir that was killed left it
	}
	replicas, ok, err := unstructured.NestedInt64(web.Object, "spec", "replicas")
	if err != nil || !ok {
		replicas = 1
	}
	s.found = &replicas
	s.say("deployment %s is there already, with %d pods: it is scaled only", s.place, replicas)
	return nil
}

// round is one turn: up, down, and where the Deployment is stir's own, away.
func (s *stirrer) round(ctx context.Context) error {
	steps := []func(context.Context) error{s.create, s.scale(s.pods), s.scale(1), s.scale(s.pods), s.remove}
	if s.found != nil {
		steps = []func(context.Context) error{s.scale(s.pods), s.scale(1), s.scale(0)}
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(s.pause):
		}
	}
	return nil
}

func (s *stirrer) create(ctx context.Context) error {
	labels := map[string]any{"app": stirName}
	web := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1",
		"kind":       "Deployment",
		"metadata":   map[string]any{"name": stirName, "labels": map[string]any{"app": stirName, stirLabel: "true"}},
		"spec": map[string]any{
			"replicas": int64(1),
			"selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{
				"metadata": map[string]any{"labels": labels},
				"spec": map[string]any{"containers": []any{
					map[string]any{"name": "web", "image": "registry.k8s.io/pause:3.10"},
				}},
			},
		},
	}}
	_, err := s.deployments.Create(ctx, web, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create deployment %s: %w", s.place, err)
	}
	s.say("created deployment %s with 1 pod", s.place)
	return nil
}

func (s *stirrer) scale(pods int64) func(context.Context) error {
	return func(ctx context.Context) error {
		patch := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, pods)
		if _, err := s.deployments.Patch(ctx, stirName, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			return fmt.Errorf("scale deployment %s to %d: %w", s.place, pods, err)
		}
		s.say("scaled deployment %s to %d", s.place, pods)
		return nil
	}
}

func (s *stirrer) remove(ctx context.Context) error {
	background := metav1.DeletePropagationBackground
	err := s.deployments.Delete(ctx, stirName, metav1.DeleteOptions{PropagationPolicy: &background})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete deployment %s: %w", s.place, err)
	}
	s.say("deleted deployment %s", s.place)
	return nil
}

// putBack leaves the namespace as it was, also when ctx has ended. Somebody
// else's Deployment may be gone by now, and so may the namespace.
func (s *stirrer) putBack(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stirCleanUp)
	defer cancel()
	if s.found == nil {
		return s.remove(ctx)
	}
	err := s.scale(*s.found)(ctx)
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
