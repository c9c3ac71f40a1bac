package reactors_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/registrations"
	"github.com/parley-platform/parley/eventstore"
	handling "github.com/parley-platform/parley/handlers/reactors"
)

// standing is a group on one topic, whose partitions each hold ten records.
type standing struct {
	handling.Groups
	committed map[int]int64
}

func (s standing) Committed(context.Context, string, ...string) (map[string]map[int]int64, error) {
	return map[string]map[int]int64{"t": s.committed}, nil
}

func (s standing) Bounds(context.Context, string) (starts, ends map[int]int64, err error) {
	return map[int]int64{0: 0, 1: 0}, map[int]int64{0: 10, 1: 10}, nil
}

func (s standing) Fetch(_ context.Context, _ string, _ int, offset int64) (eventstore.Fetched, error) {
	return eventstore.Fetched{Entries: []eventstore.Entry{{Offset: offset, Record: &eventstore.Record{Time: time.Unix(100, 0)}}}}, nil
}

func TestHowFarAGroupIsBehind(t *testing.T) {
	at := func(partition int, offset int64) registrations.Position {
		return registrations.Position{Topic: "t", Partition: partition, Offset: offset}
	}
	for name, c := range map[string]struct {
		committed map[int]int64
		pending   []registrations.Position
		want      handling.Lag
	}{
		"at the end": {map[int]int64{0: 10, 1: 10}, nil, handling.Lag{}},
		"behind":     {map[int]int64{0: 7, 1: 10}, nil, handling.Lag{Events: 3, Age: time.Minute}},
		"nowhere":    {map[int]int64{0: 10}, nil, handling.Lag{Lost: []string{"t/1: no committed offset"}}},
		"off the log": {map[int]int64{0: 10, 1: 11}, nil,
			handling.Lag{Lost: []string{"t/1: the committed offset 11 is not on the log (0 to 10)"}}},
		"nowhere yet, but it was decided": {map[int]int64{0: 10}, []registrations.Position{at(0, 0), at(1, 4)},
			handling.Lag{Events: 6, Age: time.Minute}},
		"decided, and not on the log now": {map[int]int64{0: 10}, []registrations.Position{at(1, 12)},
			handling.Lag{Lost: []string{"t/1: the committed offset 12 is not on the log (0 to 10)"}}},
		"decided for another, nowhere here": {map[int]int64{0: 10}, []registrations.Position{at(2, 0)},
			handling.Lag{Lost: []string{"t/1: no committed offset"}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := standing{committed: c.committed}
			got, err := handling.LagOf(t.Context(), &handling.Edges{Groups: s}, s, time.Unix(160, 0), "parley-x", []string{"t"}, c.pending)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}
