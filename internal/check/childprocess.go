package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/rand"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/cluster/namespacelease"
	"example.com/client-go-workshop/internal/procgroup"
	"example.com/client-go-workshop/internal/stepresult"
	"example.com/client-go-workshop/internal/todo"
)

const (
	// childEnv holds the file for the verdict; it is set in the child only.
	childEnv = "WORKSHOP_CHECK_CHILD"
	// runEnv holds the mark of one judgement, which its namespaces bear as a label.
	runEnv = "WORKSHOP_CHECK_RUN"
)

// runParent starts a child of this test binary for one step and relays its verdict.
func runParent(t *testing.T, number int, name string, timeout time.Duration) {
	if dir := os.Getenv(stepresult.DirEnv); dir != "" {
		if err := stepresult.Begin(dir); err != nil {
			t.Error(err)
		}
	}
	run := "r" + rand.String(8)
	file := filepath.Join(t.TempDir(), "verdict.json")
	out := &tail{limit: outputLimit}
	ctx, cancel := context.WithTimeout(t.Context(), timeout+patience()+5*time.Second)
	defer cancel()
	out.flooded = cancel

	cmd := exec.CommandContext(ctx, os.Args[0],
		"-test.run=^"+regexp.QuoteMeta(t.Name())+"$", "-test.count=1", "-test.timeout=0", "-test.v=false")
	cmd.Env = childEnvironment(t, file, run)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = 2 * time.Second
	procgroup.Own(cmd)
	err := cmd.Run()
	if cmd.Process != nil {
		procgroup.Kill(cmd.Process.Pid)
	}

	sweep(t, run)
	r := readVerdict(file, number, name)
	if r.State != stepresult.Done || err != nil || out.overflowed() {
		r = explain(r, err, ctx.Err(), out, chapterName(t))
	}
	relay(t, r)
}

// patience is how long a step may wait for a namespace that others use, too.
func patience() time.Duration {
	if ns, err := cluster.DefaultNamespace(); err != nil || ns == "" || ns == cluster.Namespace {
		return 0
	}
	return namespacelease.Patience
}

// childEnvironment gives the child a home of its own, so that a learner's code
// can never read the real ~/.kube/config.
func childEnvironment(t *testing.T, file, run string) []string {
	home := t.TempDir()
	return append(os.Environ(), childEnv+"="+file, runEnv+"="+run, "HOME="+home, "USERPROFILE="+home)
}

// readVerdict returns the child's verdict, or one in the state NotRun when the
// child left none.
func readVerdict(file string, number int, name string) stepresult.Result {
	r := stepresult.Result{Step: number, Name: name, State: stepresult.NotRun}
	data, err := os.ReadFile(file)
	if err != nil {
		return r
	}
	if err := json.Unmarshal(data, &r); err != nil {
		r.Seen = fmt.Sprintf("the verdict cannot be read: %v", err)
	}
	return r
}

// explain turns the end of a child that gave no verdict, or one that cannot
// stand, into the step's own fault.
func explain(r stepresult.Result, err, ctxErr error, out *tail, chapter string) stepresult.Result {
	read := fmt.Sprintf("%s/README.md, step %d", chapter, r.Step)
	fault := func(seen, cause string) stepresult.Result {
		return stepresult.Result{Step: r.Step, Name: r.Name, State: stepresult.NotYet, Seen: seen, Cause: cause, Read: read, Output: out.String()}
	}
	// A panic in an informer is logged with its stack first: its own line may lie
	// in what is left out of the output shown.
	text, whole := out.String(), out.whole()
	var exit *exec.ExitError
	switch {
	case out.overflowed():
		text := strings.Split(out.String(), "\n")
		r := fault(fmt.Sprintf("%s printed more than %d MiB and was stopped", r.Name, outputLimit>>20),
			"a loop that prints without a pause or an end")
		text = text[max(0, len(text)-3):]
		for i, line := range text {
			text[i] = cut(line, floodShown)
		}
		r.Output = strings.Join(text, "\n")
		return r
	case r.State == stepresult.NotYet:
		r.Output = text
		return r
	case r.State == stepresult.NotWritten || r.State == stepresult.NotHere || r.State == stepresult.NotRun && r.Seen != "":
		return r
	case errors.Is(ctxErr, context.DeadlineExceeded):
		return fault(fmt.Sprintf("%s did not end within its time and was stopped", r.Name),
			"a loop without an end, or a wait that does not look at ctx")
	case unwrittenStep(whole) != nil:
		return notWritten(r.Step, r.Name, chapter, unwrittenStep(whole))
	case strings.Contains(whole, "panic: ") || strings.Contains(whole, "fatal error: "):
		return fault(fmt.Sprintf("%s ended the program: %s", r.Name, panicLine(whole)),
			panicCause(panicLine(whole), "a panic in a goroutine of its own, which no caller can recover, or a data race on a "+
				"map")+chapterLine(whole, chapter))
	case errors.As(err, &exit):
		return fault(fmt.Sprintf("%s ended the program with %s and returned nothing", r.Name, exit.ProcessState),
			"os.Exit or log.Fatal was called; a function that others call returns an error")
	case errors.Is(err, exec.ErrWaitDelay):
		return fault(fmt.Sprintf("%s left a program running that holds on to its output", r.Name),
			"a program that the step starts with os/exec outlives it: exec.CommandContext ends it with ctx, and Run or Wait waits for its end")
	case err != nil:
		return fault(fmt.Sprintf("the check of %s could not run: %v", r.Name, err), "this is not a fault of your code")
	default:
		return fault(fmt.Sprintf("%s ended the program with exit status 0 and returned nothing", r.Name),
			"os.Exit was called; a function that others call returns")
	}
}

var unwrittenPanic = regexp.MustCompile(`(?m)^panic: step ([0-9]+), ([^,\s]+), is not written yet\n\s*where: +([^:\s]+)`)

// unwrittenStep finds in a crash the step that is not written and was called in a
// goroutine of its own, where nobody recovers; nil for another crash.
func unwrittenStep(text string) *todo.NotWrittenError {
	m := unwrittenPanic.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	number, err := strconv.Atoi(m[1])
	if err != nil {
		return nil
	}
	return &todo.NotWrittenError{Number: number, Func: m[2], File: m[3]}
}

// cut leaves at most limit bytes of a line.
func cut(line string, limit int) string {
	if len(line) <= limit {
		return line
	}
	return strings.ToValidUTF8(line[:limit], "") + fmt.Sprintf(" ... (%d bytes left out)", len(line)-limit)
}

var panicStart = regexp.MustCompile(`(?m)^(?:panic|fatal error): .*$`)

func panicLine(text string) string {
	return strings.TrimSpace(panicStart.FindString(text))
}

// chapterLine finds the first line of the learner's code in a crash.
func chapterLine(text, chapter string) string {
	s := &S{chapter: chapter}
	return s.where(text)
}

// relay makes the verdict the test's own result, and a file for the workshop command.
func relay(t *testing.T, r stepresult.Result) {
	t.Helper()
	if dir := os.Getenv(stepresult.DirEnv); dir != "" {
		if err := stepresult.Write(dir, r); err != nil {
			t.Error(err)
		}
	}
	if r.State != stepresult.Done {
		t.Fatalf("step %d, %s: %s\n%s", r.Step, r.Name, r.State, indent(r.Message()))
	}
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(text, "\n", "\n  ")
}
