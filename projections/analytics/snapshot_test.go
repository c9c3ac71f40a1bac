package analytics

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
)

// afterNext does something once the next question has its answer.
type afterNext struct{ do func() }

func (a *afterNext) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

func (a *afterNext) TraceQueryEnd(_ context.Context, _ *pgx.Conn, q pgx.TraceQueryEndData) {
	if do := a.do; do != nil && q.CommandTag.Select() {
		a.do = nil
		do()
	}
}

// Given events that come in while a report is made, then all that it adds up is of one moment.
func TestWhatStandsInOneReportIsOfOneMoment(t *testing.T) {
	db, w := database(t)
	begin := time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC)
	require.NoError(t, w.write(t.Context(), batch{rows: callsOf("acme", begin, 10, 20)}))
	config, next := db.Config(), &afterNext{}
	config.ConnConfig.Tracer = next
	beside, err := pgxpool.NewWithConfig(t.Context(), config)
	require.NoError(t, err)
	defer beside.Close()
	require.NoError(t, beside.Ping(t.Context()))
	next.do = func() { require.NoError(t, w.write(t.Context(), batch{rows: callsOf("acme", begin, 30, 40, 50)})) }
	q := Query{Tenant: "acme", Project: "p", From: begin, To: begin.Add(time.Hour), GroupBy: []Grouping{GroupCategory}}
	hours := q
	hours.GroupBy = []Grouping{GroupHour}
	for _, calls := range []int64{2, 5} { // the others came behind the first of both questions
		got, err := NewStore(beside).AggregateAll(t.Context(), q, hours)
		require.NoError(t, err)
		require.Equal(t, []int64{calls, calls}, []int64{got[0][0].Count, got[1][0].Count})
	}
}
