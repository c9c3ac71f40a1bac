//go:build !apache

package node

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
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

// Given load, when it ends, then the heap may grow less some seconds later, though nothing is collected any more; and
// may grow more with the next collection under load.
func TestLoadThatHasEndedIsNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var percent atomic.Int64
		var used atomic.Uint64 // a timer looks at it
		c := &collector{set: func(p int) int { return int(percent.Swap(int64(p))) }, allocated: used.Load}
		c.begin()
		for range 20 {
			time.Sleep(time.Second)
			synctest.Wait()
			require.Equal(t, underLoad, int(percent.Load()))
			used.Add(2 * busy)
		}
		time.Sleep(2 * calm)
		synctest.Wait()
		require.Equal(t, atRest, int(percent.Load()))

		c.collected() // what the load has left
		require.Equal(t, atRest, int(percent.Load()))
		time.Sleep(time.Second)
		used.Add(2 * busy)
		c.collected()
		require.Equal(t, underLoad, int(percent.Load()))
		time.Sleep(2 * calm)
		synctest.Wait()
		require.Equal(t, atRest, int(percent.Load()))
	})
}
