package node_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/adapters/postgres"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
)

// emptyings are the ways in which a database loses what it held under running nodes,
// each while all connections live on, except for the first.
var emptyings = []struct {
	name string
	do   func(t *testing.T, c *cluster)
}{
	{"the database is dropped and made again", func(t *testing.T, c *cluster) { embeddedtest.DropDatabase(t, c.database) }},
	{"its schema is dropped and made again", func(t *testing.T, c *cluster) {
		statement(t, c, `DROP SCHEMA public CASCADE; CREATE SCHEMA public`)
	}},
	{"its schema is dropped, and made again later", func(t *testing.T, c *cluster) {
		statement(t, c, `DROP SCHEMA public CASCADE`)
		statement(t, c, `CREATE SCHEMA public`)
	}},
	{"its tables are dropped one by one", func(t *testing.T, c *cluster) {
		for _, table := range tablesOf(t, c, "public") {
			statement(t, c, `DROP TABLE IF EXISTS `+table+` CASCADE`)
		}
		statement(t, c, `DROP SCHEMA public CASCADE; CREATE SCHEMA public`) // functions too
	}},
	{"its tables are truncated", func(t *testing.T, c *cluster) {
		statement(t, c, `TRUNCATE `+strings.Join(tablesOf(t, c, "public"), ", "))
	}},
	{"its rows are deleted", func(t *testing.T, c *cluster) {
		statement(t, c, everyTable(tablesOf(t, c, "public"), `DELETE FROM %s;`))
	}},
	{"an older dump is restored", func(t *testing.T, c *cluster) {
		restore(t, c)
	}},
}

// everyTable is one transaction over all tables but that of the migrations.
func everyTable(tables []string, each string) (all string) {
	for _, table := range tables {
		all += fmt.Sprintf(each, table)
	}
	return all
}

// tablesOf are the tables of a schema. Partitions are parts of theirs: that of a month is made
// when its first row comes, which may be behind a dump.
func tablesOf(t *testing.T, c *cluster, schema string) []string {
	t.Helper()
	conn := beside(t, c)
	rows, err := conn.Query(t.Context(), `SELECT relname FROM pg_class WHERE relnamespace = $1::regnamespace
		AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'goose_db_version' ORDER BY relname`, schema)
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.NotEmpty(t, tables)
	return tables
}

func beside(t *testing.T, c *cluster) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.database)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func statement(t *testing.T, c *cluster, sql string) {
	t.Helper()
	conn := beside(t, c)
	_, err := conn.Exec(t.Context(), sql)
	for postgres.Code(err) == "40P01" { // a deadlock with those who use the tables: nothing was done
		_, err = conn.Exec(t.Context(), sql)
	}
	require.NoError(t, err)
}

// dump keeps what the tables hold, as a dump of this moment would.
func dump(t *testing.T, c *cluster) {
	t.Helper()
	all := `SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; DROP SCHEMA IF EXISTS dump CASCADE; CREATE SCHEMA dump;`
	for _, table := range tablesOf(t, c, "public") {
		all += fmt.Sprintf(`CREATE TABLE dump.%[1]s AS TABLE public.%[1]s;`, table)
	}
	statement(t, c, all)
}

// restore puts back what was kept, and nobody writes in between.
func restore(t *testing.T, c *cluster) {
	t.Helper()
	tables := tablesOf(t, c, "public")
	statement(t, c, `LOCK TABLE `+strings.Join(tables, ", ")+` IN ACCESS EXCLUSIVE MODE;`+
		everyTable(tables, `DELETE FROM %[1]s; INSERT INTO %[1]s SELECT * FROM dump.%[1]s;`))
}

// Given nodes that serve, when the database is emptied under them, then whoever asks
// meanwhile hears the truth or CATCHING_UP, and all of it comes back by itself.
func TestAnEmptiedDatabaseIsNeverTheAnswer(t *testing.T) {
	t.Parallel()
	childtest.Integration(t)
	for _, nodes := range []int{1, 2} {
		t.Run(fmt.Sprint(nodes, " nodes"), func(t *testing.T) {
			t.Parallel()
			c := newCluster(t)
			c.a = c.start(t)
			servers := []*server{c.a}
			for len(servers) < nodes {
				servers = append(servers, c.start(t))
			}
			w := c.tenant(t, "")
			w.agents(t, nil, "a-1", "a-2", "a-3")
			dumped := w.key(t, mainScope) // is in the dump
			dump(t, c)
			for _, e := range emptyings {
				t.Run(e.name, func(t *testing.T) {
					if e.name == "an older dump is restored" {
						dump(t, c)
					}
					key := w.key(t, mainScope)
					truth := watchTruth(t, w, servers, dumped, key)
					truth.answers(t, 40)
					e.do(t, c)
					truth.answers(t, 40) // so each node was asked since: one that is open now has noticed
					for _, s := range servers {
						s.awaitOpen(t)
					}
					truth.answers(t, 40)
					truth.end(t)
				})
			}
		})
	}
}

