package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/shirou/gopsutil/v4/disk"
	"github.com/shirou/gopsutil/v4/mem"

	"example.com/client-go-workshop/internal/cluster"
)

const (
	gib = 1 << 30
	// smallMachine has too little memory to build the cluster, whatever is free.
	smallMachine = 2 * gib
	// lowMemory is too little to run it, littleMemory makes the first build slow.
	lowMemory    = gib / 2
	littleMemory = 2 * gib
	// lowDisk is too little to work with, littleDisk may not do for the first build.
	lowDisk    = 1 * gib
	littleDisk = 4 * gib
)

func (d *doctor) processors(context.Context) []finding {
	n := runtime.GOMAXPROCS(0) // a container's limit counts
	if n < 2 {
		return note("processors", "1", "the first `up` takes a long time on one processor; everything after it is fine")
	}
	return ok("processors", "%d", n)
}

func (d *doctor) memory(ctx context.Context) []finding {
	const name = "memory"
	m, err := mem.VirtualMemoryWithContext(ctx)
	if err != nil {
		return note(name, "it cannot be read: "+err.Error(), "")
	}
	total, free := m.Total, m.Available
	if limit := containerMemory(); limit > 0 && limit < total {
		total, free = limit, min(free, limit)
	}
	seen := fmt.Sprintf("%s free of %s", size(free), size(total))
	switch {
	case free < lowMemory || total < smallMachine:
		return bad(name, seen, "close other programs: the cluster takes about half a GiB, and its first build more than 1 GiB")
	case free < littleMemory:
		return note(name, seen, "close other programs before the first `up`, which builds the cluster")
	}
	return ok(name, "%s", seen)
}

// containerMemory is the limit of the container that this runs in, in bytes, or
// 0 when there is none.
func containerMemory() uint64 {
	data, err := os.ReadFile("/sys/fs/cgroup/memory.max")
	if err != nil {
		return 0
	}
	limit, err := strconv.ParseUint(strings.TrimSpace(string(data)), 10, 64)
	if err != nil {
		return 0 // "max"
	}
	return limit
}

func size(bytes uint64) string { return fmt.Sprintf("%.1f GiB", float64(bytes)/gib) }

// disks looks at each place that fills up.
func (d *doctor) disks(ctx context.Context) []finding {
	var all []finding
	places := []struct{ name, path, remedy string }{
		{"disk: clone", d.root, "make room on that disk, or move the clone to another one"},
		{"disk: cache", d.env.GOCACHE, "make room on that disk, for example: go clean -cache; or move it: go env -w GOCACHE=/other/disk"},
	}
	places = append(places, struct{ name, path, remedy string }{"disk: temp", os.TempDir(),
		"make room there, or set TMPDIR to a folder on another disk"})
	if dir, err := os.UserCacheDir(); err == nil {
		places = append(places, struct{ name, path, remedy string }{"disk: built", dir,
			"make room on that disk: the built cluster lies in client-go-workshop there"})
	}
	all = append(all, noExec(ctx)...)
	for _, p := range places {
		if p.path != "" {
			all = append(all, diskSpace(ctx, p.name, p.path, p.remedy)...)
		}
	}
	return all
}

// noExec finds out whether programs may run where go builds them.
func noExec(ctx context.Context) []finding {
	partitions, err := disk.PartitionsWithContext(ctx, true)
	if err != nil {
		return nil
	}
	var on disk.PartitionStat
	for _, p := range partitions {
		if isBelow(os.TempDir(), p.Mountpoint) && len(p.Mountpoint) >= len(on.Mountpoint) {
			on = p
		}
	}
	if !slices.Contains(on.Opts, "noexec") {
		return nil
	}
	return bad("temp folder", "programs may not run in "+os.TempDir()+": it is mounted with noexec",
		"export TMPDIR=$HOME/tmp after mkdir -p $HOME/tmp")
}

func isBelow(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

func diskSpace(ctx context.Context, name, path, remedy string) []finding {
	usage, err := disk.UsageWithContext(ctx, existing(path))
	if err != nil {
		return note(name, fmt.Sprintf("%s cannot be read: %v", path, err), "")
	}
	seen := fmt.Sprintf("%s free for %s", size(usage.Free), path)
	switch {
	case usage.Free < lowDisk:
		return bad(name, seen, remedy)
	case usage.Free < littleDisk:
		return note(name, seen, remedy)
	}
	return ok(name, "%s", seen)
}

// existing is path or the nearest folder above it that exists.
func existing(path string) string {
	for {
		if _, err := os.Stat(path); err == nil || filepath.Dir(path) == path {
			return path
		}
		path = filepath.Dir(path)
	}
}

func (d *doctor) stateDir(context.Context) []finding {
	const name = "state"
	dir := existing(d.state)
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return bad(name, fmt.Sprintf("%s cannot be written: %v", d.state, err), "make it yours, or set WORKSHOP_DIR to a folder of yours")
	}
	_ = f.Close()
	_ = os.Remove(f.Name())
	if os.Getenv(cluster.StateDirEnv) != "" {
		return note(name, d.state+", from WORKSHOP_DIR", "to use .workshop in the clone: unset WORKSHOP_DIR")
	}
	return ok(name, "%s", d.state)
}

func (d *doctor) loopback(ctx context.Context) []finding {
	const name = "ports"
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return bad(name, "no port can be opened on 127.0.0.1: "+err.Error(),
			"look at your firewall, or at the limits of your container or sandbox")
	}
	defer l.Close()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", l.Addr().String())
	if err != nil {
		return bad(name, "a port on 127.0.0.1 cannot be reached: "+err.Error(),
			"look at your firewall, or at the limits of your container or sandbox")
	}
	_ = conn.Close()
	return ok(name, "127.0.0.1 can be used; the cluster takes a free port by itself")
}

// proxies looks for a proxy that would be asked for 127.0.0.1. Go never asks
// one for a loopback address, but other tools do.
func (d *doctor) proxies(context.Context) []finding {
	const name = "proxy"
	var set []string
	for _, v := range []string{"HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"} {
		if os.Getenv(v) != "" {
			set = append(set, v)
		}
	}
	if len(set) == 0 {
		return ok(name, "none is set")
	}
	bypass := os.Getenv("NO_PROXY") + "," + os.Getenv("no_proxy")
	for part := range strings.SplitSeq(bypass, ",") {
		part = strings.TrimSpace(part)
		if part == "*" || part == "127.0.0.1" || part == "127.0.0.0/8" {
			return ok(name, "%s is set, and NO_PROXY leaves 127.0.0.1 out", strings.Join(set, ", "))
		}
	}
	return note(name, strings.Join(set, ", ")+" is set, and NO_PROXY does not name 127.0.0.1: Go programs and kubectl do without it, but "+
		"curl and others would ask the proxy for your cluster",
		`export NO_PROXY="$NO_PROXY,127.0.0.1,localhost"`)
}
