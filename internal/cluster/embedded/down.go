package embedded

import (
	"context"
	"fmt"
	"os"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/cluster/statefile"
)

// Down stops the cluster: it asks the process to end and kills it only after
// the stop timeout. The data stays, unless purge is set: then the cluster's
// directory and its kubeconfig are removed, and nothing else of the learner's.
// A cluster that does not run is no error.
func (p *Provider) Down(ctx context.Context, purge bool) error {
	if !exists(p.options.StateDir) {
		return nil
	}
	return statefile.Exclusive(ctx, p.options.StateDir, cluster.Quiet{}, func() error { return p.down(ctx, purge) })
}

func (p *Provider) down(ctx context.Context, purge bool) error {
	found, err := p.findSettled(ctx)
	if err != nil {
		return err
	}
	if found != nil {
		if err := p.stop(ctx, found); err != nil {
			return err
		}
	}
	if !purge {
		return nil
	}
	if err := os.RemoveAll(p.clusterDir()); err != nil {
		return fmt.Errorf("remove the cluster's data: %w", err)
	}
	if err := statefile.Remove(p.KubeconfigPath()); err != nil {
		return fmt.Errorf("remove the cluster's kubeconfig: %w", err)
	}
	return nil
}
