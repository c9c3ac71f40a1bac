package analytics

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Store answers the analytics operations from Postgres.
type Store struct{ db *pgxpool.Pool }

// NewStore reads the tables that a Projector writes.
func NewStore(db *pgxpool.Pool) *Store { return &Store{db} }

type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Grouping is what buckets are told apart by: a Dimension's column, or hours or days.
type Grouping string

// The groupings of spec/3 "Analytics", and the model.
const (
	GroupCategory  = Grouping(ByCategory)
	GroupEventType = Grouping(ByEventType)
	GroupAgent     = Grouping(ByAgent)
	GroupChannel   = Grouping(ByChannel)
	GroupModel     = Grouping(ByModel)
	GroupHour      = Grouping("hour")
	GroupDay       = Grouping("day")
)

// Filter picks events. Zero members do not filter.
type Filter struct {
	Category   Category
	EventTypes []string
	SessionID  string
	AgentName  string
	Channel    string
	Model      bool // only events with a model
	HasError   bool
}

// Query asks for the figures of a project's events in [From, To), and of those of its
// whole tenant.
type Query struct {
	Tenant, Project string
	From, To        time.Time
	Filter          Filter
	GroupBy         []Grouping
	Durations       bool // also their sketch
	Most            int  // buckets; more are ErrTooMany, 0: any number
	Patient         bool // also where the hourly sums cannot help and the range is long
}

// Bucket is the figures of one group.
type Bucket struct {
	Keys map[Grouping]string // text; empty where the events have none
	Time time.Time           // of its hour or day; the day only where both are asked for is in Day
	Day  time.Time
	Sums
}

// ErrTooMany and ErrTooLong are why a query is not run.
var (
	ErrTooMany = fmt.Errorf("the query has too many buckets")
	ErrTooLong = fmt.Errorf("only sums by one of event_type, agent_name and channel are kept for longer than %d days", LongestRaw/(24*time.Hour))
)

// LongestRaw is the longest range of a query that the hourly sums cannot answer.
const LongestRaw = 7 * 24 * time.Hour

// AsOf is up to when everything that was visible is in the figures of queries that begin
// later; false while that is not known yet.
func (s *Store) AsOf(ctx context.Context) (time.Time, bool, error) {
	var at *time.Time
	err := s.db.QueryRow(ctx, `SELECT CASE WHEN EXISTS (SELECT 1 FROM checkpoints l WHERE l.projection = 'live'
			AND l.next_offset > coalesce((SELECT a.next_offset FROM analytics_checkpoints a WHERE a.topic = l.topic AND a.partition = l.partition), 0))
		THEN (SELECT as_of FROM analytics_progress) ELSE now() END`).Scan(&at)
	if err != nil {
		return time.Time{}, false, fmt.Errorf("reading as of when the analytics are: %w", err)
	}
	if at == nil {
		return time.Time{}, false, nil
	}
	return *at, true, nil
}

// Aggregate gives the buckets that have events, by time and then by their keys.
func (s *Store) Aggregate(ctx context.Context, q Query) ([]Bucket, error) {
	if !q.From.Before(q.To) {
		return nil, nil
	}
	p, err := q.plan()
	if err != nil {
		return nil, err
	}
	var out []Bucket
	err = pgx.BeginTxFunc(ctx, s.db, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if out, err = p.sums(ctx, tx); err != nil || !q.Durations {
			return err
		}
		return p.sketches(ctx, tx, out)
	})
	if err != nil {
		return nil, fmt.Errorf("adding up analytics: %w", err)
	}
	return out, nil
}

// plan is how a query is answered.
type plan struct {
	Query
	cube Dimension // of analytics_hours; empty: from the events alone
	args []any
}

