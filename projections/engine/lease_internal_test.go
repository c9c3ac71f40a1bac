package engine

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/projections/sink"
)

// The i-th of n nodes prefers the numbers that it gets in a group of readers: ranges, which are all of a topic together.
func TestANodePrefersARangeOfEachTopic(t *testing.T) {
	var rows []row
	for topic, count := range map[string]int{"calls": 5, "sessions": 6, "keys": 1} {
		for number := range count {
			rows = append(rows, row{at: sink.Place{Topic: topic, Partition: number}})
		}
	}
	rand.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	for _, test := range []struct {
		i, n int
		want string
	}{
		{0, 1, "calls/0 calls/1 calls/2 calls/3 calls/4 keys/0 sessions/0 sessions/1 sessions/2 sessions/3 sessions/4 sessions/5"},
		{0, 2, "calls/0 calls/1 sessions/0 sessions/1 sessions/2 calls/2 calls/3 calls/4 keys/0 sessions/3 sessions/4 sessions/5"},
		{1, 2, "calls/2 calls/3 calls/4 keys/0 sessions/3 sessions/4 sessions/5 calls/0 calls/1 sessions/0 sessions/1 sessions/2"},
	} {
		t.Run(fmt.Sprintf("%d of %d", test.i, test.n), func(t *testing.T) {
			var got string
			for _, r := range preferred(rows, test.i, test.n) {
				got += " " + r.at.String()
			}
			require.Equal(t, " "+test.want, got)
		})
	}
}

// What the database says, once it is reached, is for its operator, who looks at /readyz; that it is not reached anybody may read.
func TestWhyTheDatabaseCannotBePrepared(t *testing.T) {
	_, away := pgconn.Connect(t.Context(), "postgres://somebody@127.0.0.1:1/parley?connect_timeout=1")
	words, more := whyUnprepared(away)
	require.Equal(t, "the database does not answer", words)
	require.NoError(t, more)
	lacks := errors.New("the schema is of another version")
	words, more = whyUnprepared(lacks)
	require.Equal(t, "the database cannot be prepared, see /readyz", words)
	require.Equal(t, lacks, more)
}
