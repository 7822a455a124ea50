// Package existing takes over a cluster that is there already and that the user
// names on purpose: one that a class shares, or one in a cloud.
//
// What it keeps:
//
//	<state>/kubeconfig     a copy of that one context, mode 0600
//	<state>/existing.json  which context it was
package existing

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/cluster/access"
	"example.com/client-go-workshop/internal/cluster/namespacelease"
	"example.com/client-go-workshop/internal/cluster/statefile"
)

// Name is the provider's name in a marker and in a status.
const Name = "existing"

// ErrDeclined is returned when the user does not want the cluster marked, or a
// namespace given to the checks.
var ErrDeclined = errors.New("declined, and nothing was changed there")

// Options say which cluster to take. The zero value of each field means its
// default.
type Options struct {
	// StateDir holds the kubeconfig; default cluster.StateDir().
	StateDir string
	// Context is the context in the user's own kubeconfig; default the one
	// that was taken before.
	Context string
	// Confirm asks the user whether to mark a cluster. Without it an unmarked
	// one is declined.
	Confirm func(question string) (bool, error)
	// Rights are those whose lack Up tells.
	Rights []Right
}

// Provider is one cluster that somebody else made.
type Provider struct {
	options Options
}

var _ cluster.Provider = (*Provider)(nil)

// New returns the existing cluster. Nothing is read yet.
func New(o Options) (*Provider, error) {
	if o.StateDir == "" {
		dir, err := cluster.StateDir()
		if err != nil {
			return nil, fmt.Errorf("existing cluster: %w", err)
		}
		o.StateDir = dir
	}
	if o.Confirm == nil {
		o.Confirm = func(string) (bool, error) { return false, nil }
	}
	return &Provider{options: o}, nil
}

// Name returns "existing".
func (p *Provider) Name() string { return Name }

// KubeconfigPath returns the absolute path of the copy that the workshop uses.
func (p *Provider) KubeconfigPath() string { return filepath.Join(p.options.StateDir, "kubeconfig") }

// record is what was taken.
type record struct {
	Context string `json:"context"`
	Server  string `json:"server"`
}

func (p *Provider) recordPath() string { return filepath.Join(p.options.StateDir, "existing.json") }

func (p *Provider) readRecord() (*record, error) {
	r, err := statefile.ReadJSON[record](p.recordPath())
	if err != nil {
		return nil, fmt.Errorf("read which cluster was taken: %w", err)
	}
	return r, nil
}

// Up verifies the context, asks before it marks the cluster, and copies the
// context into the workshop's kubeconfig. It says which chapters' steps cannot
// run because the user lacks the rights.
func (p *Provider) Up(ctx context.Context, progress cluster.Progress) error {
	name, err := p.contextName()
	if err != nil {
		return err
	}
	config, ns, err := load(name)
	if err != nil {
		return err
	}
	cfg, err := clientcmd.NewDefaultClientConfig(*config, &clientcmd.ConfigOverrides{}).ClientConfig()
	if err != nil {
		return fmt.Errorf("context %s: %w", name, err)
	}
	if err := p.mark(ctx, cfg, name); err != nil {
		return err
	}
	notes, err := missing(ctx, cfg, p.options.Rights, ns)
	if err != nil {
		return err
	}
	free, err := access.May(ctx, cfg, ownNamespaces())
	if err != nil {
		return err
	}
	if !free {
		if err := p.allot(ctx, cfg, name, ns); err != nil {
			return err
		}
		config.Contexts[cluster.ContextName].Namespace = ns
		progress.Step(fmt.Sprintf("note: the checks work in namespace %s, one after another", ns))
	}
	if err := p.keep(config, record{Context: name, Server: cfg.Host}); err != nil {
		return err
	}
	for _, note := range notes {
		progress.Step("note: " + note)
	}
	return nil
}

// allot gives the one namespace of a user who may not make any to the checks.
func (p *Provider) allot(ctx context.Context, cfg *rest.Config, contextName, ns string) error {
	if ns == "" {
		return fmt.Errorf("you may not make namespaces at %s, and context %s names none to work in; name yours:\n  kubectl config "+
			"set-context %s --namespace NAMESPACE", cfg.Host, contextName, contextName)
	}
	prepared, err := namespacelease.Prepared(ctx, cfg, ns)
	if err != nil || prepared {
		return err
	}
	yes, err := p.options.Confirm(fmt.Sprintf("You may not make namespaces there, so the checks would work in yours, %s.\nEach check "+
		"removes all of these that it finds there: %s.\nConfigMaps that are there now stay.\nGive namespace %s to the checks?",
		ns, strings.Join(namespacelease.RemovesInWords(), ", "), ns))
	if err != nil {
		return err
	}
	if !yes {
		return fmt.Errorf("namespace %s at %s: %w", ns, cfg.Host, ErrDeclined)
	}
	return namespacelease.Prepare(ctx, cfg, ns)
}

