//go:build unix

package embedded

import (
	"errors"
	"os"
	"syscall"
)

// ownGroup puts a command and all that it starts into a process group, which
// the terminal's Ctrl-C does not reach and which can be killed as one.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// ownSession detaches a process from the terminal, so that it outlives it.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func interruptGroup(process *os.Process) error { return signalGroup(process, syscall.SIGINT) }

func killGroup(process *os.Process) { _ = signalGroup(process, syscall.SIGKILL) }

func signalGroup(process *os.Process, sig syscall.Signal) error {
	err := syscall.Kill(-process.Pid, sig)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// askToEnd asks a process to end by itself.
func askToEnd(process *os.Process) error { return process.Signal(syscall.SIGTERM) }

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
