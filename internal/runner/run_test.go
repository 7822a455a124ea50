package runner

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/course/coursetest"
	"example.com/client-go-workshop/internal/stepresult"
)

// states is one word for each step.
func states(r *Report) []stepresult.State {
	var all []stepresult.State
	for _, step := range r.Steps {
		all = append(all, step.State)
	}
	return all
}

// learn puts the solution into the learner's files, with one change in main.go.
func learn(t *testing.T, c *course.Course, old, new string) {
	t.Helper()
	for _, name := range []string{"main.go", "list.go"} {
		text := coursetest.Get(t, c.Root, "solutions/01-fake/"+name)
		if name == "main.go" && old != "" {
			require.Contains(t, text, old)
			text = strings.Replace(text, old, new, 1)
		}
		coursetest.Put(t, c.Root, "01-fake/"+name, text)
	}
}

func check(t *testing.T, c *course.Course, opts CheckOptions) *Report {
	t.Helper()
	report, err := Check(t.Context(), c.Chapters[0], Learner(), opts)
	require.NoError(t, err)
	return report
}

func TestCheck(t *testing.T) {
	t.Parallel()
	c := coursetest.Fake(t)
	var told []int
	built := false
	report := check(t, c, CheckOptions{
		Built:   func() { built = true },
		Verdict: func(r stepresult.Result) { told = append(told, r.Step) },
	})
	assert.Equal(t, []stepresult.State{stepresult.NotWritten, stepresult.NotWritten, stepresult.NotWritten}, states(report))
	assert.Equal(t, "your code", report.Candidate)
	assert.Empty(t, report.RunError, "a failing step explains the exit status")
	assert.True(t, built)
	assert.ElementsMatch(t, []int{1, 2, 3}, told)

	learn(t, c, "sum += n", "sum -= n")
	var stream bytes.Buffer
	report = check(t, c, CheckOptions{Stream: &stream, Verbose: true})
	assert.Equal(t, []stepresult.State{stepresult.Done, stepresult.NotYet, stepresult.Done}, states(report))
	assert.False(t, report.Passed())
	assert.Equal(t, "Sum", report.First().Name)
	assert.Equal(t, "expected 6, got -6", report.First().Seen)
	assert.Contains(t, stream.String(), "=== RUN   TestStep2_Sum")
	assert.Equal(t, stream.String(), report.Output)

	report = check(t, c, CheckOptions{Steps: []int{3, 1}})
	assert.Equal(t, []stepresult.State{stepresult.Done, stepresult.Done}, states(report))
	assert.Equal(t, 1, report.Steps[0].Step)
	assert.True(t, report.Passed())
	assert.Nil(t, report.First())
	assert.Nil(t, report.Step(2))

	_, err := Check(t.Context(), c.Chapters[0], Learner(), CheckOptions{Steps: []int{4}})
	assert.EqualError(t, err, "chapter 01-fake has no step 4: its steps are 1 to 3")
}

func TestCheckReference(t *testing.T) {
	t.Parallel()
	c := coursetest.Fake(t)
	coursetest.Put(t, c.Root, "01-fake/main.go", "package main\n\nfunc main() { broken }\n")
	coursetest.Put(t, c.Root, "01-fake/own.go", "package main\n\nfunc Greet() {}\n")
	coursetest.Put(t, c.Root, "01-fake/own_test.go", "package main\n\nvar _ = mine()\n")
	cand, err := Reference(c.Chapters[0])
	require.NoError(t, err)
	assert.Equal(t, map[string]string{
		filepath.Join(c.Root, "01-fake/main.go"):     filepath.Join(c.Root, "solutions/01-fake/main.go"),
		filepath.Join(c.Root, "01-fake/list.go"):     filepath.Join(c.Root, "solutions/01-fake/list.go"),
		filepath.Join(c.Root, "01-fake/own.go"):      "",
		filepath.Join(c.Root, "01-fake/own_test.go"): "",
	}, cand.Overlay)
	report, err := Check(t.Context(), c.Chapters[0], cand, CheckOptions{})
	require.NoError(t, err)
	assert.True(t, report.Passed(), "%+v", report)
	assert.Equal(t, "the solution", report.Candidate)
}

