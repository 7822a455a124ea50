package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/term"

	"example.com/client-go-workshop/internal/stepresult"
)

// screen writes text to stdout or stderr. Colours appear on a terminal only,
// and not when NO_COLOR is set; nothing is said by colour alone.
type screen struct {
	io.Writer
	// terminal is set when a person may be looking.
	terminal bool
	styles   *lipgloss.Renderer
}

func newScreen(f *os.File) *screen {
	return &screen{Writer: f, terminal: term.IsTerminal(f.Fd()), styles: lipgloss.NewRenderer(f)}
}

// line prints one line. An error to write is ignored: there is nowhere to tell.
func (s *screen) line(format string, args ...any) {
	_, _ = fmt.Fprintf(s, format+"\n", args...)
}

func (s *screen) colour(c string, text string) string {
	return s.render(s.styles.NewStyle().Foreground(lipgloss.Color(c)), text)
}

// render leaves tabs as they are, since diffs have them, and an empty text empty.
func (s *screen) render(style lipgloss.Style, text string) string {
	if text == "" {
		return ""
	}
	return style.TabWidth(lipgloss.NoTabConversion).Render(text)
}

func (s *screen) good(text string) string  { return s.colour("2", text) }
func (s *screen) bad(text string) string   { return s.colour("1", text) }
func (s *screen) warn(text string) string  { return s.colour("3", text) }
func (s *screen) faint(text string) string { return s.render(s.styles.NewStyle().Faint(true), text) }
func (s *screen) bold(text string) string  { return s.render(s.styles.NewStyle().Bold(true), text) }

// command shows something to type.
func (s *screen) command(text string) string { return s.colour("6", text) }

const barWidth = 20

// bar is a progress bar of plain characters.
func (s *screen) bar(done, total int) string {
	filled := 0
	if total > 0 {
		filled = barWidth * done / total
	}
	return "[" + s.good(strings.Repeat("#", filled)) + s.faint(strings.Repeat("-", barWidth-filled)) + "]"
}

// box is a state as a symbol; the word stands beside it.
func (s *screen) box(state stepresult.State) string {
	switch state {
	case stepresult.Done:
		return s.good("[x]")
	case stepresult.NotYet:
		return s.bad("[!]")
	case stepresult.NotWritten:
		return "[ ]"
	}
	return s.faint("[?]")
}

// indent puts spaces before each line that is not empty.
func indent(text string, spaces int) string {
	pad := strings.Repeat(" ", spaces)
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, l := range lines {
		if l != "" {
			lines[i] = pad + l
		}
	}
	return strings.Join(lines, "\n")
}

// firstLine is the first line of text, cut to width characters.
func firstLine(text string, width int) string {
	line, _, more := strings.Cut(text, "\n")
	runes := []rune(strings.TrimSpace(line))
	if len(runes) > width {
		return string(runes[:width-3]) + "..."
	}
	if more {
		return string(runes) + " ..."
	}
	return string(runes)
}

// padded pads text, whose printed width is given by plain, to width.
func padded(text, plain string, width int) string {
	return text + strings.Repeat(" ", max(0, width-len([]rune(plain))))
}
