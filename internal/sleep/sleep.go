// Package sleep waits without outliving its caller. To wait for a condition, use
// wait.PollUntilContextCancel of k8s.io/apimachinery.
package sleep

import (
	"context"
	"time"
)

// For waits for d. When ctx ends first, it returns the cause of that.
func For(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