func TestCheckCompileErrors(t *testing.T) {
	t.Parallel()
	c := coursetest.Fake(t)
	for name, tc := range map[string]struct{ old, new, want string }{
		"type": {"return sum, nil", "return \"sum\", nil", "01-fake/main.go:38:9: cannot use \"sum\" (untyped string constant) as int " +
			"value in return statement"},
		"syntax": {"sum := 0", "sum := ", "01-fake/main.go:35:2: syntax error: unexpected keyword for, expected expression"},
		"import": {`"errors"`, `"no/such"`, "01-fake/main.go:4:2: package no/such is not in std"},
	} {
		t.Run(name, func(t *testing.T) {
			learn(t, c, tc.old, tc.new)
			report := check(t, c, CheckOptions{})
			assert.True(t, strings.HasPrefix(report.BuildError, tc.want), report.BuildError)
			assert.NotContains(t, report.BuildError, c.Root)
			assert.NotContains(t, report.BuildError, "# ")
			assert.NotContains(t, report.BuildError, "FAIL")
			assert.Equal(t, []stepresult.State{stepresult.NotRun, stepresult.NotRun, stepresult.NotRun}, states(report))
			assert.Equal(t, "the chapter does not compile", report.First().Seen)
			assert.False(t, report.Passed())
		})
	}
	t.Run("reference", func(t *testing.T) {
		text := coursetest.Get(t, c.Root, "solutions/01-fake/main.go")
		coursetest.Put(t, c.Root, "solutions/01-fake/main.go", strings.Replace(text, "sum := 0", "total := 0", 1))
		cand, err := Reference(c.Chapters[0])
		require.NoError(t, err)
		report, err := Check(t.Context(), c.Chapters[0], cand, CheckOptions{})
		require.NoError(t, err)
		assert.Contains(t, report.BuildError, "solutions/01-fake/main.go:34:2: declared and not used: total")
		assert.False(t, strings.HasPrefix(report.BuildError, "./"), report.BuildError)

		cand, err = withoutStep(c.Chapters[0], 3)
		require.NoError(t, err)
		report, err = Check(t.Context(), c.Chapters[0], cand, CheckOptions{})
		require.NoError(t, err)
		assert.Contains(t, report.BuildError, "solutions/01-fake/main.go:34:2: declared and not used: total",
			"a generated file goes by the name of the one that it was made from")
		assert.NotContains(t, report.BuildError, os.TempDir())
	})
}

func TestCheckOfBadPrograms(t *testing.T) {
	t.Parallel()
	c := coursetest.Fake(t)
	for _, tc := range []struct {
		name, body string
		timeout    time.Duration
		want       []stepresult.State
		seen, out  string
		runError   string
	}{
		{
			name: "exit with 0", body: "os.Exit(0)",
			want: []stepresult.State{stepresult.Done, stepresult.NotRun, stepresult.NotRun},
			seen: "there is no verdict: the checks ended with exit status 2", out: "unexpected call to os.Exit(0) during test",
		},
		{
			name: "exit with 3", body: "fmt.Println(\"bye\"); os.Exit(3)",
			want: []stepresult.State{stepresult.Done, stepresult.NotRun, stepresult.NotRun},
			seen: "there is no verdict: the checks ended with exit status 3", out: "bye",
		},
		{
			name: "panic", body: "var m map[int]int; m[1] = 2",
			want: []stepresult.State{stepresult.Done, stepresult.NotRun, stepresult.NotRun},
			seen: "exit status 2", out: "assignment to entry in nil map",
		},
		{
			name: "hang", body: "fmt.Println(\"waiting\"); r, w, _ := os.Pipe(); r.Read([]byte{0}); w.Close()", timeout: time.Second,
			want: []stepresult.State{stepresult.Done, stepresult.NotRun, stepresult.NotRun},
			seen: "the checks were stopped, since they did not end within 1s", out: "waiting",
			runError: "the checks were stopped, since they did not end within 1s",
		},
		{
			name: "flood", body: "for { fmt.Println(\"flood flood flood flood flood flood flood flood flood flood flood flood\") }",
			want: []stepresult.State{stepresult.Done, stepresult.NotRun, stepresult.NotRun},
			seen: "the checks were stopped, since they printed more than 64 MiB", out: "flood",
			runError: "the checks were stopped, since they printed more than 64 MiB",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			learn(t, c, "sum := 0", tc.body+"\n\tsum := 0")
			report := check(t, c, CheckOptions{Timeout: tc.timeout})
			require.Empty(t, report.BuildError)
			assert.Equal(t, tc.want, states(report))
			assert.Contains(t, report.First().Seen, tc.seen)
			assert.Contains(t, report.First().Output, tc.out)
			assert.LessOrEqual(t, len(report.First().Output), tailShown+100)
			assert.LessOrEqual(t, len(report.Output), runKept+100)
			assert.Equal(t, tc.runError, report.RunError)
			assert.False(t, report.Passed())
		})
	}
}

