package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// erased is one who was called and is erased, and at which event of that the node is killed.
type erased struct {
	name, number string
	stream       string // of the event: that of the job, or of the call
	event        string
}

// begin asks for the erasure and kills the node as soon as the event is there.
func (e *erased) begin(t *testing.T, node *process) (job string) {
	t.Helper()
	c := clientOf(node)
	var asked struct{ Erasure struct{ ErasureID string } }
	c.must(t, http.MethodPost, "/api/v1/privacy/erasures", map[string]any{"identities": []any{map[string]any{"kind": "telephone",
		"value": e.number}}}, "auth", c.env["PARLEY_TOKEN"]).read(t, &asked)
	stream := e.stream
	if stream == "" {
		stream = "erasure-" + asked.Erasure.ErasureID
	}
	node.await(e.event, func() bool {
		a := c.must(t, http.MethodGet, "/api/v1/events?limit=200&stream="+stream, nil, "Authorization", "Bearer "+c.env["PARLEY_TOKEN"])
		return strings.Contains(a.String(), e.event)
	})
	node.kill()
	return asked.Erasure.ErasureID
}

// call places a call to somebody, and waits for its end.
func (e *erased) call(t *testing.T, node *process) (id string) {
	t.Helper()
	c := clientOf(node)
	body := c.callBody()
	body["target"], body["metadata"] = "tel:"+e.number, map[string]any{"CustomerFirstName": e.name, "CustomerEmail": e.name + "@example.com"}
	var placed struct{ CallID string }
	c.must(t, http.MethodPost, c.dialOutPath(), body, "auth", c.env["PARLEY_TOKEN"]).read(t, &placed)
	node.await("the end of the call", func() bool {
		rows, _, err := c.interactions()
		require.NoError(t, err)
		for _, row := range rows {
			if row.ConversationID == placed.CallID {
				return row.EndedAt != ""
			}
		}
		return false
	})
	return placed.CallID
}

// filesWith are the files of a folder in which one of the texts is.
func filesWith(t *testing.T, dir string, texts ...string) (found []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err == nil && !d.Type().IsRegular() { // a node that runs puts files away
			return nil
		}
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, text := range texts {
			if bytes.Contains(data, []byte(text)) {
				found = append(found, name+" has "+text)
			}
		}
		return nil
	}))
	return found
}

// tidy makes Postgres rewrite what it holds, and let go of its log.
func tidy(t *testing.T, database string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	db, err := pgx.Connect(ctx, database)
	require.NoError(t, err)
	defer db.Close(context.WithoutCancel(ctx))
	for _, sql := range []string{`ALTER SYSTEM SET wal_recycle = off`, `SELECT pg_reload_conf()`, `VACUUM (FULL, ANALYZE)`,
		`SELECT pg_switch_wal()`, `CHECKPOINT`, `SELECT pg_switch_wal()`, `CHECKPOINT`} {
		_, err := db.Exec(ctx, sql)
		require.NoError(t, err, sql)
	}
}

// Given people who are erased while their node is killed after each step of it, then each is
// erased all the same, counted once; and once Postgres has tidied up, no file of the node,
// neither of the log, nor of the database, nor of blobs, has anything of them, while who was
// called beside them is there.
func TestErasuresOfANodeThatIsKilledLeaveNothingInAnyFile(t *testing.T) {
	t.Parallel()
	data, listen := dataFolder(t), freeAddress(t)
	node := serveDev(t, data, listen)
	stays := &erased{name: "Bertrand", number: "+15550009990"}
	kept := stays.call(t, node)

	var gone []string
	jobs := map[string]string{}
	for n, event := range []string{"erasures.requested", "erasures.found", "calls.erased", "erasures.forgotten", "erasures.not-found"} {
		e := &erased{name: fmt.Sprintf("Annabelle%d", n), number: fmt.Sprintf("+1555000%d", 9000+10*n), event: "parley." + event + ".v1"}
		call := e.call(t, node)
		if strings.HasPrefix(event, "calls.") {
			e.stream = "call-" + call
		}
		gone = append(gone, e.name, strings.TrimPrefix(e.number, "+"))
		jobs[e.begin(t, node)] = event
		node = serveDev(t, data, listen)
	}
	c := clientOf(node)
	for job, event := range jobs {
		var got struct {
			Erasure struct {
				Status    string
				Forgotten map[string]int
			}
		}
		node.await("the end of the erasure that was killed at "+event, func() bool {
			c.must(t, http.MethodGet, "/api/v1/privacy/erasures/"+job, nil, "auth", c.env["PARLEY_TOKEN"]).read(t, &got)
			return got.Erasure.Status == "done"
		})
		require.Equal(t, 1, got.Erasure.Forgotten["calls"], "killed at %s", event)
	}
	a := c.must(t, http.MethodGet, "/api/v1/events?limit=200&stream=call-"+kept, nil, "Authorization", "Bearer "+c.env["PARLEY_TOKEN"])
	require.Contains(t, a.String(), stays.name)

	require.NotEmpty(t, filesWith(t, data, stays.name), "the search finds who is there")
	tidy(t, c.env["DATABASE_URL"])
	node.terminate()
	require.Zero(t, node.exit(patience))
	require.Empty(t, filesWith(t, data, gone...))
	require.NotEmpty(t, filesWith(t, data, stays.name))
}
