package analytics

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

func (q Query) buckets(ctx context.Context, tx pgx.Tx) ([]Bucket, error) {
	if !q.From.Before(q.To) {
		return nil, nil
	}
	p, err := q.plan()
	if err != nil {
		return nil, err
	}
	out, err := p.sums(ctx, tx)
	if err == nil && q.Durations {
		err = p.sketches(ctx, tx, out)
	}
	return out, err
}

// plan is how a query is answered.
type plan struct {
	Query
	cube Dimension // of analytics_hours; empty: from the events alone
	args []any
}

// plan finds the sums that answer the query. analytics_hours has them for one dimension
// at a time, each cut by category: by agent, say, or by channel, but not for one agent
// in one channel. What needs two of them is added up from the events.
func (q Query) plan() (*plan, error) {
	p := &plan{Query: q}
	wanted := map[Dimension]bool{}
	for _, g := range q.GroupBy {
		if g != GroupHour && g != GroupDay && g != GroupCategory {
			wanted[Dimension(g)] = true
		}
	}
	for d, filtered := range map[Dimension]bool{ByEventType: len(q.Filter.EventTypes) > 0, ByAgent: q.Filter.AgentName != "",
		ByChannel: len(q.Filter.Channels) > 0, ByModel: q.Filter.Model} {
		wanted[d] = wanted[d] || filtered
		if !wanted[d] {
			delete(wanted, d)
		}
	}
	switch {
	case q.Filter.SessionID != "": // has an index of its own
		return p, nil
	case len(wanted) > 1, q.Filter.HasError, wanted[ByModel] && !q.Filter.Model: // the sums by model leave out events that have none
		if q.To.Sub(q.From) > LongestRaw && !q.Patient {
			return nil, ErrTooLong
		}
		return p, nil
	case len(wanted) == 0 && q.Filter.Category == "" && !slices.Contains(q.GroupBy, GroupCategory):
		p.cube = ByTotal
	case len(wanted) == 0:
		p.cube = ByCategory
	}
	for d := range wanted {
		p.cube = d
	}
	return p, nil
}

func (p *plan) arg(v any) string {
	p.args = append(p.args, v)
	return "$" + strconv.Itoa(len(p.args))
}

// keys are the expressions of the groups; hour is a start of an hour, value of the
// column that a dimension has.
func (p *plan) keys() []string {
	out := []string{}
	for _, g := range p.GroupBy {
		switch g {
		case GroupHour:
			out = append(out, "hour")
		case GroupDay:
			out = append(out, "date_trunc('day', hour, 'UTC')")
		default:
			out = append(out, string(g))
		}
	}
	return out
}

// form is how rows are read: their columns, and what stands behind the conditions.
type form struct{ columns, rest string }

// source is the rows of the closed hours, and the events of the rest. Both forms have the
// same columns.
func (p *plan) source(hours, events form) string {
	tenant, project := p.arg(p.Tenant), p.arg(p.Project)
	rows := func(f form, table, conditions, at string, from, to time.Time) string {
		return `SELECT ` + f.columns + ` FROM ` + table + ` WHERE tenant = ` + tenant + ` AND project_id IN (` + project + `, '') AND ` + at +
			` >= ` + p.arg(from) + ` AND ` + at + ` < ` + p.arg(to) + conditions + f.rest
	}
	eventsOf := func(from, to time.Time) string {
		return rows(events, "analytics_events", p.conditions(false), "ts", from, to)
	}
	first, last := ceilHour(p.From), p.To.Truncate(time.Hour)
	if p.cube == "" || !first.Before(last) {
		return `(` + eventsOf(p.From, p.To) + `) u`
	}
	parts := []string{rows(hours, "analytics_hours", ` AND dimension = `+p.arg(string(p.cube))+p.conditions(true), "hour", first, last)}
	for _, edge := range [][2]time.Time{{p.From, first}, {last, p.To}} {
		if edge[0].Before(edge[1]) {
			parts = append(parts, eventsOf(edge[0], edge[1]))
		}
	}
	return `(` + strings.Join(parts, ` UNION ALL `) + `) u`
}

func ceilHour(t time.Time) time.Time {
	if h := t.Truncate(time.Hour); !h.Equal(t) {
		return h.Add(time.Hour)
	}
	return t
}

// conditions are those of the filter, on rows of the cube or on events.
func (p *plan) conditions(cube bool) string {
	out, f := "", p.Filter
	column := func(d Dimension) string {
		if cube {
			return "value"
		}
		return string(d)
	}
	if f.Category != "" {
		out += ` AND category = ` + p.arg(string(f.Category))
	}
	if len(f.EventTypes) > 0 {
		out += ` AND ` + column(ByEventType) + ` = ANY(` + p.arg(f.EventTypes) + `)`
	}
	if f.AgentName != "" {
		out += ` AND ` + column(ByAgent) + ` = ` + p.arg(f.AgentName)
	}
	if len(f.Channels) > 0 {
		out += ` AND ` + column(ByChannel) + ` = ANY(` + p.arg(f.Channels) + `)`
	}
	if f.Model && !cube { // its cube has no others
		out += ` AND model <> ''`
	}
	if f.SessionID != "" {
		out += ` AND session_id = ` + p.arg(f.SessionID)
	}
	if f.HasError && !cube {
		out += ` AND error IS NOT NULL`
	}
	return out
}

// named are the columns by which one may group, in rows of the cube and in events, and
// their names in both.
func (p *plan) named() (hours, events, names string) {
	hours, events, names = "hour, category", "date_trunc('hour', ts, 'UTC') AS hour, category", "hour, category"
	for _, g := range p.GroupBy {
		if g == GroupHour || g == GroupDay || g == GroupCategory {
			continue
		}
		hours += ", value AS " + string(g)
		events += ", " + string(g)
		names += ", " + string(g)
	}
	return hours, events, names
}

