package engine_test

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
	"github.com/parley-platform/parley/projections/engine"
	"github.com/parley-platform/parley/projections/engine/enginetest"
)

// labels are the read models of these tests: plain takes every event, narrow does with
// an event what its note says.
const labels = `CREATE TABLE IF NOT EXISTS plain (stream text, version bigint, PRIMARY KEY (stream, version));
	CREATE TABLE IF NOT EXISTS narrow (stream text, version bigint, name varchar(8) NOT NULL CHECK (name <> 'forbid'), n int, notes jsonb,
	PRIMARY KEY (stream, version),
		UNIQUE (n) DEFERRABLE INITIALLY DEFERRED);
	CREATE SEQUENCE IF NOT EXISTS tries;
	CREATE OR REPLACE FUNCTION fail_first() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		IF NEW.name LIKE '5%' AND nextval('tries') <= 3 THEN RAISE EXCEPTION 'not now' USING ERRCODE = NEW.name; END IF; RETURN NEW; END $$;
	CREATE OR REPLACE TRIGGER fail_first BEFORE INSERT ON narrow FOR EACH ROW EXECUTE FUNCTION fail_first();`

func withLabels(c *engine.Config) {
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
	m := projections.NewModel("plain", 1, []string{"plain"}, enginetest.Counters.Category)
	projections.On(m, func(b *projections.Batch, at projections.At, _ enginetest.Added) { b.Put("plain", version(at), nil) })
	return m
}

func narrowModel() *projections.Model {
	m := projections.NewModel("narrow shelf", 3, []string{"narrow"}, enginetest.Counters.Category)
	projections.On(m, func(b *projections.Batch, at projections.At, e enginetest.Added) {
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

func noted(does string) func(enginetest.Counter) ([]event.Payload, error) {
	return func(enginetest.Counter) ([]event.Payload, error) {
		note, err := json.Marshal(does)
		return []event.Payload{enginetest.Added{By: 1, Note: note}}, err
	}
}

// note counts the stream up with a note; the request id is the note as well.
func note(n *enginetest.Node, t *testing.T, id, does string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err := eventstore.Execute(ctx, n.Store, enginetest.Counters, enginetest.Counters.Stream(id), eventstore.Command{Tenant: "acme",
		Actor: "test", RequestID: does + id, RequestHash: "h"}, noted(does))
	return err
}

func versionsIn(n *enginetest.Node, t *testing.T, table, id string) (out []int64) {
	t.Helper()
	require.NoError(t, n.DB.Queries.QueryRow(t.Context(), `SELECT coalesce(array_agg(version ORDER BY version), '{}') FROM `+table+
		` WHERE stream = $1`, enginetest.Counters.Stream(id)).Scan(&out))
	return out
}

// Given a read model that fails on an event, then its rows of that commit alone are
// left out and set aside, the command hears on every node and every time that it is
// recorded, and whatever comes later goes on.
func TestWhatAReadModelCannotTakeIsSetAside(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	a := enginetest.Start(t, "a", brokers, url, withLabels)
	b := enginetest.Start(t, "b", brokers, url, withLabels)
	require.NoError(t, note(a, t, "seven", "twin"))
	want := int64(0)
	for does, problem := range map[string]string{
		"panic":  "projections/engine/setaside_test.go:",
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
			for i, n := range []*enginetest.Node{a, b} { // one of them does not project the stream
				id := does + n.Store.Node
				require.NoError(t, note(n, t, id, "fine"))
				err := note(n, t, id, does)
				require.True(t, fault.Is(err, fault.ProjectionFailed), "%v", err)
				require.ErrorContains(t, err, "must not be repeated")
				require.ErrorContains(t, err, "narrow shelf")
				require.NoError(t, note(n, t, id, "fine too"))
				other := []*enginetest.Node{b, a}[i]
				for _, again := range []*enginetest.Node{n, other} {
					err = note(again, t, id, does)
					require.True(t, fault.Is(err, fault.ProjectionFailed), "the same key again: %v", err)
				}
				require.Equal(t, 3, other.Total(t, id), "it counts, once")
				require.Equal(t, []int64{1, 2, 3}, versionsIn(n, t, "plain", id))
				require.Equal(t, []int64{1, 3}, versionsIn(n, t, "narrow", id))
				want++

				var row string
				require.NoError(t, n.DB.Queries.QueryRow(t.Context(),
					`SELECT concat_ws(' ', model, model_version, topic, type, tenant, version, error) FROM projection_errors WHERE stream = $1`,
					enginetest.Counters.Stream(id)).Scan(&row))
				require.Contains(t, row, "narrow shelf 3 parley.counters parley.counters.added.v1 acme 2 ")
				require.Contains(t, row, problem)
				require.NotContains(t, row, "secret")
				require.NotContains(t, row, "quoted")
			}
		})
	}
	for _, n := range []*enginetest.Node{a, b} {
		enginetest.Soon(t, "every node says so", func() bool { return n.Projector.Lag().SetAside["narrow shelf"] == want })
		require.True(t, n.Projector.Lag().Ready())
		require.True(t, n.Projector.Lag().Degraded())
		require.Empty(t, n.Projector.Lag().Given)
		require.EqualValues(t, want, gauge(n, t, "parley_projection_set_aside", "narrow shelf"))
		require.Zero(t, gauge(n, t, "parley_projection_set_aside", "plain"))
	}
}

// gauge reads a metric of the node; label is the value of its one label.
func gauge(n *enginetest.Node, t *testing.T, name, label string) float64 {
	t.Helper()
	families, err := n.Metrics.Gather()
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
	t.Parallel()
	for name, size := range map[string]int{"small": 50, "large": 900} {
		t.Run(name, func(t *testing.T) {
			brokers, url := enginetest.Parts(t)
			n := enginetest.Start(t, "a", brokers, url, withLabels)
			var all []*eventstore.Record
			var bad []int64
			parent := ""
			for v := 1; v <= size; v += 2 {
				c := enginetest.CommitOf(enginetest.IDOn(1), int64(v), parent, 2)
				parent = c[0].Commit
				if v%7 == 0 {
					c[1].Data = []byte(`{"by":1,"note":"long"}`)
					bad = append(bad, int64(v), int64(v+1))
				}
				all = append(all, c...)
			}
			offset := enginetest.AppendRaw(n, t, 1, enginetest.Messages(all...)...)
			enginetest.Settled(n, t, 1, offset+int64(len(all))-1)
			require.NotEmpty(t, bad)
			look := func() (aside, narrow, plain int) {
				require.NoError(t, n.DB.Queries.QueryRow(t.Context(),
					`SELECT (SELECT count(*) FROM projection_errors), (SELECT count(*) FROM narrow), (SELECT count(*) FROM plain)`).Scan(&aside, &narrow,
					&plain))
				return
			}
			check := func() {
				aside, narrow, plain := look()
				require.Equal(t, len(bad)/2, aside)
				require.Equal(t, len(all)-len(bad), narrow, "both events of the commit are left out")
				require.Equal(t, len(all), plain)
				require.Equal(t, len(all), n.Total(t, enginetest.IDOn(1)))
			}
			check()
			enginetest.Soon(t, "the tables to be gone", func() bool { // Postgres may refuse: the projector is asking for them, too
				_, err := n.DB.Queries.Exec(t.Context(), `DROP SCHEMA public CASCADE; CREATE SCHEMA public`)
				return err == nil
			})
			enginetest.Soon(t, "it was noticed", func() bool { return n.Projector.Gate() != nil })
			n.Open(t)
			check()
		})
	}
}

// Given a database that cannot take anything for a while, then nothing is set aside:
// the row is written once it can.
func TestWhatIsNoFaultOfTheEventIsTriedAgain(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "a", brokers, url, withLabels)
	for _, code := range []string{"53100", "57014"} { // no space, cancelled
		_, err := n.DB.Queries.Exec(t.Context(), `ALTER SEQUENCE tries RESTART`)
		require.NoError(t, err)
		require.NoError(t, note(n, t, "x", code))
	}
	require.Equal(t, []int64{1, 2}, versionsIn(n, t, "narrow", "x"))
	found, err := n.Projector.SetAside(t.Context())
	require.NoError(t, err)
	require.Empty(t, found)
}

