package main

import (
	"errors"
	"flag"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"k8s.io/klog/v2"
)

// newRootCommand builds the command tree.
func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "controlplane",
		Short:         "A small, real Kubernetes control plane in one process",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(newServeCommand())
	return root
}

// newServeCommand builds "controlplane serve".
func newServeCommand() *cobra.Command {
	var (
		opts      serveOptions
		verbosity int
	)
	cmd := &cobra.Command{
		Use:   "serve --dir DIR --kubeconfig FILE [--port N]",
		Short: "Run the control plane in the foreground until SIGTERM or SIGINT",
		Long: `Run the control plane in the foreground until SIGTERM or SIGINT.

All state is kept in DIR, which is created when needed and which only one
process can use at a time. DIR/status.json tells how far the start has come.
FILE receives an admin kubeconfig once the port is known.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := opts.complete(); err != nil {
				return err
			}
			if err := setVerbosity(verbosity); err != nil {
				return err
			}
			return serve(cmd.Context(), opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.dir, "dir", "", "directory that holds all state (required)")
	flags.StringVar(&opts.kubeconfig, "kubeconfig", "", "file to write the admin kubeconfig to (required)")
	flags.IntVar(&opts.port, "port", 0, "loopback port of the API server; 0 keeps the port of the last start or picks a free one")
	flags.IntVarP(&verbosity, "verbosity", "v", 0, "klog verbosity on standard error")
	return cmd
}

// complete checks the flags and makes the paths absolute, since the process
// must not depend on the directory that it was started in.
func (o *serveOptions) complete() error {
	if o.dir == "" || o.kubeconfig == "" {
		return errors.New("both --dir and --kubeconfig are required")
	}
	if o.port < 0 || o.port > 65535 {
		return fmt.Errorf("--port %d is not a port number", o.port)
	}
	for _, path := range []*string{&o.dir, &o.kubeconfig} {
		abs, err := filepath.Abs(*path)
		if err != nil {
			return fmt.Errorf("make path %q absolute: %w", *path, err)
		}
		*path = abs
	}
	return nil
}

// setVerbosity sets klog's level through its own flag, the only way it offers.
func setVerbosity(level int) error {
	var flags flag.FlagSet
	klog.InitFlags(&flags)
	if err := flags.Set("v", fmt.Sprint(level)); err != nil {
		return fmt.Errorf("set log verbosity %d: %w", level, err)
	}
	return nil
}
