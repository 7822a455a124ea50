package main

import (
	"os"
	"testing"

	"example.com/client-go-workshop/internal/todo"
	"example.com/client-go-workshop/internal/verdict"
)

func TestStep1_Goodbye(t *testing.T) {
	r := verdict.Result{Step: 1, Name: "Goodbye", State: verdict.Done}
	func() {
		defer func() {
			if _, ok := recover().(*todo.NotWrittenError); ok {
				r.State = verdict.NotWritten
			}
		}()
		if got, err := Goodbye(); err != nil || got != "goodbye" {
			r.State = verdict.NotYet
		}
	}()
	if dir := os.Getenv(verdict.DirEnv); dir != "" {
		if err := verdict.Write(dir, r); err != nil {
			t.Fatal(err)
		}
	}
	if r.State != verdict.Done {
		t.Fatal(r.State)
	}
}
