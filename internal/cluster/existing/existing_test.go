package existing

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"example.com/client-go-workshop/internal/cluster"
)

// apiserver is a stand-in that knows the marker and one user's rights.
type apiserver struct {
	mu     sync.Mutex
	marked bool
	// denied are resources that the user may not touch.
	denied []string
	// changes are the requests that changed something.
	changes []string
}

const (
	markerPath = "/api/v1/namespaces/workshop/configmaps/client-go-workshop"
	marker     = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"client-go-workshop","namespace":"workshop",` +
		`"labels":{"app.kubernetes.io/managed-by":"client-go-workshop"}},"data":{"provider":"existing","id":"1","createdAt":"now"}}`
)

func (a *apiserver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.Method == http.MethodGet && r.URL.Path == markerPath && a.marked:
		_, _ = io.WriteString(w, marker)
	case strings.HasSuffix(r.URL.Path, "/selfsubjectaccessreviews"):
		decoded, err := runtime.Decode(scheme.Codecs.UniversalDeserializer(), body)
		review, ok := decoded.(*authorizationv1.SelfSubjectAccessReview)
		if err != nil || !ok {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		review.Status.Allowed = true
		for _, resource := range a.denied {
			if resource == review.Spec.ResourceAttributes.Resource {
				review.Status.Allowed = false
			}
		}
		_ = json.NewEncoder(w).Encode(review)
	case r.Method == http.MethodPost:
		a.changes = append(a.changes, r.URL.Path)
		a.marked = a.marked || strings.HasSuffix(r.URL.Path, "/configmaps")
		w.Header().Set("Content-Type", r.Header.Get("Content-Type"))
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write(body)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

type steps struct{ all []string }

func (s *steps) Step(text string) { s.all = append(s.all, text) }
func (s *steps) Count(int, int)   {}

// userKubeconfig makes the user's own kubeconfig, with the contexts class and prod.
func userKubeconfig(t *testing.T, server string) {
	t.Helper()
	config := clientcmdapi.NewConfig()
	config.Clusters["school"] = &clientcmdapi.Cluster{Server: server}
	config.Clusters["other"] = &clientcmdapi.Cluster{Server: "https://203.0.113.1"}
	config.AuthInfos["me"] = &clientcmdapi.AuthInfo{Token: "secret"}
	config.Contexts["class"] = &clientcmdapi.Context{Cluster: "school", AuthInfo: "me", Namespace: "mine"}
	config.Contexts["prod"] = &clientcmdapi.Context{Cluster: "other", AuthInfo: "me"}
	config.CurrentContext = "prod"
	path := filepath.Join(t.TempDir(), "config")
	require.NoError(t, clientcmd.WriteToFile(*config, path))
	t.Setenv(cluster.KubeconfigEnv, path)
}

func start(t *testing.T, a *apiserver, o Options) (*Provider, *httptest.Server) {
	t.Helper()
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	userKubeconfig(t, server.URL)
	o.StateDir = t.TempDir()
	p, err := New(o)
	require.NoError(t, err)
	return p, server
}

func TestUpAsksBeforeItMarks(t *testing.T) {
	a := &apiserver{}
	question := ""
	p, server := start(t, a, Options{Context: "class", Confirm: func(text string) (bool, error) {
		question = text
		return false, nil
	}})
	err := p.Up(t.Context(), cluster.Quiet{})
	require.ErrorIs(t, err, ErrDeclined)
	require.Contains(t, question, "class leads to "+server.URL)
	require.Empty(t, a.changes)
	require.NoFileExists(t, p.KubeconfigPath())

	p.options.Confirm = func(string) (bool, error) { return true, nil }
	require.NoError(t, p.Up(t.Context(), cluster.Quiet{}))
	require.Equal(t, []string{"/api/v1/namespaces", "/api/v1/namespaces/workshop/configmaps"}, a.changes)
}

func TestUpTakesOneContextOver(t *testing.T) {
	p, server := start(t, &apiserver{marked: true}, Options{Context: "class"})
	require.NoError(t, p.Up(t.Context(), cluster.Quiet{}))
	config, err := clientcmd.LoadFromFile(p.KubeconfigPath())
	require.NoError(t, err)
	require.Len(t, config.Contexts, 1)
	require.Equal(t, cluster.ContextName, config.CurrentContext)
	require.Equal(t, cluster.Namespace, config.Contexts[cluster.ContextName].Namespace)
	require.Equal(t, server.URL, config.Clusters[cluster.ContextName].Server)
	require.Equal(t, "secret", config.AuthInfos[cluster.ContextName].Token)
	info, err := os.Stat(p.KubeconfigPath())
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	status, err := p.Status(t.Context())
	require.NoError(t, err)
	require.Equal(t, cluster.StateRunning, status.State)

	p.options.Context = "" // the one of last time
	require.NoError(t, p.Up(t.Context(), cluster.Quiet{}))
}

func TestUpSaysWhatCannotRun(t *testing.T) {
	a := &apiserver{marked: true, denied: []string{"namespaces", "customresourcedefinitions"}}
	p, _ := start(t, a, Options{Context: "class", Rights: []Right{
		{Words: "create namespaces", For: []string{"01.3", "02.2"}},
		{Words: "list pods", For: []string{"02.2"}},
		{Words: "patch namespaces/status in $NAMESPACE", For: []string{"05.2"}},
		{Words: "create customresourcedefinitions.apiextensions.k8s.io", For: []string{"the programs of 03 and 04"}},
	}})
	s := &steps{}
	require.ErrorIs(t, p.Up(t.Context(), s), ErrDeclined)
	require.Empty(t, a.changes)
	require.NoFileExists(t, p.KubeconfigPath())

	question := ""
	p.options.Confirm = func(text string) (bool, error) {
		question = text
		return true, nil
	}
	require.NoError(t, p.Up(t.Context(), s))
	require.Contains(t, question, "Give namespace mine to the checks?")
	require.Equal(t, []string{"/apis/coordination.k8s.io/v1/namespaces/mine/leases"}, a.changes)
	text := strings.Join(s.all, "\n")
	require.Contains(t, text, "the checks work in namespace mine")
	require.Contains(t, text, "you may not create namespaces, which these need: 01.3, 02.2")
	require.Contains(t, text, "you may not patch namespaces/status in mine, which these need: 05.2")
	require.Contains(t, text, "you may not create customresourcedefinitions.apiextensions.k8s.io, which these need: the programs of 03 and 04")
	require.NotContains(t, text, "list pods")
}

func TestUpWantsANamespaceOfTheContext(t *testing.T) {
	p, _ := start(t, &apiserver{marked: true, denied: []string{"namespaces"}}, Options{Context: "class"})
	config, err := clientcmd.LoadFromFile(os.Getenv(cluster.KubeconfigEnv))
	require.NoError(t, err)
	config.Contexts["class"].Namespace = ""
	require.NoError(t, clientcmd.WriteToFile(*config, os.Getenv(cluster.KubeconfigEnv)))
	require.ErrorContains(t, p.Up(t.Context(), cluster.Quiet{}), "kubectl config set-context class --namespace NAMESPACE")
}

func TestUpWantsAContextByName(t *testing.T) {
	p, _ := start(t, &apiserver{}, Options{})
	require.ErrorContains(t, p.Up(t.Context(), cluster.Quiet{}), "--context NAME")
	p.options.Context = "nope"
	require.ErrorContains(t, p.Up(t.Context(), cluster.Quiet{}), "there is: class, prod")
}

func TestDownLeavesTheCluster(t *testing.T) {
	a := &apiserver{marked: true}
	p, _ := start(t, a, Options{Context: "class"})
	require.NoError(t, p.Up(t.Context(), cluster.Quiet{}))
	require.NoError(t, p.Down(t.Context(), false))
	require.FileExists(t, p.KubeconfigPath())
	require.NoError(t, p.Down(t.Context(), true))
	require.NoFileExists(t, p.KubeconfigPath())
	require.Empty(t, a.changes)
	status, err := p.Status(t.Context())
	require.NoError(t, err)
	require.Equal(t, cluster.StateAbsent, status.State)
}
