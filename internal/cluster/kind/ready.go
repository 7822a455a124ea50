package kind

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// nodesReady returns nil when every node is ready.
func nodesReady(ctx context.Context, cfg *rest.Config) error {
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return fmt.Errorf("connect to %s: %w", cfg.Host, err)
	}
	list, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list the nodes: %w", err)
	}
	if len(list.Items) == 0 {
		return errors.New("no node has joined the cluster yet")
	}
	for _, n := range list.Items {
		if why := notReady(n); why != "" {
			return fmt.Errorf("node %s is not ready: %s", n.Name, why)
		}
	}
	return nil
}

// notReady says why a node is not ready, "" if it is.
func notReady(n corev1.Node) string {
	for _, c := range n.Status.Conditions {
		if c.Type != corev1.NodeReady {
			continue
		}
		if c.Status == corev1.ConditionTrue {
			return ""
		}
		return c.Reason + ": " + c.Message
	}
	return "it has not said how it is"
}

// serverVersion is the API server's version, "" if it does not say.
func serverVersion(ctx context.Context, cfg *rest.Config) string {
	client, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		return ""
	}
	info, err := client.ServerVersionWithContext(ctx)
	if err != nil {
		return ""
	}
	return info.GitVersion
}
