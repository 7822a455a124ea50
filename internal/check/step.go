// Package check is what the chapters' check_test.go files stand on: a step
// judged in a process of its own, namespaces that vanish, requests recorded on
// the wire, faults injected there, and messages that a learner can act on.
//
// Nothing here reads the learner's source. A check looks at what the step
// returned, what the cluster holds afterwards and what went over the wire.
package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/cluster/access"
	"example.com/client-go-workshop/internal/stepresult"
	"example.com/client-go-workshop/internal/todo"
)

// Step judges step number of the chapter, whose function is called name. The
// test function must be called TestStep<number>_<name>.
//
// judge runs in a child process, so that a step that blocks, panics, exits or
// floods its output costs this step its verdict and no other.
func Step(t *testing.T, number int, name string, judge func(s *S)) {
	t.Helper()
	if want := fmt.Sprintf("TestStep%d_%s", number, name); t.Name() != want {
		t.Fatalf("the check of step %d must be called %s", number, want)
	}
	if file := os.Getenv(childEnv); file != "" {
		runChild(t, file, number, name, judge)
		return
	}
	runParent(t, number, name, StepTimeout)
}

// S is one step under judgement. Its methods end the judgement at the first failure.
type S struct {
	t       *testing.T
	file    string
	run     string
	number  int
	name    string
	chapter string
	ctx     context.Context
	cancel  context.CancelFunc
	cfg     *rest.Config
	checked bool
	// borrowed is the namespace that the step has borrowed, else "".
	borrowed string
}

// runChild judges the step in this process and leaves the verdict in file.
func runChild(t *testing.T, file string, number int, name string, judge func(s *S)) {
	s := &S{
		t: t, file: file, run: os.Getenv(runEnv), number: number, name: name,
		chapter: chapterName(t),
	}
	s.restart()
	defer func() { s.cancel() }()
	cfg, err := cluster.Config(s.ctx)
	if err != nil {
		s.finish(stepresult.NotRun, err.Error(), "", "")
	}
	s.cfg = cfg
	judge(s)
	if !s.checked {
		s.finish(stepresult.NotRun, "the check of this step called nothing: this is a fault of the check", "", "")
	}
	s.finish(stepresult.Done, "", "", "")
}

// restart gives the judgement all of its time, again after a wait for others.
func (s *S) restart() {
	if s.cancel != nil {
		s.cancel()
	}
	s.ctx, s.cancel = context.WithTimeout(s.t.Context(), StepTimeout)
}

// chapterName is the name of the folder that holds the tests: go test runs them there.
func chapterName(t *testing.T) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatalf("find the chapter's folder: %v", err)
	}
	return filepath.Base(dir)
}

// finish writes the verdict and ends the judgement.
func (s *S) finish(state stepresult.State, seen, cause, read string) {
	s.end(stepresult.Result{Step: s.number, Name: s.name, State: state, Seen: seen, Cause: cause, Read: read})
}

// end is finish for a verdict that is put together already.
func (s *S) end(r stepresult.Result) {
	data, err := json.Marshal(r)
	if err == nil {
		err = os.WriteFile(s.file, data, 0o600)
	}
	if err != nil {
		s.t.Fatalf("write the verdict on step %d: %v", s.number, err)
	}
	if r.State == stepresult.Done {
		return
	}
	s.t.FailNow()
}

// Context ends with the time of the step.
func (s *S) Context() context.Context { return s.ctx }

// T is the test, for TempDir, Setenv and Cleanup.
func (s *S) T() *testing.T { return s.t }

// Fail ends the judgement: seen says what was expected and what was seen
// (object, field, request), cause the likely cause in words.
func (s *S) Fail(seen, cause string) {
	if err := s.refusal(); err != nil {
		s.finish(stepresult.NotRun, fmt.Sprintf("namespace %s takes no pod: %v\nso what the check saw says little: %s", s.borrowed, err, seen),
			refusedCause, "")
	}
	s.finish(stepresult.NotYet, seen, cause, fmt.Sprintf("%s/README.md, step %d", s.chapter, s.number))
}

// Require fails with seen and cause unless ok.
func (s *S) Require(ok bool, seen, cause string) {
	s.checked = true
	if !ok {
		s.Fail(seen, cause)
	}
}

// Setup ends the judgement when the check itself, not the learner's code, could not go on.
func (s *S) Setup(err error, doing string) {
	if err == nil {
		return
	}
	seen := fmt.Sprintf("the check could not %s: %v", doing, err)
	cause := "this is not a fault of your code; look at the cluster with: go tool workshop status"
	switch {
	case access.Denied(err):
		s.lacks(seen)
	case apierrors.IsForbidden(err) && s.refusal() != nil:
		cause = refusedCause
	}
	s.finish(stepresult.NotRun, seen, cause, "")
}

