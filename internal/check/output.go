package check

import (
	"fmt"
	"strings"
	"sync"
)

// tail keeps the end of what a step prints, and stops the step when it floods.
type tail struct {
	limit   int
	flooded func()

	mu   sync.Mutex
	all  int
	kept []byte
}

func (w *tail) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.all
	w.all += len(p)
	w.kept = append(w.kept, p...)
	if over := len(w.kept) - outputKept; over > 0 {
		w.kept = append(w.kept[:0], w.kept[over:]...)
	}
	if before <= w.limit && w.all > w.limit {
		w.flooded()
	}
	return len(p), nil
}

func (w *tail) overflowed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all > w.limit
}

// String is the head and the end of what whole returns.
func (w *tail) String() string {
	text := w.whole()
	if over := len(text) - outputShown; over > 0 {
		// The head of a crash says why, its tail only where.
		return text[:outputShown/2] + "\n... (" + fmt.Sprint(over) + " bytes left out)\n" + text[len(text)-outputShown/2:]
	}
	return text
}

// whole is the last part of the output, without the lines of the test runner.
func (w *tail) whole() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var lines []string
	for line := range strings.Lines(string(w.kept)) {
		if strings.HasPrefix(line, "--- FAIL") || line == "FAIL\n" || line == "PASS\n" {
			continue
		}
		lines = append(lines, line)
	}
	return strings.TrimSpace(strings.Join(lines, ""))
}
