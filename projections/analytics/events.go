package analytics

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

// Event is one analytics event, as analytics-events shows it. Empty names are none.
type Event struct {
	ID         string
	Category   Category
	Type       string
	AgentName  string
	SessionID  string
	Channel    string
	Time       time.Time
	DurationMs *int64
	Error      *string
	Metadata   json.RawMessage // of what asked a model with model, tokens_in and tokens_out
}

// EventsQuery asks for a page of the events of [From, To), newest first.
type EventsQuery struct {
	Tenant, Project string
	From, To        time.Time
	Filter          Filter
	Limit, Offset   int
}

// Events gives a page, and how many events there are in all.
func (s *Store) Events(ctx context.Context, q EventsQuery) (events []Event, total int64, err error) {
	if !q.From.Before(q.To) {
		return nil, 0, nil
	}
	err = pgx.BeginTxFunc(ctx, s.db, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if total, err = q.total(ctx, tx); err != nil || total <= int64(q.Offset) {
			return err
		}
		events, err = q.page(ctx, tx)
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("reading analytics events: %w", err)
	}
	return events, total, nil
}

// total counts from the hourly sums where they know it.
func (q EventsQuery) total(ctx context.Context, tx pgx.Tx) (int64, error) {
	whole := Query{Tenant: q.Tenant, Project: q.Project, From: q.From, To: q.To, Filter: q.Filter, Patient: true}
	whole.Filter.HasError = false // errors are a sum of their own
	p, err := whole.plan()
	if err != nil {
		return 0, err
	}
	sums, err := p.sums(ctx, tx)
	if err != nil || len(sums) == 0 {
		return 0, err
	}
	if q.Filter.HasError {
		return sums[0].Errors, nil
	}
	return sums[0].Count, nil
}

// page reads the newest of the project and of the whole tenant, each along its index,
// and merges them.
func (q EventsQuery) page(ctx context.Context, tx pgx.Tx) ([]Event, error) {
	p := &plan{Query: Query{Filter: q.Filter}}
	tenant, from, to := p.arg(q.Tenant), p.arg(q.From), p.arg(q.To)
	conditions := p.conditions(false)
	newest := func(project string) string {
		return `(SELECT ts, id, category, event_type, agent_name, session_id, channel, duration_ms, error, model, tokens_in, tokens_out,
				metadata FROM analytics_events
			WHERE tenant = ` + tenant + ` AND project_id = ` + p.arg(project) +
			` AND ts >= ` + from + ` AND ts < ` + to + conditions + ` ORDER BY ts DESC, id DESC LIMIT ` + strconv.Itoa(q.Offset+q.Limit) + `)`
	}
	rows, err := tx.Query(ctx, `SELECT ts, id::text, category, event_type, agent_name, session_id, channel, duration_ms, error,
		CASE WHEN model = '' AND tokens_in = 0 AND tokens_out = 0 THEN metadata ELSE (metadata::jsonb || jsonb_strip_nulls(
			jsonb_build_object('model', nullif(model, ''), 'tokens_in', tokens_in, 'tokens_out', tokens_out)))::json END
		FROM (`+newest(q.Project)+` UNION ALL `+newest("")+`) u
		ORDER BY ts DESC, u.id DESC LIMIT `+strconv.Itoa(q.Limit)+` OFFSET `+strconv.Itoa(q.Offset), p.args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (Event, error) {
		var e Event
		var metadata []byte
		err := r.Scan(&e.Time, &e.ID, &e.Category, &e.Type, &e.AgentName, &e.SessionID, &e.Channel, &e.DurationMs, &e.Error, &metadata)
		e.Metadata = metadata
		return e, err
	})
}
