// Package learner keeps what belongs to one learner: the progress, the hints
// seen, and a copy of every file that a command is about to change.
//
// Nothing here needs the course or a cluster. A chapter's files come and go as
// Files, so that the caller decides where a starter or a solution comes from.
package learner

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// lockRetry is how long a second command waits before it tries the lock again.
const lockRetry = 20 * time.Millisecond

// Store is one learner's state directory, by default .workshop. Its methods
// may be called from several processes at once.
type Store struct {
	dir  string
	disk disk
	now  func() time.Time
}

// Open returns the store in dir. It touches no file; the directory is made
// when something is first kept in it.
func Open(dir string) *Store {
	return &Store{dir: dir, disk: osDisk{}, now: time.Now}
}

// locked runs fn while no other process changes this store, or returns the
// context's error when the wait is cancelled.
func (s *Store) locked(ctx context.Context, fn func() error) error {
	if err := s.disk.mkdir(s.dir); err != nil {
		return fmt.Errorf("make the state directory: %w", err)
	}
	lock := flock.New(filepath.Join(s.dir, "learner.lock"))
	if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
		return fmt.Errorf("wait for another workshop command: %w", err)
	}
	defer lock.Close()
	return fn()
}
