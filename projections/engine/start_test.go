package engine_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/projections/engine"
	"github.com/parley-platform/parley/projections/engine/enginetest"
	"github.com/parley-platform/parley/projections/sink"
)

// many is a category of so many partitions that no order of them is met by chance.
var many = event.NewAggregate[enginetest.Counter]("many", "many", 32)

func withMany(t *testing.T) func(*engine.Config) {
	return func(c *engine.Config) {
		c.Categories = append(c.Categories, many.Category)
		require.NoError(t, c.Log.(*kafka.Log).Open(t.Context(), c.Categories))
	}
}

// Given a database that lacks the checkpoints of a topic, when a node starts while another one has made only the
// first of them, then it waits without any of its own, and the other can make the rest.
func TestNodesThatStartAtOnceDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	a := enginetest.Start(t, "a", brokers, url, withMany(t))
	looks, other := apart(a, t), apart(a, t)
	a.Stop()
	tx, err := other.Begin(t.Context())
	require.NoError(t, err)
	add := func(partition int) error {
		_, err := tx.Exec(t.Context(), `INSERT INTO checkpoints (projection, topic, partition, log_id) VALUES ($1, $2, $3, $4)`, sink.Live,
			many.Topic(), partition, a.Log.LogID())
		return err
	}
	_, err = looks.Exec(t.Context(), `DELETE FROM checkpoints WHERE topic = $1`, many.Topic())
	require.NoError(t, err)
	require.NoError(t, add(0))

	made := make(chan error, 1)
	go func() {
		err := waiting(t.Context(), looks, `INSERT INTO checkpoints%`)
		for partition := 1; err == nil && partition < many.Partitions; partition++ {
			err = add(partition)
		}
		made <- errors.Join(err, tx.Commit(context.Background()))
	}()
	b := enginetest.Begin(t, "b", brokers, url, withMany(t))
	require.NoError(t, <-made)
	b.Open(t)
}

// waiting returns when a statement like that waits for what somebody else has locked.
func waiting(ctx context.Context, db sink.Querier, statement string) error {
	for waits := false; !waits; {
		if err := sink.Pause(ctx, 5*time.Millisecond); err != nil {
			return err
		}
		if err := db.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
			AND wait_event_type = 'Lock' AND query LIKE $1)`, statement).Scan(&waits); err != nil {
			return err
		}
	}
	return nil
}
