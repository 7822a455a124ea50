package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/learner"
)

// hinted is the result of hint, in the form of -o json.
type hinted struct {
	Ref  string `json:"ref"`
	Name string `json:"name"`
	// Hints are those shown by this call.
	Hints []hint `json:"hints"`
	// Left is how many were never shown.
	Left int `json:"left"`
}

type hint struct {
	// Rung is 1 for a nudge, 2 for a pointer to the API, 3 for nearly the answer.
	Rung int    `json:"rung"`
	Text string `json:"text"`
}

func (a *app) hintCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hint CHAPTER.STEP",
		Short: "Give the next hint for a step",
		Long: `Give the next hint for a step. There are three: a nudge, a pointer to the API,
and nearly the answer. Each call gives the next one; when all are given, the
last one again.

With --again it shows the hints that you have had, and gives no new one.`,
		Example: `  go tool workshop hint 01.3
  go tool workshop hint 01.ListPods --again`,
		Args: wantArgs(1, 1, "a step, for example 01.3"),
	}
	again := cmd.Flags().Bool("again", false, "show the hints given so far")
	out := outputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		w, err := a.open(cmd.Context())
		if err != nil {
			return err
		}
		ch, step, err := w.findStep(cmd, args[0])
		if err != nil {
			return err
		}
		h, err := a.hint(cmd.Context(), w, ch, *step, *again)
		if err != nil {
			return err
		}
		if *out == formatJSON {
			return a.out.json(h)
		}
		a.printHints(h, *again)
		return nil
	}
	return cmd
}

// hint returns the next hint, or with again those given so far.
func (a *app) hint(ctx context.Context, w *workshop, ch course.Chapter, step course.Step, again bool) (hinted, error) {
	hints, err := learner.ReadHints(ch.SolutionDir, stepNames(ch))
	if err != nil {
		return hinted{}, err
	}
	rungs := hints[step.Name]
	given := min(w.progress.Step(ch.ID, step.Name).Hint, len(rungs))
	first := 0
	if !again {
		if given, err = a.climb(ctx, w, ch.ID, step.Name, len(rungs)); err != nil {
			return hinted{}, err
		}
		first = given - 1
	}
	h := hinted{Ref: stepRef(ch, step), Name: step.Name, Hints: []hint{}, Left: len(rungs) - given}
	for i := first; i < given; i++ {
		h.Hints = append(h.Hints, hint{Rung: i + 1, Text: rungs[i]})
	}
	return h, nil
}

// climb notes that one more hint was shown, up to most, and returns how many.
func (a *app) climb(ctx context.Context, w *workshop, chapter, step string, most int) (int, error) {
	given := 0
	err := w.store.Update(ctx, func(p *learner.Progress) {
		sp := p.Step(chapter, step)
		sp.Hint = min(sp.Hint+1, most)
		given = sp.Hint
		p.SetStep(chapter, step, sp)
	})
	return given, a.warnOfDamage(err)
}

func stepNames(ch course.Chapter) []string {
	var names []string
	for _, s := range ch.Steps {
		names = append(names, s.Name)
	}
	return names
}

// hintWidth is where the one long line of a hint in prose is broken, in
// characters. A hint of several lines holds code, and stays as it is written.
const hintWidth = 76

func hintText(text string) string {
	if strings.Contains(text, "\n") {
		return text
	}
	return ansi.Wordwrap(text, hintWidth, "")
}

func (a *app) printHints(h hinted, again bool) {
	if len(h.Hints) == 0 {
		a.out.line("You have had no hint for %s %s yet.", h.Ref, h.Name)
	}
	for _, x := range h.Hints {
		a.out.line("%s", a.out.bold(fmt.Sprintf("hint %d of %d for %s %s", x.Rung, learner.Rungs, h.Ref, h.Name)))
		a.out.line("%s\n", indent(hintText(x.Text), 2))
	}
	switch {
	case h.Left > 0:
		a.out.line("%d left: %s", h.Left, a.out.command("go tool workshop hint "+h.Ref))
	case again:
		a.out.line("none left; the solution: %s", a.out.command("go tool workshop solution "+h.Ref+" --reveal"))
	default:
		a.out.line("that was the last one; the solution: %s", a.out.command("go tool workshop solution "+h.Ref+" --reveal"))
	}
}
