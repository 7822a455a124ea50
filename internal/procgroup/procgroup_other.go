//go:build !unix

package procgroup

import (
	"errors"
	"os"
	"os/exec"
)

// Own does nothing where there are no process groups: only cmd itself ends.
func Own(*exec.Cmd) {}

// Detach does nothing: a process outlives its console as it is.
func Detach(*exec.Cmd) {}

// Kill does nothing where there are no process groups.
func Kill(int) {}

// Interrupt kills the one process: there is no signal to ask with.
func Interrupt(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Kill()
}

// Terminate kills: there is no signal to ask with.
func Terminate(p *os.Process) error { return p.Kill() }

// Suspend is not supported.
func Suspend(*os.Process) error { return errors.ErrUnsupported }

// Resume is not supported.
func Resume(*os.Process) error { return errors.ErrUnsupported }
