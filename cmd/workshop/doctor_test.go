package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOlderThan(t *testing.T) {
	require.True(t, olderThan("1.25.9", "1.26.0"))
	require.True(t, olderThan("1.9", "1.26"))
	require.True(t, olderThan("1.26rc1", "1.26.0"))
	require.False(t, olderThan("1.26.8", "1.26.0"))
	require.False(t, olderThan("1.26.0", "1.26.0"))
	require.False(t, olderThan("1.27", "1.26.0"))
	require.False(t, olderThan("devel go1.27-abc", "1.26.0"))
}

func TestServedDir(t *testing.T) {
	require.Equal(t, "/x/cluster", servedDir([]string{"/cache/controlplane/ab/controlplane", "serve", "--dir", "/x/cluster"}))
	require.Equal(t, "/x", servedDir([]string{"controlplane.exe", "serve", "--dir=/x"}))
	require.Empty(t, servedDir([]string{"controlplane", "version"}))
	require.Empty(t, servedDir([]string{"/bin/other", "serve", "--dir", "/x"}))
	require.Empty(t, servedDir(nil))
}

func TestStrayCluster(t *testing.T) {
	dir := t.TempDir()
	f := strayCluster(42, dir)
	require.Equal(t, levelNote, f.Level)
	require.Contains(t, f.Remedy, "WORKSHOP_DIR="+filepath.Dir(dir))
	require.NoError(t, os.Remove(dir))
	f = strayCluster(42, dir)
	require.Equal(t, levelBad, f.Level)
	require.Contains(t, f.Remedy, "42")
}
