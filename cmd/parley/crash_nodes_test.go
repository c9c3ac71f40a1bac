package main

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
)

// Nodes share one Kafka and one Postgres. When one is killed the other goes on, and
// ends what the dead one had begun.
func TestOtherNodeGoesOnWhenOneIsKilled(t *testing.T) {
	t.Parallel()
	first, second := dataFolder(t), dataFolder(t)
	brokers, database := embeddedtest.Parts(t)
	shared := []string{"--kafka-brokers", strings.Join(brokers, ","), "--database-url", database, "--keyset",
		filepath.Join(first, "shared.json"), "--call-lease", "3s"}
	one := serveDev(t, first, freeAddress(t), shared...)
	two := serve(t, second, freeAddress(t), append(shared, "--sim-speed", "20")...)
	atOne := clientOf(one)
	atTwo := client{url: two.url, env: atOne.env}

	// given keys that came and went at one node, known at once at the other
	keptID, kept := atOne.createKey(t, "kept")
	revokedID, revoked := atTwo.createKey(t, "revoked")
	require.Equal(t, http.StatusOK, atTwo.keyStatus(t, kept), keptID)
	require.Equal(t, http.StatusOK, atOne.keyStatus(t, revoked))
	atOne.revokeKey(t, revokedID)
	require.Equal(t, http.StatusUnauthorized, atTwo.keyStatus(t, revoked))

	// when one of them is killed while callers use both
	l := newLedger()
	x := startLoad(l, "load", 6, atOne, atTwo)
	one.await("acknowledgements", func() bool { return l.acknowledged() >= 60 })
	one.kill()
	killed := time.Now()
	answered := l.acknowledged()
	two.await("an answer to a new request", func() bool {
		a, err := atTwo.dialOut("after the kill")
		return err == nil && a.status == http.StatusOK && l.heard("after the kill", a)
	})
	took := time.Since(killed)
	two.await("acknowledgements after the kill", func() bool { return l.acknowledged() >= answered+60 })
	x.stop()
	refusals, acknowledged := l.refusals, l.acknowledged()

	// then the other has taken everything over
	l.settle(t, atTwo)
	l.requireSame(t, atTwo)
	statuses := l.awaitEnds(t, atTwo)
	t.Logf("the other node answered %s after the kill; %d calls acknowledged, without an answer %v, refusals %v; all ended %s after the "+
		"kill: %v",
		took.Round(time.Millisecond), acknowledged, l.breaks, refusals, time.Since(killed).Round(time.Millisecond), statuses)
	require.Equal(t, http.StatusOK, atTwo.keyStatus(t, kept))
	require.Equal(t, http.StatusUnauthorized, atTwo.keyStatus(t, revoked))
	requireOneEndEach(t, strings.Join(brokers, ","), l)
	two.awaitReady()
}
