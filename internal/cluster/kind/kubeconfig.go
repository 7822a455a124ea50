package kind

import (
	"errors"
	"fmt"

	"k8s.io/client-go/tools/clientcmd"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/cluster/statefile"
)

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
