//go:build unix

package course

import (
	"os/exec"
	"syscall"
)

// ownGroup starts cmd in a process group of its own, which its end takes along.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return killTree(cmd) }
}

// killGroup ends every process in the group of pid.
func killGroup(pid int) {
	// An error means that nothing of the group is left.
	_ = syscall.Kill(-pid, syscall.SIGKILL)
}
