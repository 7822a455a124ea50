package kind

import (
	"context"
	"fmt"
	"time"

	"example.com/client-go-workshop/internal/cluster"
)

// answerTimeout is how long a running cluster may take to answer before Status
// calls it failed.
const answerTimeout = 5 * time.Second

// Status tells what the cluster does. It changes nothing.
func (p *Provider) Status(ctx context.Context) (cluster.Status, error) {
	s := cluster.Status{Provider: Name, Kubeconfig: p.KubeconfigPath(), State: cluster.StateAbsent}
	rec, err := p.readRecord()
	if err != nil || rec == nil {
		return s, err
	}
	rt := &runtime{name: rec.Runtime, command: p.command}
	nodes, err := rt.nodes(ctx)
	if ctx.Err() != nil {
		return s, fmt.Errorf("status of the kind cluster: %w", ctx.Err())
	}
	if err != nil {
		s.State, s.Detail = cluster.StateFailed, err.Error()
		return s, nil
	}
	running := len(inState(nodes, true))
	switch {
	case len(nodes) == 0:
		s.Detail = "its containers are gone; run: go tool workshop up"
	case !rec.owns(nodes):
		s.Detail = fmt.Sprintf("its containers are gone, and somebody else has a kind cluster of that name (%s)", names(nodes))
	case len(rec.Nodes) == 0:
		s.State, s.Detail = cluster.StateStarting, "it is being made, or that was interrupted; run: go tool workshop up"
	case running == 0:
		s.State = cluster.StateStopped
	case running < len(rec.Nodes):
		s.State, s.Detail = cluster.StateFailed, fmt.Sprintf("%d of %d nodes run; run: go tool workshop up", running, len(rec.Nodes))
	default:
		return s, p.describeRunning(ctx, &s)
	}
	return s, nil
}

// describeRunning asks a cluster whose nodes run.
func (p *Provider) describeRunning(ctx context.Context, s *cluster.Status) error {
	if err := s.Ask(ctx, answerTimeout); err != nil {
		return err
	}
	cfg, err := cluster.LoadFile(p.KubeconfigPath())
	if err != nil {
		return nil // Ask has said so
	}
	s.URL = cfg.Host
	if s.State == cluster.StateRunning && s.Detail == "" {
		ctx, cancel := context.WithTimeout(ctx, answerTimeout)
		defer cancel()
		s.Version = serverVersion(ctx, cfg)
	}
	return nil
}
