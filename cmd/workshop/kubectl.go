package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"example.com/client-go-workshop/internal/cluster"
)

func (a *app) kubectlCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "kubectl [ARGS...]",
		Short: "Run kubectl on the workshop's cluster",
		Long: `Run kubectl on the workshop's cluster and on no other one. Everything after the
word kubectl is kubectl's own, also -h.

Your own kubectl is used; where there is none in PATH, one is built from source
on first use, which takes some minutes. The exit code is kubectl's.`,
		Example: `  go tool workshop kubectl get pods -A
  go tool workshop kubectl -n kube-system describe deployment coredns`,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.kubectl(cmd.Context(), args)
		},
	}
}

// kubectl verifies the cluster, so that nothing is changed elsewhere, and hands
// over to kubectl with a kubeconfig that knows this cluster only.
func (a *app) kubectl(ctx context.Context, args []string) error {
	if flag := strayFlag(args); flag != "" {
		return usageError("workshop kubectl talks to the workshop's cluster only, so it does not take %s; for another cluster run kubectl "+
			"itself", flag)
	}
	env := os.Environ()
	if !isLocalOnly(args) {
		dir, err := os.MkdirTemp("", "workshop-kubectl-")
		if err != nil {
			return fmt.Errorf("prepare kubectl: %w", err)
		}
		defer os.RemoveAll(dir)
		path, err := verifiedKubeconfig(ctx, dir)
		if err != nil {
			return err
		}
		env = append(env, cluster.KubeconfigEnv+"="+path)
	}
	tool, err := a.findKubectl(ctx)
	if err != nil {
		return err
	}
	child := exec.CommandContext(ctx, tool, args...)
	child.Env = env
	err = a.attach(child)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return &exitError{code: max(1, exit.ExitCode())}
	}
	return err
}

// findKubectl returns the user's kubectl, else one that is built once.
func (a *app) findKubectl(ctx context.Context) (string, error) {
	if path, err := exec.LookPath("kubectl"); err == nil {
		return path, nil
	}
	p, err := newProvider()
	if err != nil {
		return "", err
	}
	bar := newProgressBar(a.err)
	defer bar.close()
	return p.Kubectl(ctx, bar)
}

var (
	strayLong = regexp.MustCompile(`^--(kubeconfig|server|cluster)(=|$)`)
	// strayShort is -s, also behind flags that take no value, as in -As.
	strayShort = regexp.MustCompile(`^-[AwRithqpP]*s(=|https?:|$)`)
)

// strayFlag is the first flag that would lead kubectl to another server, or "".
// A --context cannot: the kubeconfig holds only one.
func strayFlag(args []string) string {
	for _, arg := range args {
		switch {
		case arg == "--":
			return ""
		case strayLong.MatchString(arg):
			name, _, _ := strings.Cut(arg, "=")
			return name
		case strayShort.MatchString(arg):
			return "-s"
		}
	}
	return ""
}

// isLocalOnly reports whether kubectl only explains itself, for which no
// cluster is needed.
func isLocalOnly(args []string) bool {
	if len(args) == 0 || slices.Contains([]string{"help", "completion", "options", "plugin"}, args[0]) {
		return true
	}
	for _, arg := range args {
		switch arg {
		case "--":
			return false
		case "-h", "--help":
			return true
		}
	}
	return args[0] == "version" && slices.Contains(args, "--client")
}

// verifiedKubeconfig verifies the cluster that programs would use and returns a
// kubeconfig that knows this cluster alone, so that no flag leads to another
// one: the workshop's own file, or else a copy in dir with one context.
func verifiedKubeconfig(ctx context.Context, dir string) (string, error) {
	if err := requireCluster(ctx); err != nil {
		return "", err
	}
	own, err := cluster.DefaultKubeconfig()
	if err != nil {
		return "", err
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = own
	raw, err := rules.Load()
	if err != nil {
		return "", fmt.Errorf("read the kubeconfig: %w", err)
	}
	if own != "" && len(raw.Contexts) == 1 && len(raw.Clusters) == 1 {
		return own, nil
	}
	if err := clientcmdapi.MinifyConfig(raw); err != nil {
		return "", fmt.Errorf("read the kubeconfig: %w", err)
	}
	path := filepath.Join(dir, "kubeconfig")
	if err := clientcmd.WriteToFile(*raw, path); err != nil {
		return "", fmt.Errorf("write kubectl's kubeconfig: %w", err)
	}
	return path, nil
}
