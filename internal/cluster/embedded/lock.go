package embedded

import (
	"os"
	"time"

	"github.com/gofrs/flock"
)

// lockPoll is how often the lock of a process that has just begun is looked at.
const lockPoll = 100 * time.Millisecond

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
