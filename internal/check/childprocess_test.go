package check

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/wait"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/stepresult"
	"example.com/client-go-workshop/internal/todo"
)

// subjectEnv is set in the processes in which the TestStep functions below are
// judged; elsewhere they have nothing to say.
const subjectEnv = "WORKSHOP_CHECK_SUBJECT"

func subject(t *testing.T, number int, name string, judge func(s *S)) {
	if os.Getenv(subjectEnv) != "" {
		Step(t, number, name, judge)
	}
}

func TestStep1_Passes(t *testing.T) {
	subject(t, 1, "Passes", func(s *S) { s.Must(func(context.Context) error { return nil }) })
}

func TestStep2_Fails(t *testing.T) {
	subject(t, 2, "Fails", func(s *S) {
		fmt.Println("a line of the learner's")
		s.Require(false, "want 1, got 2", "an off-by-one")
	})
}

func TestStep3_NotWritten(t *testing.T) {
	subject(t, 3, "NotWritten", func(s *S) {
		s.Must(func(context.Context) error { panic(todo.Step(3)) })
	})
}

func TestStep4_Panics(t *testing.T) {
	subject(t, 4, "Panics", func(s *S) {
		//nolint:staticcheck // the panic is what this step is for
		s.Must(func(context.Context) error { var m map[string]int; m["a"] = 1; return nil })
	})
}

func TestStep5_PanicsElsewhere(t *testing.T) {
	subject(t, 5, "PanicsElsewhere", func(s *S) {
		s.Must(func(context.Context) error {
			go func() { panic("in a goroutine of its own") }()
			time.Sleep(time.Minute)
			return nil
		})
	})
}

func TestStep6_Exits(t *testing.T) {
	subject(t, 6, "Exits", func(s *S) { s.Must(func(context.Context) error { os.Exit(0); return nil }) })
}

func TestStep7_LogFatal(t *testing.T) {
	subject(t, 7, "LogFatal", func(s *S) { s.Must(func(context.Context) error { log.Fatal("the last words"); return nil }) })
}

func TestStep8_Hangs(t *testing.T) {
	subject(t, 8, "Hangs", func(s *S) {
		_ = s.CallWithin(time.Second, func(context.Context) error { select {} })
	})
}

func TestStep9_Floods(t *testing.T) {
	subject(t, 9, "Floods", func(s *S) {
		s.Must(func(context.Context) error {
			for {
				fmt.Println(strings.Repeat("flood ", 100))
			}
		})
	})
}

func TestStep10_Goexits(t *testing.T) {
	subject(t, 10, "Goexits", func(s *S) { s.Must(func(context.Context) error { runtime.Goexit(); return nil }) })
}

func TestStep11_ExitsAfterwards(t *testing.T) {
	subject(t, 11, "ExitsAfterwards", func(s *S) {
		s.Must(func(context.Context) error { s.T().Cleanup(func() { os.Exit(7) }); return nil })
	})
}

func TestStep12_BlocksTheCheck(t *testing.T) {
	if os.Getenv(subjectEnv) == "" {
		return
	}
	if os.Getenv(childEnv) == "" {
		// As Step does, with the parent's deadline made short.
		runParent(t, 12, "BlocksTheCheck", -3*time.Second)
		return
	}
	Step(t, 12, "BlocksTheCheck", func(*S) { time.Sleep(time.Minute) })
}

func TestStep13_ChecksNothing(t *testing.T) {
	subject(t, 13, "ChecksNothing", func(*S) {})
}

func TestStep14_ReturnsAnError(t *testing.T) {
	subject(t, 14, "ReturnsAnError", func(s *S) {
		s.Must(func(context.Context) error { return errors.New("an empty namespace may not be set during creation") })
	})
}

func TestStep15_LeavesAProgram(t *testing.T) {
	subject(t, 15, "LeavesAProgram", func(s *S) {
		s.Must(func(context.Context) error {
			left := exec.Command("sleep", "60")
			left.Stdout = os.Stdout
			return left.Start()
		})
	})
}

func TestStep16_FloodsInOneLine(t *testing.T) {
	subject(t, 16, "FloodsInOneLine", func(s *S) {
		s.Must(func(context.Context) error {
			for {
				fmt.Print("flood ")
			}
		})
	})
}

func TestStep17_NotWrittenElsewhere(t *testing.T) {
	subject(t, 17, "NotWrittenElsewhere", func(s *S) {
		s.Must(func(ctx context.Context) error {
			go wait.UntilWithContext(ctx, func(context.Context) { panic(todo.Step(17)) }, time.Second)
			<-ctx.Done()
			return nil
		})
	})
}

