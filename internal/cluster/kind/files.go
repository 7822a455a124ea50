package kind

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/natefinch/atomic"

	"example.com/client-go-workshop/internal/cluster"
)

const lockPoll = 100 * time.Millisecond

// locked runs f while no other process starts or stops a cluster of this state
// directory, of whatever provider.
func (p *Provider) locked(ctx context.Context, progress cluster.Progress, f func() error) error {
	if err := os.MkdirAll(p.options.StateDir, 0o700); err != nil {
		return fmt.Errorf("lock the kind cluster: %w", err)
	}
	path := filepath.Join(p.options.StateDir, "up.lock")
	lock := flock.New(path)
	ok, err := lock.TryLock()
	if err == nil && !ok {
		progress.Step("the cluster is being started or stopped by another command; waiting for it")
		_, err = lock.TryLockContext(ctx, lockPoll)
	}
	if err != nil {
		return fmt.Errorf("wait for the lock on %s: %w", path, err)
	}
	defer func() { _ = lock.Unlock() }()
	return f()
}

// writeFile replaces a file as a whole, so that nobody reads half of one.
func writeFile(path string, data []byte) error {
	if err := atomic.WriteFile(path, bytes.NewReader(data)); err != nil {
		return err
	}
	return os.Chmod(path, 0o600)
}

// sleep waits for d, or returns ctx's error when that ends first.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
