package keyring_test

import (
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/eventstore/keyring"
	"github.com/parley-platform/parley/eventstore/sealed"
)

// remembered are the records of a table, and an error behind them if there is one.
func remembered(err error, records ...keyring.Record) iter.Seq2[keyring.Record, error] {
	return func(yield func(keyring.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
		if err != nil {
			yield(keyring.Record{}, err)
		}
	}
}

// Given what a topic, the log and a table know of a key, then this is written to the topic.
func TestMending(t *testing.T) {
	var id sealed.ID
	at := time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)
	live, erased := keyring.Record{ID: id, Wrapped: "secret", MadeAt: at}, keyring.Record{ID: id, ErasedAt: at}
	for name, c := range map[string]struct {
		topic, table []keyring.Record
		log          bool // an erasure on the log is about it
		want         keyring.Mended
		stands       keyring.Record
		lost         bool
	}{
		"all know it":        {topic: []keyring.Record{live}, table: []keyring.Record{live}, stands: live},
		"the topic lacks it": {table: []keyring.Record{live}, want: keyring.Mended{Returned: 1}, stands: live},
		"the table lacks it": {topic: []keyring.Record{live}, stands: live},
		"it came back":       {topic: []keyring.Record{live}, log: true, want: keyring.Mended{Erased: 1}, stands: erased},
		"it came back, says the table": {topic: []keyring.Record{live}, table: []keyring.Record{erased}, want: keyring.Mended{Erased: 1},
			stands: erased},
		"erased, and the topic lacks it": {table: []keyring.Record{live}, log: true, want: keyring.Mended{Erased: 1},
			stands: erased},
		"erased, as all know": {topic: []keyring.Record{live, erased}, table: []keyring.Record{erased}, log: true, stands: erased},
		"nobody knows it":     {lost: true},
	} {
		t.Run(name, func(t *testing.T) {
			topic := newTopic()
			require.NoError(t, topic.Append(t.Context(), c.topic))
			m := keyring.Mending{Topic: topic, Now: func() time.Time { return at }}
			require.NoError(t, m.Begin(t.Context()))
			if c.log {
				require.NoError(t, m.Erase(t.Context(), []sealed.ID{id}))
			}
			require.NoError(t, m.Return(t.Context(), remembered(nil, c.table...)))
			lost, err := m.Lost(t.Context(), []sealed.ID{id})
			require.NoError(t, err)
			require.Equal(t, c.lost, len(lost) == 1)
			require.Equal(t, c.want, m.Done())
			topic.compact()
			if c.lost {
				require.Empty(t, topic.records)
				require.NoError(t, m.GiveUp(t.Context(), lost))
				require.Equal(t, 1, m.Done().GivenUp)
				topic.compact()
				c.stands = erased
			}
			require.Equal(t, []keyring.Record{c.stands}, topic.records)
		})
	}
}

// Given many keys to write back and a topic that goes away in the middle, or a table that
// cannot be read to its end, then the error is told, and another mending does the rest.
func TestAMendingGoesOn(t *testing.T) {
	topic, away := newTopic(), errors.New("cut off")
	var all []keyring.Record
	for n := range 1200 {
		all = append(all, keyring.Record{ID: sealed.ID{1, byte(n >> 8), byte(n)}, Wrapped: "secret"})
	}
	m := keyring.Mending{Topic: topic, Now: time.Now}
	require.NoError(t, m.Begin(t.Context()))
	require.ErrorIs(t, m.Return(t.Context(), remembered(away, all[:700]...)), away)
	require.Len(t, topic.records, 500, "whole lots")
	topic.fail(away)
	again := keyring.Mending{Topic: topic, Now: time.Now}
	require.ErrorIs(t, again.Begin(t.Context()), away)
	topic.fail(nil)
	require.NoError(t, again.Begin(t.Context()))
	require.NoError(t, again.Return(t.Context(), remembered(nil, all...)))
	require.Len(t, topic.records, 1200)
	require.Equal(t, 700, again.Done().Returned)
}
