package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Provider makes one kind of cluster. All methods may be called at the same
// time, also by several processes.
type Provider interface {
	// Name is the provider's name, as in the marker and in Status.
	Name() string

	// Up makes the cluster run and bear the marker; it does nothing when that
	// is so. It tells p what takes time.
	Up(ctx context.Context, p Progress) error

	// Down stops the cluster and keeps its data, or removes that as well when
	// purge is set. A cluster that does not run is no error.
	Down(ctx context.Context, purge bool) error

	// Status tells what is there. An error means that this could not be found
	// out; a broken cluster is a State, not an error.
	Status(ctx context.Context) (Status, error)
}

// State is what a cluster is doing.
type State string

// The states of a cluster.
const (
	StateAbsent   State = "absent"   // never set up, or purged
	StateStopped  State = "stopped"  // not running, its data is kept
	StateStarting State = "starting" // not ready yet
	StateRunning  State = "running"  // answers
	StateFailed   State = "failed"   // gave up, or runs without answering
)

// Status is a cluster's condition.
type Status struct {
	// Provider is the provider's name.
	Provider string `json:"provider"`
	// State is one of the constants above.
	State State `json:"state"`
	// URL is the API server's address, "" unless it runs.
	URL string `json:"url,omitempty"`
	// Version is the server's, for example v1.37.2.
	Version string `json:"version,omitempty"`
	// Kubeconfig is the absolute path of the kubeconfig.
	Kubeconfig string `json:"kubeconfig,omitempty"`
	// PID is the cluster's process, 0 if there is none.
	PID int `json:"pid,omitempty"`
	// Since is when the process started, zero if there is none.
	Since time.Time `json:"since,omitzero"`
	// Detail is a sentence on what is wrong and what to do, or "".
	Detail string `json:"detail,omitempty"`
}

// Ask fills in how a cluster is that runs, as far as is known: with one GET of
// the marker, which may take timeout. An error means that ctx has ended.
func (s *Status) Ask(ctx context.Context, timeout time.Duration) error {
	asked, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cfg, err := LoadFile(s.Kubeconfig)
	if err == nil {
		err = Verify(asked, cfg)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("status of the %s cluster: %w", s.Provider, ctx.Err())
	}
	var refused *RefusedError
	switch {
	case err == nil:
		s.State = StateRunning
	case errors.Is(err, ErrNoCluster):
		s.State = StateFailed
		s.Detail = fmt.Sprintf("it runs, but its kubeconfig %s is gone; run: go tool workshop up", s.Kubeconfig)
	case errors.As(err, &refused):
		s.State = StateRunning
		s.Detail = fmt.Sprintf("it has no marker (%s); run: go tool workshop up", refused.Reason)
	default:
		line, _, _ := strings.Cut(err.Error(), "\n")
		s.State = StateFailed
		s.Detail = fmt.Sprintf("it runs but does not answer (%s); run: go tool workshop up", line)
	}
	return nil
}

// Progress receives what a long operation does. The caller renders it. Methods
// are called from one goroutine at a time.
type Progress interface {
	// Step says what begins now, or something worth a line.
	Step(text string)

	// Count says how much of the current step is done. total is 0 while it is
	// not known.
	Count(done, total int)
}

// Quiet is a Progress that drops everything.
type Quiet struct{}

// Step does nothing.
func (Quiet) Step(string) {}

// Count does nothing.
func (Quiet) Count(int, int) {}

// choiceFile names the provider of a state directory.
const choiceFile = "provider"

// Chosen returns the name of the provider that the last `up` in a state directory
// used, "" if there was none.
func Chosen(stateDir string) (string, error) {
	data, err := os.ReadFile(filepath.Join(stateDir, choiceFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read which cluster was chosen: %w", err)
	}
	return strings.TrimSpace(string(data)), nil
}

// Choose notes the provider for later commands.
func Choose(stateDir, name string) error {
	err := os.MkdirAll(stateDir, 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(stateDir, choiceFile), []byte(name+"\n"), 0o600)
	}
	if err != nil {
		return fmt.Errorf("note which cluster was chosen: %w", err)
	}
	return nil
}
