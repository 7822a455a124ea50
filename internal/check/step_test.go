package check

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"example.com/client-go-workshop/internal/stepresult"
	"example.com/client-go-workshop/internal/todo"
)

// A wait for other checks does not count: the step has all of its time after it.
func TestRestart(t *testing.T) {
	s := &S{t: t}
	s.restart()
	first := s.Context()
	time.Sleep(time.Millisecond)
	s.restart()
	t.Cleanup(s.cancel)
	require.Error(t, first.Err())
	require.NoError(t, s.Context().Err())
	before, _ := first.Deadline()
	after, _ := s.Context().Deadline()
	require.True(t, after.After(before))
}

// A quota in the borrowed namespace is not the learner's fault.
func TestRefusal(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/v1/namespaces/ana/pods" && r.URL.Query().Get("dryRun") == "All" {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w,
				`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"exceeded quota"}`)
		}
	}))
	t.Cleanup(server.Close)
	s := &S{t: t, ctx: t.Context(), cfg: &rest.Config{Host: server.URL}}
	require.NoError(t, s.refusal())
	s.borrowed = "ana"
	require.ErrorContains(t, s.refusal(), "exceeded quota")
}

// TestNotWrittenByName has step 3, Sum: after an update of the course a learner's
// file may hold it, and others, under the numbers of before.
func TestNotWrittenByName(t *testing.T) {
	for name, tc := range map[string]struct {
		stub  todo.NotWrittenError
		state stepresult.State
	}{
		"itself":                   {todo.NotWrittenError{Number: 3, Func: "Sum"}, stepresult.NotWritten},
		"itself, of before":        {todo.NotWrittenError{Number: 2, Func: "Sum"}, stepresult.NotWritten},
		"in a function of its own": {todo.NotWrittenError{Number: 3, Func: "func1"}, stepresult.NotWritten},
		"another":                  {todo.NotWrittenError{Number: 1, Func: "Greet"}, stepresult.NotYet},
		"another, of before":       {todo.NotWrittenError{Number: 3, Func: "Last"}, stepresult.NotYet},
	} {
		assert.Equal(t, tc.state, notWritten(3, "Sum", "01-fake", &tc.stub).State, name)
	}
}
