package embedded

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// lockPoll is how often a taken lock is tried again.
const lockPoll = 100 * time.Millisecond

// lockFile takes an exclusive lock on a file, which it creates. When somebody
// else holds it, onWait is called once, then it waits until ctx ends.
func lockFile(ctx context.Context, path string, onWait func()) (unlock func(), err error) {
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

// isLocked reports whether somebody holds the lock on a file. It asks for a
// shared lock and gives it back at once.
func isLocked(path string) bool {
	if _, err := os.Stat(path); err != nil {
		return false
	}
	lock := flock.New(path)
	ok, err := lock.TryRLock()
	if err != nil {
		return false
	}
	if ok {
		_ = lock.Unlock()
	}
	return !ok
}
