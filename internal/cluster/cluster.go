// Package cluster says where the workshop's cluster is and keeps every program
// away from any other one.
//
// A kubeconfig may point anywhere, at a production cluster too. So each program
// of the workshop gets its rest.Config through [Config] or [Guard]. Both ask
// the server for the workshop's marker first, with one GET, and refuse a server
// that does not bear it. Only `go tool workshop up` puts the marker there, see
// [Mark].
//
// Every chapter imports this package, hence it stands on client-go's rest and
// clientcmd packages alone. What makes a cluster is in the packages below it.
package cluster

import (
	"fmt"
	"os"
	"path/filepath"

	"example.com/client-go-workshop/internal/repository"
)

const (
	// ContextName is the context, cluster and user name in the kubeconfig
	// that the workshop writes.
	ContextName = "client-go-workshop"

	// Namespace is the default namespace of that kubeconfig and the home of
	// the marker.
	Namespace = "workshop"

	// KubeconfigEnv is the variable that names other kubeconfigs, as for kubectl.
	KubeconfigEnv = "KUBECONFIG"

	// StateDirEnv is the variable that moves the state directory, for tests
	// and for a second cluster beside the first.
	StateDirEnv = "WORKSHOP_DIR"
)

// ErrNoRepository is returned outside of a clone of the workshop.
var ErrNoRepository = repository.ErrNotFound

// Root returns the absolute path of the repository root, found by walking up from
// the working directory. The error matches [ErrNoRepository] when there is none.
func Root() (string, error) { return repository.Root(".") }

// StateDir returns the absolute path of the directory that holds the cluster,
// its kubeconfig and the learner's progress: WORKSHOP_DIR when set, else
// .workshop at the repository's top. It may not exist yet.
func StateDir() (string, error) {
	if dir := os.Getenv(StateDirEnv); dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", fmt.Errorf("%s=%s: %w", StateDirEnv, dir, err)
		}
		return abs, nil
	}
	root, err := Root()
	if err != nil {
		return "", err
	}
	return filepath.Join(root, ".workshop"), nil
}

// KubeconfigPath returns the absolute path of the kubeconfig that the workshop
// writes, whether or not it exists and whatever KUBECONFIG says.
func KubeconfigPath() (string, error) {
	dir, err := StateDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "kubeconfig"), nil
}

// DefaultKubeconfig returns the default of a program's -kubeconfig flag: ""
// when KUBECONFIG is set, so that clientcmd's loading rules read that, else the
// workshop's own kubeconfig, whether or not it exists.
func DefaultKubeconfig() (string, error) {
	if os.Getenv(KubeconfigEnv) != "" {
		return "", nil
	}
	return KubeconfigPath()
}
