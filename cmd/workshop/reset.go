package main

import (
	"github.com/spf13/cobra"

	"example.com/client-go-workshop/internal/starter"
	"example.com/client-go-workshop/internal/stepresult"
)

func (a *app) resetCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reset CHAPTER[.STEP]",
		Short: "Go back to the starter of a chapter or a step",
		Long: `Go back to the starter: of a chapter, or of one step, whose function alone is
emptied while the rest of your file stays as it is.

It asks first on a terminal; without one, say --yes. Your files are backed up
in any case, and 'undo' brings them back.`,
		Example: `  go tool workshop reset 01.3
  go tool workshop reset 01 --yes`,
		Args: wantArgs(1, 1, "a chapter or a step, for example 01.3"),
	}
	yes := cmd.Flags().BoolP("yes", "y", false, "do not ask")
	out := outputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		w, ch, step, err := a.openAt(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		starters, err := starter.Starters(ch)
		if err != nil {
			return err
		}
		r := replacement{what: "reset", chapter: ch, step: step, from: starters, state: stepresult.NotWritten}
		if r.changes() {
			sure, err := a.ask("Put the starter in the place of your code of "+target(ch, step)+"? It is backed up first.", *yes)
			if err != nil {
				return err
			}
			if !sure {
				a.err.line("nothing was changed")
				return notYet()
			}
		}
		c, err := w.replace(cmd.Context(), r)
		if err != nil {
			return err
		}
		if *out == formatJSON {
			return a.out.json(c)
		}
		a.printChanged(c, target(ch, step)+" is the starter again")
		return nil
	}
	return cmd
}
