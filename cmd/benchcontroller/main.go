// Command benchcontroller measures chapter 07's controller: against the time that
// its writes would take without it, and against a controller-runtime controller
// that does the same job. It is a module of its own, so that the workshop does
// not depend on controller-runtime.
//
// Run it by scripts/bench-controller.sh, which brings a cluster up first.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"example.com/client-go-workshop/internal/cluster"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchcontroller:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	var kubeconfig, namespace string
	b := &bench{out: os.Stdout}
	flags := flag.NewFlagSet("benchcontroller", flag.ContinueOnError)
	flags.StringVar(&kubeconfig, "kubeconfig", "", "the workshop's kubeconfig")
	flags.StringVar(&namespace, "namespace", "", "be the controller-runtime controller, in this namespace")
	flags.StringVar(&b.program, "program", "", "measure this build of chapter 07's controller")
	flags.IntVar(&b.small, "small", 500, "how many Services at first")
	flags.IntVar(&b.large, "large", 5000, "how many Services then; 0 leaves this out")
	flags.IntVar(&b.limited, "limited", 60, "how many Services with the client's default limits")
	flags.IntVar(&b.repeats, "repeats", 5, "how often the small measurement is repeated")
	flags.IntVar(&b.largeRepeats, "large-repeats", 3, "how often the large measurement is repeated")
	flags.DurationVar(&b.idle, "idle", defaultIdle, "how long to look on while nothing changes")
	if err := flags.Parse(args); err != nil {
		return err
	}
	cfg, err := load(ctx, kubeconfig)
	if err != nil {
		return err
	}
	if namespace != "" {
		return runPeer(ctx, cfg, namespace, domain)
	}
	b.kubeconfig = kubeconfig
	return b.run(ctx, cfg)
}

// load keeps away from every cluster but the workshop's. The limits are the
// defaults of controller-runtime: none.
func load(ctx context.Context, path string) (*rest.Config, error) {
	cfg, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		return nil, fmt.Errorf("load kubeconfig %s: %w", path, err)
	}
	cfg.QPS = -1
	return cluster.Guard(ctx, cfg)
}
