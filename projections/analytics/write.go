package analytics

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/projections/sink"
)

// errNotOurs says that somebody else has become the writer.
var errNotOurs = errors.New("another node writes the analytics now")

const leaseSeconds = 10

// writer writes the tables that its connections see, as long as it is their writer.
type writer struct {
	db    *pgxpool.Pool
	owner string
	epoch int64
}

// move is how far a batch brings one partition.
type move struct {
	sink.Place
	from, to int64
	fed      bool // by the engine of this node: nobody has asked the index
}

// batch is what one transaction writes.
type batch struct {
	moves []move
	rows  []row
	asOf  *time.Time // everything up to then is in when the batch is; nil: not everything
}

// size is how many records the batch passes.
func (b batch) size() (records int64) {
	for _, m := range b.moves {
		records += m.to - m.from
	}
	return records
}

// write writes a batch whole or not at all. It keeps nothing in memory between batches:
// what a crash of Postgres takes back is read and written again.
func (w writer) write(ctx context.Context, b batch) error {
	return pgx.BeginFunc(ctx, w.db, func(tx pgx.Tx) error {
		if err := w.stay(ctx, tx, b.asOf); err != nil {
			return err
		}
		if err := advance(ctx, tx, b.moves); err != nil {
			return err
		}
		if err := held(ctx, tx, b.moves); err != nil {
			return err
		}
		rows, err := remember(ctx, tx, b.rows)
		if err != nil || len(rows) == 0 {
			return err
		}
		if err := makeMonths(ctx, tx, rows); err != nil {
			return err
		}
		if err := copyRows(ctx, tx, rows); err != nil {
			return err
		}
		return addHours(ctx, tx, rollUp(rows))
	})
}

// stay prolongs the lease, and keeps everybody else from writing until the transaction
// ends.
func (w writer) stay(ctx context.Context, tx pgx.Tx, asOf *time.Time) error {
	tag, err := tx.Exec(ctx, `UPDATE analytics_progress SET lease_until = now() + make_interval(secs => $3), as_of = coalesce($4, as_of)
		WHERE owner = $1 AND owner_epoch = $2`,
		w.owner, w.epoch, leaseSeconds, asOf)
	if err != nil {
		return fmt.Errorf("prolonging the lease: %w", err)
	}
	if tag.RowsAffected() != 1 {
		return errNotOurs
	}
	return nil
}

// advance moves the checkpoints, if each still is where it was read.
func advance(ctx context.Context, tx pgx.Tx, moves []move) error {
	topics, partitions, from, to := make([]string, len(moves)), make([]int32, len(moves)), make([]int64, len(moves)), make([]int64, len(moves))
	for i, m := range moves {
		topics[i], partitions[i], from[i], to[i] = m.Topic, int32(m.Partition), m.from, m.to
	}
	tag, err := tx.Exec(ctx, `INSERT INTO analytics_checkpoints AS c (topic, partition, next_offset)
		SELECT topic, partition, til FROM unnest($1::text[], $2::int[], $3::bigint[], $4::bigint[]) AS m(topic, partition, since, til)
		WHERE since = coalesce((SELECT next_offset FROM analytics_checkpoints o WHERE o.topic = m.topic AND o.partition = m.partition), 0)
		ON CONFLICT (topic, partition) DO UPDATE SET next_offset = excluded.next_offset`, topics, partitions, from, to)
	if err != nil {
		return fmt.Errorf("moving the checkpoints: %w", err)
	}
	if int(tag.RowsAffected()) != len(moves) {
		return fmt.Errorf("%w: a checkpoint is not where it was", errNotOurs)
	}
	return nil
}

// held looks whether the awaited read models still are where they were when they fed this:
// a crash of Postgres may have taken their newest rows until they are projected again.
// Their commits are before this one in its log, so that it cannot outlive them.
func held(ctx context.Context, tx pgx.Tx, moves []move) error {
	var topics []string
	var partitions []int32
	var to []int64
	for _, m := range moves {
		if m.fed {
			topics, partitions, to = append(topics, m.Topic), append(partitions, int32(m.Partition)), append(to, m.to)
		}
	}
	if len(to) == 0 {
		return nil
	}
	var there int
	if err := tx.QueryRow(ctx, `SELECT count(*) FROM unnest($1::text[], $2::int[], $3::bigint[]) AS m(topic, partition, til)
		JOIN checkpoints c ON c.projection = 'live' AND c.topic = m.Topic AND c.partition = m.Partition AND c.next_offset >= m.til`,
		topics, partitions, to).Scan(&there); err != nil {
		return fmt.Errorf("looking where the read models are: %w", err)
	}
	if there != len(to) {
		return errors.New("the read models went back behind what they fed the analytics")
	}
	return nil
}

const voice = "voice"

// counts is whether an event appears: what is said in a call is told by that, and a session that
// assists people is no conversation of its own, so that what is said there is said in theirs.
func (x row) counts() bool {
	switch {
	case x.Omit, x.OfCall && x.Channel == voice:
		return false
	case x.Channel == sessions.AssistChannel:
		return x.category != Session && x.category != Message
	}
	return true
}

// remember fills in what earlier events said of the streams, keeps what these say, and
// drops what is left out.
func remember(ctx context.Context, tx pgx.Tx, rows []row) ([]row, error) {
	known := map[string]*stream{}
	var names []string
	var old []string
	for _, x := range rows {
		if known[x.stream] == nil {
			known[x.stream] = &stream{begins: x.begins}
			names = append(names, x.stream)
			if !x.begins {
				old = append(old, x.stream)
			}
		}
	}
	if err := recall(ctx, tx, old, known); err != nil {
		return nil, err
	}
	var out []row
	for _, x := range rows {
		if x = known[x.stream].place(x); x.counts() {
			out = append(out, x)
		}
	}
	return out, keepStreams(ctx, tx, names, known)
}

