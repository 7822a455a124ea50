package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/shirou/gopsutil/v4/process"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/cluster/embedded"
)

func (d *doctor) kubeconfig(ctx context.Context) []finding {
	const name = "KUBECONFIG"
	env := os.Getenv(cluster.KubeconfigEnv)
	if env == "" {
		return ok(name, "not set: the workshop uses its own")
	}
	ctx, cancel := context.WithTimeout(ctx, statusTimeout)
	defer cancel()
	if _, err := cluster.Config(ctx); err != nil {
		return bad(name, fmt.Sprintf("%s: %s", env, firstLine(err.Error(), 200)), "unset KUBECONFIG")
	}
	return note(name, env+": a workshop cluster, and all commands use it", "to use the cluster that `up` starts: unset KUBECONFIG")
}

func (d *doctor) cluster(ctx context.Context) []finding {
	const name = "cluster"
	status, err := clusterStatus(ctx)
	if err != nil {
		return bad(name, err.Error(), "go tool workshop up")
	}
	seen := string(status.State)
	if status.URL != "" {
		seen += " at " + status.URL
	}
	switch status.State {
	case cluster.StateFailed:
		return bad(name, strings.TrimSpace(seen+"\n"+status.Detail), "start it again: go tool workshop down, then go tool workshop up")
	case cluster.StateRunning, cluster.StateStarting:
		return ok(name, "%s", seen)
	}
	return note(name, seen, "start it: go tool workshop up")
}

// strayClusters looks for control planes of other clones, or of ones that are
// deleted by now.
func (d *doctor) strayClusters(ctx context.Context) []finding {
	const name = "left over"
	processes, err := process.ProcessesWithContext(ctx)
	if err != nil {
		return note(name, "the processes cannot be listed: "+err.Error(), "")
	}
	var all []finding
	for _, p := range processes {
		args, err := p.CmdlineSliceWithContext(ctx)
		if err != nil {
			continue
		}
		dir := servedDir(args)
		if dir == "" || sameFile(dir, filepath.Join(d.state, "cluster")) {
			continue
		}
		all = append(all, strayCluster(p.Pid, dir))
	}
	if len(all) == 0 {
		return ok(name, "no other workshop cluster runs")
	}
	return all
}

func strayCluster(pid int32, dir string) finding {
	f := finding{Name: "left over", Level: levelNote, Seen: fmt.Sprintf("process %d runs another workshop cluster, in %s", pid, dir)}
	f.Remedy = fmt.Sprintf("if you do not need it: WORKSHOP_DIR=%s go tool workshop down", filepath.Dir(dir))
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		f.Level = levelBad
		f.Seen = fmt.Sprintf("process %d runs a workshop cluster whose folder is gone: %s", pid, dir)
		f.Remedy = fmt.Sprintf("end it: kill %d", pid)
		if runtime.GOOS == "windows" {
			f.Remedy = fmt.Sprintf("end it: taskkill /PID %d /F", pid)
		}
	}
	return f
}

// servedDir is the directory of a control plane's command line, or "" for any
// other program's.
func servedDir(args []string) string {
	if len(args) < 3 || !strings.HasPrefix(filepath.Base(args[0]), "controlplane") || args[1] != "serve" {
		return ""
	}
	return embedded.ServedDir(args)
}

func (d *doctor) kubectl(context.Context) []finding {
	const name = "kubectl"
	path, err := exec.LookPath("kubectl")
	if err != nil {
		return note(name, "there is none in PATH", "none is needed: go tool workshop kubectl builds one on first use")
	}
	return ok(name, "%s", path)
}
