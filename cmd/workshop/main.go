// Command workshop is the learner's way around the workshop: it starts the
// cluster, checks steps, gives hints, and never loses work.
//
// Run it from anywhere inside the repository: go tool workshop
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
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
	a := newApp(os.Stdin, os.Stdout, os.Stderr)
	return a.run(ctx, os.Args[1:])
}
