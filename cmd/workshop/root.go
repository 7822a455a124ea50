package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

const rootHelp = `Learn client-go by writing it, chapter by chapter, against a real Kubernetes
API server on your machine.

A chapter is a folder with a Go program in which some functions, the steps, are
not written yet. You write them in your own editor; this command starts the
cluster, checks your steps and says what is wrong and why.

  CHAPTER  is 01, restclient or 01-restclient
  STEP     is its number or its function: 01.3 or 01.ListPods

Without a command it says where you are and what to type next.

Exit codes
  0    done
  1    not yet: a step does not pass, or something failed
  2    wrong use: no such command, chapter or step
  3    no cluster: none runs, or the one at hand is not the workshop's
  130  interrupted

Environment
  WORKSHOP_DIR  folder for the cluster, your progress and your backups
                (default: .workshop at the repository's top)
  KUBECONFIG    another kubeconfig; a cluster that 'up' did not make is refused
  NO_COLOR      no colours`

const rootExample = `  go tool workshop up            # start the cluster
  go tool workshop               # where am I?
  go tool workshop run 01        # run your program of chapter 01
  go tool workshop check         # check the first chapter that is not done
  go tool workshop hint 01.3     # a nudge for step 3`

const (
	groupCourse  = "course"
	groupCluster = "cluster"
	groupRescue  = "rescue"
)

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "workshop",
		Short:         "Learn client-go by writing it",
		Long:          rootHelp,
		Example:       rootExample,
		Args:          unknownCommand,
		SilenceErrors: true,
		SilenceUsage:  true,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "go tool workshop"},
	}
	root.CompletionOptions.DisableDefaultCmd = true // completion cannot see behind `go tool`
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError("%w\nusage: %s\nmore:  %s -h", err, cmd.UseLine(), cmd.CommandPath())
	})
	root.AddGroup(
		&cobra.Group{ID: groupCourse, Title: "Learn:"},
		&cobra.Group{ID: groupRescue, Title: "Go back, catch up:"},
		&cobra.Group{ID: groupCluster, Title: "Cluster and machine:"},
	)
	a.addOverview(root)
	add(root, groupCourse, a.listCommand(), a.runCommand(), a.checkCommand(), a.hintCommand(), a.solutionCommand())
	add(root, groupRescue, a.resetCommand(), a.undoCommand())
	add(root, groupCluster, a.upCommand(), a.downCommand(), a.statusCommand(), a.kubeconfigCommand(), a.kubectlCommand(), a.churnCommand(),
		a.doctorCommand(), a.versionCommand())
	root.AddCommand(a.devCommand())
	return root
}

func add(root *cobra.Command, group string, cmds ...*cobra.Command) {
	for _, cmd := range cmds {
		cmd.GroupID = group
		root.AddCommand(cmd)
	}
}

// unknownCommand refuses a word that is no command, and lists what there is.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var known, found []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			known = append(known, c.Name())
		}
		if slices.Contains(c.SuggestFor, args[0]) {
			found = append(found, c.Name())
		}
	}
	if len(found) == 0 { // no word of the same meaning: one that is spelt like it
		cmd.SuggestionsMinimumDistance = 2
		found = cmd.SuggestionsFor(args[0])
	}
	near := ""
	if len(found) > 0 {
		near = "; did you mean " + strings.Join(found, " or ") + "?"
	}
	return usageError("there is no command %q%s\nthere are: %s", args[0], near, strings.Join(known, ", "))
}
