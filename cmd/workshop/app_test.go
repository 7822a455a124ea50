package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/client-go-workshop/internal/cluster"
)

func newTestApp(t *testing.T) (a *app, stderr func() string) {
	t.Helper()
	t.Setenv("WORKSHOP_DIR", t.TempDir())
	t.Setenv("KUBECONFIG", "")
	file := func(name string) *os.File {
		f, err := os.Create(filepath.Join(t.TempDir(), name))
		require.NoError(t, err)
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	errFile := file("stderr")
	return newApp(file("stdin"), file("stdout"), errFile), func() string {
		data, err := os.ReadFile(errFile.Name())
		require.NoError(t, err)
		return string(data)
	}
}

func TestInterrupted(t *testing.T) {
	a, stderr := newTestApp(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, exitInterrupted, a.run(ctx, []string{"check"}))
	require.Equal(t, "interrupted\n", stderr())
}

func TestExitCode(t *testing.T) {
	for want, err := range map[int]error{
		exitDone:      nil,
		exitNotYet:    errors.New("a disk error"),
		exitUsage:     fmt.Errorf("x: %w", usageError("y")),
		exitNoCluster: fmt.Errorf("x: %w", &cluster.UnreachableError{Err: errors.New("y")}),
	} {
		require.Equal(t, want, exitCode(err))
	}
	require.Equal(t, exitNoCluster, exitCode(&cluster.RefusedError{}))
	require.Equal(t, exitNoCluster, exitCode(cluster.ErrNoCluster))
	require.Equal(t, exitUsage, exitCode(cluster.ErrNoRepository))
	require.Empty(t, message(notYet()))
}

func TestFirstLine(t *testing.T) {
	require.Equal(t, "short", firstLine("short", 70))
	require.Equal(t, "two ...", firstLine("two\nlines", 70))
	require.Equal(t, "abcdefg...", firstLine("abcdefghijklmn", 10))
}
