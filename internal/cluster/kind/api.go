package kind

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/cluster/statefile"
)

// get reads one object. It is plain HTTP, so that no typed client is compiled
// for two requests.
func get(ctx context.Context, cfg *rest.Config, path string, into any) error {
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return fmt.Errorf("connect to %s: %w", cfg.Host, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(cfg.Host, "/")+path, nil)
	if err != nil {
		return fmt.Errorf("get %s: %w", path, err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("get %s: %w", path, err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("get %s: the server answers %s", path, resp.Status)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("get %s: %w", path, err)
	}
	return nil
}

// nodesReady returns nil when every node is ready.
func nodesReady(ctx context.Context, cfg *rest.Config) error {
	var list corev1.NodeList
	if err := get(ctx, cfg, "/api/v1/nodes", &list); err != nil {
		return err
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
	var info version.Info
	if get(ctx, cfg, "/version", &info) != nil {
		return ""
	}
	return info.GitVersion
}

// writeKubeconfig writes kind's kubeconfig under the workshop's own names.
func (p *Provider) writeKubeconfig(rt *runtime) error {
	text, err := rt.kind(nil).KubeConfig(ClusterName, false)
	if err != nil {
		return fmt.Errorf("read the kind cluster's kubeconfig: %w", err)
	}
	raw, err := clientcmd.Load([]byte(text))
	if err != nil {
		return fmt.Errorf("read the kind cluster's kubeconfig: %w", err)
	}
	if raw.Contexts[raw.CurrentContext] == nil {
		return errors.New("read the kind cluster's kubeconfig: it has no current context")
	}
	data, err := clientcmd.Write(*cluster.Renamed(raw))
	if err == nil {
		err = statefile.Write(p.KubeconfigPath(), data)
	}
	if err != nil {
		return fmt.Errorf("write the kubeconfig: %w", err)
	}
	return nil
}
