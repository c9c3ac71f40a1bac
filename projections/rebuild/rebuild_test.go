package rebuild_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	kafkago "github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/engine"
	"github.com/parley-platform/parley/projections/engine/enginetest"
	rebuilding "github.com/parley-platform/parley/projections/rebuild"
)

// totals is a read model of two tables and a timer: what each counter came to, and
// each addition.
func totals(version int) *projections.Model {
	m := projections.NewModel("counter totals", version, []string{"totals", "additions", "timers"}, enginetest.Counters.Category)
	projections.On(m, func(b *projections.Batch, at projections.At, e enginetest.Added) {
		if e.By == 7 {
			panic("seven is too much for this read model")
		}
		b.Put("totals", projections.Row{"counter": at.StreamID}, projections.Row{"tenant": at.Tenant, "last_by": e.By * version,
			"version": at.Version})
		b.Put("additions", projections.Row{"counter": at.StreamID, "version": at.Version}, projections.Row{"by": e.By})
		if at.Version%3 == 0 {
			b.ClearTimer(at, "t")
			b.DeleteWhere("additions", projections.Row{"counter": at.StreamID})
			return
		}
		b.SetTimer(at, "t", at.Time.Add(time.Hour))
	})
	return m
}

const totalsTables = `CREATE TABLE IF NOT EXISTS totals (counter text PRIMARY KEY, tenant text NOT NULL, last_by int NOT NULL,
	version bigint NOT NULL);
	CREATE INDEX IF NOT EXISTS totals_by_tenant ON totals (tenant, last_by DESC) WHERE last_by > 1;
	CREATE UNIQUE INDEX IF NOT EXISTS totals_once ON totals (tenant, counter);
	CREATE TABLE IF NOT EXISTS additions (counter text, version bigint, by int NOT NULL DEFAULT 0 CHECK (by >= 0), PRIMARY KEY (counter,
	version)) WITH (fillfactor = 90)`

