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
// nothing twice that is asked again, and leaves no call open.
func TestKilledNodeKeepsItsWord(t *testing.T) {
	data, listen := dataFolder(t), freeAddress(t)
	seed := number(t, seedVariable, rand.IntN(1<<30))
	t.Logf("%s=%d repeats this", seedVariable, seed)
	random := rand.New(rand.NewPCG(uint64(seed), 0))

	l := newLedger()
	node := serveDev(t, data, listen, "--call-lease", "3s")
	first := environment(t, data)
	for round := range number(t, roundsVariable, 3) {
		// when it is killed under load
		before, enough := l.acknowledged(), 20+random.IntN(120)
		x := startLoad(l, "round-"+strconv.Itoa(round), 6, clientOf(node))
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
		old := client{node.url, first} // the token of the first start still opens
		l.settle(t, old)
		l.requireSame(t, old)
		statuses := l.awaitEnds(t, old)
		t.Logf("round %d: killed with %d of %d calls acknowledged, back in %s, all %d calls ended %s after the start: %v",
			round, acknowledged, known, took.Round(time.Millisecond), len(l.snapshot()), time.Since(started).Round(time.Millisecond), statuses)
	}
	requireOneEndEach(t, first["KAFKA_BROKERS"], l)
}

// requireSamePlace: whatever was configured against the first start still works.
func requireSamePlace(t *testing.T, before, after map[string]string) {
	t.Helper()
	for _, name := range []string{"PARLEY_URL", "KAFKA_BROKERS", "DATABASE_URL", "PARLEY_API_KEY", "ACCOUNT_ID", "BOT_ID", "SCOPE_ID"} {
		require.Equal(t, before[name], after[name], "%s after a restart", name)
	}
}