func (p *plan) sums(ctx context.Context, tx pgx.Tx) ([]Bucket, error) {
	p.args = nil
	hours, events, _ := p.named()
	from := p.source(form{columns: hours + `, n, errors, timed, duration_ms, tokens_in, tokens_out, cost, priced, unpriced`},
		form{columns: events + `, 1::bigint AS n, (error IS NOT NULL)::int::bigint AS errors, (duration_ms IS NOT NULL)::int::bigint AS timed,
			coalesce(duration_ms, 0) AS duration_ms, tokens_in, tokens_out, cost, priced::int::bigint AS priced,
			(NOT priced AND tokens_in + tokens_out > 0)::int::bigint AS unpriced`})
	sql := `SELECT ` + strings.Join(append(p.keys(), `sum(n)::bigint`, `sum(errors)::bigint`, `sum(timed)::bigint`, `sum(duration_ms)::bigint`,
		`least(sum(tokens_in), 4e18)::bigint`, `least(sum(tokens_out), 4e18)::bigint`, `least(sum(cost), 9e18)::bigint`, `sum(priced)::bigint`,
		`sum(unpriced)::bigint`), ", ") +
		` FROM ` + from + p.grouped()
	if p.Most > 0 {
		sql += ` LIMIT ` + strconv.Itoa(p.Most+1)
	}
	rows, err := tx.Query(ctx, sql, p.args...)
	if err != nil {
		return nil, err
	}
	out, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (Bucket, error) {
		var b Bucket
		return b, p.scan(r, &b, &b.Count, &b.Errors, &b.Timed, &b.DurationMs, &b.TokensIn, &b.TokensOut, &b.Cost, &b.Priced, &b.Unpriced)
	})
	if err == nil && p.Most > 0 && len(out) > p.Most {
		return nil, ErrTooMany
	}
	return out, err
}

// grouped is the end of a query whose first columns are the groups. Times come before
// names in its order.
func (p *plan) grouped() string {
	if len(p.GroupBy) == 0 {
		return ` HAVING count(*) > 0`
	}
	var times, names []string
	for i, g := range p.GroupBy {
		if column := strconv.Itoa(i + 1); g == GroupHour || g == GroupDay {
			times = append(times, column)
		} else {
			names = append(names, column)
		}
	}
	columns := strings.Join(append(times, names...), ", ")
	return ` GROUP BY ` + columns + ` ORDER BY ` + columns
}

// scan reads a row whose first columns are the groups.
func (p *plan) scan(r pgx.CollectableRow, b *Bucket, figures ...any) error {
	names := make([]string, len(p.GroupBy))
	var to []any
	for i, g := range p.GroupBy {
		switch g {
		case GroupHour:
			to = append(to, &b.Time)
		case GroupDay:
			to = append(to, &b.Day)
		default:
			to = append(to, &names[i])
		}
	}
	err := r.Scan(append(to, figures...)...)
	b.Keys = map[Grouping]string{}
	for i, g := range p.GroupBy {
		if g != GroupHour && g != GroupDay {
			b.Keys[g] = names[i]
		}
	}
	return err
}

// sketches adds the durations to the buckets. Rows that were written before they held
// durations are being rebuilt: until then the events tell.
func (p *plan) sketches(ctx context.Context, tx pgx.Tx, to []Bucket) error {
	err := p.addSketches(ctx, tx, to)
	if errors.Is(err, errNotBuilt) {
		for i := range to {
			to[i].Durations = Sketch{}
		}
		p.cube = ""
		err = p.addSketches(ctx, tx, to)
	}
	return err
}

// errNotBuilt says that an hour's sums have no durations yet.
var errNotBuilt = errors.New("an hour's durations are not built yet")

// addSketches reads the rows' sketches and merges them here: taking them apart for
// Postgres to add up takes several times as long.
func (p *plan) addSketches(ctx context.Context, tx pgx.Tx, to []Bucket) error {
	p.args = nil
	hours, events, names := p.named()
	from := p.source(form{hours + `, durations, NULL::bigint AS duration_ms, 0::bigint AS times`, ` AND timed > 0`},
		form{events + `, NULL::bytea AS durations, duration_ms, count(*) AS times`,
			` AND duration_ms IS NOT NULL GROUP BY ` + names + `, duration_ms`})
	rows, err := tx.Query(ctx, `SELECT `+strings.Join(append(p.keys(), "durations", "duration_ms", "times"), ", ")+` FROM `+from, p.args...)
	if err != nil {
		return err
	}
	at := map[identity]*Sketch{}
	for i := range to {
		at[to[i].identity()] = &to[i].Durations
	}
	_, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (struct{}, error) {
		var b Bucket
		var hour []byte
		var ms *int64
		var times int64
		if err := p.scan(r, &b, &hour, &ms, &times); err != nil {
			return struct{}{}, err
		}
		found := at[b.identity()]
		switch {
		case found == nil:
		case ms != nil:
			found.count(max(0, *ms), times)
		case hour == nil:
			return struct{}{}, errNotBuilt
		default:
			more, err := sketchOf(hour)
			if err != nil {
				return struct{}{}, fmt.Errorf("an hour of %s: %w", p.Project, err)
			}
			found.Merge(more)
		}
		return struct{}{}, nil
	})
	return err
}

// identity tells buckets of one query apart.
type identity struct {
	hour, day int64
	names     [5]string
}

func (b Bucket) identity() identity {
	out := identity{hour: b.Time.Unix(), day: b.Day.Unix()}
	for i, g := range []Grouping{GroupCategory, GroupEventType, GroupAgent, GroupChannel, GroupModel} {
		out.names[i] = b.Keys[g]
	}
	return out
}
