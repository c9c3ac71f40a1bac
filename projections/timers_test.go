package projections_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/projections"
)

func TestATimerIsClaimedByOneAndNeverBeforeItIsDue(t *testing.T) {
	brokers, url := parts(t)
	n := start(t, "a", brokers, url)
	ctx := t.Context()
	timers := projections.NewTimers(n.db.Queries)
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	tables, err := projections.ReadTables(ctx, n.db.Queries)
	require.NoError(t, err)
	write := func(do func(*projections.Batch)) {
		b := projections.NewBatch(tables)
		do(b)
		require.NoError(t, b.Write(ctx, n.db.Queries))
	}
	stream := func(i int) projections.At {
		return projections.At{Stream: fmt.Sprint("counter-", i), Topic: "parley.counters", Tenant: "acme"}
	}
	write(func(b *projections.Batch) {
		for i := range 40 {
			b.SetTimer(stream(i), "t", noon)
		}
		b.SetTimer(stream(100), "t", noon.Add(time.Hour))
	})

	early, err := timers.Claim(ctx, noon.Add(-time.Microsecond), time.Hour, 100)
	require.NoError(t, err)
	require.Empty(t, early)
	due, later, err := timers.Waiting(ctx, noon)
	require.NoError(t, err)
	require.EqualValues(t, []int64{40, 1}, []int64{due, later})

	var mu sync.Mutex
	var claimers sync.WaitGroup
	claimed := map[string]int{}
	for range 8 {
		claimers.Add(1)
		go func() {
			defer claimers.Done()
			for {
				got, err := timers.Claim(ctx, noon, time.Hour, 3)
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
	rest, err := timers.Claim(ctx, noon, time.Hour, 100)
	require.NoError(t, err)
	require.Len(t, claimed, 40-len(rest))

	write(func(b *projections.Batch) { b.SetTimer(stream(0), "t", noon.Add(time.Second)) }) // moved: the claim is void
	got, err := timers.Claim(ctx, noon.Add(time.Second), 0, 100)
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.Equal(t, projections.Timer{Stream: "counter-0", Name: "t", Topic: "parley.counters", Tenant: "acme", Due: noon.Add(time.Second)}, projections.Timer{Stream: got[0].Stream, Name: got[0].Name, Topic: got[0].Topic, Tenant: got[0].Tenant, Due: got[0].Due.UTC()})
	got, err = timers.Claim(ctx, noon.Add(time.Second), time.Hour, 100) // the claim ran out
	require.NoError(t, err)
	require.Len(t, got, 1)

	write(func(b *projections.Batch) { b.ClearTimer(stream(0), "t"); b.ClearTimer(stream(100), "t") })
	got, err = timers.Claim(ctx, noon.Add(2*time.Hour), time.Hour, 100)
	require.NoError(t, err)
	require.Empty(t, got)
}
