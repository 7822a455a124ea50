package main

import (
	"fmt"
	"os"
	"testing"

	"example.com/client-go-workshop/internal/stepresult"
	"example.com/client-go-workshop/internal/todo"
)

func judge(t *testing.T, step int, name string, got any, err error, want any) {
	t.Helper()
	r := stepresult.Result{Step: step, Name: name, State: stepresult.Done}
	switch {
	case todo.Is(err):
		r.State = stepresult.NotWritten
		r.Seen = name + " still panics with todo.Step"
	case err != nil || got != want:
		r.State = stepresult.NotYet
		r.Seen = fmt.Sprintf("want %v, got %v and error %v", want, got, err)
		r.Cause = "the cause in words"
		r.Read = "where to read on"
	}
	if dir := os.Getenv(stepresult.DirEnv); dir != "" {
		if err := stepresult.Write(dir, r); err != nil {
			t.Fatal(err)
		}
	}
	if r.State != stepresult.Done {
		t.Fatal(r.Message())
	}
}

// try turns the panic of a step that is not written into its error.
func try(call func() (any, error)) (got any, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *todo.NotWrittenError:
			err = p
		default:
			panic(p)
		}
	}()
	return call()
}

func TestStep1_Hello(t *testing.T) {
	got, err := try(func() (any, error) { return Hello("x") })
	judge(t, 1, "Hello", got, err, "hello, x")
}

func TestStep2_Add(t *testing.T) {
	got, err := try(func() (any, error) { return Add(1, 2) })
	judge(t, 2, "Add", got, err, 3)
}

func TestStep3_Shout(t *testing.T) {
	got, err := try(func() (any, error) { return Shout("x") })
	judge(t, 3, "Shout", got, err, "X")
}
