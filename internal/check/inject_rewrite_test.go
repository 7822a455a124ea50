package check

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func TestRewriteChangesTheAnswer(t *testing.T) {
	rec, client := recorded(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"gitVersion":"v1.37.2"}`)
	})
	rec.Rewrite(Match{Path: "/version"}, 1, func(body []byte) ([]byte, error) {
		return []byte(strings.Replace(string(body), "v1.37.2", "v1.37.2-changed", 1)), nil
	})
	version := func(client kubernetes.Interface) string {
		info, err := client.Discovery().ServerVersion()
		require.NoError(t, err)
		return info.GitVersion
	}
	assert.Equal(t, "v1.37.2-changed", version(client))
	assert.Equal(t, "v1.37.2", version(client), "once is once")
	assert.True(t, rec.Requests(Match{})[0].Injected)
	assert.False(t, rec.Requests(Match{})[1].Injected)
}

func TestRewriteObject(t *testing.T) {
	rec, client := recorded(t, answerPod)
	rec.RewriteObject(Match{Verb: "get"}, 1, func(obj map[string]any) { obj["metadata"] = map[string]any{"name": "db"} })
	for _, want := range []string{"db", "web"} {
		pod, err := client.CoreV1().Pods("a").Get(t.Context(), "web", metav1.GetOptions{})
		require.NoError(t, err)
		assert.Equal(t, want, pod.Name)
	}
	assert.Equal(t, "2 pods\nrequests:"+strings.Repeat("\n  GET /api/v1/namespaces/a/pods/web -> 200", 2), rec.Saw("%d pods", 2))
}
