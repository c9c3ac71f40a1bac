package kafka_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/eventstore"
)

// Notes stand beside the log: they are read in order, by whoever has not opened it too,
// and do not make it other than empty.
func TestNotesBesideTheLog(t *testing.T) {
	brokers := anyBroker(t)
	l := opened(t, brokers)
	notes, err := l.Notes(t.Context(), "parley.notes")
	require.NoError(t, err)
	require.Empty(t, notes, "a topic that is not there")
	for i := range 3 {
		require.NoError(t, l.Note(t.Context(), "parley.notes", "parley.note.v1", fmt.Sprint(i), fmt.Appendf(nil, "note %d", i)))
	}
	notes, err = connect(t, brokers).Notes(t.Context(), "parley.notes")
	require.NoError(t, err)
	require.Equal(t, [][]byte{[]byte("note 0"), []byte("note 1"), []byte("note 2")}, notes)

	empty, err := l.Empty(t.Context())
	require.NoError(t, err)
	require.True(t, empty, "a genesis is no event")
	stream := boxes.Stream("1")
	number := eventstore.PartitionOf(stream, 3)
	_, err = l.Produce(t.Context(), boxes.Topic(), number, records(stream, 1, "{}"))
	require.NoError(t, err)
	empty, err = l.Empty(t.Context())
	require.NoError(t, err)
	require.False(t, empty)
}
