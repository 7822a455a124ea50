package kind

import (
	"context"
	"fmt"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/cluster/statefile"
)

// Down stops the nodes, or removes them, their volumes and the kubeconfig when
// purge is set. It touches only containers that this state directory's `up` made.
func (p *Provider) Down(ctx context.Context, purge bool) error {
	rec, err := p.readRecord()
	if err != nil {
		return err
	}
	if rec == nil {
		return nil
	}
	return statefile.Exclusive(ctx, p.options.StateDir, cluster.Quiet{}, func() error { return p.down(ctx, purge) })
}

func (p *Provider) down(ctx context.Context, purge bool) error {
	rec, err := p.readRecord()
	if err != nil || rec == nil {
		return err
	}
	rt, err := p.openRuntime(ctx, rec.Runtime)
	if err != nil {
		return err
	}
	nodes, err := rt.nodes(ctx)
	if err != nil {
		return err
	}
	if !rec.owns(nodes) {
		if !purge {
			return clash(rt, nodes)
		}
		nodes = nil // ours are gone, and these stay
	}
	if !purge {
		return rt.stop(ctx, inState(nodes, true))
	}
	if err := rt.remove(ctx, nodes); err != nil {
		return err
	}
	if err := statefile.Remove(p.KubeconfigPath()); err != nil {
		return fmt.Errorf("remove the cluster's kubeconfig: %w", err)
	}
	return p.removeRecord()
}