func TestCheckWithoutTest(t *testing.T) {
	t.Parallel()
	c := coursetest.Fake(t)
	learn(t, c, "", "")
	tests := coursetest.Get(t, c.Root, "01-fake/check_test.go")
	coursetest.Put(t, c.Root, "01-fake/check_test.go", strings.Replace(tests, "TestStep2_Sum", "TestStep_Sum", 1))
	report := check(t, c, CheckOptions{Steps: []int{2}})
	assert.Equal(t, "there is no verdict: the chapter has no test TestStep2_Sum", report.First().Seen)

	coursetest.Put(t, c.Root, "01-fake/check_test.go", strings.Replace(tests, "t.Helper()", "defer t.Error(\"late\")", 1))
	report = check(t, c, CheckOptions{})
	assert.Nil(t, report.First())
	assert.Equal(t, "the checks ended with exit status 1", report.RunError, "every step is done, and yet the checks failed")
	assert.False(t, report.Passed())

	require.NoError(t, os.Remove(filepath.Join(c.Root, "01-fake/check_test.go")))
	_, err := Check(t.Context(), c.Chapters[0], Learner(), CheckOptions{})
	assert.ErrorContains(t, err, "the chapter has no check_test.go")
}

func TestCheckEndsWithContext(t *testing.T) {
	t.Parallel()
	c := coursetest.Fake(t)
	learn(t, c, "sum := 0", "r, w, _ := os.Pipe()\n\tr.Read([]byte{0})\n\tw.Close()\n\tsum := 0")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := Check(ctx, c.Chapters[0], Learner(), CheckOptions{Built: func() {
		time.AfterFunc(200*time.Millisecond, func() { cancel(os.ErrDeadlineExceeded) })
	}})
	assert.ErrorIs(t, err, os.ErrDeadlineExceeded)
	_, err = Check(ctx, c.Chapters[0], Learner(), CheckOptions{})
	assert.ErrorIs(t, err, os.ErrDeadlineExceeded, "the build ends as well")
}

func TestWatchStopsSilence(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	w := &watch{dir: t.TempDir(), limit: time.Hour, silence: 50 * time.Millisecond, begin: time.Hour, out: newHeadTail(10), stop: stop,
		seen: map[int]bool{}}
	w.until(ctx)
	assert.ErrorIs(t, context.Cause(ctx), errSilent)
}

func TestWatchStopsAProgramThatDoesNotBegin(t *testing.T) {
	dir := t.TempDir()
	ctx, stop := context.WithCancelCause(t.Context())
	w := &watch{dir: dir, limit: time.Hour, silence: time.Hour, begin: 50 * time.Millisecond, out: newHeadTail(10), stop: stop,
		seen: map[int]bool{}}
	w.until(ctx)
	assert.ErrorIs(t, context.Cause(ctx), errNotBegun)

	require.NoError(t, stepresult.Begin(dir))
	ctx, stop = context.WithCancelCause(t.Context())
	w.stop, w.silence = stop, 500*time.Millisecond
	w.until(ctx)
	assert.ErrorIs(t, context.Cause(ctx), errSilent)
}

func TestCheckNamesAnInitialiserThatExits(t *testing.T) {
	t.Parallel()
	c := coursetest.Fake(t)
	learn(t, c, "", "")
	coursetest.Put(t, c.Root, "01-fake/own.go", "package main\n\nimport \"os\"\n\nfunc init() { os.Exit(4) }\n")
	report := check(t, c, CheckOptions{})
	assert.Contains(t, report.First().Seen, "exit status 4 before the first check began")
	assert.Contains(t, report.First().Seen, "func init")
}

