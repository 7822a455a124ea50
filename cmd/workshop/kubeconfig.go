package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"example.com/client-go-workshop/internal/cluster"
)

func (a *app) kubeconfigCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "kubeconfig",
		Short: "Print the path of the workshop's kubeconfig",
		Long: `Print the path of the workshop's kubeconfig, for other tools.

With --raw it prints the content. It holds a key: do not share it.`,
		Example: `  export KUBECONFIG=$(go tool workshop kubeconfig)
  k9s --kubeconfig "$(go tool workshop kubeconfig)"`,
		Args: wantArgs(0, 0, ""),
	}
	raw := cmd.Flags().Bool("raw", false, "print the content in place of the path")
	cmd.RunE = func(*cobra.Command, []string) error {
		path, err := cluster.KubeconfigPath()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return cluster.ErrNoCluster
		}
		if err != nil {
			return fmt.Errorf("read the kubeconfig: %w", err)
		}
		if !*raw {
			a.out.line("%s", path)
			return nil
		}
		_, err = a.out.Write(data)
		return err
	}
	return cmd
}
