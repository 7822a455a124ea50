// Package version says which versions a workshop consists of. A report of a
// problem is of little use without them.
package version

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// Kubernetes is the version of the embedded control plane and of the node image
// that scripts/node-image builds. scripts/bump.sh changes it; a test compares it
// with each go.mod.
const Kubernetes = "v1.37.2"

// clientGo is the module path of client-go.
const clientGo = "k8s.io/client-go"

// unknown stands for a version that nothing recorded.
const unknown = "unknown"

// Info names the versions.
type Info struct {
	// Workshop is a release, or the commit that was built.
	Workshop string `json:"workshop"`
	// ClientGo is the version that this program was built with.
	ClientGo string `json:"clientGo"`
	// Kubernetes is the version of the embedded control plane.
	Kubernetes string `json:"kubernetes"`
	// Go is the version that built this program, for example go1.26.8.
	Go string `json:"go"`
	// OS and Arch are as in GOOS and GOARCH.
	OS   string `json:"os"`
	Arch string `json:"arch"`
}

// Get returns the versions of this program. `go tool` records no commit, so that
// Get then asks git in the folder root.
func Get(ctx context.Context, root string) Info {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		build = &debug.BuildInfo{}
	}
	info := fromBuild(build)
	if info.Workshop == "" {
		info.Workshop = describe(ctx, root)
	}
	return info
}

// fromBuild reads what the go command recorded. Workshop is "" when that is
// neither a version nor a commit.
func fromBuild(build *debug.BuildInfo) Info {
	info := Info{
		ClientGo:   unknown,
		Kubernetes: Kubernetes,
		Go:         runtime.Version(),
		OS:         runtime.GOOS,
		Arch:       runtime.GOARCH,
	}
	for _, dep := range build.Deps {
		if dep.Path != clientGo {
			continue
		}
		if dep.Replace != nil {
			dep = dep.Replace
		}
		info.ClientGo = dep.Version
	}
	if v := build.Main.Version; v != "" && v != "(devel)" {
		info.Workshop = v
		return info
	}
	for _, s := range build.Settings {
		if s.Key == "vcs.revision" {
			info.Workshop = s.Value[:min(12, len(s.Value))]
		}
	}
	return info
}

// describe names the commit at hand after the last tag. Without git, or outside
// a repository, it returns "unknown".
func describe(ctx context.Context, root string) string {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "git", "-C", root, "describe", "--tags", "--always").Output()
	if err != nil {
		return unknown
	}
	return strings.TrimSpace(string(out))
}

// String is the versions in one line, for the end of an output that people paste.
func (i Info) String() string {
	return fmt.Sprintf("workshop %s, client-go %s, Kubernetes %s, %s %s/%s",
		i.Workshop, i.ClientGo, i.Kubernetes, i.Go, i.OS, i.Arch)
}
