package engine_test

import (
	"fmt"
	"sync"
	"sync/atomic"
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
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	f := &feed{next: map[sink.Place]int64{}}
	f.wanted.Store(true)
	n := enginetest.Start(t, "n1", brokers, url, func(c *engine.Config) { c.Feed = f })
	for i := range 9 {
		_, err := n.Add(t, string(rune('a'+i%3)), 1)
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool { return f.has() == 9 }, 2*time.Minute, 10*time.Millisecond)
	require.Empty(t, f.wrong)

	// While nobody follows nothing is told, and later it is not made up for. The second of
	// these events may be told: a command is answered before a feed is.
	f.wanted.Store(false)
	for range 2 {
		_, err := n.Add(t, "a", 1)
		require.NoError(t, err)
	}
	f.wanted.Store(true)
	_, err := n.Add(t, "a", 1)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return f.has() >= 10 }, 2*time.Minute, 10*time.Millisecond)
	require.Len(t, f.wrong, 1, "told behind a gap")
}

// feed notes what it is given, and what of it is not as it must be.
type feed struct {
	wanted atomic.Bool
	mu     sync.Mutex
	next   map[sink.Place]int64
	told   int
	wrong  []string
}

func (f *feed) Wanted() bool { return f.wanted.Load() }

func (f *feed) has() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.told
}

func (f *feed) Give(x sink.Passage) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if x.From != f.next[x.Place] || x.To <= x.From || len(x.Payloads) != len(x.Records) {
		f.wrong = append(f.wrong, fmt.Sprintf("told %v from %d to %d behind %d: %d events, %d payloads", x.Place, x.From, x.To,
			f.next[x.Place], len(x.Records), len(x.Payloads)))
	}
	f.next[x.Place] = x.To
	for i, r := range x.Records {
		if _, err := enginetest.Counters.KindOf(x.Payloads[i]); err != nil || r.Offset < x.From || r.Offset >= x.To {
			f.wrong = append(f.wrong, fmt.Sprintf("%s at %d of %d to %d: %v", r.Type, r.Offset, x.From, x.To, err))
		}
	}
	f.told += len(x.Records)
}
