package kind

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/cluster/statefile"
)

// locked runs f while no other process starts or stops a cluster of this state
// directory, of whatever provider.
func (p *Provider) locked(ctx context.Context, progress cluster.Progress, f func() error) error {
	if err := os.MkdirAll(p.options.StateDir, 0o700); err != nil {
		return fmt.Errorf("lock the kind cluster: %w", err)
	}
	unlock, err := statefile.Lock(ctx, filepath.Join(p.options.StateDir, "up.lock"), func() {
		progress.Step("the cluster is being started or stopped by another command; waiting for it")
	})
	if err != nil {
		return err
	}
	defer unlock()
	return f()
}
