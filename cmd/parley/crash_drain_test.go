//go:build !apache

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/domain/calls"
)

// drained is a process that has calls, and is told to end.
type drained struct {
	*process
	client
	port    int // of SIP
	brokers string
}

// endOf is how a call ended on the log; empty: it has not.
func (d *drained) endOf(call string) (cause string) {
	d.t.Helper()
	for _, r := range accepted(d.t, d.brokers, calls.Calls.Topic()) {
		if calls.Calls.StreamID(r.Stream) == call && strings.Contains(r.Type, ".completed.") {
			var e calls.Completed
			require.NoError(d.t, json.Unmarshal(r.Data, &e))
			require.Empty(d.t, cause, "a call has one end")
			cause = fmt.Sprint(e.ReasonCode, ": ", e.Cause)
		}
	}
	return cause
}

// talks places a call over a trunk of its own to a callee, who picks up.
func (d *drained) talks(name string, to *Callee) (call string) {
	d.t.Helper()
	d.must(d.t, http.MethodPost, "/api/v1/admin/apply", map[string]any{"manifests": []any{map[string]any{"kind": "Trunk",
		"metadata": map[string]any{"name": name, "tenant": "acme"}, "spec": map[string]any{"provider": "sip",
			"address": to.LocalAddr().String(), "optionsSeconds": 0}}}}, "auth", d.env["PARLEY_TOKEN"])
	body := d.callBody()
	body["trunk"] = name
	a := d.must(d.t, http.MethodPost, d.dialOutPath(), body, "auth", d.env["PARLEY_TOKEN"])
	var placed struct{ CallID string }
	a.read(d.t, &placed)
	require.NotEmpty(d.t, placed.CallID, "%s", a)
	d.await("the call to talk", func() bool { return onTrunks(d.t, strings.Split(d.brokers, ","))[placed.CallID].is(established) })
	return placed.CallID
}

func established(c *onTrunk) bool { return c.established }

func (c *onTrunk) is(so func(*onTrunk) bool) bool { return c != nil && so(c) }

// drains tells it to end, and waits until it has said that it lets its calls end first.
func (d *drained) drains() {
	d.t.Helper()
	d.terminate()
	d.await("the process to let its calls end", func() bool { return strings.Contains(d.out.String(), "lets its calls end first") })
}

// Given a process in which somebody talks, when it is told to end, then it takes no more calls, and ends behind the call; a second signal
// ends it at once, and the next process goes on with the call; and one whose limit is over hangs up.
func TestCallsEndBeforeTheirProcess(t *testing.T) {
	t.Parallel()
	data := dataFolder(t)
	brokers, database := embeddedtest.Parts(t)
	begin := func(drain string) *drained {
		port := FreePort(t)
		p := serveDev(t, data, freeAddress(t), "--kafka-brokers", strings.Join(brokers, ","), "--database-url", database, "--keyset",
			filepath.Join(data, "shared.json"), "--call-lease", "10s", "--call-drain", drain, "--sip-listen", fmt.Sprintf("%s:%d", Host, port))
		return &drained{p, clientOf(p), port, strings.Join(brokers, ",")}
	}

	// a call that ends
	first := begin("10m")
	one, over := PicksUp(t)
	call := first.talks("one", one)
	require.Contains(t, Options(t, first.port), " 200 ")
	first.drains()
	require.Contains(t, Options(t, first.port), " 503 ")
	first.await("/readyz to say no", func() bool { return first.readyz() != http.StatusOK })
	select {
	case <-first.ended:
		require.Fail(t, "the process has ended before its call", first.out.tail())
	case <-over:
		require.Fail(t, "the call was hung up")
	default:
	}
	one.Asks("BYE", "", "")
	require.Zero(t, first.exit(patience), first.out.tail())
	require.Equal(t, fmt.Sprint(calls.ReasonCallerDisconnected, ": the callee hung up"), first.endOf(call))

	// one that goes on, and a second signal
	second := begin("10m")
	two, over := PicksUp(t)
	call = second.talks("two", two)
	second.drains()
	second.terminate()
	second.exit(patience)
	require.False(t, second.cmd.ProcessState.Success(), "it is cut off")
	select {
	case <-over:
		require.Fail(t, "the call was hung up")
	default:
	}
	require.Empty(t, second.endOf(call))

	// and the limit
	third := begin("1s")
	third.await("the next process to go on with the call", func() bool {
		return onTrunks(t, brokers)[call].is(func(c *onTrunk) bool { return c.alive })
	})
	third.drains()
	require.Zero(t, third.exit(patience), third.out.tail())
	<-over
	require.Equal(t, fmt.Sprint(calls.ReasonGatewayDisconnected, ": the node shut down"), third.endOf(call))
}
