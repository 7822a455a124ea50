package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// fakeServer answers a few paths of the core API and records each request.
type fakeServer struct {
	*httptest.Server

	mu       sync.Mutex
	requests []string
	objects  map[string][]byte
	status   int // sent for every request if not 0
}

func newFakeServer(t *testing.T) *fakeServer {
	t.Helper()
	s := &fakeServer{objects: map[string][]byte{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r.Method+" "+r.URL.Path)
	body, _ := io.ReadAll(r.Body)
	switch {
	case s.status != 0:
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(s.status)
	case r.Method == http.MethodGet && s.objects[r.URL.Path] != nil:
		_, _ = w.Write(s.objects[r.URL.Path])
	case r.Method == http.MethodPost:
		s.create(w, r.URL.Path, body)
	case r.Method == http.MethodPatch:
		s.patch(r.URL.Path, body)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (s *fakeServer) create(w http.ResponseWriter, collection string, body []byte) {
	var object struct{ Metadata struct{ Name string } }
	_ = json.Unmarshal(body, &object)
	path := collection + "/" + object.Metadata.Name
	if s.objects[path] != nil {
		w.WriteHeader(http.StatusConflict)
		_, _ = w.Write([]byte(`{"kind":"Status","reason":"AlreadyExists","message":"it exists"}`))
		return
	}
	s.objects[path] = body
	w.WriteHeader(http.StatusCreated)
	_, _ = w.Write(body)
}

func (s *fakeServer) patch(path string, body []byte) {
	var object, patch map[string]any
	_ = json.Unmarshal(s.objects[path], &object)
	_ = json.Unmarshal(body, &patch)
	object["data"] = patch["data"]
	object["metadata"].(map[string]any)["labels"] = patch["metadata"].(map[string]any)["labels"]
	s.objects[path], _ = json.Marshal(object)
}

func (s *fakeServer) config() *rest.Config { return &rest.Config{Host: s.URL} }

// putMarker puts object in the marker's place.
func (s *fakeServer) putMarker(object string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects[markerPath] = []byte(object)
}

// mark puts the marker there and forgets the requests that this took.
func (s *fakeServer) mark(t *testing.T) {
	t.Helper()
	if err := Mark(t.Context(), s.config(), "test"); err != nil {
		t.Fatalf("mark: %v", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

func (s *fakeServer) seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...)
}

func (s *fakeServer) wantOneGet(t *testing.T) {
	t.Helper()
	if got := s.seen(); len(got) != 1 || got[0] != "GET "+markerPath {
		t.Errorf("requests: got %q, want one GET of the marker", got)
	}
}

// writeKubeconfig writes a kubeconfig with one context, the current one.
func writeKubeconfig(t *testing.T, path, contextName, server string) {
	t.Helper()
	cfg := clientcmdapi.NewConfig()
	cfg.Clusters["c"] = &clientcmdapi.Cluster{Server: server}
	cfg.AuthInfos["u"] = &clientcmdapi.AuthInfo{}
	cfg.Contexts[contextName] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
	cfg.CurrentContext = contextName
	if err := clientcmd.WriteToFile(*cfg, path); err != nil {
		t.Fatal(err)
	}
}

// isolate keeps a test from the user's kubeconfigs and returns a state directory.
func isolate(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("HOME", t.TempDir())
	t.Setenv(StateDirEnv, dir)
	t.Setenv(KubeconfigEnv, "")
	return dir
}

func TestVerifyFindsTheMarker(t *testing.T) {
	isolate(t)
	s := newFakeServer(t)
	s.mark(t)
	marker, err := ReadMarker(t.Context(), s.config())
	if err != nil {
		t.Fatal(err)
	}
	if marker.Provider != "test" || len(marker.ID) != 36 || marker.CreatedAt == "" {
		t.Errorf("marker: got %+v", marker)
	}
	s.wantOneGet(t)
}

func TestVerifyRefuses(t *testing.T) {
	const other = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"client-go-workshop"},"data":{"id":"x"}}`
	for name, prepare := range map[string]func(*fakeServer){
		"not found":       func(*fakeServer) {},
		"forbidden":       func(s *fakeServer) { s.status = http.StatusForbidden },
		"unauthorized":    func(s *fakeServer) { s.status = http.StatusUnauthorized },
		"redirect":        func(s *fakeServer) { s.status = http.StatusFound },
		"without label":   func(s *fakeServer) { s.putMarker(other) },
		"not an API":      func(s *fakeServer) { s.putMarker("<html>welcome</html>") },
		"another kind":    func(s *fakeServer) { s.putMarker(`{"kind":"Secret"}`) },
		"a null document": func(s *fakeServer) { s.putMarker("null") },
	} {
		t.Run(name, func(t *testing.T) {
			isolate(t)
			s := newFakeServer(t)
			prepare(s)
			err := Verify(t.Context(), s.config())
			var refused *RefusedError
			if !errors.As(err, &refused) {
				t.Fatalf("got %v, want a RefusedError", err)
			}
			for _, want := range []string{s.URL, "does not bear the workshop's marker", "nothing was changed there", "go tool workshop up",
				"-kubeconfig"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the text lacks %q:\n%v", want, err)
				}
			}
			s.wantOneGet(t)
		})
	}
}

func TestVerifyUnreachable(t *testing.T) {
	isolate(t)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	busy := newFakeServer(t)
	busy.status = http.StatusServiceUnavailable
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	for name, url := range map[string]string{"refused": gone.URL, "503": busy.URL, "untrusted certificate": secure.URL} {
		t.Run(name, func(t *testing.T) {
			err := Verify(t.Context(), &rest.Config{Host: url})
			var unreachable *UnreachableError
			if !errors.As(err, &unreachable) {
				t.Fatalf("got %v, want an UnreachableError", err)
			}
			if want := "the cluster does not answer at " + url + "; run: go tool workshop up"; !strings.HasPrefix(err.Error(), want) {
				t.Errorf("got %q, want it to begin %q", err, want)
			}
			if !IsNoCluster(err) {
				t.Error("IsNoCluster: got false")
			}
		})
	}
	busy.wantOneGet(t)
}

func TestVerifyCancelled(t *testing.T) {
	isolate(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := Verify(ctx, newFakeServer(t).config())
	if !errors.Is(err, context.Canceled) || IsNoCluster(err) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestConfigHonoursKubeconfigEnv(t *testing.T) {
	dir := isolate(t)
	own, other := newFakeServer(t), newFakeServer(t)
	own.mark(t)
	writeKubeconfig(t, filepath.Join(dir, "kubeconfig"), ContextName, own.URL)
	cfg, err := Config(t.Context())
	if err != nil || cfg.Host != own.URL {
		t.Fatalf("without KUBECONFIG: got %v, %v; want %s", cfg, err, own.URL)
	}
	if cfg.UserAgent != "" {
		t.Errorf("UserAgent: got %q, want the default", cfg.UserAgent)
	}

	path := filepath.Join(t.TempDir(), "prod.yaml")
	writeKubeconfig(t, path, "prod", other.URL)
	t.Setenv(KubeconfigEnv, path)
	_, err = Config(t.Context())
	var refused *RefusedError
	if !errors.As(err, &refused) || refused.Context != "prod" || refused.Server != other.URL {
		t.Fatalf("unmarked: got %v, want a RefusedError for context prod", err)
	}
	for _, want := range []string{`context "prod"`, "unset KUBECONFIG", path} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the text lacks %q:\n%v", want, err)
		}
	}
	other.wantOneGet(t)

	other.mark(t)
	if cfg, err = Config(t.Context()); err != nil || cfg.Host != other.URL {
		t.Errorf("marked: got %v, %v; want %s", cfg, err, other.URL)
	}
}

func TestConfigWithoutCluster(t *testing.T) {
	isolate(t)
	if _, err := Config(t.Context()); !errors.Is(err, ErrNoCluster) {
		t.Errorf("nothing set up: got %v, want ErrNoCluster", err)
	}
	t.Setenv(KubeconfigEnv, filepath.Join(t.TempDir(), "missing"))
	_, err := Config(t.Context())
	if !errors.Is(err, ErrNoCluster) || !strings.Contains(err.Error(), "unset KUBECONFIG") {
		t.Errorf("KUBECONFIG names no file: got %v, want ErrNoCluster with a way on", err)
	}
}

func TestLoadTakesAFileAndAContext(t *testing.T) {
	isolate(t)
	s, other := newFakeServer(t), newFakeServer(t)
	s.mark(t)
	path := filepath.Join(t.TempDir(), "config")
	writeKubeconfig(t, path, "staging", s.URL)
	if cfg, err := Load(t.Context(), path, ""); err != nil || cfg.Host != s.URL || cfg.WrapTransport == nil {
		t.Errorf("the current context: got %v, %v; want %s, guarded", cfg, err, s.URL)
	}
	if _, err := Load(t.Context(), path, "nowhere"); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("a context that the file lacks: got %v, want it named", err)
	}
	if _, err := Load(t.Context(), filepath.Join(t.TempDir(), "missing"), ""); !errors.Is(err, ErrNoCluster) {
		t.Errorf("no such file: got %v, want ErrNoCluster", err)
	}
	writeKubeconfig(t, path, "prod", other.URL)
	t.Setenv(KubeconfigEnv, path)
	var refused *RefusedError
	if _, err := Load(t.Context(), "", "prod"); !errors.As(err, &refused) || refused.Context != "prod" {
		t.Errorf("unmarked: got %v, want a RefusedError for context prod", err)
	}
}

// TestGuardNamesTheContext: a program that loads its config by itself hands
// over a rest.Config, which carries no context name.
func TestGuardNamesTheContext(t *testing.T) {
	isolate(t)
	s := newFakeServer(t)
	path := filepath.Join(t.TempDir(), "config")
	writeKubeconfig(t, path, "staging", s.URL)
	t.Setenv(KubeconfigEnv, path)
	_, err := Guard(t.Context(), s.config())
	if err == nil || !strings.Contains(err.Error(), `context "staging"`) {
		t.Errorf("got %v, want the context named", err)
	}
}

func TestGuardLeavesTheConfigAlone(t *testing.T) {
	isolate(t)
	s := newFakeServer(t)
	s.mark(t)
	cfg := s.config()
	guarded, err := Guard(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if cfg.WrapTransport != nil || guarded == cfg || guarded.WrapTransport == nil {
		t.Error("want a wrapped copy and the config as it was")
	}
	s.wantOneGet(t)
}

// TestGuardHoldsStrayWritesBack is the second line of defence: the server was
// right when it was verified and another one is addressed later.
func TestGuardHoldsStrayWritesBack(t *testing.T) {
	isolate(t)
	own, other := newFakeServer(t), newFakeServer(t)
	own.mark(t)
	cfg := own.config()
	cfg.Wrap(func(rt http.RoundTripper) http.RoundTripper { return redirectTo(other.URL, rt) }) // below later wrappers, above the guard
	for name, prepare := range map[string]func(*rest.Config){
		"host changed":    func(c *rest.Config) { c.Host = other.URL },
		"request altered": func(*rest.Config) {},
	} {
		t.Run(name, func(t *testing.T) {
			guarded, err := Guard(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			prepare(guarded)
			client, err := rest.HTTPClientFor(guarded)
			if err != nil {
				t.Fatal(err)
			}
			for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
				wantStray(t, client, method, other.URL)
			}
			if got := other.seen(); len(got) != 0 {
				t.Errorf("the other server got %q", got)
			}
		})
	}
}

func wantStray(t *testing.T, client *http.Client, method, url string) {
	t.Helper()
	req, _ := http.NewRequest(method, url+"/api/v1/namespaces", bytes.NewReader([]byte("{}")))
	resp, err := client.Do(req)
	if err == nil {
		_ = resp.Body.Close()
	}
	var stray *StrayRequestError
	if !errors.As(err, &stray) || stray.Method != method {
		t.Errorf("%s: got %v, want a StrayRequestError", method, err)
	}
}

// redirectTo returns a transport that sends every request to another server.
func redirectTo(url string, next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		stray := req.Clone(req.Context())
		stray.URL.Host = strings.TrimPrefix(url, "http://")
		return next.RoundTrip(stray)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func TestGuardLetsThrough(t *testing.T) {
	isolate(t)
	own, other := newFakeServer(t), newFakeServer(t)
	own.mark(t)
	guarded, err := Guard(t.Context(), own.config())
	if err != nil {
		t.Fatal(err)
	}
	client, err := rest.HTTPClientFor(guarded)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ method, url string }{{"POST", own.URL}, {"DELETE", own.URL}, {"GET", other.URL}} {
		req, _ := http.NewRequest(c.method, c.url+"/api/v1/namespaces", bytes.NewReader([]byte("{}")))
		resp, err := client.Do(req)
		if err != nil {
			t.Errorf("%s %s: %v", c.method, c.url, err)
			continue
		}
		_ = resp.Body.Close()
	}
}

func TestHostPort(t *testing.T) {
	for host, want := range map[string]string{
		"https://Example.com":     "example.com:443",
		"http://example.com/a":    "example.com:80",
		"https://[::1]:6443":      "[::1]:6443",
		"127.0.0.1:6443":          "127.0.0.1:6443",
		"https://u:p@example.com": "example.com:443",
	} {
		u, err := serverURL(&rest.Config{Host: host})
		if err != nil {
			t.Errorf("%s: %v", host, err)
			continue
		}
		if got := hostPort(u); got != want {
			t.Errorf("%s: got %s, want %s", host, got, want)
		}
	}
}

func TestMarkIsIdempotent(t *testing.T) {
	isolate(t)
	s := newFakeServer(t)
	s.mark(t)
	first, err := ReadMarker(t.Context(), s.config())
	if err != nil {
		t.Fatal(err)
	}
	s.mark(t)
	if err := Mark(t.Context(), s.config(), "other"); err != nil {
		t.Fatal(err)
	}
	s.wantOneGet(t)
	if second, err := ReadMarker(t.Context(), s.config()); err != nil || second != first {
		t.Errorf("got %+v, %v; want %+v", second, err, first)
	}
}

func TestMarkMendsAnother(t *testing.T) {
	isolate(t)
	s := newFakeServer(t)
	s.putMarker(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"client-go-workshop"}}`)
	s.mark(t)
	if err := Verify(t.Context(), s.config()); err != nil {
		t.Error(err)
	}
}

func TestMarkReportsWhatTheServerSays(t *testing.T) {
	isolate(t)
	s := newFakeServer(t)
	s.status = http.StatusForbidden
	err := Mark(t.Context(), s.config(), "test")
	if err == nil || !strings.Contains(err.Error(), "create namespace workshop") {
		t.Errorf("got %v, want the object that failed", err)
	}
}

func TestStateDir(t *testing.T) {
	isolate(t)
	t.Setenv(StateDirEnv, "")
	top := t.TempDir()
	for path, module := range map[string]string{
		"go.mod":       "// a comment\nmodule example.com/client-go-workshop // the top\n\ngo 1.26.0\n",
		"cmd/x/go.mod": "module example.com/client-go-workshop/cmd/x\n",
	} {
		path = filepath.Join(top, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(module), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	top, _ = filepath.EvalSymlinks(top)
	t.Chdir(filepath.Join(top, "cmd", "x"))
	if got, err := StateDir(); err != nil || got != filepath.Join(top, ".workshop") {
		t.Errorf("below the top: got %s, %v", got, err)
	}
	if got, err := DefaultKubeconfig(); err != nil || got != filepath.Join(top, ".workshop", "kubeconfig") {
		t.Errorf("kubeconfig: got %s, %v", got, err)
	}
	t.Setenv(KubeconfigEnv, "/somewhere")
	if got, err := DefaultKubeconfig(); err != nil || got != "" {
		t.Errorf("kubeconfig with KUBECONFIG: got %q, %v", got, err)
	}
	t.Setenv(StateDirEnv, "state")
	if got, err := StateDir(); err != nil || got != filepath.Join(top, "cmd", "x", "state") {
		t.Errorf("WORKSHOP_DIR: got %s, %v", got, err)
	}
	t.Setenv(StateDirEnv, "")
	t.Chdir(t.TempDir())
	if _, err := StateDir(); !errors.Is(err, ErrNoRepository) {
		t.Errorf("outside: got %v, want ErrNoRepository", err)
	}
}

// TestVerifyIsBounded: a server that accepts and never answers.
func TestVerifyIsBounded(t *testing.T) {
	isolate(t)
	stuck := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-stuck }))
	defer s.Close()
	defer close(stuck)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := Verify(ctx, &rest.Config{Host: s.URL}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the context's deadline", err)
	}
}
