package clustertest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/course"
)

// TestUnmarkedServer points programs at a real API server that does not bear
// the marker. Its own audit log is the witness that none of them wrote there.
func TestUnmarkedServer(t *testing.T) {
	c := newCluster(t)
	cfg := c.config(t)
	api, err := kubernetes.NewForConfig(cfg)
	require.NoError(t, err)
	require.NoError(t, api.CoreV1().ConfigMaps(cluster.Namespace).Delete(t.Context(), cluster.MarkerName, metav1.DeleteOptions{}))
	t.Setenv(cluster.StateDirEnv, t.TempDir())
	t.Setenv(cluster.KubeconfigEnv, c.KubeconfigPath())
	before := len(c.audit(t))

	var refused *cluster.RefusedError
	if _, err := cluster.Config(t.Context()); !errors.As(err, &refused) || refused.Context != cluster.ContextName {
		t.Errorf("config: got %v, want a RefusedError that names the context", err)
	}
	if _, err := cluster.Guard(t.Context(), cfg); !errors.As(err, &refused) || refused.Server != cfg.Host {
		t.Errorf("guard: got %v, want a RefusedError", err)
	}
	root, err := cluster.Root()
	require.NoError(t, err)
	for _, command := range chapterCommands(t, root) {
		wantRefusal(t, root, command)
	}

	events := c.audit(t)
	require.Greater(t, len(events), before, "the audit log shows no request at all: it is no witness")
	for _, e := range events[before:] {
		if !slices.Contains([]string{"get", "list", "watch"}, e.Verb) {
			t.Errorf("the unmarked server got a write: %+v", e)
		}
	}
	t.Logf("%d requests reached the unmarked server, all of them reads", len(events)-before)
}

// chapterCommands returns the commands that must refuse: each chapter's
// reference program, and the check of it.
func chapterCommands(t *testing.T, root string) [][]string {
	t.Helper()
	c, err := course.Open(root)
	require.NoError(t, err)
	var commands [][]string
	for _, ch := range c.Chapters {
		commands = append(commands,
			[]string{"go", "run", "./solutions/" + ch.ID},
			[]string{"go", "run", "./cmd/workshop", "check", ch.Number, "--solution"},
			[]string{"go", "test", "-count=1", "./" + ch.ID},
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
func (c *ownCluster) audit(t *testing.T) []auditEvent {
	t.Helper()
	last := fmt.Sprintf("last-%d", rand.Uint64())
	api, err := kubernetes.NewForConfig(c.config(t))
	require.NoError(t, err)
	_, err = api.CoreV1().ConfigMaps("default").Get(t.Context(), last, metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), "%v", err)
	var events []auditEvent
	require.Eventually(t, func() bool {
		events = readAudit(t, filepath.Join(c.state, "cluster", "audit", "audit.log"))
		return slices.ContainsFunc(events, func(e auditEvent) bool { return strings.Contains(e.RequestURI, last) })
	}, 20*time.Second, 10*time.Millisecond, "the audit log has the last request")
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
