package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"example.com/client-go-workshop/internal/cluster"
	existingcluster "example.com/client-go-workshop/internal/cluster/existing"
)

func (a *app) downCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:        "down",
		SuggestFor: []string{"stop"},
		Short:      "Stop the workshop's cluster",
		Long: `Stop the workshop's cluster. Its data stays, and 'up' brings it back as it was.
A cluster of --provider existing goes on: the workshop did not start it.

With --purge the data goes too, and the next 'up' makes a new cluster. Your
code, your progress and your backups stay in any case.`,
		Example: `  go tool workshop down
  go tool workshop down --purge   # begin with an empty cluster`,
		Args: wantArgs(0, 0, ""),
	}
	purge := cmd.Flags().Bool("purge", false, "remove the cluster's data as well")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		p, err := currentProvider()
		if err != nil {
			return err
		}
		before, err := p.Status(cmd.Context())
		if err != nil {
			return fmt.Errorf("read the cluster's status: %w", err)
		}
		if err := p.Down(cmd.Context(), *purge); err != nil {
			return err
		}
		switch {
		case before.State == cluster.StateAbsent:
			a.out.line("there is no cluster to stop")
		case p.Name() == existingcluster.Name && *purge:
			if err := forget(); err != nil {
				return err
			}
			a.out.line("the workshop has let go of the cluster, which goes on with all that is in it")
		case p.Name() == existingcluster.Name:
			a.out.line("the cluster goes on: the workshop did not start it; to let go of it, add --purge")
		case *purge:
			a.out.line("the cluster is stopped and its data is gone")
		default:
			a.out.line("the cluster is stopped; its data is kept")
		}
		return nil
	}
	return cmd
}
