package version

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

func TestFromBuild(t *testing.T) {
	build := &debug.BuildInfo{
		Main: debug.Module{Version: "v0.37.1"},
		Deps: []*debug.Module{{Path: "k8s.io/api", Version: "v0.0.1"}, {Path: clientGo, Version: "v0.37.9"}},
	}
	info := fromBuild(build)
	require.Equal(t, "v0.37.1", info.Workshop)
	require.Equal(t, "v0.37.9", info.ClientGo)
	require.Regexp(t, `^workshop v0\.37\.1, client-go v0\.37\.9, Kubernetes v1\.\d+\.\d+, go1\.\S+ \w+/\w+$`, info.String())

	build.Main.Version = "(devel)"
	build.Settings = []debug.BuildSetting{{Key: "vcs.revision", Value: strings.Repeat("0123456789", 4)}}
	build.Deps[1].Replace = &debug.Module{Path: "example.com/fork", Version: "v0.37.10"}
	info = fromBuild(build)
	require.Equal(t, "012345678901", info.Workshop)
	require.Equal(t, "v0.37.10", info.ClientGo)

	require.Equal(t, Info{ClientGo: unknown, Kubernetes: Kubernetes, Go: info.Go, OS: info.OS, Arch: info.Arch}, fromBuild(&debug.BuildInfo{}))
}

func TestDescribeOutsideOfARepository(t *testing.T) {
	t.Setenv("GIT_CEILING_DIRECTORIES", os.TempDir())
	require.Equal(t, unknown, describe(t.Context(), t.TempDir()))
}

// TestOneVersion compares the places that name the version of Kubernetes.
// scripts/bump.sh changes them together.
func TestOneVersion(t *testing.T) {
	minor := strings.TrimPrefix(Kubernetes, "v1.")
	for _, place := range []struct{ file, pattern, want string }{
		{"go.mod", `(?m)^\tk8s\.io/(?:api|apimachinery|client-go) (v\S+)`, "v0." + minor},
		{"cmd/benchcontroller/go.mod", `(?m)^\tk8s\.io/(?:api|apimachinery|client-go) (v\S+)`, "v0." + minor},
		{"cmd/controlplane/go.mod", `k8s\.io/kubernetes (v\S+)`, Kubernetes},
		{"cmd/controlplane/go.mod", `=> k8s\.io/\S+ (v\S+)`, "v0." + minor},
		{"cmd/controlplane/buildflags.txt", `version\.gitVersion=(v\S+)`, Kubernetes},
		{"scripts/node-image/go.mod", `k8s\.io/kubernetes (v\S+)`, Kubernetes},
		{"scripts/node-image/README.md", `client-go-workshop/node:(v\S+)`, Kubernetes},
		{"docs/kind.md", `client-go-workshop/node:(v[0-9.]+\d)`, Kubernetes},
	} {
		data, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(place.file)))
		require.NoError(t, err)
		found := regexp.MustCompile(place.pattern).FindAllStringSubmatch(string(data), -1)
		require.NotEmpty(t, found, "%s: nothing matches %s", place.file, place.pattern)
		for _, m := range found {
			require.Equal(t, place.want, m[1], "%s: %s", place.file, m[0])
		}
	}
}

// TestDependabot wants each module of the tree in .github/dependabot.yml.
func TestDependabot(t *testing.T) {
	root := filepath.Join("..", "..")
	var modules []string
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := strings.HasPrefix(entry.Name(), ".") && path != root
		if entry.IsDir() && (hidden || entry.Name() == "testdata") {
			return filepath.SkipDir
		}
		if entry.Name() == "go.mod" {
			dir, err := filepath.Rel(root, filepath.Dir(path))
			modules = append(modules, "/"+strings.TrimPrefix(filepath.ToSlash(dir), "."))
			return err
		}
		return nil
	}))

	data, err := os.ReadFile(filepath.Join(root, ".github", "dependabot.yml"))
	require.NoError(t, err)
	var config struct {
		Updates []struct {
			Ecosystem   string   `json:"package-ecosystem"`
			Directories []string `json:"directories"`
		} `json:"updates"`
	}
	require.NoError(t, yaml.Unmarshal(data, &config))
	var updated []string
	for _, u := range config.Updates {
		if u.Ecosystem == "gomod" {
			updated = append(updated, u.Directories...)
		}
	}
	require.ElementsMatch(t, modules, updated)
}
