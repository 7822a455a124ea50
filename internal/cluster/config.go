package cluster

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Config returns the rest.Config of the workshop's cluster, verified and
// guarded as by [Guard]: from KUBECONFIG's current context when that variable
// is set, else from the workshop's own kubeconfig.
//
// The error matches [ErrNoCluster] when nothing is set up; else errors are
// those of [Verify].
func Config(ctx context.Context) (*rest.Config, error) {
	cfg, from, err := load()
	if err != nil {
		return nil, err
	}
	return guard(ctx, cfg, from.name)
}

// Load returns the rest.Config of one context of a kubeconfig, verified and
// guarded as by [Guard]. An empty kubeconfig means the files that kubectl would
// read, an empty contextName the current context. It is for the chapters'
// programs, which have a flag for each.
//
// The error matches [ErrNoCluster] when there is no such file; else errors are
// those of [Verify].
func Load(ctx context.Context, kubeconfig, contextName string) (*rest.Config, error) {
	rules := userRules()
	rules.ExplicitPath = kubeconfig
	cfg, from, err := loadRules(rules, contextName)
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNoCluster
	}
	if err != nil {
		return nil, fmt.Errorf("load kubeconfig %q: %w", kubeconfig, err)
	}
	return guard(ctx, cfg, from.name)
}

// origin is the context that a rest.Config came from, which does not carry it.
type origin struct{ name, namespace string }

// load returns the config to verify and the context it came from.
func load() (*rest.Config, origin, error) {
	path, err := DefaultKubeconfig()
	if err != nil {
		return nil, origin{}, err
	}
	if path == "" {
		return loadEnv()
	}
	return loadFile(path)
}

// DefaultNamespace returns the namespace of the context that [Config] uses, "" if
// it names none. The error matches [ErrNoCluster] when nothing is set up.
func DefaultNamespace() (string, error) {
	_, from, err := load()
	return from.namespace, err
}

// LoadFile returns the rest.Config of a kubeconfig file's current context as it
// is, neither verified nor guarded. It is for the makers of clusters, which
// must talk to a server before it can bear the marker.
//
// The error matches [ErrNoCluster] when there is no such file.
func LoadFile(path string) (*rest.Config, error) {
	cfg, _, err := loadFile(path)
	return cfg, err
}

func loadFile(path string) (*rest.Config, origin, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, origin{}, ErrNoCluster
	}
	cfg, from, err := loadRules(&clientcmd.ClientConfigLoadingRules{ExplicitPath: path}, "")
	if err != nil {
		return nil, origin{}, fmt.Errorf("kubeconfig %s: %w", path, err)
	}
	return cfg, from, nil
}

func loadEnv() (*rest.Config, origin, error) {
	cfg, from, err := loadRules(userRules(), "")
	if err != nil {
		return nil, origin{}, &NoContextError{Kubeconfig: kubeconfigEnv(), Err: err}
	}
	return cfg, from, nil
}

// userRules reads the files that kubectl would read, and only reads: it neither
// warns nor moves a file from where old versions kept it.
func userRules() *clientcmd.ClientConfigLoadingRules {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.WarnIfAllMissing = false
	rules.MigrationRules = nil
	return rules
}

// loadRules loads without clientcmd's fallback to the service account of a pod:
// what is not in the files is not the workshop's cluster.
func loadRules(rules *clientcmd.ClientConfigLoadingRules, contextName string) (*rest.Config, origin, error) {
	raw, err := rules.Load()
	if err != nil {
		return nil, origin{}, err
	}
	cfg, err := clientcmd.NewNonInteractiveClientConfig(*raw, contextName, &clientcmd.ConfigOverrides{}, rules).ClientConfig()
	if err != nil {
		return nil, origin{}, err
	}
	from := origin{name: cmp.Or(contextName, raw.CurrentContext)}
	if c := raw.Contexts[from.name]; c != nil {
		from.namespace = c.Namespace
	}
	return cfg, from, nil
}

// contextOf returns the name of the context that leads to cfg's server, as far
// as the kubeconfigs at hand tell: those that clientcmd would read, then the
// workshop's own. A rest.Config does not carry the name itself.
func contextOf(cfg *rest.Config) string {
	rules := userRules()
	if name := contextIn(rules, cfg); name != "" {
		return name
	}
	path, err := KubeconfigPath()
	if err != nil {
		return ""
	}
	return contextIn(&clientcmd.ClientConfigLoadingRules{ExplicitPath: path}, cfg)
}

func contextIn(rules *clientcmd.ClientConfigLoadingRules, cfg *rest.Config) string {
	raw, err := rules.Load()
	if err != nil {
		return ""
	}
	var names []string
	for name, c := range raw.Contexts {
		if leadsTo(raw, c, cfg) {
			names = append(names, name)
		}
	}
	if slices.Contains(names, raw.CurrentContext) {
		return raw.CurrentContext
	}
	slices.Sort(names)
	return strings.Join(names, " or ")
}

// leadsTo reports whether the context has cfg's server and, where they can be
// compared, cfg's credentials.
func leadsTo(raw *clientcmdapi.Config, c *clientcmdapi.Context, cfg *rest.Config) bool {
	cluster, user := raw.Clusters[c.Cluster], raw.AuthInfos[c.AuthInfo]
	if cluster == nil || cluster.Server != cfg.Host {
		return false
	}
	if user == nil {
		return true
	}
	return user.Token == cfg.BearerToken &&
		user.Username == cfg.Username &&
		user.ClientCertificate == cfg.CertFile &&
		bytes.Equal(user.ClientCertificateData, cfg.CertData)
}

// Renamed returns a kubeconfig with raw's current context alone, which must be
// there, under the workshop's names and with its default namespace.
func Renamed(raw *clientcmdapi.Config) *clientcmdapi.Config {
	from := raw.Contexts[raw.CurrentContext]
	to := clientcmdapi.NewConfig()
	to.Clusters[ContextName] = raw.Clusters[from.Cluster]
	if user := raw.AuthInfos[from.AuthInfo]; user != nil {
		to.AuthInfos[ContextName] = user
	}
	to.Contexts[ContextName] = &clientcmdapi.Context{Cluster: ContextName, AuthInfo: ContextName, Namespace: Namespace}
	to.CurrentContext = ContextName
	return to
}
