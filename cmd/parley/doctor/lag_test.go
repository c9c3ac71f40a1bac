package doctor

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// A log that grows while it is looked at has not lost its tail.
func TestCheckpointsAreNeverPastAnEndThatGrows(t *testing.T) {
	position := int64(6)
	grow := func() int64 { position += 2; return position }
	at, ends, err := standing(t.Context(),
		func(context.Context) ([]checkpoint, error) {
			return []checkpoint{{Topic: "parley.calls", Next: grow()}}, nil
		},
		func(context.Context) (map[string]map[int]int64, error) {
			return map[string]map[int]int64{"parley.calls": {0: grow()}}, nil
		})
	require.NoError(t, err)
	require.LessOrEqual(t, at[0].Next, ends["parley.calls"][0])
}
