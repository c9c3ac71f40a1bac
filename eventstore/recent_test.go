package eventstore_test

import (
	"context"
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
}

func (c *readings) Load(ctx context.Context, stream string) ([]*eventstore.Record, error) {
	c.loads++
	return c.Log.Load(ctx, stream)
}

func (c *readings) After(ctx context.Context, stream string, version int64, most int) ([]*eventstore.Record, error) {
	records, err := c.Log.After(ctx, stream, version, most)
	c.records += len(records)
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
