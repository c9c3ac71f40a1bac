package projections_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/engine/enginetest"
	"github.com/parley-platform/parley/projections/sink"
)

func TestATimerIsClaimedByOneAndNeverBeforeItIsDue(t *testing.T) {
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "a", brokers, url)
	ctx := t.Context()
	timers := projections.NewTimers(n.DB.Queries)
	var noon time.Time // an hour ago by the database's clock, the only one that counts
	require.NoError(t, n.DB.Queries.QueryRow(ctx, `SELECT now() - interval '1 hour'`).Scan(&noon))
	noon = noon.UTC()
	tables, err := sink.ReadTables(ctx, n.DB.Queries)
	require.NoError(t, err)
	write := func(do func(*projections.Batch)) {
		b := projections.NewBatch(tables)
		do(b)
		require.NoError(t, b.Write(ctx, n.DB.Queries))
	}
	stream := func(i int) projections.At {
		return projections.At{Stream: fmt.Sprint("counter-", i), Topic: "parley.counters", Tenant: "acme"}
	}
	write(func(b *projections.Batch) {
		for i := range 40 {
			b.SetTimer(stream(i), "t", noon)
		}
		b.SetTimer(stream(100), "t", noon.Add(2*time.Hour))
	})

	queues, err := timers.Queues(ctx)
	require.NoError(t, err)
	require.Len(t, queues, 1)
	require.EqualValues(t, []any{"t", int64(40), int64(1)}, []any{queues[0].Name, queues[0].Due, queues[0].Later})
	require.Positive(t, queues[0].Overdue)

	var mu sync.Mutex
	var claimers sync.WaitGroup
	claimed := map[string]int{}
	for range 8 {
		claimers.Add(1)
		go func() {
			defer claimers.Done()
			for {
				got, err := timers.Claim(ctx, time.Hour, 3)
				if err != nil || len(got) == 0 {
					return
				}
				mu.Lock()
				if len(got) > 3 {
					claimed["too many at once"]++
				}
				for _, one := range got {
					claimed[one.Stream]++
				}
				mu.Unlock()
			}
		}()
	}
	claimers.Wait()
	for i := range 40 { // a claimer that found all that is left locked by another may stop early
		require.LessOrEqual(t, claimed[stream(i).Stream], 1)
	}
	rest, err := timers.Claim(ctx, time.Hour, 100)
	require.NoError(t, err)
	require.Len(t, claimed, 40-len(rest))

	next, err := timers.Next(ctx, time.Minute)
	require.NoError(t, err)
	require.Equal(t, time.Minute, next, "all that are due are claimed for an hour, the last is due in an hour")
	write(func(b *projections.Batch) { b.SetTimer(stream(0), "t", noon.Add(time.Second)) }) // moved: the claim is void
	next, err = timers.Next(ctx, time.Minute)
	require.NoError(t, err)
	require.Zero(t, next, "it is due")
	write(func(b *projections.Batch) { b.SetTimer(stream(100), "t", noon.Add(time.Hour+30*time.Second)) })
	_, err = timers.Claim(ctx, time.Hour, 100)
	require.NoError(t, err)
	next, err = timers.Next(ctx, time.Minute)
	require.NoError(t, err)
	require.Greater(t, next, time.Duration(0), "it is due within the minute")
	require.LessOrEqual(t, next, 30*time.Second)
	write(func(b *projections.Batch) { b.SetTimer(stream(0), "t", noon.Add(time.Second)) })
	got, err := timers.Claim(ctx, 0, 100)
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.False(t, got[0].Now.Before(got[0].Due.Add(59*time.Minute)), "the time of the claim is the database's")
	require.Equal(t, projections.Timer{Stream: "counter-0", Name: "t", Topic: "parley.counters", Tenant: "acme", Due: noon.Add(time.Second)},
		projections.Timer{Stream: got[0].Stream, Name: got[0].Name, Topic: got[0].Topic, Tenant: got[0].Tenant, Due: got[0].Due.UTC()})
	got, err = timers.Claim(ctx, time.Hour, 100) // the claim ran out
	require.NoError(t, err)
	require.Len(t, got, 1)

	write(func(b *projections.Batch) { b.SetTimer(stream(0), "u", noon); b.SetTimer(stream(1), "v", noon) })
	named := timers.Called("u", "w")
	next, err = named.Next(ctx, time.Minute)
	require.NoError(t, err)
	require.Zero(t, next)
	got, err = named.Claim(ctx, time.Hour, 100)
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.Equal(t, "u", got[0].Name)
	got, err = timers.Claim(ctx, time.Hour, 100)
	require.NoError(t, err)
	require.Len(t, got, 1, "who hands out all hands out the rest")
	write(func(b *projections.Batch) { b.ClearTimer(stream(0), "u"); b.ClearTimer(stream(1), "v") })

	write(func(b *projections.Batch) { b.ClearTimer(stream(0), "t"); b.ClearTimer(stream(100), "t") })
	got, err = timers.Claim(ctx, time.Hour, 100)
	require.NoError(t, err)
	require.Empty(t, got)
}