func TestStep18_CallsAnother(t *testing.T) {
	subject(t, 18, "CallsAnother", func(s *S) { s.Must(func(context.Context) error { panic(todo.Step(3)) }) })
}

// markedServer is the least that cluster.Config and the clean-up ask of a cluster.
func markedServer(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/api/v1/namespaces") {
			_, _ = fmt.Fprint(w, `{"kind":"NamespaceList","apiVersion":"v1","items":[]}`)
			return
		}
		_, _ = fmt.Fprintf(w,
			`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":%q,"namespace":%q,`+
				`"labels":{"app.kubernetes.io/managed-by":"client-go-workshop"}},"data":{"id":"x","provider":"test"}}`,
			cluster.ContextName, cluster.Namespace)
	}))
	t.Cleanup(server.Close)
	path := filepath.Join(t.TempDir(), "kubeconfig")
	content := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"c",
		"clusters":[{"name":"c","cluster":{"server":%q}}],"users":[{"name":"c","user":{}}],
		"contexts":[{"name":"c","context":{"cluster":"c","user":"c"}}]}`, server.URL)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestEveryStepGetsItsOwnVerdict(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestStep[0-9]+_", "-test.count=1")
	cmd.Env = append(os.Environ(), subjectEnv+"=1", stepresult.DirEnv+"="+dir, "KUBECONFIG="+markedServer(t))
	out, err := cmd.CombinedOutput()
	require.Error(t, err, "most of the steps fail")

	results, err := stepresult.Read(dir)
	require.NoError(t, err)
	require.Len(t, results, 18, "%s", out)
	assert.Equal(t, 3, results[17].Needs)
	for i, want := range []struct {
		state stepresult.State
		words []string
	}{
		{stepresult.Done, nil},
		{stepresult.NotYet, []string{"want 1, got 2", "off-by-one", "check/README.md, step 2", "a line of the learner's"}},
		{stepresult.NotWritten, []string{"todo.Step(3)"}},
		{stepresult.NotYet, []string{"Panics panicked: assignment to entry in nil map", "nil map"}},
		{stepresult.NotYet, []string{"panic: in a goroutine of its own"}},
		{stepresult.NotYet, []string{"exit status 0", "os.Exit"}},
		{stepresult.NotYet, []string{"exit status 1", "log.Fatal", "the last words"}},
		{stepresult.NotYet, []string{"Hangs did not return within 1s"}},
		{stepresult.NotYet, []string{"Floods printed more than"}},
		{stepresult.NotYet, []string{"Goexits ended its goroutine"}},
		{stepresult.NotYet, []string{"exit status 7"}},
		{stepresult.NotYet, []string{"did not end within its time"}},
		{stepresult.NotRun, []string{"a fault of the check"}},
		{stepresult.NotYet, []string{"an empty namespace may not be set", "fits a list only"}},
		{stepresult.NotYet, []string{"left a program running", "os/exec"}},
		{stepresult.NotYet, []string{"FloodsInOneLine printed more than", "bytes left out"}},
		{stepresult.NotWritten, []string{"still panics with todo.Step(17)", "check/childprocess_test.go"}},
		{stepresult.NotYet, []string{"step 3 is not written yet", "write"}},
	} {
		got := results[i]
		assert.Equal(t, i+1, got.Step)
		assert.Equal(t, want.state, got.State, "step %d: %s", got.Step, got.Message())
		for _, word := range want.words {
			assert.Contains(t, got.Message(), word, "step %d", got.Step)
		}
		assert.LessOrEqual(t, len(got.Output), outputShown+100, "step %d", got.Step)
		if got.State == stepresult.Done {
			assert.Empty(t, got.Message())
		} else {
			assert.Contains(t, string(out), got.Seen, "go test alone says it as well")
		}
	}
}

func TestWithoutAClusterNoStepIsJudged(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestStep1_", "-test.count=1")
	cmd.Env = append(os.Environ(), subjectEnv+"=1", stepresult.DirEnv+"="+dir, "KUBECONFIG=", "WORKSHOP_DIR="+t.TempDir())
	_, err := cmd.CombinedOutput()
	require.Error(t, err)
	results, err := stepresult.Read(dir)
	require.NoError(t, err)
	require.Len(t, results, 1)
	assert.Equal(t, stepresult.NotRun, results[0].State)
	assert.Contains(t, results[0].Message(), "go tool workshop up")
}
