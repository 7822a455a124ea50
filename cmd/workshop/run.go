package main

import (
	"errors"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"
)

func (a *app) runCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run CHAPTER [-- ARGS...]",
		Short: "Run your program of a chapter",
		Long: `Run your program of a chapter, as 'go run ./01-restclient' does. It stops at the
first step that is not written.

With --solution it runs the reference program, so that you see what yours will
do. What comes after -- goes to the program. The exit code is 1 when the program
fails, whatever its own code is.`,
		Example: `  go tool workshop run 01
  go tool workshop run 01 --solution
  go tool workshop run 01 -- -trace`,
		Args: wantArgs(1, 1000, "a chapter"),
	}
	solution := cmd.Flags().Bool("solution", false, "run the reference program, not yours")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if dash := cmd.ArgsLenAtDash(); dash == 0 || dash < 0 && len(args) > 1 || dash > 1 {
			return usageError("run wants one chapter, and the program's own arguments after --\nusage: %s", cmd.UseLine())
		}
		c, err := openCourse()
		if err != nil {
			return err
		}
		w := &workshop{Course: c}
		ch, step, err := w.find(args[0])
		if err != nil {
			return err
		}
		if step != nil {
			return usageError("a program runs as a whole: go tool workshop run %s", ch.Number)
		}
		if err := requireCluster(cmd.Context()); err != nil {
			return err
		}
		dir := "./" + ch.ID
		if *solution {
			dir = "./solutions/" + ch.ID
		}
		goArgs := append([]string{"run", dir}, args[1:]...)
		a.err.line("%s", a.err.faint("$ go "+strings.Join(goArgs, " ")))
		child := exec.CommandContext(cmd.Context(), "go", goArgs...)
		child.Dir = c.Root
		err = a.attach(child)
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return notYet()
		}
		return err
	}
	return cmd
}
