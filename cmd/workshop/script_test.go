package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"workshop": func() { os.Exit(start()) },
	})
}

// TestScripts runs each script in a copy of the small course in
// testdata/course, with nothing of this machine's settings.
func TestScripts(t *testing.T) {
	cache := goEnvOf(t, "GOCACHE")
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               func(env *testscript.Env) error { return setUp(env, cache) },
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code":      code,
			"apiserver": apiserver,
			"edit":      edit,
		},
	})
}

func goEnvOf(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

func setUp(env *testscript.Env, cache string) error {
	if err := os.CopyFS(env.WorkDir, os.DirFS(filepath.Join("testdata", "course"))); err != nil {
		return err
	}
	for _, name := range []string{"todo/todo.go", "stepresult/stepresult.go"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "internal", name))
		if err != nil {
			return err
		}
		to := filepath.Join(env.WorkDir, "internal", name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, data, 0o644); err != nil {
			return err
		}
	}
	home := filepath.Join(env.WorkDir, ".home")
	env.Setenv("HOME", home)
	env.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
	env.Setenv("GOCACHE", cache)
	env.Setenv("GOPROXY", "off")
	env.Setenv("GOENV", "off")
	return nil
}

// code runs a program and wants one exit code: code 2 workshop foo.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N program args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("run %s: %v", args[1], err)
	}
	if got != want {
		ts.Fatalf("exit code %d, not %d", got, want)
	}
}

// edit replaces a string in a file, once: edit FILE OLD NEW.
func edit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit FILE OLD NEW")
	}
	text := ts.ReadFile(args[0])
	if strings.Count(text, args[1]) != 1 {
		ts.Fatalf("%s holds %q %d times", args[0], args[1], strings.Count(text, args[1]))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(text, args[1], args[2], 1)), 0o644))
}

// apiserver starts a stand-in for an API server, with the workshop's marker or
// without, and writes the kubeconfig that leads to it:
// apiserver marked|unmarked FILE [MORE CONTEXTS].
func apiserver(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: apiserver marked|unmarked FILE [MORE CONTEXTS]")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if args[0] != "marked" || r.Method != http.MethodGet || r.URL.Path != "/api/v1/namespaces/workshop/configmaps/client-go-workshop" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		fmt.Fprint(w, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"client-go-workshop","namespace":"workshop",`+
			`"labels":{"app.kubernetes.io/managed-by":"client-go-workshop"}},"data":{"provider":"test","id":"1","createdAt":"now"}}`)
	}))
	ts.Defer(server.Close)
	config := clientcmdapi.NewConfig()
	config.Clusters["main"] = &clientcmdapi.Cluster{Server: server.URL}
	config.Contexts["main"] = &clientcmdapi.Context{Cluster: "main"}
	config.CurrentContext = "main"
	for _, more := range args[2:] {
		config.Contexts[more] = &clientcmdapi.Context{Cluster: "main", Namespace: more}
	}
	path := ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o755))
	ts.Check(clientcmd.WriteToFile(*config, path))
}
