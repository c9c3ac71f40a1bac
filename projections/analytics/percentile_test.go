package analytics

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// callsOf are events with these durations, in milliseconds, a minute apart.
func callsOf(tenant string, begin time.Time, durations ...int64) (out []row) {
	for i, ms := range durations {
		e := Entry{Traits: Traits{Project: "p", AgentName: fmt.Sprint("agent", i%2), Channel: "voice"}, Duration: Milliseconds(ms)}
		out = append(out, row{Entry: e, stream: fmt.Sprint("none-", i), tenant: tenant, id: uuid.NewString(),
			ts: begin.Add(time.Duration(i) * time.Minute), category: Voice, eventType: "call_completed", metadata: `{}`})
	}
	return out
}

// The 95th percentile is the nearest rank whatever it is read from: sums of hours, the
// events of hours that are cut, or the events alone.
func TestThe95thPercentileIsTheNearestRankFromWhateverItIsRead(t *testing.T) {
	db, w := database(t)
	store := NewStore(db)
	begin := time.Date(2026, 10, 31, 23, 0, 0, 0, time.UTC)
	for _, n := range []int{1, 2, 3, 19, 20, 21, 59, 999, 1000, 1001, 4000} {
		tenant, random := uuid.NewString(), rand.New(rand.NewPCG(1, uint64(n)))
		values := make([]int64, n)
		for i := range values {
			values[i] = random.Int64N(600_000)
		}
		rows := callsOf(tenant, begin, values...)
		for half := 0; half < 2; half++ { // two batches: the second is added to what the first left
			require.NoError(t, w.write(t.Context(), batch{rows: rows[half*n/2 : (half+1)*n/2]}))
		}
		both := Filter{AgentName: "agent0", Channels: []string{"voice"}}
		end := begin.Add(time.Duration(n)*time.Minute + 90*time.Hour).Truncate(time.Hour)
		for name, c := range map[string]struct {
			q      Query
			values []int64
		}{
			"whole hours": {Query{From: begin, To: end}, values},
			"cut hours":   {Query{From: begin.Add(-time.Minute), To: begin.Add(time.Duration(n)*time.Minute - 30*time.Second)}, values},
			"events":      {Query{From: begin, To: end, Patient: true, Filter: both}, everySecond(values)},
		} {
			c.q.Tenant, c.q.Project, c.q.Durations = tenant, "p", true
			got, err := store.Aggregate(t.Context(), c.q)
			require.NoError(t, err)
			require.Len(t, got, 1)
			want := nearestRank(c.values, 95)
			ms, ok := got[0].Durations.Percentile(95)
			require.True(t, ok)
			if len(c.values) <= mostExact {
				require.Equal(t, want, ms, "%s of %d", name, n)
			}
			require.InEpsilon(t, want, ms, 0.005, "%s of %d", name, n)
		}
	}
}

func everySecond(values []int64) (out []int64) {
	for i := 0; i < len(values); i += 2 {
		out = append(out, values[i])
	}
	return out
}

// Rows of an older version hold no durations until they are built anew; until then the
// events tell, so nothing is missing and nothing is twice.
func TestHoursWithoutDurationsAreReadFromTheEvents(t *testing.T) {
	db, w := database(t)
	begin := time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC)
	require.NoError(t, w.write(t.Context(), batch{rows: callsOf("acme", begin, 10, 20, 30)}))
	require.NoError(t, w.write(t.Context(), batch{rows: callsOf("acme", begin.Add(time.Hour), 40)}))
	_, err := db.Exec(t.Context(), `UPDATE analytics_hours SET durations = NULL WHERE hour = $1`, begin.Add(time.Hour))
	require.NoError(t, err)
	q := Query{Tenant: "acme", Project: "p", From: begin, To: begin.Add(2 * time.Hour), Durations: true}
	got, err := NewStore(db).Aggregate(t.Context(), q)
	require.NoError(t, err)
	require.Equal(t, sketched(10, 20, 30, 40).bytes(), got[0].Durations.bytes())
	require.EqualValues(t, 4, got[0].Durations.n)
}
