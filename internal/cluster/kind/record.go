package kind

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"example.com/client-go-workshop/internal/cluster/statefile"
)

// record is what `up` notes of the cluster that it makes. The name alone is no
// proof: another clone, or the user by hand, may have a cluster of that name.
type record struct {
	// Runtime made the containers.
	Runtime string `json:"runtime"`
	// Begun is when that began. No container of the name was there then.
	Begun time.Time `json:"begun"`
	// Nodes are the containers' ids, none until the cluster was complete.
	Nodes []string `json:"nodes,omitempty"`
}

func (p *Provider) recordPath() string { return filepath.Join(p.dir(), "record.json") }

// readRecord returns nil when there is no record.
func (p *Provider) readRecord() (*record, error) {
	r, err := statefile.ReadJSON[record](p.recordPath())
	if err != nil {
		return nil, fmt.Errorf("read what is known of the kind cluster: %w", err)
	}
	return r, nil
}

func (p *Provider) writeRecord(r record) error {
	if err := statefile.WriteJSON(p.recordPath(), r); err != nil {
		return fmt.Errorf("note the kind cluster: %w", err)
	}
	return nil
}

func (p *Provider) removeRecord() error {
	if err := statefile.Remove(p.recordPath()); err != nil {
		return fmt.Errorf("forget the kind cluster: %w", err)
	}
	return nil
}

// owns reports whether all the containers are the record's: by their ids, or,
// when `up` was killed before it could note these, by the time they were made.
func (r *record) owns(nodes []node) bool {
	if r == nil {
		return false
	}
	for _, n := range nodes {
		known := slices.Contains(r.Nodes, n.ID)
		if len(r.Nodes) == 0 {
			known = !n.Created.Before(r.Begun)
		}
		if !known {
			return false
		}
	}
	return true
}