// contextName is the context to take: the one that was named, or that of before.
func (p *Provider) contextName() (string, error) {
	if p.options.Context != "" {
		return p.options.Context, nil
	}
	rec, err := p.readRecord()
	if err != nil {
		return "", err
	}
	if rec == nil {
		return "", errors.New("which cluster? name its context on purpose: go tool workshop up --provider existing --context NAME")
	}
	return rec.Context, nil
}

// load returns the user's own kubeconfig, cut down to one context under the
// workshop's names, with the files that it names taken in, and the namespace of that
// context, "" if it names none.
func load(name string) (config *clientcmdapi.Config, namespace string, err error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.WarnIfAllMissing = false
	rules.MigrationRules = nil
	raw, err := rules.Load()
	if err != nil {
		return nil, "", fmt.Errorf("read your kubeconfig: %w", err)
	}
	if raw.Contexts[name] == nil {
		return nil, "", fmt.Errorf("no context %q in %s; there is: %s\n  if it is in another file: export KUBECONFIG=FILE", name,
			strings.Join(rules.GetLoadingPrecedence(), ", "), contexts(raw))
	}
	raw.CurrentContext = name
	if err := clientcmdapi.MinifyConfig(raw); err != nil {
		return nil, "", fmt.Errorf("read your kubeconfig: %w", err)
	}
	if err := clientcmdapi.FlattenConfig(raw); err != nil {
		return nil, "", fmt.Errorf("read your kubeconfig: %w", err)
	}
	return cluster.Renamed(raw), raw.Contexts[name].Namespace, nil
}

func contexts(raw *clientcmdapi.Config) string {
	var all []string
	for name := range raw.Contexts {
		all = append(all, name)
	}
	if len(all) == 0 {
		return "none"
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// mark marks the cluster, unless it bears the marker: then it was marked on
// purpose before, by this user or by the class's teacher.
func (p *Provider) mark(ctx context.Context, cfg *rest.Config, name string) error {
	err := cluster.Verify(ctx, cfg)
	var refused *cluster.RefusedError
	if !errors.As(err, &refused) {
		return err
	}
	yes, err := p.options.Confirm(fmt.Sprintf("Context %s leads to %s.\nThe workshop's programs and checks create and delete namespaces, "+
		"workloads and custom resources there.\nMark it as the workshop's cluster?", name, cfg.Host))
	if err != nil {
		return err
	}
	if !yes {
		return fmt.Errorf("context %s at %s: %w", name, cfg.Host, ErrDeclined)
	}
	if err := cluster.Mark(ctx, cfg, Name); err != nil {
		return fmt.Errorf("%w\n  if you lack the rights, somebody who has them can do it once: docs/kind.md says how", err)
	}
	return nil
}

func (p *Provider) keep(config *clientcmdapi.Config, r record) error {
	data, err := clientcmd.Write(*config)
	if err != nil {
		return fmt.Errorf("write the kubeconfig: %w", err)
	}
	if err := statefile.Write(p.KubeconfigPath(), data); err != nil {
		return fmt.Errorf("write the kubeconfig: %w", err)
	}
	if err := statefile.WriteJSON(p.recordPath(), r); err != nil {
		return fmt.Errorf("note which cluster was taken: %w", err)
	}
	return nil
}

// Down lets go of the cluster when purge is set: the copy of the kubeconfig is
// removed. The cluster itself was not started by the workshop and is not stopped,
// and its marker stays, since others may use it.
func (p *Provider) Down(_ context.Context, purge bool) error {
	if !purge {
		return nil
	}
	rec, err := p.readRecord()
	if err != nil || rec == nil {
		return err
	}
	if err := statefile.Remove(p.KubeconfigPath(), p.recordPath()); err != nil {
		return fmt.Errorf("let go of the cluster: %w", err)
	}
	return nil
}

// Status asks the cluster for its marker, with one GET.
func (p *Provider) Status(ctx context.Context) (cluster.Status, error) {
	s := cluster.Status{Provider: Name, Kubeconfig: p.KubeconfigPath(), State: cluster.StateAbsent}
	rec, err := p.readRecord()
	if err != nil || rec == nil {
		return s, err
	}
	s.URL = rec.Server
	cfg, err := cluster.LoadFile(p.KubeconfigPath())
	if err == nil {
		err = cluster.Verify(ctx, cfg)
	}
	switch {
	case ctx.Err() != nil:
		return s, fmt.Errorf("status of the existing cluster: %w", ctx.Err())
	case err == nil:
		s.State = cluster.StateRunning
	default:
		line, _, _ := strings.Cut(err.Error(), "\n")
		s.State = cluster.StateFailed
		s.Detail = fmt.Sprintf("%s (context %s of your kubeconfig)", line, rec.Context)
	}
	return s, nil
}
