package node

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMemoryIsKeptUnderLoadAndGivenBackAtRest(t *testing.T) {
	for name, c := range map[string]struct {
		bytes uint64
		in    time.Duration
		want  int
	}{
		"rest":                  {13 << 20, time.Minute, atRest},
		"load":                  {40 << 20, time.Second, underLoad},
		"a collection at start": {0, time.Hour, atRest},
	} {
		require.Equal(t, c.want, percentFor(c.bytes, c.in), name)
	}
}
