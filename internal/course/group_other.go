//go:build !unix

package course

import "os/exec"

// ownGroup has the end of cmd take along what it started.
func ownGroup(cmd *exec.Cmd) {
	cmd.Cancel = func() error { return killTree(cmd) }
}

// killGroup does nothing where there are no process groups; killTree has ended
// each process by itself.
func killGroup(int) {}
