package kind

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// stopSeconds is how long a node may take to shut down, etcd first of all, before it
// is killed.
const stopSeconds = "30"

// clusterLabel is what kind puts on the containers of a cluster.
const clusterLabel = "io.x-k8s.kind.cluster"

// runtime is one container runtime's command line.
type runtime struct {
	name    string
	command commandFunc
}

// node is a container that kind made.
type node struct {
	ID      string    `json:"Id"`
	Name    string    `json:"Name"`
	Created time.Time `json:"Created"`
	State   struct {
		Running bool `json:"Running"`
	} `json:"State"`
}

// openRuntime returns the runtime to use, which answers. recorded is the one that
// made the cluster at hand, "" if none did.
func (p *Provider) openRuntime(ctx context.Context, recorded string) (*runtime, error) {
	names := runtimes()
	for _, chosen := range []string{p.options.Runtime, recorded} {
		if chosen != "" {
			names = []string{chosen}
			break
		}
	}
	for _, name := range names {
		r := &runtime{name: name, command: p.command}
		err := r.answers(ctx)
		if errors.Is(err, exec.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return r, nil
	}
	if len(names) == 1 {
		return nil, noRuntime(names[0])
	}
	return nil, noRuntime("")
}

// answers asks the runtime's daemon. Some versions of docker say that there is no
// daemon in the answer only.
func (r *runtime) answers(ctx context.Context) error {
	out, err := r.command(ctx, r.name, "info", "--format", "{{json .}}")
	if err != nil {
		return explain(r.name, err) // or exec.ErrNotFound, as it is
	}
	var info struct{ ServerErrors []string }
	if json.Unmarshal([]byte(out), &info) == nil && len(info.ServerErrors) > 0 {
		return explain(r.name, &commandError{Name: r.name, Output: strings.Join(info.ServerErrors, "\n")})
	}
	return nil
}

// run runs a command of the runtime and says in words why it failed.
func (r *runtime) run(ctx context.Context, args ...string) (string, error) {
	out, err := r.command(ctx, r.name, args...)
	if errors.Is(err, exec.ErrNotFound) {
		return "", noRuntime(r.name)
	}
	if err != nil {
		return out, explain(r.name, err)
	}
	return out, nil
}

// nodes returns the containers of the cluster, running or not.
func (r *runtime) nodes(ctx context.Context) ([]node, error) {
	out, err := r.run(ctx, "ps", "-a", "-q", "--no-trunc", "--filter", "label="+clusterLabel+"="+ClusterName)
	if err != nil {
		return nil, fmt.Errorf("list the nodes: %w", err)
	}
	ids := strings.Fields(out)
	if len(ids) == 0 {
		return nil, nil
	}
	if out, err = r.run(ctx, append([]string{"container", "inspect"}, ids...)...); err != nil {
		return nil, fmt.Errorf("look at the nodes: %w", err)
	}
	var nodes []node
	if err := json.Unmarshal([]byte(out), &nodes); err != nil {
		return nil, fmt.Errorf("look at the nodes: %s gives an answer that is not understood: %w", r.name, err)
	}
	return nodes, nil
}

func (r *runtime) start(ctx context.Context, nodes []node) error {
	return r.each(ctx, "start", nodes, "start")
}

func (r *runtime) stop(ctx context.Context, nodes []node) error {
	return r.each(ctx, "stop", nodes, "stop", "-t", stopSeconds)
}

// remove removes these containers and their volumes, and nothing else.
func (r *runtime) remove(ctx context.Context, nodes []node) error {
	return r.each(ctx, "remove", nodes, "rm", "-f", "-v")
}

// each runs one command on these containers, if there are any.
func (r *runtime) each(ctx context.Context, doing string, nodes []node, args ...string) error {
	if len(nodes) == 0 {
		return nil
	}
	if _, err := r.run(ctx, append(args, ids(nodes)...)...); err != nil {
		return fmt.Errorf("%s the nodes: %w", doing, err)
	}
	return nil
}

// inState are the nodes that run, or those that do not.
func inState(nodes []node, running bool) []node {
	return slices.DeleteFunc(slices.Clone(nodes), func(n node) bool { return n.State.Running != running })
}

func (r *runtime) hasImage(ctx context.Context, image string) (bool, error) {
	_, err := r.command(ctx, r.name, "image", "inspect", image)
	var failed *commandError
	if errors.As(err, &failed) {
		return false, nil
	}
	return err == nil, err
}

func ids(nodes []node) []string {
	var all []string
	for _, n := range nodes {
		all = append(all, n.ID)
	}
	return all
}

func names(nodes []node) string {
	var all []string
	for _, n := range nodes {
		all = append(all, strings.TrimPrefix(n.Name, "/"))
	}
	return strings.Join(all, ", ")
}
