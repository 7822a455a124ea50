package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/client-go-workshop/internal/cluster"
)

// level is how a finding matters.
type level string

const (
	levelOK level = "ok"
	// levelNote: it works, and it is worth knowing.
	levelNote level = "note"
	// levelBad: it must be mended.
	levelBad level = "bad"
)

// finding is one thing that the doctor looked at.
type finding struct {
	Name  string `json:"name"`
	Level level  `json:"level"`
	// Seen is what was found.
	Seen string `json:"seen"`
	// Remedy says what to do; empty when nothing is to be done.
	Remedy string `json:"remedy,omitempty"`
}

// exam looks at one thing and returns what it finds: one finding or more.
type exam func(ctx context.Context) []finding

// doctor is what the exams look at.
type doctor struct {
	root  string
	state string
	env   goEnv
	// envErr is set when the go command did not answer.
	envErr error
}

func newDoctor(ctx context.Context) (*doctor, error) {
	root, err := cluster.Root()
	if err != nil {
		return nil, err
	}
	state, err := cluster.StateDir()
	if err != nil {
		return nil, err
	}
	d := &doctor{root: root, state: state}
	d.env, d.envErr = readGoEnv(ctx, root)
	return d, nil
}

func (d *doctor) examine(ctx context.Context) []finding {
	var all []finding
	for _, e := range []exam{
		d.versions, d.goVersion, d.goModule, d.goFlags, d.processors, d.memory, d.disks, d.stateDir,
		d.loopback, d.proxies, d.kubeconfig, d.cluster, d.strayClusters, d.kubectl,
	} {
		all = append(all, e(ctx)...)
	}
	return all
}

func ok(name, format string, args ...any) []finding {
	return []finding{{Name: name, Level: levelOK, Seen: fmt.Sprintf(format, args...)}}
}

func note(name, seen, remedy string) []finding {
	return []finding{{Name: name, Level: levelNote, Seen: seen, Remedy: remedy}}
}

func bad(name, seen, remedy string) []finding {
	return []finding{{Name: name, Level: levelBad, Seen: seen, Remedy: remedy}}
}

func (a *app) doctorCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what could go wrong on this machine",
		Long: `Look for what could go wrong on this machine: the Go version, processors, memory,
disk space, clusters left over, proxies, and settings that surprise. Each
finding comes with its remedy.

The exit code is 1 when something must be mended.`,
		Example: `  go tool workshop doctor
  go tool workshop doctor -o json`,
		Args: wantArgs(0, 0, ""),
	}
	out := outputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		d, err := newDoctor(cmd.Context())
		if err != nil {
			return err
		}
		findings := d.examine(cmd.Context())
		if *out == formatJSON {
			err = a.out.json(map[string]any{"findings": findings, "healthy": healthy(findings)})
		} else {
			a.printFindings(findings)
		}
		if err == nil && !healthy(findings) {
			return notYet()
		}
		return err
	}
	return cmd
}

func healthy(findings []finding) bool {
	return !slices.ContainsFunc(findings, func(f finding) bool { return f.Level == levelBad })
}

func (a *app) printFindings(findings []finding) {
	for _, f := range findings {
		word := a.out.good("ok  ")
		switch f.Level {
		case levelNote:
			word = a.out.warn("note")
		case levelBad:
			word = a.out.bad("bad ")
		}
		a.out.line("%s  %-12s %s", word, f.Name, strings.TrimLeft(indent(f.Seen, 19), " "))
		if f.Remedy != "" {
			a.out.line("%s", indent(f.Remedy, 19))
		}
	}
	if healthy(findings) {
		a.out.line("\nNothing stands in your way.")
		return
	}
	a.out.line("\nMend what is marked bad, then run this again.")
}
