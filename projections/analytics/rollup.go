package analytics

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// Dimension is what hourly sums are kept by.
type Dimension string

// The dimensions: their names are the columns of analytics_events.
const (
	ByTotal     Dimension = "total"
	ByCategory  Dimension = "category"
	ByEventType Dimension = "event_type"
	ByAgent     Dimension = "agent_name"
	ByChannel   Dimension = "channel"
	ByModel     Dimension = "model"
)

// hourKey names one row of analytics_hours.
type hourKey struct {
	tenant, project string
	dimension       Dimension
	hour            time.Time
	value           string
	category        Category
}

// Sums are the figures of a set of events.
type Sums struct {
	Count      int64
	Errors     int64
	Timed      int64 // how many have a duration
	DurationMs int64
	TokensIn   int64
	TokensOut  int64
	Cost       int64  // pico-dollars
	Priced     int64  // of how many events the cost is known, be it 0
	Unpriced   int64  // how many took tokens whose price is not known
	Durations  Sketch // empty where it was not asked for
}

// Add adds the figures of another set.
func (s *Sums) Add(o Sums) {
	s.Count += o.Count
	s.Errors += o.Errors
	s.Timed += o.Timed
	s.DurationMs += o.DurationMs
	s.TokensIn += o.TokensIn
	s.TokensOut += o.TokensOut
	s.Cost += o.Cost
	s.Priced += o.Priced
	s.Unpriced += o.Unpriced
	s.Durations.Merge(o.Durations)
}

// sums are those of one event.
func (x row) sums() Sums {
	s := Sums{Count: 1, TokensIn: x.TokensIn, TokensOut: x.TokensOut}
	if x.Cost != nil {
		s.Cost, s.Priced = *x.Cost, 1
	} else if x.TokensIn+x.TokensOut > 0 {
		s.Unpriced = 1
	}
	if x.Error != "" {
		s.Errors = 1
	}
	if x.Duration != nil {
		s.Timed, s.DurationMs = 1, x.Duration.Milliseconds()
		s.Durations.Add(s.DurationMs)
	}
	return s
}

// rollUp adds rows up by hour and dimension.
func rollUp(rows []row) map[hourKey]*Sums {
	out := map[hourKey]*Sums{}
	for _, x := range rows {
		key := hourKey{tenant: x.tenant, project: x.Project, hour: x.ts.Truncate(time.Hour)}
		sums := x.sums()
		add := func(d Dimension, value string, c Category) {
			key.dimension, key.value, key.category = d, value, c
			if out[key] == nil {
				out[key] = &Sums{}
			}
			out[key].Add(sums)
		}
		add(ByTotal, "", "")
		add(ByCategory, string(x.category), x.category)
		add(ByEventType, x.eventType, x.category)
		add(ByAgent, x.AgentName, x.category)
		add(ByChannel, x.Channel, x.category)
		if x.Model != "" {
			add(ByModel, x.Model, x.category)
		}
	}
	return out
}

// addHours adds sums to those that the table has. The caller is its only writer.
func addHours(ctx context.Context, tx pgx.Tx, delta map[hourKey]*Sums) error {
	keys := slices.SortedFunc(maps.Keys(delta), compareHours)
	tenants, projects, dimensions, hours, values, categories := make([]string, len(keys)), make([]string, len(keys)),
		make([]string, len(keys)), make([]time.Time, len(keys)), make([]string, len(keys)), make([]string, len(keys))
	for i, k := range keys {
		tenants[i], projects[i], dimensions[i], hours[i], values[i], categories[i] = k.tenant, k.project, string(k.dimension), k.hour, k.value,
			string(k.category)
	}
	rows, err := tx.Query(ctx, `SELECT k.i, h.n, h.errors, h.timed, h.duration_ms, h.tokens_in, h.tokens_out, h.cost, h.priced,
		h.unpriced, h.durations
		FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::text[]) WITH ORDINALITY AS k(tenant, project_id,
		dimension, hour, value, category, i)
		JOIN analytics_hours h USING (tenant, project_id, dimension, hour, value,
		category)`, tenants, projects, dimensions, hours, values, categories)
	if err != nil {
		return fmt.Errorf("reading the hours' sums: %w", err)
	}
	var i int64
	var s Sums
	var durations []byte
	to := []any{&i, &s.Count, &s.Errors, &s.Timed, &s.DurationMs, &s.TokensIn, &s.TokensOut, &s.Cost, &s.Priced, &s.Unpriced, &durations}
	if _, err := pgx.ForEachRow(rows, to, func() error {
		if s.Durations, err = sketchOf(durations); err != nil {
			return fmt.Errorf("an hour of %s: %w", keys[i-1].project, err)
		}
		delta[keys[i-1]].Add(s)
		return nil
	}); err != nil {
		return fmt.Errorf("reading the hours' sums: %w", err)
	}
	figures := [9][]int64{}
	sketches := make([][]byte, len(keys))
	for i, k := range keys {
		d := delta[k]
		for j, n := range []int64{d.Count, d.Errors, d.Timed, d.DurationMs, d.TokensIn, d.TokensOut, d.Cost, d.Priced, d.Unpriced} {
			figures[j] = append(figures[j], n)
		}
		sketches[i] = d.Durations.bytes()
	}
	if _, err := tx.Exec(ctx, `INSERT INTO analytics_hours
		(tenant, project_id, dimension, hour, value, category, n, errors, timed, duration_ms, tokens_in, tokens_out, cost, priced, unpriced,
		durations)
		SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::text[],
			$7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[],
			$15::bigint[], $16::bytea[])
		AS k(tenant, project_id, dimension, hour, value, category, n, errors, timed, duration_ms, tokens_in, tokens_out, cost, priced,
			unpriced, durations)
		ON CONFLICT (tenant, project_id, dimension, hour, value, category) DO UPDATE SET n = excluded.n, errors = excluded.errors,
		timed = excluded.timed, duration_ms = excluded.duration_ms,
		tokens_in = excluded.tokens_in, tokens_out = excluded.tokens_out, cost = excluded.cost, priced = excluded.priced,
		unpriced = excluded.unpriced,
		durations = excluded.durations`,
		tenants, projects, dimensions, hours, values, categories,
		figures[0], figures[1], figures[2], figures[3], figures[4], figures[5], figures[6], figures[7], figures[8], sketches); err != nil {
		return fmt.Errorf("writing the hours' sums: %w", err)
	}
	return nil
}

func compareHours(a, b hourKey) int {
	return cmp.Or(cmp.Compare(a.tenant, b.tenant), cmp.Compare(a.project, b.project), cmp.Compare(a.dimension, b.dimension),
		a.hour.Compare(b.hour),
		cmp.Compare(a.value, b.value), cmp.Compare(a.category, b.category))
}
