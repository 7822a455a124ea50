package kind

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/client-go-workshop/internal/cluster"
)

// machine is a fake of the runtimes' command lines.
type machine struct {
	// installed are the runtimes; what one fails with is "" when it answers.
	installed map[string]string
	// containers are those with kind's label.
	containers []container
	images     []string
	said       map[string]string // the output of other commands, by their first word
	ran        []string
}

type container struct {
	id, name, created string
	running           bool
}

func (m *machine) command(_ context.Context, name string, args ...string) (string, error) {
	fails, ok := m.installed[name]
	if !ok {
		return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
	}
	line := name + " " + strings.Join(args, " ")
	m.ran = append(m.ran, line)
	if fails != "" {
		return "", &commandError{Name: name, Output: fails}
	}
	switch {
	case args[0] == "info":
		return "{}", nil
	case args[0] == "ps":
		var ids []string
		for _, c := range m.containers {
			ids = append(ids, c.id)
		}
		return strings.Join(ids, "\n"), nil
	case args[0] == "container":
		var all []string
		for _, c := range m.containers {
			all = append(all, fmt.Sprintf(`{"Id":%q,"Name":"/%s","Created":%q,"State":{"Running":%v}}`, c.id, c.name, c.created, c.running))
		}
		return "[" + strings.Join(all, ",") + "]", nil
	case args[0] == "image" && len(args) == 3:
		for _, image := range m.images {
			if image == args[2] {
				return "[]", nil
			}
		}
		return "", &commandError{Name: name, Output: "no such image"}
	}
	if said, ok := m.said[args[0]]; ok {
		return said, nil
	}
	return "", nil
}

// touched are the commands that change something.
func (m *machine) touched() []string {
	var all []string
	for _, line := range m.ran {
		switch strings.Fields(line)[1] {
		case "info", "ps", "container", "image", "logs", "exec":
		default:
			all = append(all, line)
		}
	}
	return all
}

func newProvider(t *testing.T, m *machine, o Options) *Provider {
	t.Helper()
	o.StateDir = t.TempDir()
	p, err := New(o)
	require.NoError(t, err)
	p.command = m.command
	return p
}

const noon = "2026-01-02T12:00:00Z"

func at(t *testing.T, text string) time.Time {
	t.Helper()
	when, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	return when
}

func TestRuntimeIsChosen(t *testing.T) {
	tests := map[string]struct {
		installed map[string]string
		asked     string
		recorded  string
		want      string
		cause     string
	}{
		"the first":            {installed: map[string]string{"docker": "", "podman": ""}, want: "docker"},
		"the only one":         {installed: map[string]string{"nerdctl": ""}, want: "nerdctl"},
		"the one asked for":    {installed: map[string]string{"docker": "", "podman": ""}, asked: "podman", want: "podman"},
		"the one of last time": {installed: map[string]string{"docker": "", "podman": ""}, recorded: "podman", want: "podman"},
		"none":                 {cause: "none of docker, podman and nerdctl"},
		"not the one asked":    {installed: map[string]string{"docker": ""}, asked: "podman", cause: "no podman command"},
		"a stopped one": {installed: map[string]string{"docker": "Cannot connect to the Docker daemon", "podman": ""},
			cause: "does not answer"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := newProvider(t, &machine{installed: tt.installed}, Options{Runtime: tt.asked})
			rt, err := p.openRuntime(t.Context(), tt.recorded)
			if tt.cause != "" {
				var told *Error
				require.ErrorAs(t, err, &told)
				require.Contains(t, told.Cause, tt.cause)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, rt.name)
		})
	}
}

func TestImageIsChosen(t *testing.T) {
	tests := map[string]struct {
		there   []string
		runtime string
		asked   string
		want    string
		pulled  bool
	}{
		"the public one":       {there: []string{PublicImage, BuiltImage}, want: PublicImage},
		"only the built one":   {there: []string{BuiltImage}, want: BuiltImage},
		"none yet":             {want: PublicImage, pulled: true},
		"the one asked for":    {there: []string{PublicImage, "mine"}, asked: "mine", want: "mine"},
		"asked for, not there": {there: []string{PublicImage}, asked: "mine", want: "mine", pulled: true},
		"loaded into podman":   {runtime: "podman", there: []string{"localhost/" + BuiltImage}, want: "localhost/" + BuiltImage},
		"pulled by podman":     {runtime: "podman", there: []string{"class/node:1"}, asked: "class/node:1", want: "class/node:1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			runtimeName := cmp.Or(tt.runtime, "docker")
			m := &machine{installed: map[string]string{runtimeName: ""}, images: tt.there}
			p := newProvider(t, m, Options{Image: tt.asked})
			image, err := p.image(t.Context(), &runtime{name: runtimeName, command: m.command}, cluster.Quiet{})
			require.NoError(t, err)
			require.Equal(t, tt.want, image)
			require.Equal(t, tt.pulled, strings.Contains(strings.Join(m.ran, "\n"), runtimeName+" pull "+tt.want))
		})
	}
}

