package main

import (
	"errors"

	"github.com/spf13/cobra"

	"example.com/client-go-workshop/internal/learner"
)

// undone is the result of undo, in the form of -o json.
type undone struct {
	// Changed is false when the files were as in the backup already.
	Changed bool `json:"changed"`
	learner.Undone
}

func (a *app) undoCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "undo [BACKUP]",
		Short: "Bring your files back from the newest backup",
		Long: `Bring your files back as they were before the last reset, solution --apply or
undo. The files that are there now are backed up first, so an undo can be undone.

With a name from --list it brings back that older backup.`,
		Example: `  go tool workshop undo
  go tool workshop undo --list`,
		Args: wantArgs(0, 1, "at most one backup"),
	}
	list := cmd.Flags().Bool("list", false, "list the backups, newest first")
	out := outputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		w, err := a.open(cmd.Context())
		if err != nil {
			return err
		}
		if *list {
			return a.listBackups(w.store, *out)
		}
		name := ""
		if len(args) == 1 {
			name = args[0]
		}
		u, err := w.store.Undo(cmd.Context(), w.Root, name)
		same := errors.Is(err, learner.ErrUnchanged)
		switch {
		case errors.Is(err, learner.ErrUnknownBackup):
			return usageError("%w\nthe backups: go tool workshop undo --list", err)
		case err != nil && !same:
			return err
		case *out == formatJSON:
			return a.out.json(undone{Changed: !same, Undone: u})
		case same:
			a.out.line("nothing to do: your files of %s are as in the backup %s", u.Restored.Chapter, u.Restored.Name)
			return nil
		}
		a.out.line("your files of %s are back as they were before the %s of %s", u.Restored.Chapter, u.Restored.What,
			u.Restored.Time.Local().Format("2006-01-02 15:04:05"))
		a.out.line("the files that were there until now: %s", shortPath(u.Backup.Path))
		a.out.line("to undo this: %s", a.out.command("go tool workshop undo"))
		return nil
	}
	return cmd
}

func (a *app) listBackups(store *learner.Store, out format) error {
	backups, err := store.Backups()
	if err != nil {
		return err
	}
	if out == formatJSON {
		if backups == nil {
			backups = []learner.Backup{}
		}
		return a.out.json(map[string]any{"backups": backups})
	}
	if len(backups) == 0 {
		a.out.line("there is no backup")
	}
	for _, b := range backups {
		what := b.Chapter
		if b.Step != "" {
			what += "." + b.Step
		}
		a.out.line("%s  before %s of %s  %s", b.Time.Local().Format("2006-01-02 15:04:05"), b.What, what, b.Name)
	}
	return nil
}
