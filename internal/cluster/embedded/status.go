package embedded

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/cluster/statefile"
)

// answerTimeout is how long a running cluster may take to answer before Status
// calls it failed.
const answerTimeout = 3 * time.Second

// Status tells what the cluster does. It changes nothing, and sends one GET to
// a cluster that says that it is ready.
func (p *Provider) Status(ctx context.Context) (cluster.Status, error) {
	s := cluster.Status{Provider: Name, Kubeconfig: p.KubeconfigPath()}
	r := p.readReport()
	found := p.recognise(ctx, r.PID)
	if found == nil && isLocked(filepath.Join(p.options.StateDir, statefile.UpLock)) {
		// A process may be about to lock the directory: find would look at
		// that lock and could get into its way.
		s.State, s.Detail = cluster.StateStarting, "another command starts or stops it at this moment"
		return s, nil
	}
	if found == nil {
		var err error
		if found, err = p.find(ctx); err != nil {
			return s, fmt.Errorf("status of the cluster: %w", err)
		}
	}
	if found == nil {
		p.describeStopped(&s, r)
		return s, nil
	}
	r = p.reportOf(found)
	s.PID, s.URL, s.Version, s.Since = found.Pid, r.URL, r.Version, r.since()
	return s, p.describeRunning(ctx, &s, r)
}

// describeStopped fills in what is known of a cluster without a process.
func (p *Provider) describeStopped(s *cluster.Status, r report) {
	switch {
	case !p.hasData():
		s.State = cluster.StateAbsent
	case r.Phase == phaseFailed:
		s.State = cluster.StateFailed
		s.Detail = fmt.Sprintf("the last start failed: %s; see %s, then run: go tool workshop up", r.Error, p.LogPath())
	case r.Phase == phaseReady, r.Phase == phaseStarting:
		s.State = cluster.StateStopped
		s.Detail = "it ended without being stopped; its data is kept, run: go tool workshop up"
	default:
		s.State = cluster.StateStopped
	}
}

func (p *Provider) describeRunning(ctx context.Context, s *cluster.Status, r report) error {
	switch r.Phase {
	case phaseReady:
		return s.Ask(ctx, answerTimeout)
	case phaseStopping:
		s.State = cluster.StateStopped
		s.Detail = fmt.Sprintf("its process (pid %d) is about to end", s.PID)
	case phaseFailed:
		s.State = cluster.StateFailed
		s.Detail = fmt.Sprintf("the start failed: %s; see %s", r.Error, p.LogPath())
	default:
		s.State = cluster.StateStarting
	}
	return nil
}

// hasData reports whether the control plane ever wrote something.
func (p *Provider) hasData() bool {
	entries, err := os.ReadDir(p.clusterDir())
	return err == nil && len(entries) > 0
}
