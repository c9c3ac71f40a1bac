// Package projectiontest fills the tables of read models from events, for the tests of
// read models: given these events, these rows and these answers. There is no log and no
// projector; tests of those are in projections.
//
// It never looks at a read model's code: what a test says is events, rows and answers.
package projectiontest

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/sink"
)

// Noon is when the first event of a World is.
var Noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Key is that of the first who stands in an event with a key of one's own.
const Key = "key-of-the-first-one00"

// Second is a time of the story, in seconds after Noon.
func Second(n int) time.Time { return Noon.Add(time.Duration(n) * time.Second) }

// World is a database with the tables of all read models.
type World struct {
	DB *pgxpool.Pool

	t      testing.TB
	tables projections.Tables
	heads  map[string]int64 // versions, by stream
	used   map[string]bool  // tables
	offset int64
}

// New is a world over a migrated database. What the test's read models write is removed
// at its end.
func New(t testing.TB, db *pgxpool.Pool) *World {
	t.Helper()
	tables, err := sink.ReadTables(t.Context(), db)
	require.NoError(t, err)
	w := &World{DB: db, t: t, tables: tables, heads: map[string]int64{}, used: map[string]bool{}}
	t.Cleanup(w.empty)
	return w
}

// Given lets the model take events of one stream, each in a transaction of its own. Events
// are a minute apart, the first at Noon.
func (w *World) Given(m *projections.Model, id string, events ...event.Payload) {
	w.t.Helper()
	named := projections.Tables{} // a rebuild knows no others
	for _, table := range m.Tables {
		w.used[table], named[table] = true, w.tables[table]
	}
	for _, e := range events {
		b := projections.NewBatch(named)
		m.Apply(b, w.next(w.category(m, e), id), e)
		to := &pgx.Batch{}
		require.NoError(w.t, b.Queue(to), "%T: does %s name all tables that it writes?", e, m.Name)
		require.NoError(w.t, w.DB.SendBatch(w.t.Context(), to).Close(), "%T", e)
	}
}

func (w *World) category(m *projections.Model, e event.Payload) *event.Category {
	w.t.Helper()
	for _, c := range m.Follows() {
		if _, err := c.KindOf(e); err == nil {
			return c
		}
	}
	require.Failf(w.t, "no such event", "the read model %s does not follow %T", m.Name, e)
	return nil
}

// Story is what events make of a read model's tables.
type Story struct {
	w     *World
	model *projections.Model
	rows  map[string]row
}

// Follow begins a story.
func (w *World) Follow(m *projections.Model) *Story {
	w.t.Helper()
	require.Empty(w.t, m.Unhandled())
	return &Story{w, m, w.rows(m.Tables)}
}

// After lets the model take an event of a stream (its id), and looks at all that it
// changes in the model's tables:
//
//   - "+ table column=value ..." is a new row, with what is not null, "", 0 or false
//   - "~ table key: column=value ..." is a row of which these columns have changed
//   - "- table key" is a row that is gone
func (s *Story) After(id string, e event.Payload, want ...string) {
	s.w.t.Helper()
	s.w.Given(s.model, id, e)
	before := s.rows
	s.rows = s.w.rows(s.model.Tables)
	require.Equal(s.w.t, want, changes(before, s.rows), "%T", e)
}

// Clear removes what the read models wrote.
func (w *World) Clear() { w.empty() }

func (w *World) empty() {
	to := &pgx.Batch{}
	for table := range w.used {
		to.Queue(`DELETE FROM ` + table)
	}
	require.NoError(w.t, w.DB.SendBatch(context.Background(), to).Close())
}

func (w *World) next(c *event.Category, id string) projections.At {
	stream := c.Stream(id)
	w.heads[stream]++
	w.offset++
	return projections.At{Stream: stream, StreamID: id, Version: w.heads[stream], ID: fmt.Sprintf("e-%d", w.offset), Tenant: "tenantId",
		Actor: "ada",
		Time:  Noon.Add(time.Duration(w.offset-1) * time.Minute), Correlation: "c-1", Topic: c.Topic(), Offset: w.offset - 1,
		Keys: []string{Key}}
}

// Indexed puts events of a stream into the stream index, for queries that read it. Without
// an event it puts one there that nobody knows. Its request is named after its stream.
func (w *World) Indexed(c *event.Category, id string, events ...event.Payload) {
	w.t.Helper()
	w.used["events"] = true
	put := func(kind string, data []byte) {
		at := w.next(c, id)
		_, err := w.DB.Exec(w.t.Context(), `INSERT INTO events (stream, version, topic, partition, log_offset, id, type, time, tenant, actor,
			source,
			commit_id, commit_index, commit_size, parent, request_id, request_hash, correlation_id, causation_id, traceparent, data)
			VALUES ($1, $2, $3, 0, $4, gen_random_uuid(), $5, $6, $7, $8, '', gen_random_uuid(), 0, 1, '', $9, '', '', '', '', $10)`,
			at.Stream, at.Version, at.Topic, at.Offset, kind, at.Time, at.Tenant, at.Actor, "request of "+id, data)
		require.NoError(w.t, err)
	}
	for _, e := range events {
		kind, err := c.KindOf(e)
		require.NoError(w.t, err)
		data, err := json.Marshal(e)
		require.NoError(w.t, err)
		put(kind.Type(), data)
	}
	if len(events) == 0 {
		put("parley."+c.Name+".unheard-of.v1", []byte(`{}`))
	}
}
