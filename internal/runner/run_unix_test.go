//go:build unix

package runner

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/client-go-workshop/internal/course/coursetest"
)

// TestCheckEndsEveryProcess stops a program whose child is in a group of its
// own, as the checks of single steps are, and holds on to the output.
func TestCheckEndsEveryProcess(t *testing.T) {
	t.Parallel()
	c := coursetest.Fake(t)
	pidFile := filepath.Join(t.TempDir(), "pid")
	learn(t, c, "sum := 0", `cmd := exec.Command("sleep", "300")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stdout = os.Stdout
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	os.WriteFile("`+pidFile+`", []byte(fmt.Sprint(cmd.Process.Pid)), 0o600)
	cmd.Wait()
	sum := 0`)
	text := coursetest.Get(t, c.Root, "01-fake/main.go")
	coursetest.Put(t, c.Root, "01-fake/main.go", strings.Replace(text, `"os"`, "\"os\"\n\t\"os/exec\"\n\t\"syscall\"", 1))
	start := time.Now()
	report := check(t, c, CheckOptions{Timeout: time.Second})
	require.Empty(t, report.BuildError)
	assert.Contains(t, report.RunError, "did not end within 1s")
	assert.Less(t, time.Since(start), 20*time.Second)

	text2, err := os.ReadFile(pidFile)
	require.NoError(t, err)
	pid, err := strconv.Atoi(string(text2))
	require.NoError(t, err)
	assert.Eventually(t, func() bool { return ended(pid) }, 5*time.Second, 20*time.Millisecond, "process %d still runs", pid)
}

// ended reports whether a process is gone, or only waits to be collected.
func ended(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(stat), ") Z ")
}
