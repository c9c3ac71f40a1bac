package projections_test

import (
	"context"
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
)

// labels are the read models of these tests: plain takes every event, narrow does with
// an event what its note says.
const labels = `CREATE TABLE IF NOT EXISTS plain (stream text, version bigint, PRIMARY KEY (stream, version));
	CREATE TABLE IF NOT EXISTS narrow (stream text, version bigint, name varchar(8) NOT NULL CHECK (name <> 'forbid'), n int, notes jsonb, PRIMARY KEY (stream, version),
		UNIQUE (n) DEFERRABLE INITIALLY DEFERRED);
	CREATE SEQUENCE IF NOT EXISTS tries;
	CREATE OR REPLACE FUNCTION fail_first() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		IF NEW.name LIKE '5%' AND nextval('tries') <= 3 THEN RAISE EXCEPTION 'not now' USING ERRCODE = NEW.name; END IF; RETURN NEW; END $$;
	CREATE OR REPLACE TRIGGER fail_first BEFORE INSERT ON narrow FOR EACH ROW EXECUTE FUNCTION fail_first();`

func withLabels(c *projections.Config) {
	prepare, db := c.Prepare, c.Queries
	c.Prepare = func(ctx context.Context) error {
		if err := prepare(ctx); err != nil {
			return err
		}
		_, err := db.Exec(ctx, labels)
		return err
	}
	c.Models = []*projections.Model{plainModel(), narrowModel()}
}

func version(at projections.At) projections.Row {
	return projections.Row{"stream": at.Stream, "version": at.Version}
}

func plainModel() *projections.Model {
	m := projections.NewModel("plain", 1, []string{"plain"}, counters.Category)
	projections.On(m, func(b *projections.Batch, at projections.At, _ added) { b.Put("plain", version(at), nil) })
	return m
}

func narrowModel() *projections.Model {
	m := projections.NewModel("narrow shelf", 3, []string{"narrow"}, counters.Category)
	projections.On(m, func(b *projections.Batch, at projections.At, e added) {
		var does string
		_ = json.Unmarshal(e.Note, &does)
		row := projections.Row{"name": "fine"}
		switch does {
		case "panic":
			panic("with a secret-0815 in it")
		case "index":
			_ = []int{}[e.By]
		case "long":
			row["name"] = "secret-0815"
		case "forbid", "53100", "57014":
			row["name"] = does
		case "null":
			row["name"] = nil
		case "number":
			row["n"] = `secret-0815 "quoted" more`
		case "json":
			row["notes"] = json.RawMessage(`{"secret-0815"`)
		case "nan":
			row["notes"] = math.NaN()
			row["n"] = map[string]any{"x": math.NaN()}
		case "twin":
			row["n"] = 7
		}
		b.Put("narrow", version(at), row)
	})
	return m
}

func noted(does string) func(counter) ([]event.Payload, error) {
	return func(counter) ([]event.Payload, error) {
		note, err := json.Marshal(does)
		return []event.Payload{added{By: 1, Note: note}}, err
	}
}

// note counts the stream up with a note; the request id is the note as well.
func (n *node) note(t *testing.T, id, does string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err := eventstore.Execute(ctx, n.store, counters, counters.Stream(id), eventstore.Command{Tenant: "acme", Actor: "test", RequestID: does + id, RequestHash: "h"}, noted(does))
	return err
}

func (n *node) versionsIn(t *testing.T, table, id string) (out []int64) {
	t.Helper()
	require.NoError(t, n.db.Queries.QueryRow(t.Context(), `SELECT coalesce(array_agg(version ORDER BY version), '{}') FROM `+table+` WHERE stream = $1`, counters.Stream(id)).Scan(&out))
	return out
}

