package main

import (
	"os"
	"os/exec"
	"time"
)

// childGrace is how long a program may clean up after an interrupt.
const childGrace = 30 * time.Second

// attach runs a program on this one's terminal. When the context ends the
// program is interrupted, not killed, so that it can clean up; after childGrace
// it is killed.
func (a *app) attach(cmd *exec.Cmd) error {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.in, a.out.Writer, a.err.Writer
	cmd.WaitDelay = childGrace
	cmd.Cancel = func() error {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			return cmd.Process.Kill() // Windows cannot interrupt another process
		}
		return nil
	}
	return cmd.Run()
}
