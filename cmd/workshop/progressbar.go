package main

import (
	"fmt"
	"strings"
	"time"
)

const (
	// redrawEvery keeps a bar on a terminal from flickering.
	redrawEvery = 100 * time.Millisecond
	// tellEvery is the longest silence without a terminal while work goes on.
	tellEvery = 10 * time.Second
	// tellPercent is the progress after which there is a line without a terminal.
	tellPercent = 5
)

// progressBar shows a cluster.Progress on stderr: a bar that moves on a
// terminal, a line now and then without one.
type progressBar struct {
	screen *screen
	now    func() time.Time

	last    time.Time
	percent int
	open    bool // a bar stands on the terminal's current line
}

func newProgressBar(s *screen) *progressBar {
	return &progressBar{screen: s, now: time.Now}
}

// Step prints what begins now.
func (p *progressBar) Step(text string) {
	p.close()
	p.last, p.percent = p.now(), 0
	p.screen.line("%s", strings.TrimRight(text, "\n"))
}

// Count moves the bar, or prints a line when that was long ago or much was done
// since.
func (p *progressBar) Count(done, total int) {
	percent := 0
	if total > 0 {
		percent = 100 * done / total
	}
	if p.screen.terminal {
		p.draw(done, total, percent)
		return
	}
	if p.now().Sub(p.last) < tellEvery && percent < p.percent+tellPercent {
		return
	}
	p.last, p.percent = p.now(), percent-percent%tellPercent
	p.screen.line("  %s", counted(done, total, percent))
}

func (p *progressBar) draw(done, total, percent int) {
	if p.open && done != total && p.now().Sub(p.last) < redrawEvery {
		return
	}
	p.last = p.now()
	bar := ""
	if total > 0 {
		bar = p.screen.bar(done, total) + " "
	}
	_, _ = fmt.Fprintf(p.screen, "\r  %s%s\x1b[K", bar, counted(done, total, percent))
	p.open = true
}

func counted(done, total, percent int) string {
	if total <= 0 {
		return fmt.Sprintf("%d so far", done)
	}
	return fmt.Sprintf("%d of %d (%d%%)", done, total, percent)
}

// close ends the line on which a bar stands.
func (p *progressBar) close() {
	if p.open {
		_, _ = fmt.Fprint(p.screen, "\r\x1b[K")
		p.open = false
	}
}
