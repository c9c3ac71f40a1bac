package sessions_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
)

var (
	noon   = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	opened = sessions.Opened{SessionID: "s1", TenantID: "acme", ProjectID: "bot", Channel: "voice", CallID: "c1", AgentName: "greeter",
		UserSession: map[string]json.RawMessage{"metadata": json.RawMessage(`{"vip":true}`)}, At: noon}
	informed = sessions.Informed{UserSession: map[string]json.RawMessage{"amd": json.RawMessage(`["amd_human_detected"]`)},
		At: noon.Add(time.Second)}
	ended = sessions.SessionEnded{Reason: "Caller-disconnected", At: noon.Add(time.Minute)}
)

func TestDecisions(t *testing.T) {
	open := sessions.Open{ID: "s1", TenantID: "acme", ProjectID: "bot", Channel: "voice", CallID: "c1", AgentName: "greeter",
		UserSession: opened.UserSession, At: noon}.Decide
	inform := sessions.Inform{UserSession: informed.UserSession, At: informed.At}.Decide
	end := sessions.End{Reason: ended.Reason, At: ended.At}.Decide
	for _, c := range []struct {
		given string
		past  []event.Payload
		when  func(sessions.State) ([]event.Payload, error)
		then  []event.Payload
	}{
		{"nothing, it opens", nil, open, []event.Payload{opened}},
		{"an open session, opening again changes nothing", []event.Payload{opened}, open, nil},
		{"an ended session, it does not open again", []event.Payload{opened, ended}, open, nil},
		{"an open session, it learns", []event.Payload{opened}, inform, []event.Payload{informed}},
		{"a session that knows, nothing is new", []event.Payload{opened, informed}, inform, nil},
		{"no session, nobody learns", nil, inform, nil},
		{"an ended session, nobody learns", []event.Payload{opened, ended}, inform, nil},
		{"an open session, it ends", []event.Payload{opened}, end, []event.Payload{ended}},
		{"an ended session, it ends once", []event.Payload{opened, ended}, end, nil},
		{"no session, nothing ends", nil, end, nil},
	} {
		t.Run(c.given, func(t *testing.T) {
			got, err := c.when(sessions.Sessions.State(c.past...))
			require.NoError(t, err)
			require.Equal(t, c.then, got)
		})
	}
}

func TestTheContextIsMergedMemberByMember(t *testing.T) {
	s := sessions.Sessions.State(opened, informed, ended)
	require.JSONEq(t, `{"vip":true}`, string(s.UserSession["metadata"]))
	require.JSONEq(t, `["amd_human_detected"]`, string(s.UserSession["amd"]))
	require.Equal(t, sessions.Ended, s.Status)
	require.Equal(t, ended.At, s.EndedAt)
	require.Len(t, opened.UserSession, 1, "folding must not reach into the event")
}

func TestEventsStayReadable(t *testing.T) {
	waits := sent
	waits.Figures = &sessions.Figures{Turns: 1, Messages: 2, Traces: 3, Errors: 1, Handoffs: 1}
	samples := append([]event.Payload{sessions.Erased{Erasure: eventtest.Erasure}, opened, informed, ended, linked,
		sessions.PickedUp{InTurn: sessions.InTurn{Turn: 1, At: opened.At}}}, talked...)
	eventtest.Golden(t, sessions.Sessions.Category, "testdata/events", append(samples, waits)...)
}

var linked = sessions.ContactLinked{ContactID: "ct-1", At: opened.At}

func TestASessionIsOfOneContact(t *testing.T) {
	link := sessions.LinkContact{ContactID: "ct-1", At: opened.At}
	got, err := link.Decide(sessions.Sessions.State(opened))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{linked}, got)
	got, err = link.Decide(sessions.Sessions.State(opened, linked, ended))
	require.NoError(t, err)
	require.Empty(t, got, "the same again")
	got, err = link.Decide(sessions.Sessions.State(opened, ended))
	require.NoError(t, err)
	require.Len(t, got, 1, "one that has ended")
	_, err = sessions.LinkContact{ContactID: "ct-2"}.Decide(sessions.Sessions.State(opened, linked))
	require.True(t, fault.Is(err, fault.Conflict))
	_, err = link.Decide(sessions.State{})
	require.True(t, fault.Is(err, fault.NotFound))
}

// Given a call that has shown its session, then it is linked before it is opened, and opened
// it is still.
func TestASessionIsLinkedBeforeItIsOpened(t *testing.T) {
	got, err := sessions.LinkContact{ContactID: "ct-1", Known: true, At: opened.At}.Decide(sessions.State{})
	require.NoError(t, err)
	require.Equal(t, []event.Payload{linked}, got)
	got, err = sessions.Open{ID: "s-1", TenantID: "acme", At: opened.At}.Decide(sessions.Sessions.State(linked))
	require.NoError(t, err)
	s := sessions.Sessions.State(linked, got[0])
	require.Equal(t, []any{sessions.Active, "ct-1", opened.At}, []any{s.Status, s.ContactID, s.LinkedAt})
}
