//go:build unix

package embedded

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/course"
)

// clusterTestsEnv turns the tests with the real control plane on. They build it
// if it is not in the user's cache, and run it in directories of their own.
const clusterTestsEnv = "WORKSHOP_CLUSTER_TESTS"

// newReal returns a provider of the real control plane with a state directory
// of its own.
func newReal(t *testing.T) *Provider {
	t.Helper()
	if os.Getenv(clusterTestsEnv) == "" {
		t.Skipf("set %s=1 to run the tests with the real control plane", clusterTestsEnv)
	}
	state := filepath.Join(t.TempDir(), "state")
	t.Setenv("WORKSHOP_DIR", state)
	t.Setenv("KUBECONFIG", "")
	p, err := New(Options{StateDir: state})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Down(context.Background(), true); err != nil {
			t.Errorf("clean up: %v", err)
		}
	})
	return p
}

func coreClient(t *testing.T, p *Provider) *rest.RESTClient {
	t.Helper()
	cfg, err := cluster.LoadFile(p.KubeconfigPath())
	if err != nil {
		t.Fatal(err)
	}
	cfg.APIPath = "/api"
	cfg.GroupVersion = &corev1.SchemeGroupVersion
	cfg.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	cfg.QPS = -1
	cfg.Timeout = 10 * time.Second
	client, err := rest.RESTClientFor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// TestKillNine kills the control plane while clients write, ten times. What was
// acknowledged to a client must be there after the next `up`: each created or
// updated object with the value that was acknowledged last, and no deleted one.
func TestKillNine(t *testing.T) {
	p := newReal(t)
	up(t, p)
	const rounds, writersPerRound = 10, 4
	acknowledged := map[string]string{}
	for round := range rounds {
		client := coreClient(t, p)
		var group sync.WaitGroup
		writers := make([]*writer, writersPerRound)
		for i := range writers {
			writers[i] = &writer{client: client, prefix: fmt.Sprintf("kill-%d-%d", round, i), values: map[string]string{}}
			group.Go(func() { writers[i].run(t.Context()) })
		}
		time.Sleep(500*time.Millisecond + rand.N(time.Second))
		kill(t, status(t, p).PID)
		group.Wait()

		inDoubt := map[string]bool{}
		for _, w := range writers {
			maps.Copy(acknowledged, w.values)
			inDoubt[w.inDoubt] = true
		}
		begin := time.Now()
		up(t, p)
		took := time.Since(begin)
		wantValues(t, coreClient(t, p), acknowledged, inDoubt)
		t.Logf("round %d: %d objects acknowledged so far, up again after %.1f s", round+1, len(acknowledged), took.Seconds())
	}
}

// writer creates, updates and deletes ConfigMaps, one request at a time, and
// notes what was acknowledged.
type writer struct {
	client *rest.RESTClient
	prefix string
	values map[string]string // by name; "" means deleted
	// inDoubt is the object whose last request had no answer: it may have
	// been carried out or not.
	inDoubt string
}

// run writes until a request fails.
func (w *writer) run(ctx context.Context) {
	for i := 0; ; i++ {
		name := fmt.Sprintf("%s-%d", w.prefix, i)
		steps := []string{"created", "updated"}
		if i%3 == 0 {
			steps = append(steps, "")
		}
		for _, value := range steps {
			if w.write(ctx, name, value) != nil {
				w.inDoubt = name
				return
			}
			w.values[name] = value
		}
	}
}

func (w *writer) write(ctx context.Context, name, value string) error {
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"value": value}}
	var req *rest.Request
	switch value {
	case "created":
		req = w.client.Post().Body(cm)
	case "updated":
		req = w.client.Put().Name(name).Body(cm)
	default:
		req = w.client.Delete().Name(name)
	}
	return req.Namespace(metav1.NamespaceDefault).Resource("configmaps").MaxRetries(0).Do(ctx).Error()
}

// wantValues compares what the cluster holds with what was acknowledged.
func wantValues(t *testing.T, client *rest.RESTClient, want map[string]string, inDoubt map[string]bool) {
	t.Helper()
	var list corev1.ConfigMapList
	err := client.Get().Namespace(metav1.NamespaceDefault).Resource("configmaps").Do(t.Context()).Into(&list)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, cm := range list.Items {
		got[cm.Name] = cm.Data["value"]
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if inDoubt[name] {
			want[name] = got[name] // from now on it is what it became
		}
		if got[name] != want[name] {
			t.Errorf("%s: got %q, want the acknowledged %q (\"\" means deleted)", name, got[name], want[name])
		}
	}
}

