package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// goEnv is what the go command says of itself, in the repository.
type goEnv struct {
	GOVERSION string
	GOMOD     string
	GOWORK    string
	GOFLAGS   string
	GOCACHE   string
	GOPROXY   string
}

func readGoEnv(ctx context.Context, dir string) (goEnv, error) {
	var env goEnv
	cmd := exec.CommandContext(ctx, "go", "env", "-json")
	cmd.Dir = dir
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return env, fmt.Errorf("go env: %s", strings.TrimSpace(string(exit.Stderr)))
	}
	if err != nil {
		return env, fmt.Errorf("go env: %w", err)
	}
	if err := json.Unmarshal(out, &env); err != nil {
		return env, fmt.Errorf("decode go env: %w", err)
	}
	return env, nil
}

var goLine = regexp.MustCompile(`(?m)^go ([0-9.]+)`)

func (d *doctor) goVersion(context.Context) []finding {
	const name = "go"
	if d.envErr != nil {
		return bad(name, d.envErr.Error(), "install Go from https://go.dev/dl/ and make sure that `go version` works here")
	}
	data, err := os.ReadFile(filepath.Join(d.root, "go.mod"))
	if err != nil {
		return bad(name, err.Error(), "clone the workshop again")
	}
	m := goLine.FindSubmatch(data)
	have := strings.TrimPrefix(d.env.GOVERSION, "go")
	if m == nil || !olderThan(have, string(m[1])) {
		return ok(name, "go%s", have)
	}
	return bad(name, fmt.Sprintf("go%s, and go.mod asks for go%s", have, m[1]),
		"install a newer Go from https://go.dev/dl/, or let it fetch one: go env -w GOTOOLCHAIN=auto")
}

// olderThan compares Go versions such as 1.26 and 1.26.8; a development version
// counts as new enough.
func olderThan(have, want string) bool {
	return version.IsValid("go"+have) && version.Compare("go"+have, "go"+want) < 0
}

func (d *doctor) goModule(context.Context) []finding {
	const name = "module"
	if d.envErr != nil {
		return nil
	}
	if work := d.env.GOWORK; work != "" && work != "off" {
		return bad(name, "a Go workspace is in force: "+work, "switch it off here: export GOWORK=off")
	}
	if os.Getenv("GO111MODULE") == "off" {
		return bad(name, "GO111MODULE is off", "unset GO111MODULE, or: go env -u GO111MODULE")
	}
	if want := filepath.Join(d.root, "go.mod"); !sameFile(d.env.GOMOD, want) {
		return bad(name, fmt.Sprintf("go uses %q, not %s", d.env.GOMOD, want), "look for GOFLAGS=-modfile, and run: go env GOMOD GOFLAGS")
	}
	if d.env.GOPROXY == "off" {
		return note(name, "GOPROXY is off: modules that you do not have yet cannot be fetched",
			"if a build misses a module: go env -u GOPROXY, and unset GOPROXY")
	}
	return ok(name, "%s", d.env.GOMOD)
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

func (d *doctor) goFlags(context.Context) []finding {
	const name = "GOFLAGS"
	if d.env.GOFLAGS == "" {
		return nil
	}
	remedy := "clear it here: export GOFLAGS= (set for good by go env -w? then: go env -u GOFLAGS)"
	for flag := range strings.FieldsSeq(d.env.GOFLAGS) {
		flag = strings.TrimLeft(flag, "-")
		for _, harmful := range []string{"mod=vendor", "modfile=", "overlay=", "run=", "exec=", "c=", "o="} {
			if strings.HasPrefix(flag, harmful) {
				return bad(name, "GOFLAGS is "+d.env.GOFLAGS+": the checks cannot be built so", remedy)
			}
		}
	}
	if strings.Contains(d.env.GOFLAGS, "-race") || strings.Contains(d.env.GOFLAGS, "-mod=mod") {
		return note(name, "GOFLAGS is "+d.env.GOFLAGS+": builds take longer or change go.mod", remedy)
	}
	return ok(name, "%s", d.env.GOFLAGS)
}
