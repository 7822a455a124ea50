package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"example.com/client-go-workshop/internal/cluster"
)

// statusTimeout bounds how long a command waits to learn how the cluster is.
const statusTimeout = 15 * time.Second

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

// requireCluster ends a command early when no program could do its work. It
// sends one GET.
func requireCluster(ctx context.Context) error {
	_, err := cluster.Config(ctx)
	return err
}