// Given a read model that fails on an event, then its rows of that commit alone are
// left out and set aside, the command hears on every node and every time that it is
// recorded, and whatever comes later goes on.
func TestWhatAReadModelCannotTakeIsSetAside(t *testing.T) {
	brokers, url := parts(t)
	a := start(t, "a", brokers, url, withLabels)
	b := start(t, "b", brokers, url, withLabels)
	require.NoError(t, a.note(t, "seven", "twin"))
	want := int64(0)
	for does, problem := range map[string]string{
		"panic":  "projections/setaside_test.go:",
		"index":  "index out of range [1] with length 0",
		"long":   "SQLSTATE 22001",
		"forbid": "constraint narrow_name_check",
		"null":   "column name",
		"number": "SQLSTATE 22P02",
		"json":   "SQLSTATE 22P02",
		"nan":    "the read model panics in",
		"twin":   "constraint narrow_n_key", // checked at COMMIT only
	} {
		t.Run(does, func(t *testing.T) {
			for i, n := range []*node{a, b} { // one of them does not project the stream
				id := does + n.store.Node
				require.NoError(t, n.note(t, id, "fine"))
				err := n.note(t, id, does)
				require.True(t, fault.Is(err, fault.ProjectionFailed), "%v", err)
				require.ErrorContains(t, err, "must not be repeated")
				require.ErrorContains(t, err, "narrow shelf")
				require.NoError(t, n.note(t, id, "fine too"))
				other := []*node{b, a}[i]
				for _, again := range []*node{n, other} {
					err = again.note(t, id, does)
					require.True(t, fault.Is(err, fault.ProjectionFailed), "the same key again: %v", err)
				}
				require.Equal(t, 3, other.total(t, id), "it counts, once")
				require.Equal(t, []int64{1, 2, 3}, n.versionsIn(t, "plain", id))
				require.Equal(t, []int64{1, 3}, n.versionsIn(t, "narrow", id))
				want++

				var row string
				require.NoError(t, n.db.Queries.QueryRow(t.Context(), `SELECT concat_ws(' ', model, model_version, topic, type, tenant, version, error) FROM projection_errors WHERE stream = $1`, counters.Stream(id)).Scan(&row))
				require.Contains(t, row, "narrow shelf 3 parley.counters parley.counters.added.v1 acme 2 ")
				require.Contains(t, row, problem)
				require.NotContains(t, row, "secret")
				require.NotContains(t, row, "quoted")
			}
		})
	}
	for _, n := range []*node{a, b} {
		soon(t, "every node says so", func() bool { return n.projector.Lag().SetAside["narrow shelf"] == want })
		require.True(t, n.projector.Lag().Ready())
		require.True(t, n.projector.Lag().Degraded())
		require.Empty(t, n.projector.Lag().Given)
		require.EqualValues(t, want, n.gauge(t, "parley_projection_set_aside", "narrow shelf"))
		require.Zero(t, n.gauge(t, "parley_projection_set_aside", "plain"))
	}
}

// gauge reads a metric of the node; label is the value of its one label.
func (n *node) gauge(t *testing.T, name, label string) float64 {
	t.Helper()
	families, err := n.metrics.Gather()
	require.NoError(t, err)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name && (label == "" || m.GetLabel()[0].GetValue() == label) {
				return m.GetGauge().GetValue()
			}
		}
	}
	t.Fatalf("no metric %s %s", name, label)
	return 0
}

