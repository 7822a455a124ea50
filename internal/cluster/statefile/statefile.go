// Package statefile locks and replaces the files in which a provider keeps what
// it knows of its cluster.
package statefile

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"time"

	"github.com/gofrs/flock"
	"github.com/natefinch/atomic"
)

// lockPoll is how often a taken lock is tried again.
const lockPoll = 100 * time.Millisecond

// Lock takes an exclusive lock on a file, which it creates. When somebody else
// holds it, onWait is called once, then it waits until ctx ends.
func Lock(ctx context.Context, path string, onWait func()) (unlock func(), err error) {
	lock := flock.New(path)
	ok, err := lock.TryLock()
	if err == nil && !ok {
		onWait()
		_, err = lock.TryLockContext(ctx, lockPoll)
	}
	if err != nil {
		return nil, fmt.Errorf("wait for the lock on %s: %w", path, err)
	}
	return func() { _ = lock.Unlock() }, nil
}

// Write replaces a file as a whole, so that nobody reads half of one. Its mode
// is 0600: a kubeconfig holds a key.
func Write(path string, data []byte) error {
	if err := atomic.WriteFile(path, bytes.NewReader(data)); err != nil {
		return err
	}
	return os.Chmod(path, 0o600)
}
