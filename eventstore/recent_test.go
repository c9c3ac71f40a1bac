package eventstore_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
)

// readings counts what is read of an index.
type readings struct {
	*memory.Log
	loads, records int
	most           int // that were asked for at once
}

func (c *readings) Load(ctx context.Context, stream string) ([]*eventstore.Record, error) {
	c.loads++
	return c.Log.Load(ctx, stream)
}

func (c *readings) After(ctx context.Context, stream string, version int64, most int) ([]*eventstore.Record, error) {
	records, err := c.Log.After(ctx, stream, version, most)
	c.records += len(records)
	c.most = max(c.most, most)
	return records, err
}

// Given a long stream, when something of it is looked for from its end, then what is found are the newest events of its history with
// the state that all of them led to, and about as many are read as that takes; of what is not there, all.
func TestTheNewestEventsCostWhatIsLookedFor(t *testing.T) {
	log := memory.New()
	s := log.Open(eventstore.Config{Node: "n0-1"})
	defer s.Close()
	for i := range 700 {
		require.NoError(t, eventstore.Do(t.Context(), s, notebooks, hot, acme(""), note(strconv.Itoa(i), 1)))
	}
	whole, err := eventstore.History(t.Context(), s, notebooks, hot)
	require.NoError(t, err)
	index := &readings{Log: log}
	s.Index = index
	for _, x := range []struct{ version, events int }{
		{700, 4}, {697, 4}, {696, 4 + 16}, {681, 4 + 16}, {680, 4 + 16 + 64}, {361, 4 + 16 + 64 + 256}, {360, 700}, {1, 700}, {0, 700},
	} {
		index.loads, index.records = 0, 0
		told, err := eventstore.Recent(t.Context(), s, notebooks, hot, func(found []eventstore.Recorded) bool {
			return len(found) > 0 && found[0].Version <= int64(x.version)
		})
		require.NoError(t, err)
		require.Equal(t, whole.Loaded, told.Loaded)
		require.Equal(t, whole.Events[700-x.events:], told.Events, x.version)
		require.Equal(t, x.events, index.records, "no event is read twice")
		require.Zero(t, index.loads, "nor the stream as a whole")
	}
	none, err := eventstore.Recent(t.Context(), s, notebooks, "notebook-none", func([]eventstore.Recorded) bool { return false })
	require.NoError(t, err)
	require.Empty(t, none.Events)
}

// Given a long stream, when an old request is repeated, then its commit alone is read where nobody looks at the state, else what is
// before it as well, in parts: who repeats many of them at once reads no stream as a whole.
func TestAnOldRequestCostsWhatIsBeforeIt(t *testing.T) {
	log := memory.New()
	s := log.Open(eventstore.Config{Node: "n0-1"})
	defer s.Close()
	const long = 1300
	for i := range long {
		require.NoError(t, eventstore.Do(t.Context(), s, notebooks, hot, acme(fmt.Sprint("r", i+1)), note(strconv.Itoa(i+1), 1)))
	}
	for _, x := range []struct {
		version, records int
		stateless        bool
	}{{1, 1, true}, {long, 1, true}, {1, 1, false}, {2, 2, false}, {1200, 1200, false}, {long, long, false}} {
		index := &readings{Log: log}
		s.Index = index
		cmd := acme(fmt.Sprint("r", x.version))
		cmd.Stateless = x.stateless
		again, err := eventstore.Execute(t.Context(), s, notebooks, hot, cmd, note("again", 1))
		require.NoError(t, err)
		require.True(t, again.Replayed)
		require.EqualValues(t, x.version, again.Events[0].Version)
		if !x.stateless {
			require.EqualValues(t, x.version, again.State.Notes)
		}
		require.Equal(t, []int{x.records, 0}, []int{index.records, index.loads}, x)
		require.LessOrEqual(t, index.most, 500)
	}
}