// TestUnmarkedServer points programs at a real API server that does not bear
// the marker. Its own audit log is the witness that none of them wrote there.
func TestUnmarkedServer(t *testing.T) {
	p := newReal(t)
	startUnmarked(t, p)
	t.Setenv("WORKSHOP_DIR", t.TempDir())
	t.Setenv("KUBECONFIG", p.KubeconfigPath())
	cfg, err := cluster.LoadFile(p.KubeconfigPath())
	if err != nil {
		t.Fatal(err)
	}
	before := len(auditOf(t, p, cfg.Host))

	var refused *cluster.RefusedError
	if _, err := cluster.Config(t.Context()); !errors.As(err, &refused) || refused.Context != cluster.ContextName {
		t.Errorf("config: got %v, want a RefusedError that names the context", err)
	}
	if _, err := cluster.Guard(t.Context(), cfg); !errors.As(err, &refused) || refused.Server != cfg.Host {
		t.Errorf("guard: got %v, want a RefusedError", err)
	}
	root, err := cluster.Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range chapterCommands(t, root) {
		wantRefusal(t, root, command)
	}

	events := auditOf(t, p, cfg.Host)
	if len(events) <= before {
		t.Error("the audit log shows no request at all: it is no witness")
	}
	for _, e := range events[before:] {
		if !slices.Contains([]string{"get", "list", "watch"}, e.Verb) {
			t.Errorf("the unmarked server got a write: %+v", e)
		}
	}
	t.Logf("%d requests reached the unmarked server, all of them reads", len(events)-before)
}

// startUnmarked runs the control plane without what `up` adds to it.
func startUnmarked(t *testing.T, p *Provider) {
	t.Helper()
	path, err := p.BinaryPath(t.Context(), &recorder{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(p.clusterDir(), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "serve", "--dir", p.clusterDir(), "--kubeconfig", p.KubeconfigPath())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	if err := p.waitReady(t.Context(), cmd.Process.Pid, exited); err != nil {
		t.Fatal(err)
	}
}

// chapterCommands returns the commands that must refuse: each chapter's
// reference program, and the check of it.
func chapterCommands(t *testing.T, root string) [][]string {
	t.Helper()
	c, err := course.Open(root)
	if err != nil || len(c.Chapters) == 0 {
		t.Fatalf("open the course: %v", err)
	}
	var commands [][]string
	for _, ch := range c.Chapters {
		chapter := ch.ID
		commands = append(commands,
			[]string{"go", "run", "./solutions/" + chapter},
			[]string{"go", "run", "./cmd/workshop", "check", chapter[:2], "--solution"},
			[]string{"go", "test", "-count=1", "./" + chapter},
		)
	}
	return commands
}

func wantRefusal(t *testing.T, root string, command []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Errorf("%q succeeded:\n%s", command, out)
	}
	if !strings.Contains(string(out), "does not bear the workshop's marker") {
		t.Errorf("%q does not say that it refuses:\n%s", command, out)
	}
}

// auditEvent is the part of an audit event that says what was done.
type auditEvent struct {
	Verb       string `json:"verb"`
	RequestURI string `json:"requestURI"`
	UserAgent  string `json:"userAgent"`
	User       struct {
		Username string `json:"username"`
	} `json:"user"`
}

// auditOf returns the requests that came from outside of the control plane.
// First it sends one of its own and waits until that is in the log, so that
// those before it are as well.
func auditOf(t *testing.T, p *Provider, host string) []auditEvent {
	t.Helper()
	last := fmt.Sprintf("last-%d", rand.Uint64())
	_ = coreClient(t, p).Get().Namespace("default").Resource("configmaps").Name(last).Do(t.Context()).Error() // not found
	var events []auditEvent
	eventually(t, "the audit log of "+host+" has the last request", func() bool {
		events = readAudit(t, filepath.Join(p.clusterDir(), "audit", "audit.log"))
		return slices.ContainsFunc(events, func(e auditEvent) bool { return strings.Contains(e.RequestURI, last) })
	})
	return events
}

func readAudit(t *testing.T, path string) []auditEvent {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	var events []auditEvent
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 8<<20)
	for scanner.Scan() {
		var e auditEvent
		if err := json.Unmarshal(scanner.Bytes(), &e); err != nil {
			continue // a line that is being written
		}
		if e.User.Username != "system:apiserver" {
			events = append(events, e)
		}
	}
	return events
}
