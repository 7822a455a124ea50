//go:build unix

package check

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// ownGroup lets the end of cmd take along whatever the learner's code started.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
}

// killGroup ends what cmd has left running.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		// An error means that nothing of the group is left.
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}
