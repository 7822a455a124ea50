package kind

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	goruntime "runtime"
	"strings"
)

// Error is a failure whose cause is known: what is wrong, and how to mend it.
type Error struct {
	// Cause says what is wrong with the host.
	Cause string
	// Remedy says what to do.
	Remedy string
	// Err is what failed because of it, nil if nothing had to.
	Err error
}

func (e *Error) Error() string {
	text := e.Cause + "\n  remedy: " + e.Remedy
	if e.Err != nil {
		text += fmt.Sprintf("\n  reason: %v", e.Err)
	}
	return text
}

// Unwrap returns what failed.
func (e *Error) Unwrap() error { return e.Err }

// embeddedInstead is always a way out.
const embeddedInstead = "the default cluster needs no containers: go tool workshop up --provider embedded"

func noRuntime(name string) error {
	if name == "" {
		return &Error{
			Cause: "there is no container runtime on this machine: none of docker, podman and nerdctl is in PATH",
			Remedy: "install Docker (https://docs.docker.com/engine/install/; on Debian and Ubuntu: sudo apt-get install docker.io), or do " +
				"without: " + embeddedInstead,
		}
	}
	return &Error{
		Cause:  fmt.Sprintf("there is no %s command in PATH", name),
		Remedy: fmt.Sprintf("install %s, or name another runtime with --runtime, or do without: %s", name, embeddedInstead),
	}
}

// known tells causes apart by what the runtimes and the nodes say. The first one
// that fits counts, so the narrow ones come first.
type known struct {
	// all of one of these must be in the text, in lower case.
	signs [][]string
	cause string
	// remedy may differ between systems and runtimes.
	remedy func(runtime string) string
}

func always(text string) func(string) string { return func(string) string { return text } }

func causes() []known {
	return []known{{
		signs:  [][]string{{"permission denied", "sock"}, {"permission denied", "docker daemon"}},
		cause:  "you may not talk to the container runtime: your user is not in its group",
		remedy: groupRemedy,
	}, {
		signs: [][]string{{"cannot connect to the docker daemon"}, {"is the docker daemon running"}, {"cannot connect to podman"},
			{"cannot access containerd socket"}, {"docker.sock", "no such file"}, {"docker.sock", "connection refused"}, {"docker_engine",
				"cannot find"}},
		cause:  "the container runtime is installed, but its daemon does not answer",
		remedy: daemonRemedy,
	}, {
		signs:  [][]string{{"no space left on device"}, {"disk quota exceeded"}},
		cause:  "the disk of the container runtime is full",
		remedy: spaceRemedy,
	}, {
		signs:  [][]string{{"too many open files"}, {"inotify_init"}, {"inotify watch"}, {"fsnotify watcher"}},
		cause:  "the host allows too few inotify watches or instances for a node",
		remedy: always(inotifyRemedy),
	}, {
		signs:  [][]string{{"toomanyrequests"}, {"rate limit"}},
		cause:  "the image registry refuses more downloads from your address for now",
		remedy: always("wait, or log in (docker login), or " + ownImage),
	}, {
		signs: [][]string{{"no such host"}, {"i/o timeout"}, {"tls handshake timeout"}, {"proxyconnect"}, {"x509"}, {"server misbehaving"},
			{"dial tcp", "connection refused"}, {"dial tcp", "unreachable"}, {"request canceled"}, {"client.timeout"}, {"failed to do " +
				"request"}, {"name resolution"}},
		cause:  "the image registry cannot be reached from here",
		remedy: always("look at your network and at your runtime's proxy settings, or " + ownImage),
	}, {
		signs: [][]string{{"manifest unknown"}, {"pull access denied"}, {"repository does not exist"}, {"manifest for", "not found"},
			{"no matching manifest"},
			{"403 forbidden"}, {"401 unauthorized"}},
		cause:  "there is no such node image in the registry, or not for you",
		remedy: always("look at the name after --image; without it the image that belongs to this version of the workshop is used"),
	}, {
		signs: [][]string{{"unable to apply caps"}, {"apply caps"}, {"capset"}, {"operation not permitted", "oci runtime"},
			{"operation not permitted", "runc"}},
		cause: "the host does not let the container runtime give a container all privileges, which kind's nodes need",
		remedy: always("run the workshop outside of this sandbox or container, or give it all capabilities (docker run --privileged), or do " +
			"without: " + embeddedInstead),
	}, {
		signs:  [][]string{{"port is already allocated"}, {"address already in use"}},
		cause:  "the port that was to be the API server's has been taken meanwhile",
		remedy: always("run it again: another one is chosen"),
	}, {
		signs:  [][]string{{"rootless", "cgroup v2"}, {"delegate=yes"}},
		cause:  "a rootless container runtime can make nodes only with cgroup v2 and delegated controllers",
		remedy: always("use the runtime as root, or see https://kind.sigs.k8s.io/docs/user/rootless/, or do without: " + embeddedInstead),
	}, {
		signs:  [][]string{{"not supported on cgroup v1"}, {"failcgroupv1"}, {"cgroup v1 support"}},
		cause:  "this Kubernetes version refuses to run on cgroup v1",
		remedy: always("boot the host with cgroup v2 (systemd.unified_cgroup_hierarchy=1), or do without: " + embeddedInstead),
	}}
}