// recall reads what earlier batches kept of the streams.
func recall(ctx context.Context, tx pgx.Tx, names []string, known map[string]*stream) error {
	if len(names) == 0 {
		return nil
	}
	found, err := tx.Query(ctx, `SELECT stream, began, project_id, session_id, agent_name, channel FROM analytics_streams
		WHERE stream = ANY($1)`, names)
	if err != nil {
		return fmt.Errorf("reading what is known of the streams: %w", err)
	}
	var name string
	var s stream
	to := []any{&name, &s.began, &s.Project, &s.SessionID, &s.AgentName, &s.Channel}
	if _, err := pgx.ForEachRow(found, to, func() error { *known[name] = s; return nil }); err != nil {
		return fmt.Errorf("reading what is known of the streams: %w", err)
	}
	return nil
}

// stream is what is known of a stream.
type stream struct {
	Traits
	began   time.Time // the moment of its first event that said Remember
	begins  bool      // in this batch: there is no row of it yet
	changed bool
}

// place gives a row what is known of its stream, and notes what it says of it.
func (s *stream) place(x row) row {
	x.Traits = x.Traits.over(s.Traits)
	at := x.moment
	if at.IsZero() {
		at = x.ts
	}
	if x.Lifetime && !s.began.IsZero() {
		lasted := max(0, at.Sub(s.began))
		x.Duration = &lasted
	}
	if x.Remember {
		if s.began.IsZero() {
			s.began, s.changed = at, true
		}
		if s.Traits != x.Traits {
			s.Traits, s.changed = x.Traits, true
		}
	}
	return x
}

var streamColumns = []string{"stream", "began", "project_id", "session_id", "agent_name", "channel"}

// keepStreams keeps what the rows said. A stream that begins among them has no row yet, so
// that nothing has to be looked for.
func keepStreams(ctx context.Context, tx pgx.Tx, order []string, known map[string]*stream) error {
	var fresh [][]any
	var began []time.Time
	var columns [5][]string
	for _, name := range order {
		switch s := known[name]; {
		case s.changed && s.begins:
			fresh = append(fresh, []any{name, s.began, s.Project, s.SessionID, s.AgentName, s.Channel})
		case s.changed:
			began = append(began, s.began)
			for i, v := range []string{name, s.Project, s.SessionID, s.AgentName, s.Channel} {
				columns[i] = append(columns[i], v)
			}
		}
	}
	if len(fresh) > 0 {
		if _, err := tx.CopyFrom(ctx, pgx.Identifier{"analytics_streams"}, streamColumns, pgx.CopyFromRows(fresh)); err != nil {
			return fmt.Errorf("keeping what is known of new streams: %w", err)
		}
	}
	if len(began) == 0 {
		return nil
	}
	if _, err := tx.Exec(ctx, `INSERT INTO analytics_streams (stream, began, project_id, session_id, agent_name, channel) SELECT *
		FROM unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[])
		ON CONFLICT (stream) DO UPDATE SET project_id = excluded.project_id, session_id = excluded.session_id, agent_name = excluded.agent_name,
		channel = excluded.channel`,
		columns[0], began, columns[1], columns[2], columns[3], columns[4]); err != nil {
		return fmt.Errorf("keeping what is known of the streams: %w", err)
	}
	return nil
}

// makeMonths makes the partitions that the rows need. Attaching a table lets queries go
// on, which creating it as a partition would not.
func makeMonths(ctx context.Context, tx pgx.Tx, rows []row) error {
	made := map[string]bool{}
	for _, x := range rows {
		first := time.Date(x.ts.Year(), x.ts.Month(), 1, 0, 0, 0, 0, time.UTC)
		name := first.Format("analytics_events_2006_01")
		if made[name] {
			continue
		}
		made[name] = true
		var there bool
		if err := tx.QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL`, name).Scan(&there); err != nil {
			return fmt.Errorf("looking for the partition of a month: %w", err)
		}
		if there {
			continue
		}
		if _, err := tx.Exec(ctx, fmt.Sprintf(`CREATE TABLE %[1]s (LIKE analytics_events); ALTER TABLE analytics_events ATTACH PARTITION %[1]s FOR
			VALUES FROM ('%[2]s') TO ('%[3]s')`,
			name, first.Format(time.RFC3339), first.AddDate(0, 1, 0).Format(time.RFC3339))); err != nil {
			return fmt.Errorf("making the partition of a month: %w", err)
		}
	}
	return nil
}

var eventColumns = []string{"tenant", "project_id", "ts", "id", "category", "event_type", "agent_name", "session_id", "channel", "model",
	"duration_ms", "error", "tokens_in", "tokens_out", "cost", "priced", "metadata"}

func copyRows(ctx context.Context, tx pgx.Tx, rows []row) error {
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"analytics_events"}, eventColumns, pgx.CopyFromSlice(len(rows), func(i int) ([]any, error) {
		x := rows[i]
		id, err := uuid.Parse(x.id)
		if err != nil {
			return nil, err
		}
		var ms *int64
		if x.Duration != nil {
			n := x.Duration.Milliseconds()
			ms = &n
		}
		var problem *string
		if x.Error != "" {
			problem = &x.Error
		}
		var cost int64
		if x.Cost != nil {
			cost = *x.Cost
		}
		return []any{x.tenant, x.Project, x.ts, id, string(x.category), x.eventType, x.AgentName, x.SessionID, x.Channel, x.Model, ms, problem,
			x.TokensIn, x.TokensOut, cost, x.Cost != nil, []byte(x.metadata)}, nil
	}))
	if err != nil {
		return fmt.Errorf("writing the events: %w", err)
	}
	return nil
}
