package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/projections/engine/enginetest"
)

// stands is how far the database says that all partitions are.
func stands(t *testing.T, n *enginetest.Node) (sum int64) {
	t.Helper()
	require.NoError(t, n.DB.Queries.QueryRow(t.Context(),
		`SELECT sum(next_offset + owner_epoch)::bigint FROM checkpoints WHERE projection = 'live'`).Scan(&sum))
	return sum
}

var counters = []*event.Category{enginetest.Counters.Category}

func knows(n *enginetest.Node) bool {
	_, ok := n.Projector.Moment(counters)
	return ok
}

// Given a node that is alone, when commands were answered, then it knows by itself what the database says, or does not know;
// when another comes, none of them knows any more, and when that one is gone the first does again.
func TestANodeThatIsAloneKnowsHowFarItIs(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	a := enginetest.Start(t, "a", brokers, url)
	holdAll(t, a)
	enginetest.Soon(t, "it knows", func() bool { return knows(a) })
	known := 0
	for i := range 8 * enginetest.Counters.Partitions {
		_, err := a.Add(t, enginetest.IDOn(i%enginetest.Counters.Partitions), 1)
		require.NoError(t, err)
		if sum, ok := a.Projector.Moment(counters); ok {
			known++
			require.Equal(t, stands(t, a), sum)
		}
	}
	require.NotZero(t, known)

	b := enginetest.Start(t, "b", brokers, url)
	holdAll(t, a, b)
	require.False(t, knows(a))
	require.False(t, knows(b))
	addEverywhere(b, t)
	b.Stop()
	holdAll(t, a)
	enginetest.Soon(t, "it knows again", func() bool { return knows(a) })
	sum, _ := a.Projector.Moment(counters)
	require.Equal(t, stands(t, a), sum)
}

// Given a node that is alone, when its database cannot be asked, or lost what was in it, then it knows nothing.
func TestANodeThatIsShutKnowsNotHowFarItIs(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	a := enginetest.Start(t, "a", brokers, url)
	holdAll(t, a)
	enginetest.Soon(t, "it knows", func() bool { return knows(a) })
	a.Projector.Reset("for the test")
	require.False(t, knows(a))
	enginetest.Soon(t, "it knows again", func() bool { return knows(a) })
	a.DB.Queries.Close()
	enginetest.Soon(t, "it does not know", func() bool { return !knows(a) })
}