const (
	ownImage = "build a node image without a registry: sudo scripts/node-image/build.sh, or get one on a stick and `docker load` it " +
		"(docs/kind.md)"

	inotifyRemedy = "sudo sysctl fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=512 (in /etc/sysctl.d to keep it), then " +
		"run it again"
)

func groupRemedy(runtime string) string {
	if runtime != "docker" {
		return "run the workshop as a user who may use " + runtime
	}
	return "sudo usermod -aG docker $USER, then log in anew or run: newgrp docker (members of that group are as mighty as root)"
}

func daemonRemedy(runtime string) string {
	switch {
	case runtime == "docker" && os.Getenv("DOCKER_HOST") != "":
		return "DOCKER_HOST is " + os.Getenv("DOCKER_HOST") + ": start the daemon there, or unset DOCKER_HOST to use the one of this machine"
	case runtime == "podman" && goruntime.GOOS != "linux":
		return "start it: podman machine start"
	case runtime == "docker" && goruntime.GOOS == "darwin":
		return "start it: open -a Docker, and wait until it says that it runs"
	case runtime == "docker":
		return "start it: sudo systemctl start docker (without systemd: sudo service docker start)"
	case runtime == "nerdctl":
		return "start it: sudo systemctl start containerd"
	}
	return "start it, and look whether `" + runtime + " info` answers"
}

func spaceRemedy(runtime string) string {
	text := fmt.Sprintf("look at what takes it: %s system df; remove what nobody uses: %s system prune", runtime, runtime)
	if goruntime.GOOS == "darwin" {
		text += "; or enlarge the disk in the settings of Docker Desktop"
	}
	return text
}

// explain adds cause and remedy to an error whose text is known. Others stay as
// they are.
func explain(runtime string, err error) error {
	if err == nil || errors.Is(err, exec.ErrNotFound) {
		return err
	}
	var told *Error
	if errors.As(err, &told) {
		return err
	}
	text := err.Error()
	var failed *commandError
	if errors.As(err, &failed) {
		text += "\n" + failed.Output
	}
	return explainText(runtime, text, err)
}

// explainText is explain for an error whose cause may be in another text.
func explainText(runtime, text string, err error) error {
	text = strings.ToLower(text)
	for _, k := range causes() {
		for _, sign := range k.signs {
			if containsAll(text, sign) {
				return &Error{Cause: k.cause, Remedy: k.remedy(runtime), Err: err}
			}
		}
	}
	return err
}

func containsAll(text string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}
