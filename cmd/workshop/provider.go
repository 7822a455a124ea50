package main

import (
	"context"
	"errors"
	"fmt"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/cluster/embedded"
	existingcluster "example.com/client-go-workshop/internal/cluster/existing"
	"example.com/client-go-workshop/internal/cluster/kind"
)

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

// newProvider returns what makes the workshop's cluster.
func newProvider() (*embedded.Provider, error) {
	return embedded.New(embedded.Options{})
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
		return existingcluster.New(existingcluster.Options{
			Context: f.context, Rights: courseRights(),
			Confirm: func(question string) (bool, error) { return a.ask(question, f.yes) },
		})
	}
	return nil, usageError("there is no provider %q; there are embedded, kind and existing", name)
}

// courseRights are the rights that the course needs; none when it cannot be read,
// which other commands say.
func courseRights() []existingcluster.Right {
	c, err := openCourse()
	if err != nil {
		return nil
	}
	var rights []existingcluster.Right
	for _, r := range c.Rights() {
		rights = append(rights, existingcluster.Right{Words: r.Right, For: r.For})
	}
	return rights
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

// forget goes back to the default provider.
func forget() error {
	dir, err := cluster.StateDir()
	if err != nil {
		return err
	}
	return cluster.Choose(dir, embedded.Name)
}
