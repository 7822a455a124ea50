package learner

import (
	"bytes"
	"errors"
	"io/fs"
	"os"

	"github.com/natefinch/atomic"
)

// disk is every way in which this package changes the file system. Each call
// is a point at which the process may be killed: what the calls before it left
// behind must be a state from which nothing is lost.
type disk interface {
	// mkdir makes a directory and its parents; one that exists is fine.
	mkdir(path string) error
	// create writes a new file and syncs it.
	create(path string, data []byte) error
	// replace puts data in the place of a file, or makes it, all or nothing.
	replace(path string, data []byte) error
	rename(from, to string) error
	// remove deletes a file or a whole directory; one that is not there is fine.
	remove(path string) error
}

type osDisk struct{}

func (osDisk) mkdir(path string) error { return os.MkdirAll(path, 0o755) }

func (osDisk) create(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// replace keeps the mode of a file that exists.
func (osDisk) replace(path string, data []byte) error {
	_, err := os.Stat(path)
	isNew := errors.Is(err, fs.ErrNotExist)
	if err := atomic.WriteFile(path, bytes.NewReader(data)); err != nil {
		return err
	}
	if isNew {
		return os.Chmod(path, 0o644)
	}
	return nil
}

func (osDisk) rename(from, to string) error { return os.Rename(from, to) }

func (osDisk) remove(path string) error { return os.RemoveAll(path) }