// Call runs one call of the learner's function within CallTimeout. A call that
// panics or does not return is the step's own fault. The panic of a step that is
// not written ends the judgement with that verdict; an error is returned for the
// check to look at.
func (s *S) Call(call func(ctx context.Context) error) error {
	return s.CallWithin(CallTimeout, call)
}

// CallWithin is Call with another limit. The context ends three seconds before
// the limit, so that a function that heeds its context still returns in time.
func (s *S) CallWithin(limit time.Duration, call func(ctx context.Context) error) error {
	s.checked = true
	ctx, cancel := context.WithTimeout(s.ctx, max(limit-3*time.Second, limit/2))
	defer cancel()
	return s.await(start(ctx, call), limit)
}

// await judges how a call ended, or that it did not.
func (s *S) await(done <-chan outcome, limit time.Duration) error {
	select {
	case out := <-done:
		return s.judge(out)
	case <-time.After(limit):
		s.Fail(fmt.Sprintf("%s did not return within %s", s.name, limit),
			"a loop without an end, or a wait that does not look at ctx"+s.where(allStacks()))
		return nil
	}
}

// outcome is how a call ended.
type outcome struct {
	err      error
	exited   bool
	stuck    bool
	panicked string
	stack    string
}

func (s *S) judge(out outcome) error {
	switch {
	case out.panicked != "":
		s.Fail(fmt.Sprintf("%s panicked: %s", s.name, out.panicked),
			panicCause(out.panicked, "a nil map, a nil pointer or a wrong type assertion")+s.where(out.stack))
	case out.stuck:
		s.Fail(s.name+" waits for something that never comes",
			"a wait that looks neither at ctx nor at the server: a channel that nobody closes, or a lock"+s.where(allStacks()))
	case out.exited:
		s.Fail(s.name+" ended its goroutine and did not return", "runtime.Goexit was called")
	}
	if stub := (*todo.NotWrittenError)(nil); errors.As(out.err, &stub) {
		s.end(notWritten(s.number, s.name, s.chapter, stub))
	}
	return out.err
}

// notWritten is the verdict on a step that met stub: itself, or another step
// that it calls.
func notWritten(number int, name, chapter string, stub *todo.NotWrittenError) stepresult.Result {
	r := stepresult.Result{Step: number, Name: name, Read: fmt.Sprintf("%s/README.md, step %d", chapter, number)}
	if isOf(stub, number, name) {
		r.State = stepresult.NotWritten
		r.Seen = fmt.Sprintf("%s still panics with todo.Step(%d)", name, stub.Number)
		r.Cause = fmt.Sprintf("the step is not written yet; its task is the comment above func %s in %s", name, stub.File)
		return r
	}
	r.State, r.Needs = stepresult.NotYet, stub.Number
	r.Seen = fmt.Sprintf("%s calls %s, and step %d is not written yet", name, stub.Func, stub.Number)
	r.Cause = fmt.Sprintf("%s needs step %d: write %s first, in %s", name, stub.Number, stub.Func, stub.File)
	return r
}

// functionLiteral matches the name that Go gives to a function without one.
var functionLiteral = regexp.MustCompile(`^(func)?[0-9]+$`)

// isOf says whether stub stands in the step itself. The number alone does not tell:
// a file from before an update of the course may have another.
func isOf(stub *todo.NotWrittenError, number int, name string) bool {
	return stub.Func == name || stub.Number == number && (stub.Func == "?" || functionLiteral.MatchString(stub.Func))
}

// where finds the learner's line in a stack trace.
func (s *S) where(stack string) string {
	for line := range strings.Lines(stack) {
		line = strings.TrimSpace(line)
		file, _, _ := strings.Cut(line, " +0x")
		if strings.Contains(file, "/"+s.chapter+"/") && !strings.Contains(file, "_test.go:") {
			return " (at " + file[strings.LastIndex(file, s.chapter+"/"):] + ")"
		}
	}
	return ""
}

func allStacks() string {
	buf := make([]byte, 1<<20)
	return string(buf[:runtime.Stack(buf, true)])
}

// Must is Call for a call that has to succeed.
func (s *S) Must(call func(ctx context.Context) error) {
	if err := s.Call(call); err != nil {
		s.Fail(fmt.Sprintf("%s returned an error: %v", s.name, err), CauseOf(err))
	}
}
