package driving

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
)

func TestAProcessMakesCallsForSoManyTurns(t *testing.T) {
	x := Turns{tries: map[string]context.CancelFunc{}}
	for i := range mostTurns {
		require.NoError(t, x.Room())
		x.tries[strconv.Itoa(i)] = func() {}
	}
	require.True(t, fault.Is(x.Room(), fault.QueueFull))
}
