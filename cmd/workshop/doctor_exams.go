package main

import (
	"context"
	"fmt"

	"example.com/client-go-workshop/internal/cluster"
)

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
