package kind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	kindcluster "sigs.k8s.io/kind/pkg/cluster"
	kindexec "sigs.k8s.io/kind/pkg/exec"
	"sigs.k8s.io/kind/pkg/log"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/cluster/statefile"
)

// kind returns kind's own provider for the runtime.
func (r *runtime) kind(logger log.Logger) *kindcluster.Provider {
	if logger == nil {
		logger = log.NoopLogger{}
	}
	with := kindcluster.ProviderWithDocker()
	switch r.name {
	case "podman":
		with = kindcluster.ProviderWithPodman()
	case "nerdctl":
		with = kindcluster.ProviderWithNerdctl("")
	}
	return kindcluster.NewProvider(kindcluster.ProviderWithLogger(logger), with)
}

// create makes a new cluster. Nothing half-made stays when it fails.
func (p *Provider) create(ctx context.Context, rt *runtime, progress cluster.Progress) error {
	image, err := p.image(ctx, rt, progress)
	if err != nil {
		return err
	}
	progress.Step("looking at the host from inside of a container")
	h, err := rt.probe(ctx, image)
	if err != nil {
		return err
	}
	plan, err := h.planFor(rt.name, p.options.Nodes)
	if err != nil {
		return err
	}
	for _, note := range plan.notes {
		progress.Step("note: " + note)
	}
	if err := p.writeRecord(record{Runtime: rt.name, Begun: time.Now()}); err != nil {
		return err
	}
	err = p.createNodes(ctx, rt, plan.config(image, p.options.Nodes), progress)
	if err == nil {
		err = p.finish(ctx, rt, progress)
	}
	if err != nil {
		return p.abandon(ctx, rt, err)
	}
	return nil
}

// finish notes the complete cluster and makes it usable.
func (p *Provider) finish(ctx context.Context, rt *runtime, progress cluster.Progress) error {
	nodes, err := rt.nodes(ctx)
	if err != nil {
		return err
	}
	if err := p.writeKubeconfig(rt); err != nil {
		return err
	}
	if err := p.waitUsable(ctx, progress); err != nil {
		return err
	}
	rec, err := p.readRecord()
	if err != nil {
		return err
	}
	if rec == nil {
		return errors.New("the record of the kind cluster was removed while it was made")
	}
	rec.Nodes = ids(nodes)
	return p.writeRecord(*rec)
}

// image returns the node image, which is there afterwards.
func (p *Provider) image(ctx context.Context, rt *runtime, progress cluster.Progress) (string, error) {
	candidates := []string{PublicImage, BuiltImage}
	if p.options.Image != "" {
		candidates = []string{p.options.Image}
	}
	for _, candidate := range candidates {
		for _, image := range localNames(rt, candidate) {
			there, err := rt.hasImage(ctx, image)
			if err != nil {
				return "", err
			}
			if there {
				return image, nil
			}
		}
	}
	image := candidates[0]
	progress.Step("downloading the node image " + image + ", some 400 MB, once")
	if _, err := rt.run(ctx, "pull", image); err != nil {
		return "", fmt.Errorf("download the node image %s: %w", image, err)
	}
	return image, nil
}

// localNames are what an image may be called that is there. Podman keeps what was
// loaded without a registry in its name under localhost, and kind reads a name
// without a registry as one of Docker Hub.
func localNames(rt *runtime, image string) []string {
	if rt.name == "podman" && !strings.Contains(image, "@") {
		return []string{"localhost/" + image, image}
	}
	return []string{image}
}

// config is the cluster in kind's terms.
func (p plan) config(image string, nodes int) *v1alpha4.Cluster {
	c := &v1alpha4.Cluster{
		Name:                    ClusterName,
		KubeadmConfigPatches:    p.kubeadmPatches,
		ContainerdConfigPatches: p.containerdPatches,
	}
	for i := range nodes {
		role := v1alpha4.WorkerRole
		if i == 0 {
			role = v1alpha4.ControlPlaneRole
		}
		c.Nodes = append(c.Nodes, v1alpha4.Node{Role: role, Image: image})
	}
	return c
}

// createNodes runs kind, which knows no context: when ctx ends, the containers
// are taken away from it, and it fails soon.
func (p *Provider) createNodes(ctx context.Context, rt *runtime, config *v1alpha4.Cluster, progress cluster.Progress) error {
	logger := &stepLogger{progress: progress}
	// kind insists on writing a kubeconfig. The learner's own one is none of its business.
	scratch := filepath.Join(p.dir(), "kubeconfig.kind")
	defer os.Remove(scratch)
	done := make(chan error, 1)
	go func() {
		done <- rt.kind(logger).Create(ClusterName,
			kindcluster.CreateWithV1Alpha4Config(config),
			kindcluster.CreateWithKubeconfigPath(scratch),
			kindcluster.CreateWithWaitForReady(p.options.ReadyTimeout),
			kindcluster.CreateWithRetain(true), // their logs tell the cause
		)
	}()
	select {
	case err := <-done:
		if err != nil {
			return p.diagnose(ctx, rt, err)
		}
		return nil
	case <-ctx.Done():
	}
	logger.close()
	for {
		_ = p.removeNodes(ctx, rt) // again below, with its error
		select {
		case <-done:
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// cleanUpTimeout bounds what is done after a failure or after Ctrl-C.
const cleanUpTimeout = time.Minute

// abandon removes what a failed start left.
func (p *Provider) abandon(ctx context.Context, rt *runtime, err error) error {
	if removeErr := p.removeNodes(ctx, rt); removeErr != nil {
		return fmt.Errorf("%w\n  what was made could not be removed: %w; run: go tool workshop down --purge", err, removeErr)
	}
	return errors.Join(err, p.removeRecord())
}

// removeNodes removes the nodes, also when ctx is over.
func (p *Provider) removeNodes(ctx context.Context, rt *runtime) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanUpTimeout)
	defer cancel()
	rec, err := p.readRecord()
	if err != nil {
		return err
	}
	nodes, err := rt.nodes(ctx)
	if err != nil || !rec.owns(nodes) {
		return err
	}
	return rt.remove(ctx, nodes)
}

// diagnose finds the cause of kind's failure in what kind and the nodes said.
func (p *Provider) diagnose(ctx context.Context, rt *runtime, err error) error {
	text := err.Error()
	if run := kindexec.RunErrorForError(err); run != nil {
		text += "\n" + string(run.Output)
	}
	logs := p.nodeLogs(ctx, rt)
	if writeErr := statefile.Write(p.LogPath(), []byte(text+"\n"+logs)); writeErr == nil {
		err = fmt.Errorf("make the nodes: %w\n  all of it: %s", err, p.LogPath())
	}
	told := explainText(rt.name, text, err)
	var explained *Error
	if !errors.As(told, &explained) {
		told = explainText(rt.name, logs, err)
	}
	return told
}

// nodeLogs returns what the nodes' systemd and kubelet said last.
func (p *Provider) nodeLogs(ctx context.Context, rt *runtime) string {
	nodes, err := rt.nodes(ctx)
	if err != nil {
		return ""
	}
	var all strings.Builder
	for _, n := range nodes {
		for _, args := range [][]string{
			{"logs", "--tail", "50", n.ID},
			{"exec", n.ID, "journalctl", "--no-pager", "-n", "80", "-u", "kubelet", "-u", "containerd"},
		} {
			out, err := rt.command(ctx, rt.name, args...)
			var failed *commandError
			if errors.As(err, &failed) {
				out = failed.Output
			}
			fmt.Fprintf(&all, "== %s %s\n%s\n", rt.name, strings.Join(args, " "), out)
		}
	}
	return all.String()
}
