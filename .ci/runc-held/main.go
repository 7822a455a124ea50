// Command runc-held is an OCI runtime for hosts that withhold capabilities: it
// hands over to runc after it took every capability that this process does not
// hold itself out of the container's configuration.
//
// Docker asks for all capabilities that it knows when a container is to be
// privileged, as kind's nodes are, and runc refuses the whole container when a
// single one of them cannot be given. The result has fewer privileges than was
// asked for, never more.
//
// RUNC names the real runc; default: the one in PATH.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// capabilities are in the order of their bits.
var capabilities = []string{
	"CHOWN", "DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID",
	"SETPCAP", "LINUX_IMMUTABLE", "NET_BIND_SERVICE", "NET_BROADCAST", "NET_ADMIN", "NET_RAW",
	"IPC_LOCK", "IPC_OWNER", "SYS_MODULE", "SYS_RAWIO", "SYS_CHROOT", "SYS_PTRACE", "SYS_PACCT",
	"SYS_ADMIN", "SYS_BOOT", "SYS_NICE", "SYS_RESOURCE", "SYS_TIME", "SYS_TTY_CONFIG", "MKNOD",
	"LEASE", "AUDIT_WRITE", "AUDIT_CONTROL", "SETFCAP", "MAC_OVERRIDE", "MAC_ADMIN", "SYSLOG",
	"WAKE_ALARM", "BLOCK_SUSPEND", "AUDIT_READ", "PERFMON", "BPF", "CHECKPOINT_RESTORE",
}

func main() {
	err := run(os.Args[1:])
	fmt.Fprintln(os.Stderr, "runc-held:", err)
	os.Exit(1)
}

// run returns only when it fails: else this process has become runc.
func run(args []string) error {
	held, err := heldCapabilities()
	if err != nil {
		return err
	}
	for i := range args {
		name, value, joined := strings.Cut(args[i], "=")
		if !joined && i+1 < len(args) {
			value = args[i+1]
		}
		switch name {
		case "--bundle", "-b":
			err = restrict(filepath.Join(value, "config.json"), held)
		case "--process", "-p":
			err = restrict(value, held)
		}
		if err != nil {
			return err
		}
	}
	runc := os.Getenv("RUNC")
	if runc == "" {
		if runc, err = exec.LookPath("runc"); err != nil {
			return fmt.Errorf("find runc: %w", err)
		}
	}
	return fmt.Errorf("start %s: %w", runc, syscall.Exec(runc, append([]string{"runc"}, args...), os.Environ()))
}

// heldCapabilities reads the bounding set, which limits what a child can get.
func heldCapabilities() (map[string]bool, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return nil, fmt.Errorf("read the capabilities: %w", err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(status)); lines.Scan(); {
		text, ok := strings.CutPrefix(lines.Text(), "CapBnd:")
		if !ok {
			continue
		}
		bits, err := strconv.ParseUint(strings.TrimSpace(text), 16, 64)
		if err != nil {
			return nil, fmt.Errorf("read the capabilities: %w", err)
		}
		held := map[string]bool{}
		for i, name := range capabilities {
			held["CAP_"+name] = bits>>i&1 == 1
		}
		return held, nil
	}
	return nil, errors.New("read the capabilities: /proc/self/status has no CapBnd")
}

// restrict rewrites a container's config.json or a process's description. A file
// that is not there is runc's to complain about.
func restrict(path string, held map[string]bool) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	var doc map[string]any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber() // rlimits do not fit into a float64
	if err := decoder.Decode(&doc); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	process := doc
	if inner, ok := doc["process"].(map[string]any); ok {
		process = inner
	}
	sets, _ := process["capabilities"].(map[string]any)
	for name, set := range sets {
		sets[name] = onlyHeld(set, held)
	}
	if data, err = json.Marshal(doc); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func onlyHeld(set any, held map[string]bool) []any {
	kept := []any{}
	list, _ := set.([]any)
	for _, c := range list {
		if name, ok := c.(string); ok && held[name] {
			kept = append(kept, c)
		}
	}
	return kept
}
