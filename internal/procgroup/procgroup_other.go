//go:build !unix

package procgroup

import "os/exec"

// Own does nothing where there are no process groups: only cmd itself ends.
func Own(*exec.Cmd) {}

// Kill does nothing where there are no process groups.
func Kill(int) {}
