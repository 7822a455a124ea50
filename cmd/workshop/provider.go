package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/cluster/embedded"
	existingcluster "example.com/client-go-workshop/internal/cluster/existing"
	"example.com/client-go-workshop/internal/cluster/kind"
)

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

// chosenName is the provider to use: the one that is asked for, that of the last
// `up`, or the default.
func chosenName(asked string) (string, error) {
	if asked != "" {
		return asked, nil
	}
	dir, err := cluster.StateDir()
	if err != nil {
		return "", err
	}
	name, err := cluster.Chosen(dir)
	if err == nil && name == "" {
		name = embedded.Name
	}
	return name, err
}

// openProvider returns the provider of that name.
func (a *app) openProvider(name string, f upFlags) (cluster.Provider, error) {
	switch name {
	case embedded.Name:
		return newProvider()
	case kind.Name:
		p, err := kind.New(kind.Options{Runtime: f.runtime, Image: f.image, Nodes: f.nodes})
		if err != nil {
			return nil, &exitError{code: exitUsage, err: err}
		}
		return p, nil
	case existingcluster.Name:
		return existingcluster.New(existingcluster.Options{Context: f.context, Confirm: a.confirm(f.yes)})
	}
	return nil, usageError("there is no provider %q; there are embedded, kind and existing", name)
}

// currentProvider returns the provider that the last `up` used.
func currentProvider() (cluster.Provider, error) {
	name, err := chosenName("")
	if err != nil {
		return nil, err
	}
	return (&app{}).openProvider(name, upFlags{})
}

// choose makes a provider the current one. The one before is stopped, since both
// would write the same kubeconfig; its data stays. The function that it returns
// goes back to that one, running if it ran, for the case that the new one does not
// start.
func (a *app) choose(ctx context.Context, name string) (back func() error, err error) {
	dir, err := cluster.StateDir()
	if err != nil {
		return nil, err
	}
	before, err := chosenName("")
	if err != nil {
		return nil, err
	}
	again := func() error { return nil }
	if before != name {
		if again, err = a.leave(ctx, before); err != nil {
			return nil, err
		}
	}
	back = func() error { return errors.Join(cluster.Choose(dir, before), again()) }
	return back, cluster.Choose(dir, name)
}

// leave stops a provider's cluster that another one is to replace, and returns
// what starts it again.
func (a *app) leave(ctx context.Context, name string) (again func() error, err error) {
	again = func() error { return nil }
	p, err := a.openProvider(name, upFlags{})
	if err != nil {
		return again, err
	}
	status, err := p.Status(ctx)
	if err != nil {
		return again, fmt.Errorf("read the status of the %s cluster: %w", name, err)
	}
	if status.State == cluster.StateAbsent || status.State == cluster.StateStopped || name == existingcluster.Name {
		return again, nil
	}
	a.err.line("stopping the %s cluster first; its data is kept", name)
	if err := p.Down(ctx, false); err != nil {
		return again, fmt.Errorf("stop the %s cluster: %w", name, err)
	}
	return func() error {
		a.err.line("starting the %s cluster again", name)
		bar := newProgressBar(a.err)
		defer bar.close()
		if err := p.Up(ctx, bar); err != nil {
			return fmt.Errorf("start the %s cluster again: %w", name, err)
		}
		return nil
	}, nil
}

// confirm asks a question on the terminal. Where there is none, the answer is no
// unless --yes was given.
func (a *app) confirm(yes bool) func(string) (bool, error) {
	return func(question string) (bool, error) {
		if yes {
			return true, nil
		}
		if a.in == nil || !a.err.terminal {
			return false, usageError("%s\nthere is no terminal to answer on; if you mean it, add --yes", question)
		}
		_, _ = fmt.Fprintf(a.err, "%s [y/N] ", question)
		answer, err := bufio.NewReader(a.in).ReadString('\n')
		if err != nil && answer == "" {
			return false, nil // the end of the input is a no
		}
		answer = strings.ToLower(strings.TrimSpace(answer))
		return answer == "y" || answer == "yes", nil
	}
}

// forget goes back to the default provider.
func forget() error {
	dir, err := cluster.StateDir()
	if err != nil {
		return err
	}
	return cluster.Choose(dir, embedded.Name)
}
