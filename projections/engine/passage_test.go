package engine_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/projections/engine"
	"github.com/parley-platform/parley/projections/engine/enginetest"
	"github.com/parley-platform/parley/projections/sink"
)

// A feed behind the read models is told of every offset once, in order, with the events
// that count and their payloads, and not of what lost.
func TestAFeedIsToldWhatWasProjected(t *testing.T) {
	brokers, url := enginetest.Parts(t)
	var mu sync.Mutex
	next, told := map[sink.Place]int64{}, 0
	n := enginetest.Start(t, "n1", brokers, url, func(c *engine.Config) {
		c.Passed = func(x sink.Passage) {
			mu.Lock()
			defer mu.Unlock()
			if x.From != next[x.Place] || x.To <= x.From || len(x.Payloads) != len(x.Records) {
				t.Errorf("told %v from %d to %d behind %d: %d events, %d payloads", x.Place, x.From, x.To, next[x.Place], len(x.Records),
					len(x.Payloads))
			}
			next[x.Place] = x.To
			for i, r := range x.Records {
				if _, err := enginetest.Counters.KindOf(x.Payloads[i]); err != nil || r.Offset < x.From || r.Offset >= x.To {
					t.Errorf("%s at %d of %d to %d: %v", r.Type, r.Offset, x.From, x.To, err)
				}
			}
			told += len(x.Records)
		}
	})
	for i := range 9 {
		_, err := n.Add(t, string(rune('a'+i%3)), 1)
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool { mu.Lock(); defer mu.Unlock(); return told == 9 }, 20*time.Second, 10*time.Millisecond)
}
