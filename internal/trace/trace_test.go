package trace

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTrace(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
	}))
	t.Cleanup(server.Close)
	trace := &Trace{Bodies: true}
	client := &http.Client{Transport: trace.Wrap(http.DefaultTransport)}
	var out strings.Builder
	trace.Print(&out)
	assert.Empty(t, out.String(), "no request, no heading")

	resp, err := client.Post(server.URL+"/pods?limit=1", "application/json", strings.NewReader("{}\n"))
	require.NoError(t, err)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Equal(t, "{}\n", string(body), "the server gets the body that was kept")
	get := func(path string) {
		resp, err := client.Get(server.URL + path)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
	}
	for range few + 2 {
		get("/again")
	}
	for range few {
		get("/few")
	}
	server.Close()
	_, err = client.Get(server.URL + "/gone") //nolint:bodyclose // there is no response
	require.Error(t, err)

	assert.Equal(t, 2*few+4, trace.Count())
	trace.Print(&out)
	assert.Equal(t, `requests:
  POST   /pods?limit=1 -> 200 OK
         {}
  GET    /again -> 200 OK
  ... and 6 more like it
`+strings.Repeat("  GET    /few -> 200 OK\n", few)+`  GET    /gone -> no answer
`, out.String())
}
