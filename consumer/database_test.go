package consumer_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/consumer"
)

// rows is the Sink of docs/how-to/consume-events.md: what the events change,
// position and heads in one transaction. Its own table counts events per stream.
type rows struct {
	db    *pgxpool.Pool
	crash func() error // asked at each step of a transaction
}

const rowsTables = `
CREATE TABLE parley_positions (topic text, partition int, log_id text, next bigint, mark text, streams int, sum text,
PRIMARY KEY (topic, partition));
CREATE TABLE parley_heads (topic text, partition int, stream text, version bigint, commit_id text, tenant text,
PRIMARY KEY (topic, partition, stream));
CREATE TABLE counted (stream text PRIMARY KEY, events int);`

func (s rows) Load(ctx context.Context, at consumer.Place) (state consumer.State, err error) {
	var sum string
	err = s.db.QueryRow(ctx, `SELECT log_id, next, mark, streams, sum FROM parley_positions WHERE topic = $1 AND partition = $2`, at.Topic,
		at.Partition).
		Scan(&state.LogID, &state.Next, &state.Mark, &state.Streams, &sum)
	if errors.Is(err, pgx.ErrNoRows) {
		return consumer.State{}, nil
	}
	if err != nil {
		return state, err
	}
	if state.Sum, err = strconv.ParseUint(sum, 10, 64); err != nil {
		return state, err
	}
	found, err := s.db.Query(ctx, `SELECT stream, version, commit_id, tenant FROM parley_heads WHERE topic = $1 AND partition = $2`, at.Topic,
		at.Partition)
	if err != nil {
		return state, err
	}
	state.Heads = map[string]consumer.Head{}
	var stream string
	var h consumer.Head
	_, err = pgx.ForEachRow(found, []any{&stream, &h.Version, &h.Commit, &h.Tenant}, func() error {
		state.Heads[stream] = h
		return nil
	})
	return state, err
}

func (s rows) Take(ctx context.Context, b consumer.Batch) error {
	err := pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		for _, commit := range b.Commits {
			for _, e := range commit {
				if _, err := tx.Exec(ctx, `INSERT INTO counted VALUES ($1, 1) ON CONFLICT (stream) DO UPDATE SET events = counted.events + 1`,
					e.Stream); err != nil {
					return err
				}
			}
		}
		if err := s.crash(); err != nil {
			return err
		}
		for stream, h := range b.Progress.Heads {
			if _, err := tx.Exec(ctx, `INSERT INTO parley_heads VALUES ($1, $2, $3, $4, $5, $6)
				ON CONFLICT (topic, partition, stream) DO UPDATE
				SET version = $4, commit_id = $5`, b.Topic, b.Partition, stream, h.Version, h.Commit, h.Tenant); err != nil {
				return err
			}
		}
		p := b.Progress
		_, err := tx.Exec(ctx, `INSERT INTO parley_positions VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (topic, partition) DO UPDATE SET log_id = $3, next = $4, mark = $5, streams = $6, sum = $7`,
			b.Topic, b.Partition, p.LogID, p.Next, p.Mark, p.Streams, strconv.FormatUint(p.Sum, 10))
		return errors.Join(err, s.crash())
	})
	return errors.Join(err, s.crash()) // after the transaction: it counts, and the caller does not know
}

// Given a sink with one transaction per batch, when it fails before, in and after
// its transactions, then each event has its effect once.
func TestExactlyOnceInADatabase(t *testing.T) {
	w := newWorld(t)
	db, err := pgxpool.New(t.Context(), embeddedtest.Database(t))
	require.NoError(t, err)
	defer db.Close()
	_, err = db.Exec(t.Context(), rowsTables)
	require.NoError(t, err)

	const streams = 40
	for i := range streams {
		c := messages(commitOf(streamOn(i%3, i), 1, "", 3)...)
		w.append(t, i%3, append(c, c...)...) // and the same once more
	}
	rnd := rand.New(rand.NewPCG(7, 7))
	sink := rows{db, func() error {
		if rnd.IntN(8) == 0 {
			return errKilled
		}
		return nil
	}}
	crashes := 0
	for p := range 3 { // one after the other: the dice are not for sharing
		one := func(c *consumer.Config) { c.BatchRecords, c.Partitions = 9, map[string][]int{topic: {p}} }
		for {
			err := w.read(t, sink, one)
			if err == nil {
				break
			}
			require.ErrorIs(t, err, errKilled)
			crashes++
		}
	}
	require.NotZero(t, crashes)
	var sum, wrong int
	require.NoError(t, db.QueryRow(t.Context(), `SELECT sum(events), count(*) FILTER (WHERE events <> 3) FROM counted`).Scan(&sum, &wrong))
	require.Equal(t, streams*3, sum)
	require.Zero(t, wrong)

	_, err = db.Exec(t.Context(), `DELETE FROM parley_heads WHERE stream = $1`, streamOn(0, 0))
	require.NoError(t, err)
	require.ErrorIs(t, w.read(t, rows{db, func() error { return nil }}), consumer.ErrNoHeads)
}
