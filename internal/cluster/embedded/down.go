package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"example.com/client-go-workshop/internal/cluster"
)

// Down stops the cluster: it asks the process to end and kills it only after
// the stop timeout. The data stays, unless purge is set: then the cluster's
// directory and its kubeconfig are removed, and nothing else of the learner's.
// A cluster that does not run is no error.
func (p *Provider) Down(ctx context.Context, purge bool) error {
	if !exists(p.stateDir) {
		return nil
	}
	_, err := p.locked(ctx, cluster.Quiet{}, func() (bool, error) { return true, p.down(ctx, purge) })
	return err
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
	if err := os.Remove(p.KubeconfigPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the cluster's kubeconfig: %w", err)
	}
	return nil
}
