package sleep

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		require.NoError(t, For(t.Context(), time.Hour))
		assert.Equal(t, time.Hour, time.Since(began))
	})
}

func TestForEndsWithItsContext(t *testing.T) {
	why := errors.New("somebody stopped it")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	require.ErrorIs(t, For(ctx, time.Hour), why)
}
