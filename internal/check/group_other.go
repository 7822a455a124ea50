//go:build !unix

package check

import "os/exec"

// ownGroup does nothing where there are no process groups: only cmd itself ends.
func ownGroup(*exec.Cmd) {}

// killGroup does nothing where there are no process groups.
func killGroup(*exec.Cmd) {}