// awaitOpen waits until the node has noticed what happened and serves again: until it
// answers somebody who asks with the newest credential.
func (s *server) awaitOpen(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, s.Await(ctx))
}

// truth is a number of callers who know what they must be told.
type truth struct {
	stop     chan struct{}
	all      sync.WaitGroup
	answered atomic.Int64
	refused  atomic.Int64
	mu       sync.Mutex
	wrong    []string
}

// watchTruth asks each node for the same again and again, with credentials that hold.
func watchTruth(t *testing.T, w *tenant, servers []*server, keys ...string) *truth {
	x := &truth{stop: make(chan struct{})}
	t.Cleanup(func() { _ = x.closed() })
	token := w.token(t)
	for _, s := range servers {
		for _, key := range keys {
			x.ask(func() (*answer, error) {
				return s.try(http.MethodGet, scopePath(mainApp, mainScope), nil, "x-api-key", key)
			}, nil)
		}
		x.ask(func() (*answer, error) {
			return s.try(http.MethodGet, publicV1+"/organizations/"+w.id+"-org/agents", nil, "auth", token, "accountId", w.id)
		}, []string{"a-1", "a-2", "a-3"})
		x.ask(func() (*answer, error) {
			return s.try(http.MethodGet, agentPath("a-2"), nil, "auth", token, "accountId", w.id)
		}, []string{"a-2"})
		n := 0
		x.ask(func() (*answer, error) {
			n++
			presence := map[string]any{"onlineStatusType": []string{"BUSY", "AVAILABLE"}[n%2]}
			return s.try(http.MethodPut, agentPath("a-1")+"/presence", presence, "auth", token, "accountId", w.id)
		}, nil)
	}
	return x
}

func (x *truth) ask(send func() (*answer, error), contains []string) {
	x.all.Go(func() {
		for {
			select {
			case <-x.stop:
				return
			case <-time.After(time.Millisecond): // so that the node can do something else too
			}
			a, err := send()
			x.judge(a, err, contains)
		}
	})
}

func (x *truth) judge(a *answer, err error, contains []string) {
	switch {
	case err != nil:
		x.note(err.Error())
	case a.Status == http.StatusServiceUnavailable && closedFor(a):
		x.refused.Add(1)
	case a.Status != http.StatusOK:
		x.note(fmt.Sprint(a.Status, " ", a.Text))
	default:
		x.answered.Add(1)
		for _, id := range contains {
			if !json.Valid([]byte(a.Text)) || !slices.Contains(words(a.Text), id) {
				x.note("without " + id + ": " + a.Text)
			}
		}
	}
}

// closedFor reports whether a refusal says that nothing is served now, and when to
// come again; a command may also be told that its outcome is not known.
func closedFor(a *answer) bool {
	var r struct {
		Error rest.RefusalBody `json:"error"`
	}
	if json.Unmarshal([]byte(a.Text), &r) != nil || r.Error.RetryAfterMs == nil {
		return false
	}
	return r.Error.Code == string(fault.CatchingUp) || r.Error.Code == string(fault.OutcomeUnknown)
}

// words are the texts of a JSON document.
func words(text string) (out []string) {
	var walk func(v any)
	walk = func(v any) {
		switch x := v.(type) {
		case string:
			out = append(out, x)
		case []any:
			for _, y := range x {
				walk(y)
			}
		case map[string]any:
			for _, y := range x {
				walk(y)
			}
		}
	}
	var v any
	_ = json.Unmarshal([]byte(text), &v)
	walk(v)
	return out
}

func (x *truth) note(wrong string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !slices.Contains(x.wrong, wrong) && len(x.wrong) < 10 {
		x.wrong = append(x.wrong, wrong)
	}
}

// answers waits until so many more of the truth were heard.
func (x *truth) answers(t *testing.T, more int64) {
	t.Helper()
	least := x.answered.Load() + more
	require.Eventually(t, func() bool { return x.answered.Load() >= least }, patience, 10*time.Millisecond)
}

func (x *truth) closed() []string {
	select {
	case <-x.stop:
	default:
		close(x.stop)
	}
	x.all.Wait()
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.wrong
}

func (x *truth) end(t *testing.T) {
	t.Helper()
	wrong := x.closed()
	require.Empty(t, wrong)
	require.Positive(t, x.refused.Load(), "the accident was noticed")
	t.Log(x.answered.Load(), "answered,", x.refused.Load(), "refused")
}
