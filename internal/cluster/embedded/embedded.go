// Package embedded makes the workshop's default cluster: it builds
// cmd/controlplane (etcd, kube-apiserver and a few controllers in one program)
// once into the user's cache directory and runs it in the background.
//
// Only cmd/workshop and the scripts import it; programs of a chapter stand on
// internal/cluster alone.
//
// What it keeps:
//
//	<state>/up.lock             held while a cluster is started or stopped
//	<state>/kubeconfig          written by the control plane, mode 0600
//	<state>/cluster/            the control plane's own directory, mode 0700
//	<state>/cluster/log, log.1  its output in this run and in the one before
//	<cache>/controlplane/<key>/ the built program, see build.go
package embedded

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"example.com/client-go-workshop/internal/cluster"
)

// Name is the provider's name in a marker and in a status.
const Name = "embedded"

// Options say where things are and how long they may take. The zero value of
// each field means its default.
type Options struct {
	// Source is the directory of the control plane's module; default
	// cmd/controlplane in the repository.
	Source string
	// StateDir holds the kubeconfig and the cluster's data; default
	// cluster.StateDir().
	StateDir string
	// CacheDir holds the built programs; default client-go-workshop in
	// os.UserCacheDir().
	CacheDir string
	// StartTimeout bounds the start of the built program; default 2 minutes.
	StartTimeout time.Duration
	// StopTimeout is how long the program may take to end by itself before it
	// is killed; default 20 seconds.
	StopTimeout time.Duration
	// GoTool is the go command; default the one in PATH.
	GoTool string
}

// Provider is the embedded cluster of one state directory.
type Provider struct{ options Options }

var _ cluster.Provider = (*Provider)(nil)

// New returns the embedded cluster. Nothing is read, built or started yet but
// what the defaults need: an error says that the repository, the go command or
// the user's cache directory was not found.
func New(o Options) (*Provider, error) {
	if err := o.setDefaults(); err != nil {
		return nil, fmt.Errorf("embedded cluster: %w", err)
	}
	return &Provider{options: o}, nil
}

func (o *Options) setDefaults() error {
	if o.Source == "" {
		root, err := cluster.Root()
		if err != nil {
			return err
		}
		o.Source = filepath.Join(root, "cmd", "controlplane")
	}
	if o.StateDir == "" {
		dir, err := cluster.StateDir()
		if err != nil {
			return err
		}
		o.StateDir = dir
	}
	if o.CacheDir == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return fmt.Errorf("find the user's cache directory: %w", err)
		}
		o.CacheDir = filepath.Join(dir, "client-go-workshop")
	}
	if o.GoTool == "" {
		path, err := findGo()
		if err != nil {
			return err
		}
		o.GoTool = path
	}
	if o.StartTimeout == 0 {
		o.StartTimeout = 2 * time.Minute
	}
	if o.StopTimeout == 0 {
		o.StopTimeout = 20 * time.Second
	}
	return nil
}

// Name returns "embedded".
func (p *Provider) Name() string { return Name }

// KubeconfigPath returns the absolute path of the kubeconfig that the control
// plane writes, whether or not it exists.
func (p *Provider) KubeconfigPath() string { return filepath.Join(p.options.StateDir, "kubeconfig") }

// LogPath returns the path of the control plane's output.
func (p *Provider) LogPath() string { return filepath.Join(p.clusterDir(), "log") }

// clusterDir is the --dir of the control plane. Its command line carries this
// path, which is how a process is recognised as ours.
func (p *Provider) clusterDir() string { return filepath.Join(p.options.StateDir, "cluster") }
