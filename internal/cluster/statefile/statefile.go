// Package statefile locks, reads and replaces the files in which a provider keeps
// what it knows of its cluster.
package statefile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/natefinch/atomic"

	"example.com/client-go-workshop/internal/cluster"
)

// lockPoll is how often a taken lock is tried again.
const lockPoll = 100 * time.Millisecond

// UpLock is the file in a state directory that is locked while a cluster is
// started or stopped, of whatever provider.
const UpLock = "up.lock"

// Exclusive runs f while no other process starts or stops a cluster of this state
// directory.
func Exclusive(ctx context.Context, stateDir string, progress cluster.Progress, f func() error) error {
	if err := os.MkdirAll(stateDir, 0o700); err != nil {
		return fmt.Errorf("lock the cluster: %w", err)
	}
	unlock, err := Lock(ctx, filepath.Join(stateDir, UpLock), func() {
		progress.Step("the cluster is being started or stopped by another command; waiting for it")
	})
	if err != nil {
		return err
	}
	defer unlock()
	return f()
}

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

// Write replaces a file as a whole, so that nobody reads half of one, and makes
// its folder. Its mode is 0600: a kubeconfig holds a key.
func Write(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := atomic.WriteFile(path, bytes.NewReader(data)); err != nil {
		return err
	}
	return os.Chmod(path, 0o600)
}

// WriteJSON is [Write] for a record.
func WriteJSON(path string, record any) error {
	data, err := json.Marshal(record)
	if err != nil {
		return err
	}
	return Write(path, data)
}

// ReadJSON reads a record. It returns nil when there is none.
func ReadJSON[T any](path string) (*T, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	record := new(T)
	if err := json.Unmarshal(data, record); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return record, nil
}

// Remove removes files. One that is not there is no error.
func Remove(paths ...string) error {
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
