package analytics

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections/sink"
)

// passed is what a transaction brought of partition 2: one event at each offset.
func passed(from, to int64) sink.Passage {
	x := sink.Passage{Place: lacking(0, 0).Place, From: from, To: to}
	for at := from; at < to; at++ {
		x.Records = append(x.Records, &eventstore.Record{Topic: x.Topic, Partition: 2, Offset: at, Data: []byte(`{}`)})
		x.Payloads = append(x.Payloads, event.Payload(sessions.SessionEnded{}))
	}
	return x
}

func lacking(next, end int64) gap {
	return gap{Place: sink.Place{Topic: "parley.sessions", Partition: 2}, next: next, end: end}
}

// What is taken follows the analytics' checkpoint and ends at that of the read models, or
// it is read from the log, up to where the feed goes on.
func TestAFeedGivesWhatFollows(t *testing.T) {
	for _, c := range []struct {
		name  string
		given []sink.Passage
		gap   gap
		most  int
		to    []int64 // ends of the passages that come
		read  int64   // up to where the log is read, when none comes
	}{
		{"nothing was told", nil, lacking(5, 9), 100, nil, 9},
		{"all of it", []sink.Passage{passed(5, 7), passed(7, 9)}, lacking(5, 9), 100, []int64{7, 9}, 0},
		{"a passage without events", []sink.Passage{{Place: lacking(0, 0).Place, From: 5, To: 6}, passed(6, 9)}, lacking(5, 9), 100,
			[]int64{6, 9}, 0},
		{"no further than the read models", []sink.Passage{passed(5, 7), passed(7, 9)}, lacking(5, 7), 100, []int64{7}, 0},
		{"about so many", []sink.Passage{passed(5, 7), passed(7, 9)}, lacking(5, 9), 2, []int64{7}, 0},
		{"it began later", []sink.Passage{passed(7, 9)}, lacking(5, 9), 100, nil, 7},
		{"it begins in the middle", []sink.Passage{passed(3, 7), passed(7, 9)}, lacking(5, 9), 100, nil, 7},
		{"it was written by another node", []sink.Passage{passed(3, 5), passed(5, 9)}, lacking(5, 9), 100, []int64{9}, 0},
		{"something between was not told", []sink.Passage{passed(5, 7), passed(8, 9)}, lacking(5, 9), 100, nil, 8},
		{"it was projected again", []sink.Passage{passed(5, 9), passed(5, 7)}, lacking(5, 7), 100, []int64{7}, 0},
		{"it ends behind the read models", []sink.Passage{passed(5, 9)}, lacking(5, 7), 100, nil, 7},
		{"another partition", []sink.Passage{passed(5, 9)}, gap{Place: sink.Place{Topic: "parley.sessions", Partition: 3}, next: 5, end: 9}, 100,
			nil, 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := NewFeed()
			f.want(true)
			for _, x := range c.given {
				f.Give(x)
			}
			fed, read := f.take(c.gap, c.most)
			var to []int64
			for _, x := range fed {
				to = append(to, x.To)
			}
			assert.Equal(t, c.to, to)
			if len(fed) == 0 {
				assert.Equal(t, c.read, read)
			}
		})
	}
}

// What was taken is not given twice, and what is left comes next.
func TestAFeedForgetsWhatItGave(t *testing.T) {
	f := NewFeed()
	f.want(true)
	f.Give(passed(5, 7))
	f.Give(passed(7, 9))
	first, _ := f.take(lacking(5, 9), 2)
	require.Len(t, first, 1)
	second, _ := f.take(lacking(7, 9), 2)
	require.Len(t, second, 1)
	require.EqualValues(t, 9, second[0].To)
	require.Zero(t, f.records)
	require.Zero(t, f.bytes)
	require.Empty(t, f.parts)
}

// Nobody's memory grows for analytics that another node writes, or that do not keep up.
func TestAFeedIsBounded(t *testing.T) {
	f := NewFeed()
	f.Give(passed(0, 2))
	require.Empty(t, f.parts, "this node does not write the analytics")
	f.want(true)
	for from := int64(0); from < 2*mostFed; from += 1000 {
		f.Give(passed(from, from+1000))
		require.LessOrEqual(t, f.records, mostFed)
	}
	large := passed(2*mostFed, 2*mostFed+1)
	large.Records[0].Data = make([]byte, mostFedBytes+1)
	f.Give(large)
	require.Zero(t, f.bytes, "what is too large is read from the log")
	f.Give(passed(2*mostFed+1, 2*mostFed+2))
	f.want(false)
	require.Empty(t, f.parts)
	require.Zero(t, f.records)
}

// Without an engine beside them the analytics read the log.
func TestNoFeed(t *testing.T) {
	var f *Feed
	f.want(true)
	fed, read := f.take(lacking(5, 9), 100)
	require.Empty(t, fed)
	require.EqualValues(t, 9, read)
}

func TestUnderLoadBatchesAreFewerAndTheFeedHoldsWhatComesMeanwhile(t *testing.T) {
	require.Equal(t, pollEvery, gathering(0))
	require.Equal(t, pollEvery, gathering(full-1))
	require.Equal(t, fullEvery, gathering(full))
	const commands = 30_000 // a second: more than a node of two cores projects
	require.Less(t, commands*fullEvery.Seconds(), float64(mostFed))
}
