package runner

import (
	"fmt"
	"strings"
	"sync"
)

// headTail keeps the first quarter and the last three quarters of what is
// written to it, up to limit bytes in all.
type headTail struct {
	limit int

	mu    sync.Mutex
	head  []byte
	tail  []byte
	total int64
}

func newHeadTail(limit int) *headTail { return &headTail{limit: limit} }

func (w *headTail) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.total += int64(len(p))
	rest := p
	if room := w.limit/4 - len(w.head); room > 0 {
		n := min(room, len(rest))
		w.head, rest = append(w.head, rest[:n]...), rest[n:]
	}
	w.tail = append(w.tail, rest...)
	// Twice the room is used so that not every write moves the whole tail.
	if keep := w.limit - w.limit/4; len(w.tail) > 2*keep {
		w.tail = append(w.tail[:0], w.tail[len(w.tail)-keep:]...)
	}
	return len(p), nil
}

// written is how many bytes were written in all.
func (w *headTail) written() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.total
}

// String is what was kept, with a line in the place of what was not.
func (w *headTail) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	tail := w.tail
	if keep := w.limit - w.limit/4; len(tail) > keep {
		tail = tail[len(tail)-keep:]
	}
	left := w.total - int64(len(w.head)) - int64(len(tail))
	if left == 0 {
		return string(w.head) + string(tail)
	}
	return fmt.Sprintf("%s\n... (%d bytes left out)\n%s", w.head, left, tail)
}

// tailOf is the end of text, from the beginning of a line where possible.
func tailOf(text string, limit int) string {
	text = strings.TrimSpace(text)
	if len(text) <= limit {
		return text
	}
	text = text[len(text)-limit:]
	if i := strings.IndexByte(text, '\n'); i >= 0 && i < len(text)-1 {
		text = text[i+1:]
	}
	return "...\n" + strings.ToValidUTF8(text, "")
}
