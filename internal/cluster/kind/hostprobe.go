package kind

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// The bits of the capabilities that a node needs, and of the one it can do without.
const (
	capNetAdmin    = 12
	capSysChroot   = 18
	capSysAdmin    = 21
	capSysResource = 24
	capMknod       = 27
)

const (
	// spacePerNode is what the first start of a node writes, in MB.
	spacePerNode = 1500
	// watchesPerNode and instancesPerNode are what a node with some pods takes.
	watchesPerNode   = 8192
	instancesPerNode = 48
)

// probeScript looks at the machine from inside of a privileged container, where a
// node will see it: with Docker Desktop or a remote daemon that is not this one.
const probeScript = `sed -n 's/^CapBnd:[[:space:]]*/caps /p' /proc/self/status
echo watches $(cat /proc/sys/fs/inotify/max_user_watches)
echo instances $(cat /proc/sys/fs/inotify/max_user_instances)
set -- $(df -Pm / | tail -n 1)
echo free $4
if [ -f /sys/fs/cgroup/cgroup.controllers ]; then echo cgroup 2; else echo cgroup 1; fi`

// host is what matters of the machine that the nodes will run on. A number that
// is 0 could not be found out.
type host struct {
	caps      uint64
	cgroup    int
	freeMB    int
	watches   int
	instances int
}

// probe starts a container of the node image, which shows as well whether a
// privileged one starts at all.
func (r *runtime) probe(ctx context.Context, image string) (host, error) {
	out, err := r.run(ctx, "run", "--rm", "--privileged", "--network=none", "--entrypoint", "/bin/sh", image, "-c", probeScript)
	if err != nil {
		return host{}, fmt.Errorf("start a privileged container: %w", err)
	}
	return parseProbe(out), nil
}

func parseProbe(out string) host {
	var h host
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) != 2 {
			continue
		}
		n, _ := strconv.Atoi(fields[1])
		switch fields[0] {
		case "caps":
			h.caps, _ = strconv.ParseUint(fields[1], 16, 64)
		case "watches":
			h.watches = n
		case "instances":
			h.instances = n
		case "free":
			h.freeMB = n
		case "cgroup":
			h.cgroup = n
		}
	}
	return h
}

// plan is how a cluster must be made on a host.
type plan struct {
	// kubeadmPatches and containerdPatches are kind's.
	kubeadmPatches    []string
	containerdPatches []string
	// notes are worth a line each.
	notes []string
}

// planFor mends what can be mended by the cluster's configuration, notes what may
// be trouble, and refuses what cannot work.
func (h host) planFor(runtime string, nodes int) (plan, error) {
	var p plan
	if missing := h.missing(); missing != "" {
		return p, &Error{
			Cause:  "a privileged container gets no " + missing + " on this host, and a node cannot do without",
			Remedy: "run the workshop outside of this sandbox or container, or do without: " + embeddedInstead,
		}
	}
	if need := spacePerNode * nodes; h.freeMB > 0 && h.freeMB < need {
		return p, &Error{
			Cause:  fmt.Sprintf("the disk of the container runtime has %d MB free, and the cluster takes %d", h.freeMB, need),
			Remedy: spaceRemedy(runtime),
		}
	}
	if h.cgroup == 1 {
		p.kubeadmPatches = append(p.kubeadmPatches, "kind: KubeletConfiguration\nfailCgroupV1: false\n")
		p.notes = append(p.notes, "this host has cgroup v1, which Kubernetes is about to give up: the kubelet is told to accept it")
	}
	if h.caps != 0 && !h.has(capSysResource) {
		p.containerdPatches = append(p.containerdPatches, "[plugins.\"io.containerd.grpc.v1.cri\"]\n  restrict_oom_score_adj = true\n")
		p.notes = append(p.notes, "this host withholds CAP_SYS_RESOURCE: containerd is told not to need it")
	}
	if h.watches > 0 && h.watches < watchesPerNode*nodes || h.instances > 0 && h.instances < instancesPerNode*nodes {
		p.notes = append(p.notes, fmt.Sprintf("this host allows %d inotify watches and %d instances, which may be too few; if pods fail with "+
			"\"too many open files\": %s",
			h.watches, h.instances, inotifyRemedy))
	}
	return p, nil
}

func (h host) has(bit int) bool { return h.caps>>bit&1 == 1 }

// missing names the capabilities that a node needs and does not get.
func (h host) missing() string {
	if h.caps == 0 {
		return "" // not found out
	}
	var missing []string
	for _, c := range []struct {
		bit  int
		name string
	}{{capSysAdmin, "CAP_SYS_ADMIN"}, {capNetAdmin, "CAP_NET_ADMIN"}, {capSysChroot, "CAP_SYS_CHROOT"}, {capMknod, "CAP_MKNOD"}} {
		if !h.has(c.bit) {
			missing = append(missing, c.name)
		}
	}
	return strings.Join(missing, ", ")
}