func TestOthersClusterIsLeftAlone(t *testing.T) {
	theirs := container{id: "theirs", name: "client-go-workshop-control-plane", created: noon, running: true}
	records := map[string]*record{
		"no record":        nil,
		"other containers": {Runtime: "docker", Nodes: []string{"ours"}},
		"made before us":   {Runtime: "docker", Begun: at(t, "2026-01-02T12:00:01Z")},
	}
	for name, rec := range records {
		t.Run(name, func(t *testing.T) {
			m := &machine{installed: map[string]string{"docker": ""}, containers: []container{theirs}}
			p := newProvider(t, m, Options{})
			if rec != nil {
				require.NoError(t, p.writeRecord(*rec))
			}
			err := p.Up(t.Context(), cluster.Quiet{})
			require.ErrorContains(t, err, "this clone of the workshop did not make it")
			require.ErrorContains(t, err, "kind delete cluster")
			require.NoError(t, p.Down(t.Context(), true))
			require.NoError(t, p.removeNodes(t.Context(), &runtime{name: "docker", command: m.command}))
			require.Empty(t, m.touched())
			status, err := p.Status(t.Context())
			require.NoError(t, err)
			require.Equal(t, cluster.StateAbsent, status.State)
		})
	}
}

func TestDownTouchesOwnNodesOnly(t *testing.T) {
	m := &machine{installed: map[string]string{"docker": ""}, containers: []container{
		{id: "one", name: "one", created: noon, running: true}, {id: "two", name: "two", created: noon},
	}}
	p := newProvider(t, m, Options{})
	require.NoError(t, p.Down(t.Context(), false))
	require.NoError(t, p.writeRecord(record{Runtime: "docker", Nodes: []string{"one", "two"}}))
	require.NoError(t, os.WriteFile(p.KubeconfigPath(), nil, 0o600))
	require.NoError(t, p.Down(t.Context(), false))
	require.Equal(t, []string{"docker stop -t 30 one"}, m.touched())
	require.FileExists(t, p.KubeconfigPath())
	m.ran = nil
	require.NoError(t, p.Down(t.Context(), true))
	require.Equal(t, []string{"docker rm -f -v one two"}, m.touched())
	require.NoFileExists(t, p.KubeconfigPath())
	require.NoFileExists(t, filepath.Join(p.dir(), "record.json"))
}

func TestHalfMadeClusterIsOurs(t *testing.T) {
	rec := &record{Begun: at(t, noon)}
	require.True(t, rec.owns([]node{{ID: "a", Created: at(t, noon)}}))
	require.False(t, rec.owns([]node{{ID: "a", Created: at(t, "2026-01-02T11:59:59Z")}}))
	require.True(t, rec.owns(nil))
	require.False(t, (*record)(nil).owns(nil))
}

func TestStatus(t *testing.T) {
	ours := func(running ...bool) []container {
		var all []container
		for i, r := range running {
			all = append(all, container{id: fmt.Sprint(i), name: fmt.Sprint("node", i), created: noon, running: r})
		}
		return all
	}
	tests := map[string]struct {
		containers []container
		nodes      []string
		fails      string
		want       cluster.State
		detail     string
	}{
		"stopped":       {containers: ours(false), nodes: []string{"0"}, want: cluster.StateStopped},
		"killed, one":   {containers: ours(true, false), nodes: []string{"0", "1"}, want: cluster.StateFailed, detail: "1 of 2 nodes run"},
		"gone":          {nodes: []string{"0"}, want: cluster.StateAbsent, detail: "are gone"},
		"half made":     {containers: ours(true), want: cluster.StateStarting, detail: "being made"},
		"no kubeconfig": {containers: ours(true), nodes: []string{"0"}, want: cluster.StateFailed, detail: "kubeconfig"},
		"no daemon":     {nodes: []string{"0"}, fails: "Cannot connect to the Docker daemon", want: cluster.StateFailed, detail: "remedy"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			m := &machine{installed: map[string]string{"docker": tt.fails}, containers: tt.containers}
			p := newProvider(t, m, Options{})
			require.NoError(t, p.writeRecord(record{Runtime: "docker", Nodes: tt.nodes, Begun: at(t, noon)}))
			status, err := p.Status(t.Context())
			require.NoError(t, err)
			require.Equal(t, tt.want, status.State)
			require.Contains(t, status.Detail, tt.detail)
		})
	}
}

func TestHalfGoneClusterIsTold(t *testing.T) {
	m := &machine{installed: map[string]string{"docker": ""}, containers: []container{{id: "a", name: "a", created: noon, running: true}}}
	p := newProvider(t, m, Options{})
	require.NoError(t, p.writeRecord(record{Runtime: "docker", Nodes: []string{"a", "b"}}))
	require.ErrorContains(t, p.Up(t.Context(), cluster.Quiet{}), "1 of the cluster's 2 nodes are gone")
	require.Empty(t, m.touched())
}

func TestOtherNumberOfNodesIsTold(t *testing.T) {
	m := &machine{installed: map[string]string{"docker": ""}, containers: []container{{id: "a", name: "a", created: noon, running: true}}}
	p := newProvider(t, m, Options{Nodes: 3})
	require.NoError(t, p.writeRecord(record{Runtime: "docker", Nodes: []string{"a"}}))
	require.ErrorContains(t, p.Up(t.Context(), cluster.Quiet{}), "another number of nodes than 3 (a)")
	require.Empty(t, m.touched())
}

func TestOptionsAreChecked(t *testing.T) {
	_, err := New(Options{StateDir: t.TempDir(), Runtime: "rocket"})
	require.ErrorContains(t, err, "docker, podman and nerdctl")
	_, err = New(Options{StateDir: t.TempDir(), Nodes: 10})
	require.ErrorContains(t, err, "1 to 9")
}
