// Package todo marks a step of a chapter that is not written yet.
package todo

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// NotWrittenError says which step is not written and where it stands.
type NotWrittenError struct {
	// Number is the step's number within its chapter, from 1.
	Number int
	// Func is the function to write, without its package.
	Func string
	// File is the path below the repository root, for example 01-restclient/main.go.
	File string
	// Line is the line of the call, inside the function.
	Line int
}

func (e *NotWrittenError) Error() string {
	chapter := filepath.Base(filepath.Dir(e.File))
	number, _, _ := strings.Cut(chapter, "-")
	return fmt.Sprintf(`step %[1]d, %[2]s, is not written yet
  where:  %[3]s:%[4]d; the task is the comment above the function
  next:   replace the line "panic(todo.Step(%[1]d))", then run again: go run ./%[5]s
  check:  go tool workshop check %[6]s.%[1]d
  stuck:  go tool workshop hint %[6]s.%[1]d`, e.Number, e.Func, e.File, e.Line, chapter, number)
}

// Step returns the error that says that step n, the calling function, is not
// written. A starter panics with it; the learner's code takes the place of that line.
//
// In a program that Run runs, Step does not return: it ends ctx and the calling
// goroutine, whose deferred functions still run.
func Step(n int) error {
	e := &NotWrittenError{Number: n, Func: "?", File: "?"}
	if pc, file, line, ok := runtime.Caller(1); ok {
		if fn := runtime.FuncForPC(pc); fn != nil {
			e.Func = fn.Name()[strings.LastIndexByte(fn.Name(), '.')+1:]
		}
		e.File = filepath.Join(filepath.Base(filepath.Dir(file)), filepath.Base(file))
		e.Line = line
	}
	if p := running.Load(); p != nil {
		p.end(e)
		runtime.Goexit()
	}
	return e
}

// Is reports whether err comes from a step that is not written.
func Is(err error) bool {
	var e *NotWrittenError
	return errors.As(err, &e)
}

// cleanUpTime is how long a program may go on after it met a step that is not
// written, for its clean-up.
const cleanUpTime = 15 * time.Second

// running is the program of this process, nil in a test. It is the one variable
// of the package: Step is also called in goroutines that client-go starts, where
// nothing of the program's reaches it.
var running atomic.Pointer[program]

type program struct {
	cancel context.CancelFunc
	once   sync.Once
	met    chan *NotWrittenError
}

// end notes the first step that is not written, and ends the program's context.
func (p *program) end(e *NotWrittenError) {
	p.once.Do(func() {
		p.met <- e
		p.cancel()
	})
}

// Run runs a chapter's program, one at a time, and returns its error. When the
// program meets a step that is not written, in whatever goroutine, its ctx ends
// and Run returns the *NotWrittenError, after the program has cleaned up.
func Run(ctx context.Context, run func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &program{cancel: cancel, met: make(chan *NotWrittenError, 1)}
	running.Store(p)
	defer running.CompareAndSwap(p, nil)

	ended := make(chan error, 1)
	go func() {
		defer close(ended)
		ended <- run(ctx)
	}()
	select {
	case err := <-ended:
		select {
		case e := <-p.met:
			return e
		default:
			return err
		}
	case e := <-p.met:
		select {
		case <-ended:
		case <-time.After(cleanUpTime):
		}
		return e
	}
}
