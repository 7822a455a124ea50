package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/cluster/embedded"
	existingcluster "example.com/client-go-workshop/internal/cluster/existing"
	"example.com/client-go-workshop/internal/cluster/kind"
)

func (a *app) upCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:        "up",
		SuggestFor: []string{"start"},
		Short:      "Start the workshop's cluster",
		Long: `Start the workshop's cluster, or do nothing when it runs. There are three kinds:

  embedded  the default. The first time this builds a small Kubernetes control
            plane (etcd, the API server and a few controllers in one program)
            from source, which takes some minutes; later it starts within
            seconds. It listens on this machine only.
  kind      nodes that are containers of Docker, Podman or nerdctl
  existing  a cluster that you name by its context, for a class or in a cloud.
            It asks before it marks that cluster as the workshop's.

It keeps its data when it stops. Which kind it is stays chosen until you name
another one; then the one before is stopped first.

Its kubeconfig is .workshop/kubeconfig; your own ~/.kube/config stays as it is.`,
		Example: `  go tool workshop up
  go tool workshop up --provider kind
  go tool workshop up --provider kind --image ` + kind.BuiltImage + `
  go tool workshop up --provider existing --context class
  go tool workshop kubectl get namespaces`,
		Args: wantArgs(0, 0, ""),
	}
	out := outputFlag(cmd)
	var flags upFlags
	flags.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		p, err := a.up(cmd, flags)
		if err != nil {
			return err
		}
		status, err := p.Status(cmd.Context())
		if err != nil {
			return fmt.Errorf("read the cluster's status: %w", err)
		}
		if *out == formatJSON {
			return a.out.json(status)
		}
		a.printStatus(status)
		a.warnOfKubeconfig(cmd.Context(), status)
		a.out.line("\nnext:    %s", a.out.command("go tool workshop"))
		return nil
	}
	return cmd
}

// up starts the cluster that the flags ask for.
func (a *app) up(cmd *cobra.Command, flags upFlags) (cluster.Provider, error) {
	ctx := cmd.Context()
	name, err := chosenName(flags.provider)
	if err != nil {
		return nil, err
	}
	p, err := a.openProvider(name, flags)
	if err != nil {
		return nil, err
	}
	if err := flags.check(cmd, name); err != nil {
		return nil, err
	}
	back, err := a.choose(ctx, name)
	if err != nil {
		return nil, err
	}
	bar := newProgressBar(a.err)
	err = p.Up(ctx, bar)
	bar.close()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", errors.Join(err, back()), versions(ctx))
	}
	return p, nil
}

// upFlags say which cluster `up` is to start.
type upFlags struct {
	provider string
	image    string
	runtime  string
	nodes    int
	context  string
	yes      bool
}

func (f *upFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.provider, "provider", "", "embedded, kind or existing (default: the one of last time, at first embedded)")
	flags.StringVar(&f.image, "image", "", "kind: the node image (default: the one that belongs to this version)")
	flags.StringVar(&f.runtime, "runtime", "", "kind: docker, podman or nerdctl (default: the first that is installed)")
	flags.IntVar(&f.nodes, "nodes", 1, "kind: how many nodes")
	flags.StringVar(&f.context, "context", "", "existing: the context of your kubeconfig, by name")
	flags.BoolVar(&f.yes, "yes", false, "existing: mark the cluster without asking")
}

// flagsOf says which flags belong to one provider alone.
func flagsOf(provider string) []string {
	switch provider {
	case kind.Name:
		return []string{"image", "runtime", "nodes"}
	case existingcluster.Name:
		return []string{"context", "yes"}
	}
	return nil
}

// check refuses a flag that the provider would silently ignore.
func (f *upFlags) check(cmd *cobra.Command, provider string) error {
	for _, other := range []string{embedded.Name, kind.Name, existingcluster.Name} {
		for _, flag := range flagsOf(other) {
			if other != provider && cmd.Flags().Changed(flag) {
				return usageError("--%s belongs to --provider %s, and this is %s", flag, other, provider)
			}
		}
	}
	return nil
}
