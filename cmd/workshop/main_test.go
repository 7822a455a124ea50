package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.com/client-go-workshop/internal/cluster"
)

func TestFixKubeconfigMakesPathsAbsolute(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv(cluster.KubeconfigEnv, "a"+string(os.PathListSeparator)+filepath.Join(dir, "b"))
	fixKubeconfig()
	assert.Equal(t, filepath.Join(dir, "a")+string(os.PathListSeparator)+filepath.Join(dir, "b"), os.Getenv(cluster.KubeconfigEnv))

	t.Setenv(cluster.KubeconfigEnv, "")
	fixKubeconfig()
	assert.Empty(t, os.Getenv(cluster.KubeconfigEnv))
}
