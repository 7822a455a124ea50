package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"example.com/client-go-workshop/internal/stepresult"
)

func (a *app) listCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list [CHAPTER]",
		Short: "List the chapters and their steps",
		Long: `List the chapters and their steps, with the last verdict on each.

  [x] done          the step passes its check
  [!] not yet       it is written and its check fails
  [ ] not written   it still panics with todo.Step
  [?] not checked   no check ran on it so far
  [?] not here      the last cluster could not judge it: your user lacks a right`,
		Example: `  go tool workshop list
  go tool workshop list 01
  go tool workshop list -o json`,
		Args: wantArgs(0, 1, "at most one chapter"),
	}
	out := outputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		w, err := a.open(cmd.Context())
		if err != nil {
			return err
		}
		chapters := w.chapters()
		if len(args) == 1 {
			ch, _, err := w.find(args[0])
			if err != nil {
				return err
			}
			chapters = []chapterOverview{w.chapter(ch)}
		}
		if *out == formatJSON {
			return a.out.json(map[string]any{"chapters": chapters})
		}
		width := nameWidth
		for _, ch := range chapters {
			for _, s := range ch.Steps {
				width = max(width, len(s.Name))
			}
		}
		for i, ch := range chapters {
			if i > 0 {
				a.out.line("")
			}
			a.printChapter(ch, width)
		}
		return nil
	}
	return cmd
}

func (a *app) printChapter(ch chapterOverview, width int) {
	a.out.line("%s  %s  %s %d of %d steps done", a.out.bold(ch.Number), a.out.bold(ch.Title), a.out.bar(ch.Done, ch.Total), ch.Done, ch.Total)
	a.out.line("    %s", a.out.faint(ch.About))
	for _, s := range ch.Steps {
		note := ""
		if s.PassedBefore {
			note = a.out.warn(" (passed before)")
		}
		a.out.line("  %s %-5s %-*s %s%s", a.out.box(stepresult.State(s.State)), s.Ref, width, s.Name, fmt.Sprintf("%-12s %s", s.State, s.Title),
			note)
	}
}
