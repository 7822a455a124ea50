//go:build unix

package procgroup

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// Own starts cmd in a process group of its own, which the end of cmd's context
// takes along. The terminal's Ctrl-C does not reach it.
func Own(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return signalGroup(cmd.Process.Pid, syscall.SIGKILL) }
}

// Detach starts cmd in a session of its own, so that it outlives the terminal.
func Detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// Kill ends every process in the group of pid.
func Kill(pid int) {
	// An error means that nothing of the group is left.
	_ = signalGroup(pid, syscall.SIGKILL)
}

// Interrupt asks every process in the group of pid to end, as Ctrl-C does.
func Interrupt(pid int) error { return signalGroup(pid, syscall.SIGINT) }

func signalGroup(pid int, sig syscall.Signal) error {
	err := syscall.Kill(-pid, sig)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// Terminate asks one process to end by itself.
func Terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// Suspend stops one process until [Resume].
func Suspend(p *os.Process) error { return p.Signal(syscall.SIGSTOP) }

// Resume lets a process go on after [Suspend].
func Resume(p *os.Process) error { return p.Signal(syscall.SIGCONT) }
