package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/component-base/version"
)

// phase says how far the control plane has come. A process that was killed
// leaves its last phase behind, so readers must also check the lock or the pid.
type phase string

const (
	phaseStarting phase = "starting"
	phaseReady    phase = "ready"
	phaseStopping phase = "stopping"
	phaseFailed   phase = "failed"
)

// status is the content of DIR/status.json.
type status struct {
	PID       int       `json:"pid"`
	Phase     phase     `json:"phase"`
	URL       string    `json:"url,omitempty"`
	Version   string    `json:"version"`
	StartedAt time.Time `json:"startedAt"`
	Error     string    `json:"error,omitempty"`
}

// statusFile publishes the phase of this process.
type statusFile struct {
	mu   sync.Mutex
	path string
	now  status
}

// newStatusFile prepares the status of this process; nothing is written yet.
func newStatusFile(dir string) *statusFile {
	return &statusFile{
		path: filepath.Join(dir, "status.json"),
		now: status{
			PID:       os.Getpid(),
			Version:   version.Get().GitVersion,
			StartedAt: time.Now().UTC().Truncate(time.Second),
		},
	}
}

// setURL remembers the address for the next phase.
func (f *statusFile) setURL(url string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now.URL = url
}

// set writes the phase; cause is recorded for phaseFailed and may be nil.
func (f *statusFile) set(p phase, cause error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now.Phase = p
	f.now.Error = ""
	if cause != nil {
		f.now.Error = cause.Error()
	}
	data, err := json.MarshalIndent(f.now, "", "  ")
	if err != nil {
		return fmt.Errorf("encode status: %w", err)
	}
	if err := writeFileAtomic(f.path, append(data, '\n')); err != nil {
		return fmt.Errorf("publish phase %s: %w", p, err)
	}
	return nil
}
