package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"example.com/client-go-workshop/internal/procgroup"
)

// interruptGrace is how long the go command and its compilers may take to end
// after an interrupt before they are killed.
const interruptGrace = 5 * time.Second

// keptLines is how many of the last lines of go's output a failure shows.
const keptLines = 20

// findGo returns the go command: the one in PATH, else that of GOROOT.
func findGo() (string, error) {
	path, err := exec.LookPath("go")
	if err == nil {
		return filepath.Abs(path)
	}
	if root := os.Getenv("GOROOT"); root != "" {
		if path, err := exec.LookPath(filepath.Join(root, "bin", "go")); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("find the go command: %w; put Go's bin directory into PATH", err)
}

// goEnv is what of the environment decides about a built program. The fields have
// the names that `go env -json` gives them.
//
//nolint:staticcheck // ST1003: those names have underscores
type goEnv struct {
	GOVERSION, GOOS, GOARCH   string
	GOFLAGS, CGO_ENABLED      string
	GOEXPERIMENT, GOFIPS140   string
	GO386, GOAMD64, GOARM64   string
	CC, CGO_CFLAGS            string
	GOMODCACHE                string
	CGO_LDFLAGS, CGO_CPPFLAGS string
}

// env asks the go command, since settings also come from `go env -w` and the
// version from the module's toolchain line.
func (p *Provider) env(ctx context.Context) (goEnv, error) {
	var env goEnv
	out, err := p.runGo(ctx, goCall{args: []string{"env", "-json"}})
	if err != nil {
		return env, err
	}
	if err := json.Unmarshal(out, &env); err != nil {
		return env, fmt.Errorf("go env -json: %w", err)
	}
	return env, nil
}

// goCall is one run of the go command.
type goCall struct {
	args []string
	// tmp is where it may write temporary files, "" for the system's
	// default. An interrupted `go build` leaves them behind, so a build gets a
	// directory that is removed afterwards.
	tmp string
	// onLine, if not nil, gets each line of its standard error.
	onLine func(string)
}

// runGo runs the go command in the control plane's module and returns its
// standard output. When ctx ends, the command and all that it started are
// interrupted, then killed; the error is ctx's.
func (p *Provider) runGo(ctx context.Context, call goCall) ([]byte, error) {
	cmd := exec.CommandContext(ctx, p.options.GoTool, call.args...)
	cmd.Dir = p.options.Source
	cmd.Env = goEnviron(cmd.Environ())
	if call.tmp != "" {
		cmd.Env = append(cmd.Env, "GOTMPDIR="+call.tmp)
	}
	procgroup.Own(cmd)
	cmd.Cancel = func() error { return procgroup.Interrupt(cmd.Process.Pid) }
	cmd.WaitDelay = interruptGrace
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	lines := &lineWriter{onLine: call.onLine}
	cmd.Stderr = lines

	err := cmd.Run()
	lines.flush()
	if ctx.Err() != nil {
		if cmd.Process != nil {
			procgroup.Kill(cmd.Process.Pid)
		}
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, &goError{args: call.args, lines: lines.last, err: err}
	}
	return stdout.Bytes(), nil
}

// goEnviron keeps the user's settings except those that would build something
// else: a workspace, a vendor directory, another platform.
func goEnviron(environ []string) []string {
	// A lazier garbage collector saves the compiler a fifth of its CPU time
	// (docs/performance.md); the user's own setting comes later and wins.
	environ = slices.Insert(environ, 0, "GOGC=400")
	var goflags string
	for _, entry := range environ {
		if value, ok := strings.CutPrefix(entry, "GOFLAGS="); ok {
			goflags = value
		}
	}
	return append(environ,
		"GO111MODULE=on",
		"GOWORK=off",
		"GOOS="+runtime.GOOS,
		"GOARCH="+runtime.GOARCH,
		"GOFLAGS="+moduleFlags(goflags),
	)
}

// moduleFlags returns GOFLAGS with -mod=readonly and without what redirects
// the module or its files.
func moduleFlags(goflags string) string {
	var kept []string
	for _, flag := range strings.Fields(goflags) {
		name, _, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		switch name {
		case "mod", "modfile", "overlay":
		default:
			kept = append(kept, flag)
		}
	}
	return strings.Join(append(kept, "-mod=readonly"), " ")
}

// goError is a failed go command with the last lines that it wrote.
type goError struct {
	args  []string
	lines []string
	err   error
}

func (e *goError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "go %s: %v", e.args[0], e.err)
	for _, line := range e.lines {
		fmt.Fprintf(&b, "\n  | %s", line)
	}
	return b.String()
}

func (e *goError) Unwrap() error { return e.err }

// remedy says in words what to do about a failed build.
func remedy(err error) string {
	var failed *goError
	if !errors.As(err, &failed) {
		return ""
	}
	text := strings.Join(failed.lines, "\n") + "\n" + failed.err.Error()
	for _, known := range []struct{ sign, advice string }{
		{"no space left on device", "the disk is full: free some space (go clean -cache empties Go's build cache) and run it again"},
		{"signal: killed", "a compiler was killed, most likely for lack of memory: close other programs, or build one package at a time with " +
			"GOFLAGS=-p=1"},
		{"requires go >=", "install the Go version that it names, or let Go fetch it: go env -w GOTOOLCHAIN=auto"},
		{"checksum mismatch", "a downloaded module is damaged: go clean -modcache, then run it again"},
		{"dial tcp", "a module could not be downloaded: check the network, HTTPS_PROXY and `go env GOPROXY`, then run it again"},
		{"no such host", "a module could not be downloaded: check the network, HTTPS_PROXY and `go env GOPROXY`, then run it again"},
		{"timeout", "a module could not be downloaded in time: check the network, HTTPS_PROXY and `go env GOPROXY`, then run it again"},
		{"x509:", "the module server's certificate is not trusted: behind an inspecting proxy add its CA to the system's, then run it again"},
		{"module lookup disabled", "a module is missing and GOPROXY=off: allow downloads once (go env GOPROXY), then run it again"},
	} {
		if strings.Contains(text, known.sign) {
			return known.advice
		}
	}
	return "run it again; what is compiled already is kept. If it fails the same way, see all of it with: cd cmd/controlplane && go build ."
}

// lineWriter cuts a stream into lines, hands them on and keeps the last.
type lineWriter struct {
	onLine func(string)
	last   []string
	rest   []byte
}

func (w *lineWriter) Write(data []byte) (int, error) {
	w.rest = append(w.rest, data...)
	for {
		line, rest, found := bytes.Cut(w.rest, []byte("\n"))
		if !found {
			return len(data), nil
		}
		w.rest = rest
		w.take(string(line))
	}
}

func (w *lineWriter) flush() {
	if len(w.rest) > 0 {
		w.take(string(w.rest))
		w.rest = nil
	}
}

func (w *lineWriter) take(line string) {
	line = strings.TrimRight(line, "\r")
	if w.onLine != nil {
		w.onLine(line)
	}
	if line == "" || isPackageLine(line) {
		return // progress, not a message
	}
	w.last = append(w.last, line)
	if len(w.last) > keptLines {
		w.last = w.last[1:]
	}
}

// isPackageLine reports whether a line is one of those that `go build -v`
// writes for each package that it compiles: an import path and nothing else.
func isPackageLine(line string) bool {
	return line != "" && !strings.ContainsAny(line, " \t:#\"'()")
}

// isDownloadLine reports whether the go command says that it fetches a module.
func isDownloadLine(line string) bool { return strings.HasPrefix(line, "go: downloading ") }
