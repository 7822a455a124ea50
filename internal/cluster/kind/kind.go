// Package kind makes the workshop's cluster with kind: Kubernetes nodes that are
// containers of Docker, Podman or nerdctl.
//
// Only cmd/workshop imports it, so that a chapter's program compiles none of
// kind. What it keeps:
//
//	<state>/up.lock          held while a cluster is started or stopped
//	<state>/kubeconfig       mode 0600
//	<state>/kind/record.json which containers are this cluster's
//	<state>/kind/log         what the nodes said when the last start failed
package kind

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"sigs.k8s.io/kind/pkg/apis/config/defaults"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/version"
)

const (
	// Name is the provider's name in a marker and in a status.
	Name = "kind"

	// ClusterName is the name of the cluster in kind.
	ClusterName = "client-go-workshop"

	// PublicImage is the node image that this version of kind was released
	// with, pinned by digest.
	PublicImage = defaults.Image

	// BuiltImage is the node image that scripts/node-image/build.sh makes for
	// places that reach no image registry.
	BuiltImage = "client-go-workshop/node:" + version.Kubernetes
)

// runtimes are the container runtimes that kind can use, the preferred one first.
func runtimes() []string { return []string{"docker", "podman", "nerdctl"} }

// Options say what to make. The zero value of each field means its default.
type Options struct {
	// StateDir holds the kubeconfig and the record; default cluster.StateDir().
	StateDir string
	// Runtime is docker, podman or nerdctl; default the one that made the
	// cluster at hand, else the first that is installed.
	Runtime string
	// Image is the node image; default [PublicImage], or [BuiltImage] where
	// only that is there.
	Image string
	// Nodes is how many nodes there are: one control plane, the others
	// workers; default 1.
	Nodes int
	// ReadyTimeout bounds the wait for the nodes; default 5 minutes.
	ReadyTimeout time.Duration
}

// Provider is the kind cluster of one state directory.
type Provider struct {
	options Options
	// command runs a program of this machine; tests replace it.
	command commandFunc
}

var _ cluster.Provider = (*Provider)(nil)

// New returns the kind cluster. Nothing is looked up or started yet.
func New(o Options) (*Provider, error) {
	if o.StateDir == "" {
		dir, err := cluster.StateDir()
		if err != nil {
			return nil, fmt.Errorf("kind cluster: %w", err)
		}
		o.StateDir = dir
	}
	if o.Runtime != "" && !slices.Contains(runtimes(), o.Runtime) {
		return nil, fmt.Errorf("kind cluster: there is no runtime %q; there are docker, podman and nerdctl", o.Runtime)
	}
	if o.Nodes < 0 || o.Nodes > 9 {
		return nil, fmt.Errorf("kind cluster: %d nodes are not possible; take 1 to 9", o.Nodes)
	}
	if o.Nodes == 0 {
		o.Nodes = 1
	}
	if o.ReadyTimeout == 0 {
		o.ReadyTimeout = 5 * time.Minute
	}
	return &Provider{options: o, command: runCommand}, nil
}

// Name returns "kind".
func (p *Provider) Name() string { return Name }

// KubeconfigPath returns the absolute path of the kubeconfig, whether or not it
// exists.
func (p *Provider) KubeconfigPath() string { return filepath.Join(p.options.StateDir, "kubeconfig") }

// LogPath returns the path of what the nodes said when the last start failed.
func (p *Provider) LogPath() string { return filepath.Join(p.dir(), "log") }

func (p *Provider) dir() string { return filepath.Join(p.options.StateDir, "kind") }
