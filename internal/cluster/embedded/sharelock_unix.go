//go:build unix

package embedded

import (
	"os"
	"syscall"
)

// shareLock opens a file and takes a shared lock that belongs to the open file:
// a process that inherits it holds the lock until it ends.
func shareLock(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// inherit returns the files that a started process inherits.
func inherit(file *os.File) []*os.File {
	if file == nil {
		return nil
	}
	return []*os.File{file}
}
