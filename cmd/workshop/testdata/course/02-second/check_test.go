package main

import (
	"os"
	"testing"

	"example.com/client-go-workshop/internal/todo"
	"example.com/client-go-workshop/internal/verdict"
)

func TestStep1_Goodbye(t *testing.T) {
	r := verdict.Result{Step: 1, Name: "Goodbye", State: verdict.Done}
	got, err := Goodbye()
	if todo.Is(err) {
		r.State = verdict.NotWritten
	} else if got != "goodbye" {
		r.State = verdict.NotYet
	}
	if dir := os.Getenv(verdict.DirEnv); dir != "" {
		if err := verdict.Write(dir, r); err != nil {
			t.Fatal(err)
		}
	}
	if r.State != verdict.Done {
		t.Fatal(r.State)
	}
}
