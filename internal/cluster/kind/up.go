package kind

import (
	"context"
	"fmt"
	"time"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/cluster/statefile"
	"example.com/client-go-workshop/internal/sleep"
)

// Up makes the cluster run and bear the marker: it creates the nodes when there
// are none, and starts them again when they were stopped or killed. Nodes that
// run stay as they are.
//
// A cluster of the same name that somebody else made is left alone. When ctx
// ends, a half-made cluster is removed. Errors whose cause is known are an
// [*Error] and carry a remedy.
func (p *Provider) Up(ctx context.Context, progress cluster.Progress) error {
	return statefile.Exclusive(ctx, p.options.StateDir, progress, func() error { return p.up(ctx, progress) })
}

func (p *Provider) up(ctx context.Context, progress cluster.Progress) error {
	rec, err := p.readRecord()
	if err != nil {
		return err
	}
	made := ""
	if rec != nil {
		made = rec.Runtime
	}
	rt, err := p.openRuntime(ctx, made)
	if err != nil {
		return err
	}
	if made != "" && rt.name != made {
		return fmt.Errorf("the cluster was made with %s; remove it before you make one with %s: go tool workshop down --purge", made, rt.name)
	}
	nodes, err := rt.nodes(ctx)
	if err != nil {
		return err
	}
	switch {
	case len(nodes) == 0:
		return p.create(ctx, rt, progress)
	case !rec.owns(nodes):
		return clash(rt, nodes)
	case len(rec.Nodes) == 0:
		progress.Step("a cluster was left half-made; it is made anew")
		if err := rt.remove(ctx, nodes); err != nil {
			return err
		}
		return p.create(ctx, rt, progress)
	case len(nodes) < len(rec.Nodes):
		return fmt.Errorf("%d of the cluster's %d nodes are gone; what is left cannot be mended, so remove it: go tool workshop down "+
			"--purge, then: go tool workshop up",
			len(rec.Nodes)-len(nodes), len(rec.Nodes))
	case p.options.Nodes > 1 && p.options.Nodes != len(nodes): // 1 is what nobody asked for, too
		return fmt.Errorf("the cluster has another number of nodes than %d (%s); remove it before you make one with %d: go tool workshop "+
			"down --purge",
			p.options.Nodes, names(nodes), p.options.Nodes)
	}
	return p.resume(ctx, rt, nodes, progress)
}

func clash(rt *runtime, nodes []node) error {
	return &Error{
		Cause: fmt.Sprintf("there is a kind cluster named %s already (%s), and this clone of the workshop did not make it; nothing was "+
			"changed there",
			ClusterName, names(nodes)),
		Remedy: fmt.Sprintf("if another clone made it, use it from there; if nobody needs it, remove it: kind delete cluster --name %s, or: "+
			"%s rm -f -v %s",
			ClusterName, rt.name, names(nodes)),
	}
}

// resume starts the nodes that do not run and waits for the API server.
func (p *Provider) resume(ctx context.Context, rt *runtime, nodes []node, progress cluster.Progress) error {
	if stopped := inState(nodes, false); len(stopped) > 0 {
		progress.Step("starting the cluster's nodes again: " + names(stopped))
		if err := rt.start(ctx, stopped); err != nil {
			return err
		}
	}
	if err := p.writeKubeconfig(rt); err != nil {
		return err
	}
	if err := p.waitUsable(ctx, progress); err != nil {
		return fmt.Errorf("%w\n  remedy: go tool workshop down --purge, then go tool workshop up makes a new cluster (what is in this one is "+
			"lost)", err)
	}
	return nil
}

// readyPoll is how often a cluster that starts is asked.
const readyPoll = 500 * time.Millisecond

// waitUsable waits until the API server takes the marker and every node is ready.
func (p *Provider) waitUsable(ctx context.Context, progress cluster.Progress) error {
	progress.Step("waiting for the nodes to be ready")
	limited, cancel := context.WithTimeout(ctx, p.options.ReadyTimeout)
	defer cancel()
	for {
		err := p.usable(limited)
		if err == nil {
			return nil
		}
		if sleep.For(limited, readyPoll) != nil {
			if ctx.Err() != nil {
				return fmt.Errorf("wait for the kind cluster: %w", ctx.Err())
			}
			return fmt.Errorf("the kind cluster is not ready after %s: %w", p.options.ReadyTimeout, err)
		}
	}
}

func (p *Provider) usable(ctx context.Context) error {
	cfg, err := cluster.LoadFile(p.KubeconfigPath())
	if err != nil {
		return err
	}
	if err := nodesReady(ctx, cfg); err != nil {
		return err
	}
	return cluster.Mark(ctx, cfg, Name)
}
