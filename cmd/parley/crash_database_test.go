package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// The database is only what was derived from the log: without it nothing is served,
// least of all something wrong, and all of it comes back.
func TestDatabaseDroppedUnderLoadComesBack(t *testing.T) {
	t.Parallel()
	node := serveDev(t, dataFolder(t), freeAddress(t))
	c, l := clientOf(node), newLedger()
	before := startLoad(l, "before", 3, c)
	node.await("acknowledgements", func() bool { return l.acknowledged() >= 40 })
	before.stop()
	l.settle(t, c)
	l.awaitEnds(t, c)
	rows, _, err := c.interactions()
	require.NoError(t, err)
	_, kept := c.createKey(t, "kept")
	revokedID, revoked := c.createKey(t, "revoked")
	c.revokeKey(t, revokedID)

	// when the database goes away while callers call
	watch := startWatch(c, kept, revoked, rows)
	during := startLoad(l, "during", 3, c)
	database := c.env["DATABASE_URL"]
	administer(t, database, `DROP DATABASE parley WITH (FORCE)`)
	node.await("/readyz to say no", func() bool { return node.readyz() == http.StatusServiceUnavailable })
	a := c.must(t, http.MethodGet, c.scopePath(), nil, "x-api-key", kept)
	require.Equal(t, http.StatusServiceUnavailable, a.status, "%s", a)

	// then it all comes back as soon as there is a database
	administer(t, database, `CREATE DATABASE parley`)
	made := time.Now()
	node.awaitReady()
	took := time.Since(made)
	answered := l.acknowledged()
	node.await("acknowledgements after the loss", func() bool { return l.acknowledged() >= answered+40 })
	during.stop()
	seen := watch.stop()
	require.Empty(t, seen.wrong, "answers while the database was away; %s", node.out.linesWith("INTERNAL_ERROR"))
	t.Logf("ready %s after there was a database again; answers meanwhile: %v; refusals to callers: %v", took.Round(time.Millisecond),
		seen.answers, l.refusals)
	l.settle(t, c)
	l.requireSame(t, c)
	l.awaitEnds(t, c)
	requireRows(t, c, rows)
	require.Equal(t, http.StatusOK, c.keyStatus(t, c.env["PARLEY_API_KEY"]))
	require.Equal(t, http.StatusOK, c.keyStatus(t, kept))
	require.Equal(t, http.StatusUnauthorized, c.keyStatus(t, revoked))
	requireOneEndEach(t, c.env["KAFKA_BROKERS"], l, loginOf(t, c.env))
}

// The embedded server may be killed by itself, as when memory is short.
func TestKilledDatabaseServerIsStartedAgain(t *testing.T) {
	t.Parallel()
	data := dataFolder(t)
	node := serveDev(t, data, freeAddress(t), "--call-lease", "3s")
	c, l := clientOf(node), newLedger()
	x := startLoad(l, "load", 3, c)
	node.await("acknowledgements", func() bool { return l.acknowledged() >= 40 })

	cluster := filepath.Join(data, "postgres", "cluster")
	victim := postmaster(t, cluster)
	require.NoError(t, syscall.Kill(victim, syscall.SIGKILL))
	killed := time.Now()

	node.await("another server", func() bool {
		pid, err := readPID(cluster)
		return err == nil && pid != victim && node.readyz() == http.StatusOK
	})
	answered := l.acknowledged()
	node.await("acknowledgements after the kill", func() bool { return l.acknowledged() >= answered+20 })
	x.stop()
	t.Logf("answers again %s after the kill; refusals to callers: %v", time.Since(killed).Round(time.Millisecond), l.refusals)
	for refusal := range l.refusals {
		require.True(t, strings.HasPrefix(refusal, "503 "), "callers were answered %v; %s", l.refusals, node.out.linesWith("INTERNAL_ERROR"))
	}
	l.settle(t, c)
	l.requireSame(t, c)
	l.awaitEnds(t, c)
	requireOneEndEach(t, c.env["KAFKA_BROKERS"], l, loginOf(t, c.env))
}

// postmaster is the number of a server's first process.
func postmaster(t *testing.T, cluster string) int {
	t.Helper()
	pid, err := readPID(cluster)
	require.NoError(t, err)
	require.Contains(t, processesAt(cluster), pid)
	return pid
}

