package main

import (
	"os"
	"testing"

	"example.com/client-go-workshop/internal/stepresult"
	"example.com/client-go-workshop/internal/todo"
)

func TestStep1_Goodbye(t *testing.T) {
	r := stepresult.Result{Step: 1, Name: "Goodbye", State: stepresult.Done}
	func() {
		defer func() {
			if _, ok := recover().(*todo.NotWrittenError); ok {
				r.State = stepresult.NotWritten
			}
		}()
		if got, err := Goodbye(); err != nil || got != "goodbye" {
			r.State = stepresult.NotYet
		}
	}()
	if dir := os.Getenv(stepresult.DirEnv); dir != "" {
		if err := stepresult.Write(dir, r); err != nil {
			t.Fatal(err)
		}
	}
	if r.State != stepresult.Done {
		t.Fatal(r.State)
	}
}
