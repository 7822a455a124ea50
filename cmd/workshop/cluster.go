package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"example.com/client-go-workshop/internal/cluster"
	existingcluster "example.com/client-go-workshop/internal/cluster/existing"
	"example.com/client-go-workshop/internal/cluster/kind"
)

// statusTimeout bounds how long a command waits to learn how the cluster is.
const statusTimeout = 15 * time.Second

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

func (a *app) statusCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Say how the cluster is",
		Long: `Say how the workshop's cluster is: absent, stopped, starting, running or failed.

The exit code is 0 when it runs and 3 when not.`,
		Example: `  go tool workshop status
  go tool workshop status -o json`,
		Args: wantArgs(0, 0, ""),
	}
	out := outputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		status, err := clusterStatus(cmd.Context())
		if err != nil {
			return err
		}
		if *out == formatJSON {
			err = a.out.json(status)
		} else {
			a.printStatus(status)
			a.out.printVersions(cmd.Context())
			a.warnOfKubeconfig(cmd.Context(), status)
		}
		if err == nil && status.State != cluster.StateRunning {
			return &exitError{code: exitNoCluster}
		}
		return err
	}
	return cmd
}

// clusterStatus asks the workshop's own cluster how it is.
func clusterStatus(ctx context.Context) (cluster.Status, error) {
	p, err := currentProvider()
	if err != nil {
		return cluster.Status{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, statusTimeout)
	defer cancel()
	status, err := p.Status(ctx)
	if err != nil {
		return status, fmt.Errorf("read the cluster's status: %w", err)
	}
	return status, nil
}

func (a *app) printStatus(s cluster.Status) {
	a.out.line("cluster  %s", a.describe(s))
	if s.Kubeconfig != "" && s.State != cluster.StateAbsent {
		a.out.line("config   %s", s.Kubeconfig)
	}
	if s.PID != 0 {
		since := ""
		if !s.Since.IsZero() {
			since = ", since " + s.Since.Local().Format("2006-01-02 15:04")
		}
		a.out.line("process  %d%s", s.PID, since)
	}
	if s.Detail != "" {
		a.out.line("%s", indent(s.Detail, 9))
	}
	if s.State == cluster.StateAbsent || s.State == cluster.StateStopped {
		a.out.line("\nstart it: %s", a.out.command("go tool workshop up"))
	}
}

// describe is a cluster's state in one line.
func (a *app) describe(s cluster.Status) string {
	text := a.stateWord(s.State)
	for _, part := range []string{s.Provider, s.Version, s.URL} {
		if part != "" {
			text += ", " + part
		}
	}
	return text
}

func (a *app) stateWord(s cluster.State) string {
	switch s {
	case cluster.StateRunning:
		return a.out.good(string(s))
	case cluster.StateFailed:
		return a.out.bad(string(s))
	}
	return a.out.warn(string(s))
}

// otherKubeconfig is the value of KUBECONFIG when it names anything else than
// the workshop's own file, or "".
func otherKubeconfig() string {
	env := os.Getenv(cluster.KubeconfigEnv)
	if own, err := cluster.KubeconfigPath(); err == nil && env == own {
		return ""
	}
	return env
}

// clusterInUse is how the cluster is that programs and checks would use: the one
// that KUBECONFIG names, or else the workshop's own.
func clusterInUse(ctx context.Context) (cluster.Status, error) {
	env := otherKubeconfig()
	if env == "" {
		return clusterStatus(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, statusTimeout)
	defer cancel()
	status := cluster.Status{Provider: "from KUBECONFIG", State: cluster.StateRunning, Kubeconfig: env}
	cfg, err := cluster.Config(ctx)
	if err != nil {
		status.State, status.Detail = cluster.StateFailed, err.Error()
		return status, nil
	}
	status.URL = cfg.Host
	return status, nil
}

// warnOfKubeconfig says when programs and checks use another cluster than the
// one that 'up' and 'status' are about, which s is the state of.
func (a *app) warnOfKubeconfig(ctx context.Context, s cluster.Status) {
	env := otherKubeconfig()
	if env == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, statusTimeout)
	defer cancel()
	theirs, err := cluster.Config(ctx)
	if err == nil && theirs.Host == s.URL {
		return
	}
	a.err.line("%s KUBECONFIG is set to %s: your programs and checks use that one, not this cluster", a.err.warn("note:"), env)
	if err != nil {
		a.err.line("%s", indent(err.Error(), 6))
	}
}

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

// requireCluster ends a command early when no program could do its work. It
// sends one GET.
func requireCluster(ctx context.Context) error {
	_, err := cluster.Config(ctx)
	return err
}