// plan finds the cube that answers the query: each is of one dimension, cut by category.
func (q Query) plan() (*plan, error) {
	p := &plan{Query: q}
	wanted := map[Dimension]bool{}
	for _, g := range q.GroupBy {
		if g != GroupHour && g != GroupDay && g != GroupCategory {
			wanted[Dimension(g)] = true
		}
	}
	for d, filtered := range map[Dimension]bool{ByEventType: len(q.Filter.EventTypes) > 0, ByAgent: q.Filter.AgentName != "", ByChannel: q.Filter.Channel != "", ByModel: q.Filter.Model} {
		wanted[d] = wanted[d] || filtered
		if !wanted[d] {
			delete(wanted, d)
		}
	}
	switch {
	case q.Filter.SessionID != "": // has an index of its own
		return p, nil
	case len(wanted) > 1, q.Filter.HasError, wanted[ByModel] && !q.Filter.Model: // the cube of models has no events without one
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

// source is the rows of the closed hours, and the events of the rest. columns are those
// of both forms.
func (p *plan) source(hours, events string) string {
	tenant, project := p.arg(p.Tenant), p.arg(p.Project)
	of := `tenant = ` + tenant + ` AND project_id IN (` + project + `, '')`
	first, last := ceilHour(p.From), p.To.Truncate(time.Hour)
	if p.cube == "" || !first.Before(last) {
		return `(SELECT ` + events + ` FROM analytics_events WHERE ` + of + ` AND ts >= ` + p.arg(p.From) + ` AND ts < ` + p.arg(p.To) + p.conditions(false) + `) u`
	}
	parts := []string{`SELECT ` + hours + ` FROM analytics_hours WHERE ` + of + ` AND dimension = ` + p.arg(string(p.cube)) + ` AND hour >= ` + p.arg(first) + ` AND hour < ` + p.arg(last) + p.conditions(true)}
	for _, edge := range [][2]time.Time{{p.From, first}, {last, p.To}} {
		if edge[0].Before(edge[1]) {
			parts = append(parts, `SELECT `+events+` FROM analytics_events WHERE `+of+` AND ts >= `+p.arg(edge[0])+` AND ts < `+p.arg(edge[1])+p.conditions(false))
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
	if f.Channel != "" {
		out += ` AND ` + column(ByChannel) + ` = ` + p.arg(f.Channel)
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

// named are the columns by which one may group, in rows of the cube and in events.
func (p *plan) named() (hours, events string) {
	hours, events = "hour, category", "date_trunc('hour', ts, 'UTC') AS hour, category"
	for _, g := range p.GroupBy {
		if g == GroupHour || g == GroupDay || g == GroupCategory {
			continue
		}
		hours += ", value AS " + string(g)
		events += ", " + string(g)
	}
	return hours, events
}

func (p *plan) sums(ctx context.Context, tx pgx.Tx) ([]Bucket, error) {
	p.args = nil
	hours, events := p.named()
	from := p.source(hours+`, n, errors, timed, duration_ms, tokens_in, tokens_out, cost`,
		events+`, 1::bigint AS n, (error IS NOT NULL)::int::bigint AS errors, (duration_ms IS NOT NULL)::int::bigint AS timed, coalesce(duration_ms, 0) AS duration_ms, tokens_in, tokens_out, cost`)
	keys := p.keys()
	sql := `SELECT ` + strings.Join(append(slices.Clone(keys), `sum(n)::bigint`, `sum(errors)::bigint`, `sum(timed)::bigint`, `sum(duration_ms)::bigint`, `sum(tokens_in)::bigint`, `sum(tokens_out)::bigint`, `sum(cost)::bigint`), ", ") +
		` FROM ` + from + p.grouped(len(keys), ` HAVING count(*) > 0`)
	if p.Most > 0 {
		sql += ` LIMIT ` + strconv.Itoa(p.Most+1)
	}
	rows, err := tx.Query(ctx, sql, p.args...)
	if err != nil {
		return nil, err
	}
	out, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (Bucket, error) {
		var b Bucket
		return b, p.scan(r, &b, &b.Count, &b.Errors, &b.Timed, &b.DurationMs, &b.TokensIn, &b.TokensOut, &b.Cost)
	})
	if err == nil && p.Most > 0 && len(out) > p.Most {
		return nil, ErrTooMany
	}
	return out, err
}

// grouped is the end of a query whose first n columns are the groups.
func (p *plan) grouped(n int, having string) string {
	if n == 0 {
		return having
	}
	var numbers []string
	for i := range n {
		numbers = append(numbers, strconv.Itoa(i+1))
	}
	order := slices.Clone(numbers)
	slices.SortStableFunc(order, func(a, b string) int { return p.late(a) - p.late(b) })
	return ` GROUP BY ` + strings.Join(numbers, ", ") + having + ` ORDER BY ` + strings.Join(order, ", ")
}

// late puts times before names.
func (p *plan) late(column string) int {
	i, _ := strconv.Atoi(column)
	if i <= len(p.GroupBy) && (p.GroupBy[i-1] == GroupHour || p.GroupBy[i-1] == GroupDay) {
		return 0
	}
	return 1
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

// sketches adds the durations to the buckets.
func (p *plan) sketches(ctx context.Context, tx pgx.Tx, to []Bucket) error {
	p.args = nil
	hours, events := p.named()
	from := p.source(hours+`, bins, counts`, events+`, CASE WHEN duration_ms IS NULL THEN '{}' ELSE ARRAY[`+binSQL+`] END AS bins, CASE WHEN duration_ms IS NULL THEN '{}' ELSE ARRAY[1::bigint] END AS counts`)
	keys := p.keys()
	columns := append(slices.Clone(keys), "bin", "sum(times)::bigint")
	rows, err := tx.Query(ctx, `SELECT `+strings.Join(columns, ", ")+` FROM `+from+`, unnest(bins, counts) AS d(bin, times)`+p.grouped(len(keys)+1, ""), p.args...)
	if err != nil {
		return err
	}
	at := map[string]*Bucket{}
	for i := range to {
		at[to[i].identity()] = &to[i]
	}
	_, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (struct{}, error) {
		var b Bucket
		var bin int32
		var times int64
		if err := p.scan(r, &b, &bin, &times); err != nil {
			return struct{}{}, err
		}
		if found := at[b.identity()]; found != nil {
			if found.Durations == nil {
				found.Durations = Sketch{}
			}
			found.Durations[bin] += times
		}
		return struct{}{}, nil
	})
	return err
}

// identity tells buckets of one query apart.
func (b Bucket) identity() string {
	var parts []string
	for _, g := range []Grouping{GroupCategory, GroupEventType, GroupAgent, GroupChannel, GroupModel} {
		parts = append(parts, b.Keys[g])
	}
	return b.Time.UTC().Format(time.RFC3339) + "\x00" + b.Day.UTC().Format(time.RFC3339) + "\x00" + strings.Join(parts, "\x00")
}
