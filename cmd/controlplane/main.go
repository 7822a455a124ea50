// Command controlplane runs a small but real Kubernetes control plane in one
// process: etcd, kube-apiserver, the controllers that a learner meets, and one
// simulated node. It needs no container runtime and listens on one loopback
// port only.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// After the first signal the handler is removed, so that a second one ends
	// a shutdown that hangs.
	context.AfterFunc(ctx, stop)

	if err := newRootCommand().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "controlplane:", err)
		os.Exit(1)
	}
}
