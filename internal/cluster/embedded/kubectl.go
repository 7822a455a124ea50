package embedded

import (
	"context"
	"fmt"
	"strings"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/version"
)

// kubernetesModule is where kubectl's sources come from.
const kubernetesModule = "k8s.io/kubernetes"

// Kubectl returns the path of a kubectl of the cluster's own version, built now
// from the control plane's module if it is not in the cache. Use it where the
// user has none. See [Provider.Up] for what progress and ctx do.
func (p *Provider) Kubectl(ctx context.Context, progress cluster.Progress) (string, error) {
	prog, err := p.kubectl()
	if err != nil {
		return "", fmt.Errorf("build kubectl: %w", err)
	}
	built, err := p.ensure(ctx, prog, progress)
	if err != nil {
		return "", err
	}
	defer built.Close()
	return built.path, nil
}

// kubectl builds with the control plane's flags, so that the packages which
// both have in common are compiled once.
func (p *Provider) kubectl() (program, error) {
	flags, err := buildFlags(p.options.Source)
	if err != nil {
		return program{}, err
	}
	return program{
		name:  "kubectl",
		pkg:   kubernetesModule + "/cmd/kubectl",
		args:  withVersion(flags, version.Kubernetes),
		intro: "building kubectl " + version.Kubernetes + " from source, once, since there is none in PATH",

		cpuSeconds: 130,
		downloadMB: 50,
		cacheMB:    500,
	}, nil
}

// withVersion adds the version to the linker's flags, which may be set already.
func withVersion(flags []string, v string) []string {
	const name = "-ldflags"
	stamp := fmt.Sprintf("-X k8s.io/component-base/version.gitVersion=%s -X k8s.io/client-go/pkg/version.gitVersion=%s", v, v)
	var out []string
	for _, flag := range flags {
		if value, ok := strings.CutPrefix(flag, name+"="); ok {
			stamp = value + " " + stamp
			continue
		}
		out = append(out, flag)
	}
	return append(out, name+"="+stamp)
}
