package main

import (
	"context"

	"github.com/spf13/cobra"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/version"
)

func (a *app) versionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:        "version",
		SuggestFor: []string{"about"},
		Short:      "Print the versions of the workshop and of what it is built on",
		Long: `Print the versions of the workshop, of client-go, of the embedded control plane's
Kubernetes, of Go, and your operating system. Add them to a report of a problem.`,
		Example: `  go tool workshop version
  go tool workshop version -o json`,
		Args: wantArgs(0, 0, ""),
	}
	out := outputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		v := versions(cmd.Context())
		if *out == formatJSON {
			return a.out.json(v)
		}
		a.out.line("workshop    %s", v.Workshop)
		a.out.line("client-go   %s", v.ClientGo)
		a.out.line("Kubernetes  %s, the embedded control plane", v.Kubernetes)
		a.out.line("Go          %s", v.Go)
		a.out.line("platform    %s/%s", v.OS, v.Arch)
		return nil
	}
	return cmd
}

// versions returns the versions of this program, also outside of the repository.
func versions(ctx context.Context) version.Info {
	root, err := cluster.Root()
	if err != nil {
		root = "."
	}
	return version.Get(ctx, root)
}

// printVersions ends an output that people paste into a report.
func (s *screen) printVersions(ctx context.Context) {
	s.line("%s", s.faint(versions(ctx).String()))
}

// versions is the doctor's first finding, so that a report of it has them.
func (d *doctor) versions(ctx context.Context) []finding {
	return ok("versions", "%s", version.Get(ctx, d.root))
}
