package embedded

import (
	"fmt"
	"io"
	"os"
	"strings"
)

const (
	// maxLog is the size, in bytes, above which a log is cut.
	maxLog = 16 << 20
	// keptLog is how much of its end stays then, in bytes.
	keptLog = 4 << 20
	// shownLog is how much of a log's end is looked at for an error, in bytes.
	shownLog = 16 << 10
)

// openLog begins a new log and keeps the one before as log.1. It is opened for
// appending, so that boundLog can cut it while the control plane writes.
func (p *Provider) openLog() (*os.File, error) {
	boundLog(p.LogPath())
	_ = os.Rename(p.LogPath(), p.LogPath()+".1") // none yet on the first start
	return os.OpenFile(p.LogPath(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
}

// boundLog cuts a log that has grown too large, in place: its last part stays.
// It is housekeeping, so an error leaves the log as it is.
func boundLog(path string) {
	info, err := os.Stat(path)
	if err != nil || info.Size() <= maxLog {
		return
	}
	tail, err := readTail(path, keptLog)
	if err != nil {
		return
	}
	if os.WriteFile(path+".1", tail, 0o600) == nil {
		_ = os.Truncate(path, 0)
	}
}

// readTail returns the last n bytes of a file, or all if it is shorter.
func readTail(path string, n int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > n {
		if _, err := file.Seek(-n, io.SeekEnd); err != nil {
			return nil, err
		}
	}
	return io.ReadAll(io.LimitReader(file, n))
}

// quoteTail returns the last lines of a log, each on a line of its own, ready
// to be put behind a message; "" if there are none.
func quoteTail(path string) string {
	tail, err := readTail(path, shownLog)
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(tail)), "\n")
	var b strings.Builder
	for _, line := range lines[max(0, len(lines)-keptLines):] {
		if line != "" {
			fmt.Fprintf(&b, "\n  | %s", line)
		}
	}
	return b.String()
}
