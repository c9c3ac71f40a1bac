//go:build !apache

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/humanagents"
)

// lineOf is the number of the example workspace's agent that hears and answers.
const lineOf = "15550102"

// told are the events of a stream on the log: what each is called, and what stands on it in plain.
type told []toldEvent

type toldEvent struct {
	kind string
	data struct {
		ProviderCallID, SessionID, Reason, ReasonCode string
		SIPCode, Code                                 int
	}
}

// tells reads the streams of a category.
func tells(t *testing.T, brokers []string, of *event.Category) map[string]told {
	t.Helper()
	time.Sleep(300 * time.Millisecond) // between two looks, which take their time of a busy machine
	all := map[string]told{}
	for _, r := range accepted(t, strings.Join(brokers, ","), of.Topic()) {
		e := toldEvent{kind: strings.Split(r.Type, ".")[2]}
		require.NoError(t, json.Unmarshal(r.Data, &e.data))
		all[of.StreamID(r.Stream)] = append(all[of.StreamID(r.Stream)], e)
	}
	return all
}

// all are the events of a kind.
func (h told) all(kinds ...string) (out told) {
	for _, e := range h {
		for _, kind := range kinds {
			if e.kind == kind {
				out = append(out, e)
			}
		}
	}
	return out
}

// since are those behind the last of a kind; none if it has not happened.
func (h told) since(kind string) told {
	for i := len(h) - 1; i >= 0; i-- {
		if h[i].kind == kind {
			return h[i+1:]
		}
	}
	return nil
}

// callCentre is two processes with one trunk, by which calls come in, and people are called.
type callCentre struct {
	t        *testing.T
	brokers  []string
	database string
	one, two *process
	client   // of the second
	port     int
}

func newCallCentre(t *testing.T, person *Callee) *callCentre {
	t.Helper()
	first, second := dataFolder(t), dataFolder(t)
	c := &callCentre{t: t, port: FreePort(t)}
	c.brokers, c.database = embeddedtest.Parts(t)
	shared := func(port int) []string {
		return []string{"--kafka-brokers", strings.Join(c.brokers, ","), "--database-url", c.database, "--keyset",
			filepath.Join(first, "shared.json"), "--blob-url", "file://" + filepath.Join(first, "blobs"), "--call-lease", "30s",
			"--sip-listen", fmt.Sprintf("%s:%d", Host, port)}
	}
	c.one = serveDev(t, first, freeAddress(t), shared(c.port)...)
	c.two = serveDev(t, second, freeAddress(t), shared(FreePort(t))...)
	c.client = client{url: c.two.url, env: environment(t, first)}
	c.asks(http.MethodPost, "/api/v1/admin/apply", map[string]any{"manifests": []any{
		map[string]any{"kind": "Trunk", "metadata": map[string]any{"name": "carrier", "tenant": "acme"}, "spec": map[string]any{
			"provider": "sip", "address": person.LocalAddr().String(), "optionsSeconds": 0, "maxCalls": 20,
			"inbound": map[string]any{"sources": []string{Host}}}},
		map[string]any{"kind": "Queue", "metadata": map[string]any{"id": "q-nobody", "name": "Nobody", "tenant": "acme"},
			"spec": map[string]any{"agents": []any{}, "waitTimeoutSeconds": 1, "onTimeout": "voicemail"}}}})
	c.asks(http.MethodPut, c.desk("/agents/a-acme-maria/presence"), map[string]any{"onlineStatusType": "AVAILABLE"})
	return c
}

func (c *callCentre) desk(path string) string {
	return "/agentassist/api/v1/public/" + c.env["BOT_ID"] + path
}

func (c *callCentre) asks(method, path string, body any) answer {
	c.t.Helper()
	a := c.must(c.t, method, path, body, "auth", c.env["PARLEY_TOKEN"], "accountId", c.env["ACCOUNT_ID"])
	require.Less(c.t, a.status, 300, "%s", a)
	return a
}

// calls reads the log of calls.
func (c *callCentre) calls() map[string]told { return tells(c.t, c.brokers, calls.Calls.Category) }

// of is the call of a caller, once something is on its log.
func (c *callCentre) of(r *Ringer, what string, is func(told) bool) (id string) {
	c.t.Helper()
	name := strings.ReplaceAll(r.LocalAddr().String(), ":", "-")
	c.two.await(what, func() bool {
		for one, h := range c.calls() {
			if h[0].data.ProviderCallID == name && is(h) {
				id = one
				return true
			}
		}
		return false
	})
	return id
}

// becomes waits until something is on the log of a call, and gives it.
func (c *callCentre) becomes(id, what string, is func(told) bool) (h told) {
	c.t.Helper()
	c.two.await(what, func() bool {
		h = c.calls()[id]
		return is(h)
	})
	return h
}

// talks is a caller whom an agent has answered, and the call.
func (c *callCentre) talks() (*Ringer, string) {
	c.t.Helper()
	caller := RingsUp(c.t, c.port, lineOf)
	id := c.of(caller, "the call to talk", happened("leg-established"))
	return caller, id
}

