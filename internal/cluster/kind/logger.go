package kind

import (
	"fmt"
	"strings"
	"sync"
	"unicode"

	"sigs.k8s.io/kind/pkg/log"

	"example.com/client-go-workshop/internal/cluster"
)

// stepLogger turns what kind logs into progress. kind logs from several
// goroutines; progress takes one at a time.
type stepLogger struct {
	mu       sync.Mutex
	progress cluster.Progress
	closed   bool
}

var _ log.Logger = (*stepLogger)(nil)

// close drops what comes from now on.
func (l *stepLogger) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}

func (l *stepLogger) step(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed && text != "" {
		l.progress.Step(text)
	}
}

// Warn passes a warning on.
func (l *stepLogger) Warn(message string) { l.step(message) }

// Warnf passes a warning on.
func (l *stepLogger) Warnf(format string, args ...any) { l.Warn(fmt.Sprintf(format, args...)) }

// Error passes an error on.
func (l *stepLogger) Error(message string) { l.step(message) }

// Errorf passes an error on.
func (l *stepLogger) Errorf(format string, args ...any) { l.Error(fmt.Sprintf(format, args...)) }

// V returns a logger for what a user wants to see, and drops the rest.
func (l *stepLogger) V(level log.Level) log.InfoLogger {
	if level > 0 {
		return log.NoopInfoLogger{}
	}
	return infoLogger{l}
}

type infoLogger struct{ to *stepLogger }

// Info passes the beginning of a step on. kind marks it with a bullet, and the
// end of it with a tick or a cross.
func (i infoLogger) Info(message string) {
	text, ok := strings.CutPrefix(strings.TrimSpace(message), "•")
	if ok {
		i.to.step(plain(text))
	}
}

// Infof passes the beginning of a step on.
func (i infoLogger) Infof(format string, args ...any) { i.Info(fmt.Sprintf(format, args...)) }

// Enabled returns true.
func (i infoLogger) Enabled() bool { return true }

// plain takes off what a line has for decoration.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.So, r) || unicode.Is(unicode.Variation_Selector, r) {
			return -1
		}
		return r
	}, text)
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "..."))
	if text == "" {
		return ""
	}
	return strings.ToLower(text[:1]) + text[1:]
}
