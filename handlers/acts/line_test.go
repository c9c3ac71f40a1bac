package acts_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/acts"
)

func TestOneAtATimeWorksOnAStreamAndFewWait(t *testing.T) {
	lines := acts.Lines{Most: 1}
	first, err := lines.Enter(t.Context(), "s")
	require.NoError(t, err)
	second := make(chan func())
	go func() {
		leave, _ := lines.Enter(context.Background(), "s")
		second <- leave
	}()
	require.Eventually(t, func() bool {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := lines.Enter(ctx, "s")
		return fault.Is(err, fault.QueueFull)
	}, 5*time.Second, time.Millisecond)
	other, err := lines.Enter(t.Context(), "another")
	require.NoError(t, err)
	other()
	first()
	(<-second)()
	again, err := lines.Enter(t.Context(), "s")
	require.NoError(t, err)
	again()
}