// transfers has a person, or a queue, take a call.
func (c *callCentre) transfers(call string, to map[string]any) {
	c.t.Helper()
	to["callbackUrl"], to["orgId"] = c.url+"/livez", c.env["ORG_ID"]
	to["botSessionId"] = c.calls()[call].all("answered")[0].data.SessionID
	c.asks(http.MethodPost, c.desk("/assign-conversation"), to)
}

func happened(kind string) func(told) bool {
	return func(h told) bool { return len(h.all(kind)) > 0 }
}

// busy is how much of people's capacity is taken.
func (c *callCentre) busy() (n int) {
	c.t.Helper()
	for _, h := range tells(c.t, c.brokers, humanagents.Desks.Category) {
		n += len(h.all("capacity-claimed", "capacity-taken")) - len(h.all("capacity-released"))
	}
	return n
}

// Given a process with a call that rings, one with a person on its line, and two in which a message is being left, when it is killed, then
// the other ends the first; goes on with the second, whose person is free when it is over; asks for the message again, and keeps it; and
// says that there is none where the caller has gone. Each call has one end.
func TestAProcessIsKilledWithPeopleOnItsCalls(t *testing.T) {
	t.Parallel()
	person, personOver := PicksUp(t)
	c := newCallCentre(t, person)
	said := Spoken(t, "en-us", "please call me back about my order that has not arrived it is the blue one and I have waited since Monday", 0)
	said = said[800 : len(said)-4_000] // without the silence around it: whoever speaks makes no pause

	withPerson, bridged := c.talks()
	c.transfers(bridged, map[string]any{"aId": "a-acme-maria"})
	h := c.becomes(bridged, "the person to talk", happened("leg-transferred"))
	require.Equal(t, 200, h.all("leg-transferred")[0].data.Code)
	require.Equal(t, 1, c.busy())
	stays, kept := c.talks()
	goes, missed := c.talks()
	for _, call := range []string{kept, missed} {
		c.transfers(call, map[string]any{"queueId": "q-nobody", "transferredType": "QUEUE"})
	}
	stays.Says(said)
	goes.Says(said)
	for _, call := range []string{kept, missed} {
		c.becomes(call, "a message to be wanted", happened("message-wanted"))
	}
	db, err := pgx.Connect(t.Context(), c.database)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close(t.Context()) })
	looks, err := db.Begin(t.Context()) // nobody finds out who takes a call
	require.NoError(t, err)
	_, err = looks.Exec(t.Context(), `LOCK TABLE project_settings`)
	require.NoError(t, err)
	rings := RingsUp(t, c.port, lineOf)
	select {
	case <-rings.Rings:
	case <-time.After(patience):
		require.Fail(t, "it does not ring", c.one.out.tail())
	}

	c.one.kill()
	goes.Leaves()
	require.NoError(t, looks.Rollback(t.Context()))

	// the call that rang
	rang := c.of(rings, "the call that rang to end", happened("failed"))
	require.Equal(t, 503, c.calls()[rang].all("failed")[0].data.SIPCode)
	require.Empty(t, c.calls()[rang].all("answered"))

	// the one with a person
	h = c.becomes(bridged, "the person to be on the line again", func(h told) bool {
		return len(h.since("adopted").all("leg-transferred")) > 0
	})
	require.Equal(t, 200, h.since("adopted").all("leg-transferred")[0].data.Code)
	require.Len(t, h.all("person-established"), 1, "by the leg that they have: they are not rung again")
	select {
	case <-personOver:
		require.Fail(t, "the person was hung up")
	case <-withPerson.Over:
		require.Fail(t, "the caller was hung up")
	default:
	}
	c.becomes(kept, "the call with the message to go on", func(h told) bool { return len(h.since("adopted")) > 0 })
	var counted int
	require.NoError(t, db.QueryRow(t.Context(), `SELECT count(*) FROM trunk_calls WHERE until > clock_timestamp()`).Scan(&counted))
	require.LessOrEqual(t, counted, 5, "four calls and a person: whoever has them, each counts once")
	withPerson.Asks("BYE", "", "")
	h = c.becomes(bridged, "the call to end", happened("completed"))
	require.Equal(t, string(calls.ReasonCallerDisconnected), h.all("completed")[0].data.ReasonCode)
	<-personOver
	c.two.await("the person to be free", func() bool { return c.busy() == 0 })

	// the messages
	h = c.becomes(missed, "the end of the call whose caller has gone", happened("completed"))
	require.Len(t, h.all("message-missed"), 1)
	require.Empty(t, h.all("message-left"))
	h = c.becomes(kept, "the message", func(h told) bool {
		stays.Asks("INFO", "Content-Type: application/dtmf-relay\r\n", "Signal=#\r\nDuration=160\r\n") // what was said is all
		return len(h.all("message-left", "message-missed")) > 0
	})
	require.Len(t, h.since("adopted").all("message-left"), 1, "what is said to the next node: %v", h)
	stays.Asks("BYE", "", "")
	c.becomes(kept, "the last end", happened("completed"))

	for id, h := range c.calls() {
		require.Len(t, h.all("completed", "failed"), 1, "%s: %v", id, h)
		require.LessOrEqual(t, len(h.all("adopted")), 1)
	}
	c.two.terminate()
	require.Zero(t, c.two.exit(patience), c.two.out.tail())
}
