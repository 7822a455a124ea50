package clustertest

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/cluster/embedded"
)

// ownCluster is a real control plane in a state directory of its own.
type ownCluster struct {
	*embedded.Provider
	state string
}

// newCluster starts one, and removes it when the test ends.
func newCluster(t *testing.T) *ownCluster {
	t.Helper()
	if os.Getenv("WORKSHOP_CLUSTER_TESTS") == "" {
		t.Skip("set WORKSHOP_CLUSTER_TESTS=1 to run the tests with the real control plane")
	}
	state := filepath.Join(t.TempDir(), "state")
	p, err := embedded.New(embedded.Options{StateDir: state})
	require.NoError(t, err)
	t.Cleanup(func() {
		if err := p.Down(context.Background(), true); err != nil {
			t.Errorf("clean up: %v", err)
		}
	})
	require.NoError(t, p.Up(t.Context(), cluster.Quiet{}))
	return &ownCluster{Provider: p, state: state}
}

// config is the administrator's.
func (c *ownCluster) config(t *testing.T) *rest.Config {
	t.Helper()
	cfg, err := cluster.LoadFile(c.KubeconfigPath())
	require.NoError(t, err)
	cfg.QPS = -1
	cfg.WarningHandler = rest.NoWarnings{} // a listing of all kinds has old ones
	return cfg
}
