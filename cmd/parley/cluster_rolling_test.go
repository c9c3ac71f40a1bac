package main

import (
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Three nodes are restarted one after the other under load. Callers that repeat once
// what failed notice nothing, and nothing is lost or done twice.
func TestRollingRestartIsNotNoticed(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	nodes := []*process{f.node("--drain-delay", "5s"), f.node(), f.node()} // the first is asked what it says at the end
	var clients []client
	for _, p := range nodes {
		clients = append(clients, f.client(p))
	}
	l := newLedger()
	x := startPatient(l, "rolling", 6, clients...)
	x.more(nodes[0], 30)
	for i, p := range nodes {
		p.terminate()
		if i == 0 {
			requireGoodbye(t, l, p, clients[0])
		}
		require.Zero(t, p.exit(drainTimeout+patience), p.out.tail())
		listen := strings.TrimPrefix(p.url, "http://")
		nodes[i] = serve(t, p.data, listen, append([]string{"--sim-speed", "20"}, f.shared...)...)
		x.more(nodes[i], 30)
	}
	x.stop(t)
	l.settle(t, clients[0])
	for _, c := range clients {
		l.requireSame(t, c)
	}
	l.awaitEnds(t, clients[2])
	requireOneEndEach(t, strings.Join(f.brokers, ","), l)
}

// requireGoodbye: a node that ends says so on /readyz first, and goes on answering
// meanwhile, asking each caller to open its next connection elsewhere.
func requireGoodbye(t *testing.T, l *ledger, p *process, c client) {
	t.Helper()
	p.await("/readyz to say no while the node still answers", func() bool {
		a, err := c.do(http.MethodGet, "/readyz", nil)
		require.NoError(t, err, "connections were refused before /readyz said no")
		return a.status == http.StatusServiceUnavailable && strings.Contains(string(a.body), "draining")
	})
	l.asked("goodbye")
	a, err := c.dialOut("goodbye")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, a.status, "%s", a)
	l.heard("goodbye", a)
	res, err := callers.Get(p.url + "/livez")
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.True(t, res.Close, "the answer asks for the end of the connection")
}

// A node that stands still, as a virtual machine that is moved, is taken over from;
// when it wakes up, its late writes count for nothing and it goes on as one of them.
func TestStoppedNodeIsTakenOverFromAndComesBack(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	asleep, awake := f.node(), f.node()
	atAsleep, atAwake := f.client(asleep), f.client(awake)
	awake.await("both nodes to project", func() bool { o := f.owners(); return len(o) == 2 && o[""] == 0 })
	l := newLedger()
	both := startPatient(l, "both", 4, atAsleep, atAwake)
	both.more(awake, 40)
	both.stop(t)

	// when one stands still while callers use the other
	require.NoError(t, asleep.cmd.Process.Signal(syscall.SIGSTOP))
	x := startPatient(l, "awake", 4, atAwake)
	x.more(awake, 60)
	awake.await("the other to project everything", func() bool { return len(f.owners()) == 1 })
	x.more(awake, 20)

	// and wakes up in the middle of it
	require.NoError(t, asleep.cmd.Process.Signal(syscall.SIGCONT))
	awake.await("both to project again", func() bool { o := f.owners(); return len(o) == 2 && o[""] == 0 })
	asleep.awaitReady()
	x.more(awake, 20)
	x.stop(t)
	require.Empty(t, x.repeats, "the clients of the node that was awake")
	again := startPatient(l, "again", 4, atAsleep, atAwake)
	again.more(awake, 40)

	// and one is killed
	awake.kill()
	again.more(asleep, 40)
	again.stop(t)
	l.settle(t, atAsleep)
	l.requireSame(t, atAsleep)
	l.awaitEnds(t, atAsleep)
	require.NotContains(t, asleep.out.String(), "panic")
	requireOneEndEach(t, strings.Join(f.brokers, ","), l)
}