func readPID(cluster string) (int, error) {
	text, err := os.ReadFile(filepath.Join(cluster, "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strconv.Atoi(strings.TrimSpace(first))
}

// A start without the database's folder is a start with an empty one.
func TestDatabaseFolderDeletedBetweenRunsComesBack(t *testing.T) {
	t.Parallel()
	data, listen := dataFolder(t), freeAddress(t)
	node := serveDev(t, data, listen)
	c, l := clientOf(node), newLedger()
	x := startLoad(l, "before", 3, c)
	node.await("acknowledgements", func() bool { return l.acknowledged() >= 40 })
	x.stop()
	l.awaitEnds(t, c)
	rows, _, err := c.interactions()
	require.NoError(t, err)
	_, kept := c.createKey(t, "kept")
	revokedID, revoked := c.createKey(t, "revoked")
	c.revokeKey(t, revokedID)
	node.terminate()
	require.Zero(t, node.exit(patience))

	require.NoError(t, os.RemoveAll(filepath.Join(data, "postgres")))
	serveDev(t, data, listen)

	requireRows(t, c, rows) // with the token that was issued before
	l.settle(t, c)
	l.requireSame(t, c)
	require.Equal(t, c.env["PARLEY_API_KEY"], environment(t, data)["PARLEY_API_KEY"], "the development key is still known, so none was made")
	require.Equal(t, http.StatusOK, c.keyStatus(t, kept))
	require.Equal(t, http.StatusUnauthorized, c.keyStatus(t, revoked))
}

// requireRows: what was listed once is listed the same again.
func requireRows(t *testing.T, c client, want []interactionRow) {
	t.Helper()
	rows, a, err := c.interactions()
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, a.status, "%s", a)
	require.Subset(t, rows, want)
}

// administer runs a statement beside the database of the URL.
func administer(t *testing.T, databaseURL, statement string) {
	t.Helper()
	u, err := url.Parse(databaseURL)
	require.NoError(t, err)
	u.Path = "/postgres"
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, u.String())
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	_, err = conn.Exec(ctx, statement)
	require.NoError(t, err)
}

func (c client) scopePath() string {
	return "/aaa/api/public/apps/" + c.env["BOT_ID"] + "/scopes/" + c.env["SCOPE_ID"]
}

func (c client) createKey(t *testing.T, name string) (id, secret string) {
	t.Helper()
	a := c.must(t, http.MethodPost, "/aaa/api/public/apps/"+c.env["BOT_ID"]+"/apikeys/create",
		map[string]string{"scope_name": "main", "api_key_name": name}, "x-api-key", c.env["PARLEY_API_KEY"])
	require.Equal(t, http.StatusCreated, a.status, "%s", a)
	var out struct {
		Key struct {
			ID     string `json:"key_id"`
			Secret string `json:"apikey"`
		} `json:"api_key"`
	}
	a.read(t, &out)
	require.NotEmpty(t, out.Key.Secret)
	return out.Key.ID, out.Key.Secret
}

func (c client) revokeKey(t *testing.T, id string) {
	t.Helper()
	a := c.must(t, http.MethodDelete, "/aaa/api/public/apps/"+c.env["BOT_ID"]+"/apikeys/"+id, nil, "x-api-key", c.env["PARLEY_API_KEY"])
	require.Equal(t, http.StatusOK, a.status, "%s", a)
}

// keyStatus is what a key opens the scope with.
func (c client) keyStatus(t *testing.T, secret string) int {
	t.Helper()
	return c.must(t, http.MethodGet, c.scopePath(), nil, "x-api-key", secret).status
}

// watcher looks again and again, and holds each answer against what is known: it
// is the truth, or it is CATCHING_UP.
type watcher struct {
	cancel  context.CancelFunc
	done    sync.WaitGroup
	answers map[string]int // by what was asked and "status code"
	wrong   []string
}

func startWatch(c client, kept, revoked string, rows []interactionRow) *watcher {
	ctx, cancel := context.WithCancel(context.Background())
	w := &watcher{cancel: cancel, answers: map[string]int{}}
	w.done.Go(func() {
		for ctx.Err() == nil {
			a, err := c.do(http.MethodGet, c.scopePath(), nil, "x-api-key", kept)
			w.judge("key", a, err, http.StatusOK)
			a, err = c.do(http.MethodGet, c.scopePath(), nil, "x-api-key", revoked)
			w.judge("revoked key", a, err, http.StatusUnauthorized)
			listed, a, err := c.interactions()
			if w.judge("list", a, err, http.StatusOK) {
				w.compare(listed, rows)
			}
		}
	})
	return w
}

// judge says whether the truth is expected in the answer.
func (w *watcher) judge(asked string, a answer, err error, truth int) bool {
	if err != nil {
		w.note(asked + ": " + err.Error())
		return false
	}
	w.answers[strings.TrimSpace(fmt.Sprintf("%s: %d %s", asked, a.status, a.code))]++
	if a.status != truth && (a.status != http.StatusServiceUnavailable || a.code != "CATCHING_UP") {
		w.note(asked + ": " + a.String())
	}
	return a.status == http.StatusOK
}

func (w *watcher) compare(listed, want []interactionRow) {
	ids := map[string]bool{}
	for _, row := range listed {
		ids[row.ConversationID] = true
	}
	for _, row := range want {
		if !ids[row.ConversationID] {
			w.note("list: call " + row.ConversationID + " is missing")
		}
	}
}

func (w *watcher) note(wrong string) {
	if !slices.Contains(w.wrong, wrong) && len(w.wrong) < 10 {
		w.wrong = append(w.wrong, wrong)
	}
}

func (w *watcher) stop() *watcher {
	w.cancel()
	w.done.Wait()
	w.answers = maps.Clone(w.answers)
	return w
}