// Given many commits in one transaction of which some fail, then exactly those are set
// aside, whatever the size of the transaction, and a start from nothing finds the same.
func TestOnlyTheFailingCommitsOfABatchAreSetAside(t *testing.T) {
	for name, size := range map[string]int{"small": 50, "large": 900} {
		t.Run(name, func(t *testing.T) {
			brokers, url := parts(t)
			n := start(t, "a", brokers, url, withLabels)
			var all []*eventstore.Record
			var bad []int64
			parent := ""
			for v := 1; v <= size; v += 2 {
				c := commitOf(idOn(1), int64(v), parent, 2)
				parent = c[0].Commit
				if v%7 == 0 {
					c[1].Data = []byte(`{"by":1,"note":"long"}`)
					bad = append(bad, int64(v), int64(v+1))
				}
				all = append(all, c...)
			}
			offset := n.appendRaw(t, 1, messages(all...)...)
			n.settled(t, 1, offset+int64(len(all))-1)
			require.NotEmpty(t, bad)
			look := func() (aside, narrow, plain int) {
				require.NoError(t, n.db.Queries.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM projection_errors), (SELECT count(*) FROM narrow), (SELECT count(*) FROM plain)`).Scan(&aside, &narrow, &plain))
				return
			}
			check := func() {
				aside, narrow, plain := look()
				require.Equal(t, len(bad)/2, aside)
				require.Equal(t, len(all)-len(bad), narrow, "both events of the commit are left out")
				require.Equal(t, len(all), plain)
				require.Equal(t, len(all), n.total(t, idOn(1)))
			}
			check()
			_, err := n.db.Queries.Exec(t.Context(), `DROP SCHEMA public CASCADE; CREATE SCHEMA public`)
			require.NoError(t, err)
			soon(t, "it was noticed", func() bool { return n.projector.Gate() != nil })
			n.open(t)
			check()
		})
	}
}

// Given a database that cannot take anything for a while, then nothing is set aside:
// the row is written once it can.
func TestWhatIsNoFaultOfTheEventIsTriedAgain(t *testing.T) {
	brokers, url := parts(t)
	n := start(t, "a", brokers, url, withLabels)
	for _, code := range []string{"53100", "57014"} { // no space, cancelled
		_, err := n.db.Queries.Exec(t.Context(), `ALTER SEQUENCE tries RESTART`)
		require.NoError(t, err)
		require.NoError(t, n.note(t, "x", code))
	}
	require.Equal(t, []int64{1, 2}, n.versionsIn(t, "narrow", "x"))
	found, err := n.projector.SetAside(t.Context())
	require.NoError(t, err)
	require.Empty(t, found)
}

// Given records of the right type whose JSON has another form, then they count, as for
// all who apply the rule, no read model holds them, nothing stands still, and a command
// on the stream is refused in words.
func TestAnEventOfAnotherFormCountsAndIsSetAside(t *testing.T) {
	brokers, url := parts(t)
	n := start(t, "a", brokers, url, withLabels)
	odd := commitOf(idOn(1), 1, "", 2)
	odd[1].Data = []byte(`{"by":"4155550123"}`)
	offset := n.appendRaw(t, 1, messages(odd...)...)
	n.settled(t, 1, offset+1)
	require.Empty(t, n.versionsIn(t, "plain", idOn(1)))
	held, err := n.projector.Index().HeldBy(t.Context(), odd[1].Stream, 2, counters.Topic(), 1, offset+1)
	require.NoError(t, err)
	require.True(t, held, "it counts")
	soon(t, "each model says so", func() bool { return len(n.projector.Lag().SetAside) == 2 })
	var problem string
	require.NoError(t, n.db.Queries.QueryRow(t.Context(), `SELECT min(error) FROM projection_errors WHERE log_offset = $1`, offset+1).Scan(&problem))
	require.Equal(t, `the event is not of the form of its type: member "by" should be a int`, problem)

	_, err = n.add(t, idOn(1), 1)
	require.True(t, fault.Is(err, fault.Internal))
	require.ErrorContains(t, err, "its event at version 2 is not of the form of parley.counters.added.v1; nothing was done")
	require.NotContains(t, err.Error(), "4155550123")
	_, err = eventstore.Read(t.Context(), n.store, counters, odd[0].Stream)
	require.ErrorContains(t, err, "cannot be read")

	next := commitOf(idOn(1), 3, odd[0].Commit, 1) // somebody's who can read it
	n.settled(t, 1, n.appendRaw(t, 1, messages(next...)...))
	require.Equal(t, []int64{3}, n.versionsIn(t, "plain", idOn(1)))
	_, err = n.add(t, idOn(0), 1)
	require.NoError(t, err)
}
