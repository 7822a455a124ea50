// Command workshop is the learner's way around the workshop: it starts the
// cluster, checks steps, gives hints, and never loses work.
//
// Run it from anywhere inside the repository: go tool workshop
//
// Each subcommand has a file of its name: check.go is "workshop check", which
// runs what internal/runner builds. A command parses flags and prints; what it
// does lives in internal.
package main

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"example.com/client-go-workshop/internal/cluster"
)

func main() {
	os.Exit(start())
}

// start keeps catching the signal until the command is over: `go tool` passes
// one on that the terminal has sent already, and the second must not kill a
// command that is cleaning up.
func start() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	fixKubeconfig()
	a := newApp(os.Stdin, os.Stdout, os.Stderr)
	return a.run(ctx, os.Args[1:])
}

// fixKubeconfig makes the paths in KUBECONFIG absolute: programs and checks
// that the command starts run in other folders than this one.
func fixKubeconfig() {
	env := os.Getenv(cluster.KubeconfigEnv)
	if env == "" {
		return
	}
	paths := filepath.SplitList(env)
	for i, path := range paths {
		if abs, err := filepath.Abs(path); err == nil && path != "" {
			paths[i] = abs
		}
	}
	// The name holds neither "=" nor a zero byte, so this cannot fail.
	_ = os.Setenv(cluster.KubeconfigEnv, strings.Join(paths, string(os.PathListSeparator)))
}
