package embedded

import (
	"context"
	"fmt"
	"strings"

	"example.com/client-go-workshop/internal/cluster"
)

// kubernetesModule is where kubectl's sources and the version come from.
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
	version, err := p.kubernetesVersion()
	if err != nil {
		return program{}, err
	}
	flags, err := buildFlags(p.source)
	if err != nil {
		return program{}, err
	}
	return program{
		name:  "kubectl",
		pkg:   kubernetesModule + "/cmd/kubectl",
		args:  withVersion(flags, version),
		intro: "building kubectl " + version + " from source, once, since there is none in PATH",

		cpuSeconds: 130,
		downloadMB: 50,
		cacheMB:    500,
	}, nil
}

// kubernetesVersion reads the version from go.mod. The go command is not asked,
// so that a kubectl in the cache starts at once.
func (p *Provider) kubernetesVersion() (string, error) {
	data, err := readFile(p.source, "go.mod")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(data) {
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(fields) >= 2 && fields[0] == kubernetesModule && strings.HasPrefix(fields[1], "v") {
			return fields[1], nil
		}
	}
	return "", fmt.Errorf("%s/go.mod does not require %s", p.source, kubernetesModule)
}

// withVersion adds the version to the linker's flags, which may be set already.
func withVersion(flags []string, version string) []string {
	const name = "-ldflags"
	stamp := fmt.Sprintf("-X k8s.io/component-base/version.gitVersion=%s -X k8s.io/client-go/pkg/version.gitVersion=%s", version, version)
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
