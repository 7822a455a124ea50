//go:build unix

package procgroup

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// Own starts cmd in a process group of its own, which the end of cmd's context
// takes along.
func Own(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
}

// Kill ends every process in the group of pid.
func Kill(pid int) {
	// An error means that nothing of the group is left.
	_ = syscall.Kill(-pid, syscall.SIGKILL)
}