func TestCheckAdvisesOnAChangedStep(t *testing.T) {
	t.Parallel()
	c := coursetest.Fake(t)
	for name, tc := range map[string]struct{ old, new, want string }{
		"renamed":   {"func Sum(", "func Total(", "go tool workshop reset 01.2"},
		"parameter": {"func Sum(", "func Sum(extra string, ", "go tool workshop reset 01.2"},
		"other":     {"return sum, nil", "return \"sum\", nil", ""},
	} {
		t.Run(name, func(t *testing.T) {
			learn(t, c, tc.old, tc.new)
			report := check(t, c, CheckOptions{})
			require.NotEmpty(t, report.BuildError)
			if tc.want == "" {
				assert.Empty(t, report.BuildAdvice)
			} else {
				assert.Contains(t, report.BuildAdvice, tc.want, report.BuildError)
				assert.NotContains(t, report.BuildAdvice, "01.1")
			}
		})
	}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	c := coursetest.Fake(t)
	coursetest.Put(t, c.Root, "01-fake/main.go", "package main\n\nfunc main() { broken }\n")
	ch := c.Chapters[0]
	var out bytes.Buffer
	opts := VerifyOptions{Out: &out}
	require.NoError(t, VerifyStarter(t.Context(), ch, opts), "of the generated starter, whatever the learner has")
	require.NoError(t, VerifySolution(t.Context(), ch, 2, opts))
	require.NoError(t, VerifySteps(t.Context(), ch, opts))
	assert.Equal(t, 6, strings.Count(out.String(), "ok    01-fake: "))

	tests := coursetest.Get(t, c.Root, "01-fake/check_test.go")
	coursetest.Put(t, c.Root, "01-fake/check_test.go", strings.Replace(tests, "got, err := try(func() (int",
		"got, err := 0, error(nil)\n\tif _, e := try(func() (string, error) { return Greet(\"x\") }); e == nil { got = 6 }\n\t_, _ = "+
			"try(func() (int", 1))
	err := VerifySteps(t.Context(), ch, opts)
	require.Error(t, err)
	assert.Contains(t, err.Error(), `the solution without step 1: step 2, Sum: want "done", got "not yet"`)
	assert.Contains(t, err.Error(), `the solution without step 2: step 2, Sum: want "not written", got "done"`)
	assert.NotContains(t, err.Error(), "without step 3")
	assert.ErrorContains(t, VerifyStarter(t.Context(), ch, opts), `the starter: step 2, Sum: want "not written", got "not yet"`)

	coursetest.Put(t, c.Root, "01-fake/check_test.go", tests)
	coursetest.Put(t, c.Root, "solutions/01-fake/main.go",
		strings.Replace(coursetest.Get(t, c.Root, "solutions/01-fake/main.go"), "sum += n", "sum += m", 1))
	assert.ErrorContains(t, VerifySolution(t.Context(), ch, 3, opts),
		"01-fake: the solution does not compile:\nsolutions/01-fake/main.go:35:9: declared and not used: n")
}

func TestAStepMayWaitForAnEarlierOne(t *testing.T) {
	want := func(step int) stepresult.State {
		if step == 2 {
			return stepresult.NotWritten
		}
		return stepresult.Done
	}
	r := stepresult.Result{Step: 3, State: stepresult.NotYet, Needs: 2}
	assert.True(t, waits(r, want))
	for what, change := range map[string]func(r *stepresult.Result){
		"a fault":      func(r *stepresult.Result) { r.Needs = 0 },
		"another step": func(r *stepresult.Result) { r.Needs = 1 },
		"a later step": func(r *stepresult.Result) { r.Step = 1 },
	} {
		other := r
		change(&other)
		assert.False(t, waits(other, want), what)
	}
}

func TestHeadTail(t *testing.T) {
	w := newHeadTail(8)
	for _, part := range []string{"ab", "", "cdef", "gh"} {
		n, err := w.Write([]byte(part))
		require.NoError(t, err)
		assert.Equal(t, len(part), n)
	}
	assert.Equal(t, "abcdefgh", w.String())
	for range 10 {
		_, err := w.Write([]byte("ijklmnop"))
		require.NoError(t, err)
	}
	assert.Equal(t, "ab\n... (80 bytes left out)\nklmnop", w.String())
	assert.LessOrEqual(t, cap(w.tail), 64)
	assert.Equal(t, int64(88), w.written())

	assert.Equal(t, "...\nlast", tailOf("first\nlast\n", 6))
	assert.Equal(t, "...\nlast", tailOf("firstlast", 4))
	assert.Equal(t, "all", tailOf("\nall\n", 10))
}

func TestCandidateValidate(t *testing.T) {
	c := coursetest.Fake(t)
	_, err := Check(t.Context(), c.Chapters[0], Candidate{Name: "x", Overlay: map[string]string{"main.go": ""}}, CheckOptions{})
	assert.EqualError(t, err, `overlay of x: "main.go" to "": both paths must be absolute`)
}
