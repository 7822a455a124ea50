package check

import (
	"context"
	"fmt"
	"runtime/debug"
	"testing"
	"testing/synctest"

	"example.com/client-go-workshop/internal/todo"
)

// FakeTime is Call in a world with a clock of its own: when every goroutine
// waits, the clock jumps to the next timer, so that an hour of waiting takes an
// instant. Nothing in it may wait for the outside, neither for the network nor
// for a channel made before: see SlowPod. The context has no deadline.
func (s *S) FakeTime(call func(ctx context.Context) error) error {
	s.checked = true
	done := make(chan outcome, 1)
	go func() { done <- inBubble(s.t, call) }()
	return s.await(done, CallTimeout)
}

// inBubble recovers the panic with which synctest reports goroutines that
// nothing will wake any more. Those that outlive the call are no fault here.
func inBubble(t *testing.T, call func(ctx context.Context) error) (out outcome) {
	out = outcome{stuck: true}
	defer func() { _ = recover() }()
	synctest.Test(t, func(*testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		out = <-start(ctx, call)
	})
	return out
}

// start runs call in a goroutine of its own and sends how it ended.
func start(ctx context.Context, call func(ctx context.Context) error) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		out := outcome{exited: true}
		defer func() {
			switch p := recover().(type) {
			case nil:
			case *todo.NotWrittenError:
				out = outcome{err: p}
			default:
				out = outcome{panicked: fmt.Sprint(p), stack: string(debug.Stack())}
			}
			done <- out
		}()
		out = outcome{err: call(ctx)}
	}()
	return done
}
