package main

import (
	"time"

	"github.com/spf13/cobra"

	"example.com/client-go-workshop/internal/churn"
	"example.com/client-go-workshop/internal/cluster"
)

func (a *app) churnCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "churn [--namespace NAMESPACE] [--for DURATION] [--pods N]",
		Aliases: []string{"stir"},
		Short:   "Change a Deployment again and again, so that there is something to watch",
		Long: `Change the cluster for a while: create the Deployment web, scale it up and down
and delete it, again and again, so that a program that watches pods in another
terminal has something to show.

In the end, also after Ctrl-C, everything is as it was. A Deployment web that is
there already is only scaled, and gets its number of pods back.`,
		Example: `  go tool workshop churn                       # one minute in the namespace workshop
  go tool workshop churn --namespace informer-x7k2p --for 30s
  go tool workshop churn --pods 20`,
		Args: wantArgs(0, 0, ""),
	}
	opts := churn.Options{Say: func(line string) {
		a.out.line("%s  %s", time.Now().Format("15:04:05"), line)
	}}
	cmd.Flags().StringVarP(&opts.Namespace, "namespace", "n", cluster.Namespace, "namespace of the Deployment; it must exist")
	cmd.Flags().DurationVar(&opts.Length, "for", time.Minute, "how long to go on")
	cmd.Flags().Int32Var(&opts.Pods, "pods", 5, "how many pods there are at the most")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		switch {
		case opts.Namespace == "":
			return usageError("churn wants the name of one namespace")
		case opts.Length <= 0:
			return usageError("churn wants a time above zero, not --for %s", opts.Length)
		case opts.Pods < 1 || opts.Pods > 100:
			return usageError("churn wants 1 to 100 pods, not --pods %d", opts.Pods)
		}
		cfg, err := cluster.Config(cmd.Context())
		if err != nil {
			return err
		}
		return churn.Run(cmd.Context(), cfg, opts)
	}
	return cmd
}