// Given records of the right type whose JSON has another form, then they count, as for
// all who apply the rule, no read model holds them, nothing stands still, and a command
// on the stream is refused in words.
func TestAnEventOfAnotherFormCountsAndIsSetAside(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "a", brokers, url, withLabels)
	odd := enginetest.CommitOf(enginetest.IDOn(1), 1, "", 2)
	odd[1].Data = []byte(`{"by":"4155550123"}`)
	offset := enginetest.AppendRaw(n, t, 1, enginetest.Messages(odd...)...)
	enginetest.Settled(n, t, 1, offset+1)
	require.Empty(t, versionsIn(n, t, "plain", enginetest.IDOn(1)))
	held, err := n.Projector.Index().HeldBy(t.Context(), odd[1].Stream, 2, enginetest.Counters.Topic(), 1, offset+1)
	require.NoError(t, err)
	require.True(t, held, "it counts")
	enginetest.Soon(t, "each model says so", func() bool { return len(n.Projector.Lag().SetAside) == 2 })
	var problem string
	require.NoError(t, n.DB.Queries.QueryRow(t.Context(), `SELECT min(error) FROM projection_errors WHERE log_offset = $1`,
		offset+1).Scan(&problem))
	require.Equal(t, `the event is not of the form of its type: member "by" should be a int`, problem)

	_, err = n.Add(t, enginetest.IDOn(1), 1)
	require.True(t, fault.Is(err, fault.Internal))
	require.ErrorContains(t, err, "its event at version 2 is not of the form of parley.counters.added.v1; nothing was done")
	require.NotContains(t, err.Error(), "4155550123")
	_, err = eventstore.Read(t.Context(), n.Store, enginetest.Counters, odd[0].Stream)
	require.ErrorContains(t, err, "cannot be read")

	next := enginetest.CommitOf(enginetest.IDOn(1), 3, odd[0].Commit, 1) // somebody's who can read it
	enginetest.Settled(n, t, 1, enginetest.AppendRaw(n, t, 1, enginetest.Messages(next...)...))
	require.Equal(t, []int64{3}, versionsIn(n, t, "plain", enginetest.IDOn(1)))
	_, err = n.Add(t, enginetest.IDOn(0), 1)
	require.NoError(t, err)
}
