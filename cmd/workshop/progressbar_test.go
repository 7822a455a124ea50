package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/lipgloss"
	"github.com/stretchr/testify/require"
)

func newTestBar(terminal bool) (*progressBar, *bytes.Buffer, *time.Time) {
	var out bytes.Buffer
	now := time.Unix(0, 0)
	p := newProgressBar(&screen{Writer: &out, terminal: terminal, styles: lipgloss.NewRenderer(io.Discard)})
	p.now = func() time.Time { return now }
	return p, &out, &now
}

func TestProgressWithoutTerminal(t *testing.T) {
	p, out, now := newTestBar(false)
	p.Step("building")
	for i := range 1001 {
		p.Count(i, 1000)
	}
	p.close()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 21, "a line every 5 %%")
	require.Equal(t, "building", lines[0])
	require.Equal(t, "  50 of 1000 (5%)", lines[1])
	require.Equal(t, "  1000 of 1000 (100%)", lines[20])
	require.NotContains(t, out.String(), "\x1b")

	out.Reset()
	p.Step("waiting")
	for i := range 60 {
		*now = now.Add(time.Second)
		p.Count(i, 0)
	}
	require.Equal(t, 7, strings.Count(out.String(), "\n"), "a line every ten seconds: %s", out)
	require.Contains(t, out.String(), "  9 so far\n")
}

func TestProgressOnTerminal(t *testing.T) {
	p, out, now := newTestBar(true)
	p.Step("building")
	p.Count(1, 4)
	p.Count(2, 4) // too soon
	*now = now.Add(time.Second)
	p.Count(3, 4)
	p.Count(4, 4)
	p.Step("starting")
	require.Equal(t, "building\n"+
		"\r  [#####---------------] 1 of 4 (25%)\x1b[K"+
		"\r  [###############-----] 3 of 4 (75%)\x1b[K"+
		"\r  [####################] 4 of 4 (100%)\x1b[K"+
		"\r\x1b[Kstarting\n", out.String())
}
