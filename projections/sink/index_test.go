package sink_test

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/eventstore"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/sink"
)

// open is a gate that never shuts.
type open struct{}

func (open) Err() error     { return nil }
func (open) Epoch() uint64  { return 1 }
func (open) Refusal() error { return nil }

// Given reactors that ask of each record whether it counts, then that is not planned anew for each.
func TestWhetherARecordCountsIsPlannedOnce(t *testing.T) {
	given.Open(t).KeepsPlans(func(db *pgxpool.Pool) {
		index := sink.NewIndex(db, open{}, standing)
		held, err := index.HeldBy(t.Context(), "call-1", 1, "parley.calls", 0, 7)
		require.NoError(t, err)
		require.False(t, held)
		heads, err := index.Heads(t.Context(), []string{"call-1"})
		require.NoError(t, err)
		require.Empty(t, heads)
	})
}

// Given commands that wait for verdicts and decisions that look what others wrote, then neither is planned anew for each.
func TestWhatCommandsAskIsPlannedOnce(t *testing.T) {
	given.Open(t).KeepsPlans(func(db *pgxpool.Pool) {
		index := sink.NewIndex(db, open{}, standing)
		holds, err := index.Holds(t.Context(), "call-1", 1, "6b1e1f3e-8f5b-4f83-9d0c-0a8f0a6f1a11")
		require.NoError(t, err)
		require.False(t, holds)
		behind, err := index.After(t.Context(), "call-1", 1, 100)
		require.NoError(t, err)
		require.Empty(t, behind)
	})
}

// Given many who ask for verdicts, and what is behind versions, at once, then each is told what it asked for, what it is given is its own,
// and they share queries.
func TestManyAskAtOnceForVerdictsAndWhatIsBehind(t *testing.T) {
	w := given.Open(t)
	config := w.DB.Config()
	config.MaxConns = 1
	db, err := pgxpool.NewWithConfig(t.Context(), config)
	require.NoError(t, err)
	defer db.Close()
	const streams, versions = 4, 5
	commits := map[string]string{}
	var all []*eventstore.Record
	for s := range streams {
		for v := range int64(versions) {
			r := &eventstore.Record{Stream: fmt.Sprint("call-", s), Version: v + 1, Topic: "parley.calls", Offset: int64(len(all)),
				ID: uuid.NewString(), Commit: uuid.NewString(), CommitSize: 1, Type: "parley.calls.requested.v1", Time: time.Now(), Tenant: "acme",
				Data: []byte("{}")}
			commits[fmt.Sprint(r.Stream, r.Version)] = r.Commit
			all = append(all, r)
		}
	}
	columns, err := sink.Columns(all)
	require.NoError(t, err)
	_, err = db.Exec(t.Context(), sink.InsertEvents, columns...)
	require.NoError(t, err)

	index := sink.NewIndex(db, open{}, standing)
	const rounds = 10
	asked := 0
	var asking sync.WaitGroup
	for s := range streams {
		for v := range int64(versions + 2) {
			asked += 6 * rounds
			stream := fmt.Sprint("call-", s)
			commit := commits[fmt.Sprint(stream, v)]
			asking.Go(func() {
				for range rounds {
					holds, err := index.Holds(t.Context(), stream, v, cmp.Or(commit, uuid.NewString()))
					if err != nil || holds != (commit != "") {
						t.Errorf("%s %d: %v, %v", stream, v, holds, err)
					}
					holds, err = index.Holds(t.Context(), stream, v, uuid.NewString())
					if err != nil || holds {
						t.Errorf("another commit of %s %d: %v, %v", stream, v, holds, err)
					}
				}
			})
			for i := range 4 {
				most := i % 2 // two ask the same
				asking.Go(func() {
					for range rounds {
						behind, err := index.After(t.Context(), stream, v, versions-most)
						if want := min(max(0, versions-int(v)), versions-most); err != nil || len(behind) != want {
							t.Errorf("%s behind %d: %d records in place of %d, %v", stream, v, len(behind), want, err)
						}
						for i, r := range behind {
							if r.Stream != stream || r.Version != v+1+int64(i) || string(r.Data) != "{}" {
								t.Errorf("%s behind %d: %s %d %s", stream, v, r.Stream, r.Version, r.Data)
							}
							r.Data[0] = '['
						}
					}
				})
			}
		}
	}
	asking.Wait()
	var executed int
	require.NoError(t, db.QueryRow(t.Context(), `SELECT sum(generic_plans + custom_plans) FROM pg_prepared_statements
		WHERE statement LIKE '%FROM events%' AND statement NOT LIKE '%pg_prepared_statements%'`).Scan(&executed))
	require.Positive(t, executed)
	require.Less(t, executed, asked/2, "queries for %d questions", asked)
}

// standing is what a reader is told of read models that stay what they are.
func standing() func(context.Context) error { return func(context.Context) error { return nil } }
