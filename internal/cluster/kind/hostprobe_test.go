package kind

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// whole is a host that has everything.
func whole() host {
	return host{caps: 0x1ffffffffff, cgroup: 2, freeMB: 50000, watches: 524288, instances: 512}
}

func TestProbeIsRead(t *testing.T) {
	require.Equal(t, host{caps: 0x1fffeffffff, cgroup: 1, freeMB: 75123, watches: 192536, instances: 128},
		parseProbe("caps 000001fffeffffff\nwatches 192536\ninstances 128\nfree 75123\ncgroup 1\n"))
	require.Equal(t, host{cgroup: 2}, parseProbe("caps\nwatches \nfree -\nnoise and more\ncgroup 2\n"))
}

func TestPlanForHosts(t *testing.T) {
	with := func(change func(*host)) host {
		h := whole()
		change(&h)
		return h
	}
	tests := []struct {
		name       string
		host       host
		nodes      int
		kubeadm    string
		containerd string
		note       string
		cause      string
	}{
		{name: "nothing to mend", host: whole()},
		{name: "nothing could be found out", host: host{}},
		{name: "cgroup v1", host: with(func(h *host) { h.cgroup = 1 }), kubeadm: "failCgroupV1: false", note: "cgroup v1"},
		{name: "no CAP_SYS_RESOURCE", host: with(func(h *host) { h.caps &^= 1 << 24 }), containerd: "restrict_oom_score_adj = true",
			note: "CAP_SYS_RESOURCE"},
		{name: "no CAP_SYS_ADMIN", host: with(func(h *host) { h.caps &^= 1 << 21 }), cause: "gets no CAP_SYS_ADMIN"},
		{name: "few watches", host: with(func(h *host) { h.watches = 1000 }), note: "1000 inotify watches"},
		{name: "few instances", host: with(func(h *host) { h.instances = 128 }), nodes: 3, note: "128 instances"},
		{name: "instances that do for one node", host: with(func(h *host) { h.instances = 128 })},
		{name: "full disk", host: with(func(h *host) { h.freeMB = 900 }), cause: "900 MB free, and the cluster takes 1500"},
		{name: "too full for three", host: with(func(h *host) { h.freeMB = 2000 }), nodes: 3, cause: "takes 4500"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := tt.host.planFor("docker", max(1, tt.nodes))
			if tt.cause != "" {
				var told *Error
				require.ErrorAs(t, err, &told)
				require.Contains(t, told.Cause, tt.cause)
				require.NotEmpty(t, told.Remedy)
				return
			}
			require.NoError(t, err)
			requireOne(t, tt.kubeadm, p.kubeadmPatches)
			requireOne(t, tt.containerd, p.containerdPatches)
			requireOne(t, tt.note, p.notes)
		})
	}
}

// requireOne wants one text that holds want, or none when want is "".
func requireOne(t *testing.T, want string, texts []string) {
	t.Helper()
	if want == "" {
		require.Empty(t, texts)
		return
	}
	require.Len(t, texts, 1)
	require.Contains(t, texts[0], want)
}

func TestConfigHasOneControlPlane(t *testing.T) {
	c := plan{kubeadmPatches: []string{"a"}, containerdPatches: []string{"b"}}.config("image", 3)
	require.Equal(t, ClusterName, c.Name)
	require.Equal(t, []string{"a"}, c.KubeadmConfigPatches)
	require.Equal(t, []string{"b"}, c.ContainerdConfigPatches)
	var roles []string
	for _, n := range c.Nodes {
		require.Equal(t, "image", n.Image)
		roles = append(roles, string(n.Role))
	}
	require.Equal(t, []string{"control-plane", "worker", "worker"}, roles)
}

func TestCausesAreTold(t *testing.T) {
	t.Setenv("DOCKER_HOST", "")
	tests := map[string]struct{ said, cause, remedy string }{
		"outside the group": {
			"permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock",
			"not in its group", "usermod -aG docker",
		},
		"daemon stopped": {"Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
			"does not answer", "start it"},
		"podman machine":  {"Cannot connect to Podman. Please verify your connection to the Linux system", "does not answer", "start it"},
		"full disk":       {"write /var/lib/docker/tmp/x: no space left on device", "disk", "system df"},
		"inotify":         {"kubelet: failed to create fsnotify watcher: too many open files", "inotify", "sysctl"},
		"no registry":     {"Get \"https://registry/v2/\": dial tcp: lookup registry: no such host", "registry cannot be reached", "node-image"},
		"rate limit":      {"toomanyrequests: You have reached your pull rate limit", "refuses more downloads", "log in"},
		"no such image":   {"manifest for a/b:c not found: manifest unknown", "no such node image", "--image"},
		"no capabilities": {"OCI runtime create failed: unable to apply caps: operation not permitted", "privileges", "--privileged"},
		"cgroup v1":       {"kubelet is configured to not run on a host using cgroup v1: failCgroupV1", "cgroup v1", "cgroup v2"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := explain("docker", &commandError{Name: "docker", Output: tt.said})
			var told *Error
			require.ErrorAs(t, err, &told)
			require.Contains(t, told.Cause, tt.cause)
			require.Contains(t, told.Remedy, tt.remedy)
			require.Contains(t, err.Error(), "reason: docker: ")
		})
	}
	unknown := &commandError{Name: "docker", Output: "something else"}
	require.Same(t, unknown, explain("docker", unknown))
}

func TestProgressIsPlain(t *testing.T) {
	steps := &steps{}
	l := &stepLogger{progress: steps}
	l.V(0).Infof(" • %s  ...\n", "Preparing nodes 📦 ")
	l.V(0).Infof(" ✓ %s\n", "Preparing nodes 📦 ")
	l.V(0).Infof(" • %s  ...\n", "Starting control-plane 🕹️")
	l.V(1).Info(" • a detail")
	l.Warn("a warning")
	l.close()
	l.Warn("too late")
	require.Equal(t, []string{"preparing nodes", "starting control-plane", "a warning"}, steps.all)
}

type steps struct{ all []string }

func (s *steps) Step(text string) { s.all = append(s.all, text) }
func (s *steps) Count(int, int)   {}
