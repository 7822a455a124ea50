package runner

import (
	"os/exec"

	"github.com/shirou/gopsutil/v4/process"

	"example.com/client-go-workshop/internal/procgroup"
)

// ownTree has the end of cmd's context take along all that cmd has started.
func ownTree(cmd *exec.Cmd) {
	procgroup.Own(cmd)
	cmd.Cancel = func() error { return killTree(cmd) }
}

// killTree ends cmd with everything that it started, including processes that
// have moved to a group of their own, as the checks of single steps do.
func killTree(cmd *exec.Cmd) error {
	below := descendants(int32(cmd.Process.Pid), 0)
	err := cmd.Process.Kill()
	procgroup.Kill(cmd.Process.Pid)
	for _, p := range below {
		// It may have ended by itself, which is as good.
		_ = p.Kill()
		procgroup.Kill(int(p.Pid))
	}
	return err
}

// maxTreeDepth bounds the walk in case the process table changes under it.
const maxTreeDepth = 16

// descendants lists the processes below pid, as far as the system tells.
func descendants(pid int32, depth int) []*process.Process {
	if depth == maxTreeDepth {
		return nil
	}
	children, err := (&process.Process{Pid: pid}).Children()
	if err != nil {
		return nil
	}
	all := children
	for _, child := range children {
		all = append(all, descendants(child.Pid, depth+1)...)
	}
	return all
}
