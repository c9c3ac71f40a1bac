package analytics

import (
	"context"
	"fmt"
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

// The groupings that groupBy takes, and the model.
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
	Channels   []string
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
	ErrTooLong = fmt.Errorf("only sums by one of event_type, agent_name and channel are kept for longer than %d days",
		LongestRaw/(24*time.Hour))
)

// LongestRaw is the longest range of a query that the hourly sums cannot answer.
const LongestRaw = 7 * 24 * time.Hour

// AsOf is up to when everything that was visible is in the figures of queries that begin
// later; false while that is not known yet.
func (s *Store) AsOf(ctx context.Context) (time.Time, bool, error) {
	var at *time.Time
	err := s.db.QueryRow(ctx, `SELECT CASE WHEN EXISTS (SELECT 1 FROM checkpoints l WHERE l.projection = 'live'
			AND l.next_offset > coalesce((SELECT a.next_offset FROM analytics_checkpoints a WHERE a.topic = l.topic AND a.partition = l.partition),
			0))
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
	out, err := s.AggregateAll(ctx, q)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// AggregateAll gives the buckets of several queries, in their order, all as of one moment.
func (s *Store) AggregateAll(ctx context.Context, of ...Query) ([][]Bucket, error) {
	out := make([][]Bucket, len(of))
	err := pgx.BeginTxFunc(ctx, s.db, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) (err error) {
		for i, q := range of {
			if out[i], err = q.buckets(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("adding up analytics: %w", err)
	}
	return out, nil
}