// withTotals gives the node the read model, in a version, and its tables.
func withTotals(version int) func(*engine.Config) {
	return func(c *engine.Config) {
		c.Models = []*projections.Model{totals(version)}
		before := c.Prepare
		c.Prepare = func(ctx context.Context) error {
			if err := before(ctx); err != nil {
				return err
			}
			return pgx.BeginFunc(ctx, c.Queries, func(tx pgx.Tx) error {
				if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(4711)`); err != nil {
					return err
				}
				_, err := tx.Exec(ctx, totalsTables)
				return err
			})
		}
	}
}

func rebuild(n *enginetest.Node, ctx context.Context, change ...func(*rebuilding.Config)) (rebuilding.Report, error) {
	c := rebuilding.Config{Database: n.DB.Queries, Log: n.Log, Categories: []*event.Category{enginetest.Counters.Category},
		Models: []*projections.Model{totals(1)}, By: "test"}
	for _, f := range change {
		f(&c)
	}
	return rebuilding.Rebuild(ctx, c)
}

func named(names ...string) func(*rebuilding.Config) {
	return func(c *rebuilding.Config) { c.Names = names }
}

func checking(c *rebuilding.Config) { c.Check = true }

func exec(n *enginetest.Node, t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := n.DB.Queries.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

func number(n *enginetest.Node, t *testing.T, sql string, args ...any) (out int) {
	t.Helper()
	require.NoError(t, n.DB.Queries.QueryRow(t.Context(), sql, args...).Scan(&out))
	return out
}

// rows is every row of the tables of the model, and of the index.
func rows(n *enginetest.Node, t *testing.T) string {
	t.Helper()
	var out string
	require.NoError(t, n.DB.Queries.QueryRow(t.Context(), `SELECT (SELECT coalesce(string_agg(e::text, E'\n' ORDER BY stream, version), '')
		FROM events e) || E'\n---\n' ||
		(SELECT coalesce(string_agg(t::text, E'\n' ORDER BY counter), '') FROM totals t) || E'\n---\n' || (SELECT coalesce(string_agg(t::text,
		E'\n' ORDER BY counter, version), '') FROM additions t) || E'\n---\n' ||
		(SELECT coalesce(string_agg(concat_ws(' ', stream, name, topic, tenant, due_at), E'\n' ORDER BY stream, name), '')
		FROM timers)`).Scan(&out))
	return out
}

// definitions is all that Postgres knows of the tables' shape.
func definitions(n *enginetest.Node, t *testing.T) string {
	t.Helper()
	var out string
	require.NoError(t, n.DB.Queries.QueryRow(t.Context(), `SELECT string_agg(d, E'\n' ORDER BY d) FROM (
		SELECT pg_get_indexdef(indexrelid) d FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid WHERE c.relnamespace = 'public'::regnamespace
		UNION ALL SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
		WHERE connamespace = 'public'::regnamespace
		UNION ALL SELECT c.oid::regclass || ' ' || coalesce(c.reloptions::text, '') || coalesce(c.relacl::text, '') FROM pg_class c
		WHERE c.relnamespace = 'public'::regnamespace AND relkind = 'r'
		UNION ALL SELECT attrelid::regclass || ' ' || attname || ' ' || atttypid::regtype || attnotnull || coalesce(pg_get_expr(adbin, adrelid),
		'') FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid LEFT JOIN pg_attrdef d ON adrelid = attrelid AND adnum = attnum
			WHERE c.relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0) x`).Scan(&out))
	return out
}

// Given a log with commits that count and commits that do not, when the tables were
// spoiled by hand, then a check finds each spoiled row and changes nothing, a rebuild
// brings every row back, and the tables keep their indexes, constraints and grants.
func TestACheckFindsWhatWasSpoiledAndARebuildMendsIt(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "n1", brokers, url, withTotals(1))
	for i := range 40 {
		_, err := n.Add(t, fmt.Sprint("c", i%11), 1)
		require.NoError(t, err)
	}
	stranger := enginetest.CommitOf(enginetest.IDOn(1), 2, "nothing that ever was", 2)
	torn := enginetest.CommitOf(enginetest.IDOn(1)+"-x", 1, "", 3)[:2]
	enginetest.AppendRaw(n, t, 1, enginetest.Messages(append(stranger, torn...)...)...)
	last := enginetest.AppendRaw(n, t, 1, enginetest.Messages(enginetest.CommitOf(enginetest.IDOn(1), 1, "", 3)...)...) + 2
	enginetest.Settled(n, t, 1, last)
	exec(n, t, `GRANT SELECT ON totals TO PUBLIC`)
	want, shape := rows(n, t), definitions(n, t)

	report, err := rebuild(n, t.Context(), checking)
	require.NoError(t, err)
	require.Empty(t, report.Differences)
	require.EqualValues(t, 43, report.Events)

	exec(n, t, `UPDATE totals SET last_by = 99 WHERE counter = 'c1'`)
	exec(n, t, `DELETE FROM additions WHERE counter = 'c2'`)
	exec(n, t, `INSERT INTO timers (stream, name, topic, tenant, due_at) VALUES ('counter-zz', 't', 'parley.counters', 'acme', now())`)
	exec(n, t, `UPDATE events SET actor = 'somebody' WHERE stream = 'counter-c3' AND version = 1`)
	for i, names := range [][]string{{"counter-totals"}, nil} {
		report, err = rebuild(n, t.Context(), checking, named(names...))
		require.NoError(t, err)
		found := map[string]string{}
		for _, d := range report.Differences {
			found[d.Table] = d.String()
		}
		require.Len(t, found, 3+i, "%v", found)
		require.Contains(t, found["totals"], `0 rows missing, 0 too many, 1 changed: ["c1"] differs in last_by`)
		require.Contains(t, found["additions"], `["c2", 4] is missing`)
		require.Contains(t, found["timers"], `["counter-zz", "t"] is too many`)
	}
	require.Zero(t, number(n, t, `SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'rebuild%'`), "a check leaves nothing behind")

	report, err = rebuild(n, t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"index", "counter totals"}, report.Names)
	require.EqualValues(t, 43, report.Rows["events"])
	require.Equal(t, want, rows(n, t))
	require.Equal(t, shape, definitions(n, t))
	_, err = n.Add(t, "c1", 1)
	require.NoError(t, err, "and commands go on")
	require.Zero(t, number(n, t, `SELECT count(*) FROM rebuilds`)+
		number(n, t, `SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'rebuild%'`))
}

// Given two nodes under traffic, and readers with statements that were prepared long
// ago, when everything is rebuilt again and again, then no command and no query fails,
// every reply is visible at once, and a check finds no difference.
func TestNobodyNoticesARebuildUnderTraffic(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	a, b := enginetest.Start(t, "a", brokers, url, withTotals(1)), enginetest.Start(t, "b", brokers, url, withTotals(1))
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	var writes, reads atomic.Int64
	var failures sync.Map
	run := func(name string, do func(i int) error) {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := 0; ctx.Err() == nil; i++ {
				if err := do(i); err != nil && ctx.Err() == nil {
					failures.Store(name+": "+err.Error(), i)
				}
			}
		}()
	}
	for w := range 4 {
		n := []*enginetest.Node{a, b}[w%2]
		run("write", func(i int) error {
			id := fmt.Sprintf("w%d-%d", w, i)
			if _, err := n.Add(t, id, 2); err != nil {
				return err
			}
			var by int
			if err := n.DB.Queries.QueryRow(t.Context(), `SELECT last_by FROM totals WHERE counter = $1`, id).Scan(&by); err != nil {
				return fmt.Errorf("after the reply: %w", err)
			}
			writes.Add(1)
			return nil
		})
	}
	for _, sql := range []string{`SELECT count(*) FROM totals t JOIN additions a ON a.counter = t.counter
		JOIN timers m ON m.stream = 'counter-' ||
		t.counter`, `SELECT count(*) FROM additions a LEFT JOIN totals t USING (counter) WHERE t.counter IS NULL`} {
		for _, n := range []*enginetest.Node{a, b} {
			run("read", func(int) error {
				var count int
				err := n.DB.Queries.QueryRow(t.Context(), sql).Scan(&count)
				if err == nil && count > 0 && strings.Contains(sql, "IS NULL") {
					err = errors.New("an addition without its total: two states at once")
				}
				reads.Add(1)
				return err
			})
		}
	}
	progressed := func() {
		before := writes.Load()
		require.Eventually(t, func() bool { return writes.Load() > before+10 }, 20*time.Second, time.Millisecond)
	}
	for _, names := range [][]string{nil, {"counter-totals"}, {"index"}} {
		progressed()
		report, err := rebuild(a, t.Context(), named(names...))
		require.NoError(t, err)
		t.Logf("%v: %d events, held %v", report.Names, report.Events, report.Held)
		progressed()
		report, err = rebuild(b, t.Context(), named(names...), checking)
		require.NoError(t, err)
		require.Empty(t, report.Differences)
	}
	stop()
	all.Wait()
	failures.Range(func(what, i any) bool { t.Error(what, i); return true })
	require.Positive(t, reads.Load())
}

// Given a rebuild that was ended in the middle, when it is begun again, then it goes on
// where it stopped; a rebuild of something else removes what was left.
func TestARebuildThatWasEndedGoesOn(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "n1", brokers, url, withTotals(1))
	version, parent := 0, ""
	grow := func() (want string) {
		var batch []kafkago.Record
		for range 300 {
			version++
			c := enginetest.CommitOf(enginetest.IDOn(0), int64(version), parent, 1)
			parent = c[0].Commit
			batch = append(batch, enginetest.Messages(c...)...)
		}
		enginetest.Settled(n, t, 0, enginetest.AppendRaw(n, t, 0, batch...)+299)
		return rows(n, t)
	}
	want := grow()

	kill := func(names ...string) {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := rebuild(n, ctx, named(names...), rebuilding.WhenFilled(cancel))
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, want, rows(n, t))
		require.Equal(t, 1, number(n, t, `SELECT count(*) FROM rebuilds`))
	}
	kill()
	want = grow()
	report, err := rebuild(n, t.Context())
	require.NoError(t, err)
	require.True(t, report.Resumed)
	require.EqualValues(t, 300, report.Events, "only what came since")
	require.Equal(t, want, rows(n, t))

	kill("index")
	report, err = rebuild(n, t.Context(), named("counter totals"))
	require.NoError(t, err)
	require.False(t, report.Resumed)
	require.EqualValues(t, 600, report.Events)
	require.Equal(t, want, rows(n, t))
	require.Zero(t, number(n, t, `SELECT count(*) FROM rebuilds`)+
		number(n, t, `SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'rebuild%'`))
}

// What a crash of Postgres takes of a rebuild is filled again: here its checkpoint
// and rows go back behind its back, as the tail of unsynced commits does.
func TestARebuildFillsAgainWhatTheDatabaseLost(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "n1", brokers, url, withTotals(1))
	_, err := n.Add(t, "a", 1)
	require.NoError(t, err)
	_, err = rebuild(n, t.Context(), rebuilding.WhenFilled(func() {
		var schema string
		require.NoError(t, n.DB.Queries.QueryRow(t.Context(), `SELECT id FROM rebuilds`).Scan(&schema))
		for _, table := range []string{"events", "totals", "additions", "timers"} {
			exec(n, t, `DELETE FROM `+schema+`.`+table)
		}
		exec(n, t, `UPDATE `+schema+`.checkpoints SET next_offset = 0, mark = ''`)
		for i := range 9 { // so that every partition moves on
			_, err := n.Add(t, fmt.Sprint("b", i), 1)
			require.NoError(t, err)
		}
	}))
	require.NoError(t, err)
	report, err := rebuild(n, t.Context(), checking)
	require.NoError(t, err)
	require.Empty(t, report.Differences)
	require.Equal(t, 10, number(n, t, `SELECT count(*) FROM totals`))
}

// Only one rebuild of a database runs; another one hears who.
func TestASecondRebuildIsToldOfTheFirst(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "n1", brokers, url, withTotals(1))
	_, err := n.Add(t, "a", 1)
	require.NoError(t, err)
	_, err = rebuild(n, t.Context(), rebuilding.WhenFilled(func() {
		_, err := rebuild(n, t.Context(), named("index"))
		require.ErrorIs(t, err, rebuilding.ErrRebuildRunning)
		require.ErrorContains(t, err, "index, counter-totals by test")
		require.Eventually(t, func() bool { return strings.Contains(n.Projector.Lag().Rebuild, "counter-totals by test") },
			10*time.Second, 10*time.Millisecond)
	}))
	require.NoError(t, err)
}

// A query that goes on and on keeps the switch waiting, not the other way round, and
// what cannot be had at all is said so, with nothing changed.
func TestTheSwitchWaitsForLongQueriesAndHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "n1", brokers, url, withTotals(1))
	_, err := n.Add(t, "a", 1)
	require.NoError(t, err)
	want := rows(n, t)
	long, err := n.DB.Queries.Begin(t.Context())
	require.NoError(t, err)
	_, err = long.Exec(t.Context(), `SELECT * FROM totals`)
	require.NoError(t, err)

	_, err = rebuild(n, t.Context(), rebuilding.Patience(time.Millisecond))
	require.ErrorContains(t, err, "pg_stat_activity")
	require.Equal(t, want, rows(n, t))

	done := make(chan error, 1)
	go func() {
		report, err := rebuild(n, t.Context())
		if err == nil && !report.Resumed {
			err = errors.New("it began anew")
		}
		done <- err
	}()
	for i := range 3 {
		_, err = n.Add(t, fmt.Sprint("b", i), 1)
		require.NoError(t, err)
	}
	_, err = long.Exec(t.Context(), `SELECT * FROM additions, events`)
	require.NoError(t, err, "the one that was there first is not the one that gives way")
	require.NoError(t, long.Commit(t.Context()))
	require.NoError(t, <-done)
	require.Equal(t, 4, number(n, t, `SELECT count(*) FROM totals`))
}

// What a read model cannot take is set aside by a rebuild as it was when it was
// projected, and a rebuild with the mended model takes it back.
func TestARebuildSetsAsideAnewWhatAModelCannotTake(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "n1", brokers, url, withTotals(1))
	_, err := n.Add(t, "bad", 7)
	require.Error(t, err)
	_, err = n.Add(t, "good", 1)
	require.NoError(t, err)
	count := `SELECT count(*) FROM projection_errors WHERE model = 'counter totals'`
	require.Equal(t, 1, number(n, t, count))
	report, err := rebuild(n, t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, report.SetAside)
	require.Equal(t, 1, number(n, t, count))

	mended := projections.NewModel("counter totals", 1, []string{"totals", "additions", "timers"}, enginetest.Counters.Category)
	projections.On(mended, func(b *projections.Batch, at projections.At, e enginetest.Added) {
		b.Put("totals", projections.Row{"counter": at.StreamID}, projections.Row{"tenant": at.Tenant, "last_by": e.By, "version": at.Version})
	})
	_, err = rebuild(n, t.Context(), func(c *rebuilding.Config) { c.Models = []*projections.Model{mended} }, named("counter-totals"))
	require.NoError(t, err)
	require.Zero(t, number(n, t, count))
	require.Equal(t, 7, number(n, t, `SELECT last_by FROM totals WHERE counter = 'bad'`))
}

// A model that writes what it does not name fails, and touches nothing that is live.
func TestARebuildSeesNoTablesButItsOwn(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "n1", brokers, url, withTotals(1))
	_, err := n.Add(t, "a", 1)
	require.NoError(t, err)
	want := rows(n, t)
	sly := projections.NewModel("counter totals", 1, []string{"totals"}, enginetest.Counters.Category)
	projections.On(sly, func(b *projections.Batch, at projections.At, _ enginetest.Added) {
		b.Put("additions", projections.Row{"counter": at.StreamID, "version": 77}, projections.Row{"by": 1})
	})
	_, err = rebuild(n, t.Context(), func(c *rebuilding.Config) { c.Models = []*projections.Model{sly} })
	require.ErrorContains(t, err, `"additions" does not exist`)
	require.Equal(t, want, rows(n, t))
}

// Who claimed a timer keeps it over a rebuild: nothing fires twice because of it.
func TestARebuildKeepsTheClaimsOfTimersAndTheTimersOfOthers(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "n1", brokers, url, withTotals(1))
	_, err := n.Add(t, "a", 1)
	require.NoError(t, err)
	exec(n, t, `UPDATE timers SET claimed_until = now() + interval '1 hour'`)
	exec(n, t, `INSERT INTO timers (stream, name, topic, tenant, due_at) VALUES ('other-1', 't', 'parley.others', 'acme', now())`)
	other := projections.NewModel("others", 1, []string{"timers"}, event.NewAggregate[enginetest.Counter]("others", "other", 1).Category)
	shared := func(c *rebuilding.Config) { c.Models = append(c.Models, other) }
	_, err = rebuild(n, t.Context(), shared, named("counter-totals"))
	require.NoError(t, err)
	require.Equal(t, 1, number(n, t,
		`SELECT count(*) FROM timers WHERE claimed_until > now() + interval '50 minutes' AND stream = 'counter-a'`))
	require.Equal(t, 1, number(n, t, `SELECT count(*) FROM timers WHERE stream = 'other-1'`))

	thief := projections.NewModel("thief", 1, []string{"timers"}, enginetest.Counters.Category)
	_, err = rebuild(n, t.Context(), func(c *rebuilding.Config) { c.Models = append(c.Models, thief) }, named("thief"))
	require.ErrorContains(t, err, "rebuild both")
	writer := projections.NewModel("writer", 1, []string{"totals"}, enginetest.Counters.Category)
	_, err = rebuild(n, t.Context(), func(c *rebuilding.Config) { c.Models = append(c.Models, writer) }, named("counter totals"))
	require.ErrorContains(t, err, "the table totals is written by writer too")
	_, err = rebuild(n, t.Context(), named("counter-total"))
	require.ErrorContains(t, err, "there are index, counter-totals")
}

// Given nodes of version 1, when a node of version 2 starts, then the tables are rebuilt
// while queries go on, the older node writes none of its rows any more and says why,
// and a node that starts with version 1 does neither.
func TestANodeOfANewerVersionRebuildsAndTheOlderYields(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	old := enginetest.Start(t, "old", brokers, url, withTotals(1))
	for i := range 5 {
		_, err := old.Add(t, fmt.Sprint("c", i), 3)
		require.NoError(t, err)
	}
	fresh := []*enginetest.Node{enginetest.Start(t, "new1", brokers, url, withTotals(2)),
		enginetest.Start(t, "new2", brokers, url, withTotals(2))}
	stored := func() int { return number(old, t, `SELECT version FROM projections WHERE name = 'counter totals'`) }
	require.Eventually(t, func() bool { return stored() == 2 }, 20*time.Second, 10*time.Millisecond)
	require.Equal(t, 5, number(old, t, `SELECT count(*) FROM totals WHERE last_by = 6`))
	require.Eventually(t, func() bool {
		return len(old.Projector.Holds()) == 0 && strings.Contains(old.Projector.Lag().Outdated, "upgrade this node")
	}, 20*time.Second, 10*time.Millisecond)
	for i, n := range []*enginetest.Node{old, fresh[0], fresh[1]} { // the older one still takes commands
		_, err := n.Add(t, fmt.Sprint("d", i), 4)
		require.NoError(t, err)
	}
	require.Equal(t, 3, number(old, t, `SELECT count(*) FROM totals WHERE last_by = 8`))
	_, err := rebuild(old, t.Context())
	require.ErrorContains(t, err, "use the newer binary")
	late := enginetest.Start(t, "late", brokers, url, withTotals(1))
	_, err = late.Add(t, "e", 2)
	require.NoError(t, err)
	require.Equal(t, 4, number(late, t, `SELECT last_by FROM totals WHERE counter = 'e'`))
	require.Empty(t, late.Projector.Holds())
}

// A read model that is new in a database with a past is built from the log's beginning.
func TestANewReadModelIsBuiltFromTheBeginning(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "n1", brokers, url)
	_, err := n.Add(t, "a", 5)
	require.NoError(t, err)
	n.Stop()
	n = enginetest.Start(t, "n1", brokers, url, withTotals(3))
	require.Eventually(t, func() bool {
		return number(n, t, `SELECT version FROM projections WHERE name = 'counter totals'`) == 3
	}, 20*time.Second, 10*time.Millisecond)
	require.Equal(t, 15, number(n, t, `SELECT last_by FROM totals WHERE counter = 'a'`))
}

// Given nodes of before, when one starts that has a read model more, then they leave projecting to it as soon as that is built: what
// they projected would be missing there for good.
func TestANodeThatLacksAReadModelYields(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	old := enginetest.Start(t, "old", brokers, url)
	_, err := old.Add(t, "a", 5)
	require.NoError(t, err)
	fresh := enginetest.Start(t, "new", brokers, url, withTotals(1))
	require.Eventually(t, func() bool {
		return number(fresh, t, `SELECT version FROM projections WHERE name = 'counter totals'`) == 1
	}, 20*time.Second, 10*time.Millisecond)
	for i := range 12 {
		_, err := []*enginetest.Node{old, fresh}[i%2].Add(t, fmt.Sprint("b", i), 4)
		require.NoError(t, err)
	}
	require.Equal(t, 13, number(fresh, t, `SELECT count(*) FROM totals`))
	require.Eventually(t, func() bool {
		return len(old.Projector.Holds()) == 0 && strings.Contains(old.Projector.Lag().Outdated, "upgrade this node")
	}, 20*time.Second, 10*time.Millisecond)
	require.NoError(t, old.Projector.Unprojected())
	fresh.Stop() // nobody is left who projects: what is written now would wait for the whole of its time, and not be seen
	require.Eventually(t, func() bool { return old.Projector.Unprojected() != nil }, 20*time.Second, 10*time.Millisecond)
	require.ErrorContains(t, old.Projector.Unprojected(), "upgrade this node")
	require.True(t, fault.Is(old.Projector.Unprojected(), fault.NotExecuted))
}

// One of which nobody can say whose rows are whose is rebuilt with the other, without being asked.
func TestANewerVersionTakesInWhatCannotBeToldApart(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	also := func(c *engine.Config) {
		c.Models = append(c.Models, projections.NewModel("also timers", 1, []string{"timers"}, enginetest.Counters.Category),
			projections.NewModel("apart", 1, []string{"timers"}, event.NewAggregate[enginetest.Counter]("others", "other", 1).Category))
	}
	n := enginetest.Start(t, "n1", brokers, url, withTotals(1), also)
	_, err := n.Add(t, "a", 5)
	require.NoError(t, err)
	n.Stop()
	n = enginetest.Start(t, "n1", brokers, url, withTotals(2), also)
	require.Eventually(t, func() bool {
		return number(n, t, `SELECT version FROM projections WHERE name = 'counter totals'`) == 2
	}, 20*time.Second, 10*time.Millisecond)
	require.Equal(t, []string{"counter totals", "index", "also timers"},
		rebuilding.Together(n.Projector.Models, []string{"counter totals", "index"}))
}
