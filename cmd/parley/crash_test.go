package main

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// roundsVariable says how many times the kill test kills.
const roundsVariable = "PARLEY_CRASH_ROUNDS"

// seedVariable repeats a run of the kill test that failed.
const seedVariable = "PARLEY_CRASH_SEED"

func number(t *testing.T, variable string, standard int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return standard
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, variable)
	return n
}

// A node that is killed at any moment loses nothing that it acknowledged, does
// nothing twice that is asked again, leaves no call open, and owes nobody a
// notification.
func TestKilledNodeKeepsItsWord(t *testing.T) {
	t.Parallel()
	data, listen := dataFolder(t), freeAddress(t)
	seed := number(t, seedVariable, rand.IntN(1<<30))
	t.Logf("%s=%d repeats this", seedVariable, seed)
	random := rand.New(rand.NewPCG(uint64(seed), 0))

	l := newLedger()
	node := serveDev(t, data, listen, "--call-lease", "3s")
	first := environment(t, data)
	customer := receive(t, first["PARLEY_WEBHOOK_SECRET"])
	here := client{node.url, first, customer.url} // the token of the first start opens to the end
	for round := range number(t, roundsVariable, 3) {
		// when it is killed under load
		before, enough := l.acknowledged(), 20+random.IntN(120)
		x := startRush(l, "round-"+strconv.Itoa(round), 6, here)
		node.await("acknowledgements", func() bool { return l.acknowledged() >= before+enough })
		<-time.After(time.Duration(random.IntN(10_000)) * time.Microsecond) // any moment, not always just after a reply
		node.kill()
		x.stop()
		acknowledged, known := l.acknowledged(), len(l.snapshot())

		// then it comes back as who it was
		started := time.Now()
		node = serveDev(t, data, listen, "--call-lease", "3s")
		took := time.Since(started)
		requireSamePlace(t, first, environment(t, data))
		l.settle(t, here)
		l.requireSame(t, here)
		statuses := l.awaitEnds(t, here)
		over := time.Since(started)
		repeated := customer.awaitAll(t, l)
		t.Logf("round %d: killed with %d of %d calls acknowledged, back in %s, all %d calls ended %s after the start, %v; all were notified %s "+
			"after it, %d notifications were repeated",
			round, acknowledged, known, took.Round(time.Millisecond), len(l.snapshot()), over.Round(time.Millisecond), statuses,
			time.Since(started).Round(time.Millisecond), repeated)
	}
	requireOneEndEach(t, first["KAFKA_BROKERS"], l, loginOf(t, first))
}

// requireSamePlace: whatever was configured against the first start still works.
func requireSamePlace(t *testing.T, before, after map[string]string) {
	t.Helper()
	for _, name := range []string{"PARLEY_URL", "KAFKA_BROKERS", "KAFKA_PASSWORD", "KCAT_CONFIG", "DATABASE_URL",
		"PARLEY_API_KEY", "ACCOUNT_ID", "BOT_ID", "SCOPE_ID"} {
		require.Equal(t, before[name], after[name], "%s after a restart", name)
	}
}

// A node that is killed while it starts, the first time or later, leaves nothing
// behind that the next start cannot use or clear.
func TestNodeKilledWhileItStartsStartsAgain(t *testing.T) {
	t.Parallel()
	data, listen := dataFolder(t), freeAddress(t)
	seed := number(t, seedVariable, rand.IntN(1<<30))
	t.Logf("%s=%d repeats this", seedVariable, seed)
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	for range 5 {
		node := spawn(t, data, listen, "--dev")
		<-time.After(time.Duration(random.IntN(1200)) * time.Millisecond)
		node.kill()
	}
	node := serveDev(t, data, listen)
	c, l := clientOf(node), newLedger()
	a, err := c.dialOut("first")
	require.NoError(t, err)
	l.asked("first")
	require.True(t, l.heard("first", a), "%s", a)
	l.requireSame(t, c)
	l.awaitEnds(t, c)
	require.Equal(t, 200, c.keyStatus(t, c.env["PARLEY_API_KEY"]))
}
