package voice_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/trunks"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	broughtcalls "github.com/parley-platform/parley/handlers/acts/brought"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/voice"
	models "github.com/parley-platform/parley/projections/voice"
)

// assigned is a call over a trunk whose session a person has by a transfer.
type assigned struct {
	*memoryCalls
	reactor reactors.Reactor
	claim   string
}

var (
	toPerson = transfers.Request{TransferID: "t-1", TenantID: "acme", ProjectID: "a-1", OrgID: "o-1", SessionID: "s-1",
		ConversationID: "c-1", Kind: humanagents.Voice, CallbackURL: "https://crm.example/transfers", HumanAgentID: "h-1", Turn: 1,
		Escalation: &transfers.Escalation{AgentName: "front", Why: "A bill"}}
	whoCalls = sessions.Open{ID: "s-1", TenantID: "acme", ProjectID: "a-1", Channel: "voice", CallID: "c1"}
	byTrunk  = func(c *calls.DialOut) { c.Provider, c.Trunk = calls.ProviderSIP, "main" }
)

// give makes it, from a call, its session and its transfer.
func give(t *testing.T, placed func(*calls.DialOut), open sessions.Open, asked transfers.Request,
	telephone func(context.Context, string, string) (string, error)) *assigned {
	t.Helper()
	now := time.Now()
	m := newMemoryCalls()
	t.Cleanup(m.store.Close)
	m.request(t, "c1", placed)
	m.do(t, "c1", "", calls.InTurn(calls.StartAttempt{AttemptID: "try-1", Node: "n1", At: now, LeaseUntil: now.Add(time.Hour)}.Decide,
		calls.Ring{At: now}.Decide, calls.Answer{SessionID: "s-1", At: now}.Decide))
	open.At, asked.At = now, now
	ran(t, m, sessions.Sessions, sessions.Sessions.Stream("s-1"), open.Decide)
	ran(t, m, transfers.Transfers, transfers.Stream("t-1"), asked.Decide)
	ran(t, m, transfers.Transfers, transfers.Stream("t-1"), transfers.Assign{Attempt: 1, ClaimUntil: now.Add(time.Minute), At: now}.Decide)
	return assignedTo(m, voice.CallTransfers{Store: m.store, Calls: callsOf(m, ""), Telephone: telephone, Trunk: trunkOf("desk", nil),
		Settled: settled, Now: func() time.Time { return now }})
}

// roomsOf knows the call that is the room of the session s-1; empty: there is none.
type roomsOf string

func (r roomsOf) RoomOf(_ context.Context, tenant, project, session string) (models.Room, bool, error) {
	if tenant != "acme" || project != "a-1" || session != "s-1" {
		return models.Room{}, false, errors.New("asked for another session")
	}
	return models.Room{CallID: string(r), Open: r != ""}, r != "", nil
}

func callsOf(m *memoryCalls, room roomsOf) broughtcalls.OfSessions {
	return broughtcalls.OfSessions{Store: m.store, Rooms: room, Settled: settled}
}

// settled are read models that hold all that there is.
func settled(context.Context, ...*event.Category) error { return nil }

func assignedTo(m *memoryCalls, x voice.CallTransfers) *assigned {
	return &assigned{m, x.Reactor(), transfers.ClaimID("t-1", 1)}
}

func ran[S any](t *testing.T, m *memoryCalls, of *event.Aggregate[S], stream string, decide func(S) ([]event.Payload, error)) {
	t.Helper()
	_, err := eventstore.Execute(t.Context(), m.store, of, stream, eventstore.Command{Tenant: "acme", Actor: "test"}, decide)
	require.NoError(t, err)
}

// called are the people whom the call was asked to call.
func (a *assigned) called() (out []string) {
	for _, e := range a.events("c1") {
		if p, is := e.(calls.PersonCalled); is {
			out = append(out, p.Target+" over "+p.Trunk)
		}
	}
	return out
}

// hears tells the reactor of an event.
func (a *assigned) hears(t *testing.T, id, stream string, p event.Payload) error {
	t.Helper()
	return a.reactor.Handle(t.Context(), reactors.Event{Stream: stream, Tenant: "acme", ID: id, Payload: p})
}

func (a *assigned) isAssigned(t *testing.T) error {
	return a.hears(t, "e-1", transfers.Stream("t-1"), transfers.Assigned{HumanAgentID: "h-1", ClaimID: a.claim})
}

func (a *assigned) transfer() transfers.State {
	return transfers.Transfers.State(memory.Events(a.Log, transfers.Transfers.Category, transfers.Stream("t-1"))...)
}

func telephoneOf(target string, err error) func(context.Context, string, string) (string, error) {
	return func(_ context.Context, tenant, agent string) (string, error) {
		if tenant != "acme" || agent != "h-1" {
			return "", errors.New("asked for somebody else")
		}
		return target, err
	}
}

func trunkOf(name string, err error) func(context.Context, string, string) (string, error) {
	return func(_ context.Context, tenant, project string) (string, error) {
		if tenant != "acme" || project != "a-1" {
			return "", errors.New("asked for somebody else")
		}
		return name, err
	}
}

// Given a person who has the session of a call that a page or a socket brought, then their telephone is called over the default trunk of
// the account, where there is one.
func TestThePersonWhoHasABroughtCallIsCalledOverATrunk(t *testing.T) {
	for name, c := range map[string]struct {
		provider string
		trunk    string
		away     error
		room     roomsOf // that is open; empty: the call is the session's own, or its room is gone
		want     []string
	}{
		"of a page":              {calls.ProviderPage, "desk", nil, "", []string{"sip:maria@pbx.example over desk"}},
		"of Twilio":              {calls.ProviderTwilio, "desk", nil, "", []string{"sip:maria@pbx.example over desk"}},
		"of a pipeline":          {calls.ProviderPipeline, "desk", nil, "", []string{"sip:maria@pbx.example over desk"}},
		"without a trunk":        {calls.ProviderPage, "", nil, "", nil},
		"trunks not known":       {calls.ProviderPage, "", errors.New("away"), "", nil},
		"a room":                 {calls.ProviderLiveKit, "desk", nil, "c1", []string{"sip:maria@pbx.example over desk"}},
		"a room without a trunk": {calls.ProviderLiveKit, "", nil, "c1", nil},
		"a room that is gone":    {calls.ProviderLiveKit, "desk", nil, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			now, m := time.Now(), newMemoryCalls()
			t.Cleanup(m.store.Close)
			arrive := calls.Arrive{CallID: "c1", TenantID: "acme", ProjectID: "a-1", Provider: c.provider, ProviderID: "CA1", Person: "s_1",
				OurNumber: "t_acme__p_a-1__s_1", Direction: calls.Inbound, AnswerBy: now.Add(time.Minute), At: now}
			m.do(t, "c1", "", calls.InTurn(arrive.Decide, calls.Answer{SessionID: "s-1", At: now}.Decide))
			open, asked := whoCalls, toPerson
			open.At, asked.At = now, now
			if c.provider == calls.ProviderLiveKit { // of which a session does not know
				open.CallID = ""
			}
			ran(t, m, sessions.Sessions, sessions.Sessions.Stream("s-1"), open.Decide)
			ran(t, m, transfers.Transfers, transfers.Stream("t-1"), asked.Decide)
			ran(t, m, transfers.Transfers, transfers.Stream("t-1"),
				transfers.Assign{Attempt: 1, ClaimUntil: now.Add(time.Minute), At: now}.Decide)
			a := assignedTo(m, voice.CallTransfers{Store: m.store, Calls: callsOf(m, c.room),
				Telephone: telephoneOf("sip:maria@pbx.example", nil), Trunk: trunkOf(c.trunk, c.away), Settled: settled,
				Now: func() time.Time { return now }})
			if err := a.isAssigned(t); c.away != nil {
				require.ErrorIs(t, err, c.away)
			} else {
				require.NoError(t, err)
			}
			require.Equal(t, c.want, a.called())
		})
	}
}

// Given a person who has the session of a call, then the call is asked to bring their telephone onto its line, once, where both are such
// that this can be done.
func TestThePersonWhoHasASessionIsCalled(t *testing.T) {
	maria := telephoneOf("sip:maria@pbx.example", nil)
	chat, elsewhere := toPerson, whoCalls
	chat.Kind, elsewhere.CallID = humanagents.Chat, ""
	for name, c := range map[string]struct {
		placed    func(*calls.DialOut)
		open      sessions.Open
		asked     transfers.Request
		telephone func(context.Context, string, string) (string, error)
		before    func(*testing.T, *assigned)
		called    bool
		err       string
	}{
		"a call over a trunk":     {placed: byTrunk, open: whoCalls, asked: toPerson, telephone: maria, called: true},
		"a simulated call":        {placed: asAsked, open: whoCalls, asked: toPerson, telephone: maria},
		"a chat":                  {placed: byTrunk, open: whoCalls, asked: chat, telephone: maria},
		"a session without calls": {placed: byTrunk, open: elsewhere, asked: toPerson, telephone: maria},
		"nobody's telephone":      {placed: byTrunk, open: whoCalls, asked: toPerson, telephone: telephoneOf("", nil)},
		"people who cannot be read": {placed: byTrunk, open: whoCalls, asked: toPerson, telephone: telephoneOf("", errors.New("away")),
			err: "away"},
		"a call that is over": {placed: byTrunk, open: whoCalls, asked: toPerson, telephone: maria,
			before: func(t *testing.T, a *assigned) {
				a.do(t, "c1", "", calls.Complete{By: calls.ByCallee, Cause: "the callee hung up", At: time.Now()}.Decide)
			}},
		"a transfer that is over": {placed: byTrunk, open: whoCalls, asked: toPerson, telephone: maria,
			before: func(t *testing.T, a *assigned) {
				ran(t, a.memoryCalls, transfers.Transfers, transfers.Stream("t-1"), transfers.Fail{ClaimID: a.claim, At: time.Now()}.Decide)
			}},
	} {
		t.Run(name, func(t *testing.T) {
			a := give(t, c.placed, c.open, c.asked, c.telephone)
			if c.before != nil {
				c.before(t, a)
			}
			for range 2 { // it may come twice
				if err := a.isAssigned(t); c.err != "" {
					require.ErrorContains(t, err, c.err)
				} else {
					require.NoError(t, err)
				}
			}
			var called []calls.PersonCalled
			for _, e := range a.events("c1") {
				if p, is := e.(calls.PersonCalled); is {
					p.At = time.Time{}
					called = append(called, p)
				}
			}
			if !c.called {
				require.Empty(t, called)
				return
			}
			require.Equal(t, []calls.PersonCalled{{TransferID: "t-1", Turn: 1, ClaimID: a.claim, Target: "sip:maria@pbx.example",
				Summary: "A bill"}}, called)
		})
	}
}

// Given an agent of whom hooks told that they have come to a conversation that waits, then they are called if they are still there.
func TestWhoHasLeftAgainIsNotCalled(t *testing.T) {
	type told = []func(humanagents.Desk) ([]event.Payload, error)
	for name, c := range map[string]struct {
		does told
		want []string
	}{
		"they are there":                       {told{hooksTook.Decide}, []string{"sip:maria@pbx.example over "}},
		"they were gone before anybody saw it": {nil, nil},
		"they are gone since":                  {told{hooksTook.Decide, hooksDropped.Decide}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			asked := toPerson
			asked.HumanAgentID, asked.Queue = "", transfers.Queue{ID: "q-1", Wait: time.Minute}
			a := give(t, byTrunk, whoCalls, asked, telephoneOf("sip:maria@pbx.example", nil))
			for _, decide := range c.does {
				ran(t, a.memoryCalls, humanagents.Desks, humanagents.DeskStream("acme", "h-1"), decide)
			}
			up := transfers.TakeUp{HumanAgentID: "h-1", ClaimID: "h-c", At: time.Now()}
			ran(t, a.memoryCalls, transfers.Transfers, transfers.Stream("t-1"), up.Decide)
			a.claim = "h-c"
			require.NoError(t, a.isAssigned(t))
			require.Equal(t, c.want, a.called())
		})
	}
}

var (
	hooksTook = humanagents.Take{TenantID: "acme", HumanAgentID: "h-1", ClaimID: "h-c", ConversationID: "c-1", Kind: humanagents.Voice,
		At: time.Now()}
	hooksDropped = humanagents.Drop{TenantID: "acme", HumanAgentID: "h-1", ConversationID: "c-1", At: time.Now()}
)

// Given read models that are behind, then a person who was just defined, and a trunk that has just become the default one, are found when
// they are not; while it cannot be told whether they are, the assignment is told again.
func TestReadModelsThatAreBehindPassNobodyOver(t *testing.T) {
	page := func(c *calls.DialOut) { c.Provider = calls.ProviderPage }
	for name, c := range map[string]struct {
		placed func(*calls.DialOut)
		behind *event.Category
		want   string
	}{
		"a person": {byTrunk, humanagents.Organisations.Category, "sip:maria@pbx.example over "},
		"a trunk":  {page, trunks.Trunks.Category, "sip:maria@pbx.example over desk"},
	} {
		t.Run(name, func(t *testing.T) {
			away, behind := errors.New("away"), map[*event.Category]bool{c.behind: true}
			known := func(of *event.Category, found string) func(context.Context, string, string) (string, error) {
				return func(context.Context, string, string) (string, error) {
					if behind[of] {
						return "", nil
					}
					return found, nil
				}
			}
			a := give(t, c.placed, whoCalls, toPerson, nil)
			stands := true
			a = assignedTo(a.memoryCalls, voice.CallTransfers{Store: a.store, Calls: callsOf(a.memoryCalls, ""),
				Telephone: known(humanagents.Organisations.Category, "sip:maria@pbx.example"), Trunk: known(trunks.Trunks.Category, "desk"),
				Settled: func(_ context.Context, of ...*event.Category) error {
					if stands {
						return away
					}
					for _, category := range of {
						delete(behind, category)
					}
					return nil
				}, Now: time.Now})
			require.ErrorIs(t, a.isAssigned(t), away)
			stands = false
			require.NoError(t, a.isAssigned(t))
			require.Equal(t, []string{c.want}, a.called())
		})
	}
}

// Given a person on the line of a call whose transfer is over, by whatever but the end of the call, then the call lets them go.
func TestWhoHasASessionNoMoreIsLetGo(t *testing.T) {
	chat := toPerson
	chat.Kind = humanagents.Chat
	for name, c := range map[string]struct {
		asked transfers.Request
		ends  func(*assigned) (ended event.Payload)
		freed bool
	}{
		"handed back": {toPerson, func(*assigned) event.Payload { return transfers.Ended{Reason: transfers.HandedBack, At: time.Now()} }, true},
		"the conversation is over": {toPerson, func(*assigned) event.Payload {
			return transfers.Ended{Reason: transfers.ConversationOver, At: time.Now()}
		}, true},
		"somebody else has it": {toPerson, func(*assigned) event.Payload { return transfers.Ended{Reason: transfers.Replaced, At: time.Now()} },
			true},
		"the claim was lost": {toPerson, func(*assigned) event.Payload { return transfers.Failed{Reason: transfers.ClaimLost, At: time.Now()} },
			true},
		"the call is over": {toPerson, func(a *assigned) event.Payload {
			a.do(t, "c1", "", calls.Complete{By: calls.ByCallee, Cause: "the callee hung up", At: time.Now()}.Decide)
			return transfers.Ended{Reason: transfers.SessionEnded, At: time.Now()}
		}, false},
		"a chat": {chat, func(*assigned) event.Payload { return transfers.Ended{Reason: transfers.HandedBack, At: time.Now()} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			a := give(t, byTrunk, whoCalls, c.asked, telephoneOf("sip:maria@pbx.example", nil))
			require.NoError(t, a.isAssigned(t))
			ended := c.ends(a)
			for range 2 {
				require.NoError(t, a.hears(t, "e-2", transfers.Stream("t-1"), ended))
			}
			freed := 0
			for _, e := range a.events("c1") {
				if _, is := e.(calls.PersonFreed); is {
					freed++
				}
			}
			require.Equal(t, map[bool]int{true: 1}[c.freed], freed)
		})
	}
}

// Given what came of calling a person, then the transfer by which they have the session ends where they do not talk, and says why.
func TestWhatCameOfCallingAPersonEndsTheirTransfer(t *testing.T) {
	a := func(t *testing.T) *assigned {
		return give(t, byTrunk, whoCalls, toPerson, telephoneOf("tel:+15550001", nil))
	}
	for code, want := range map[int]transfers.Reason{200: "", 408: transfers.NoAnswer, 480: transfers.NoAnswer, 487: transfers.NoAnswer,
		486: transfers.TurnedDown, 600: transfers.TurnedDown, 603: transfers.TurnedDown, 404: transfers.Unreachable,
		501: transfers.Unreachable, 503: transfers.Unreachable} {
		a := a(t)
		told := calls.LegTransferred{TransferID: "t-1", ClaimID: a.claim, Code: code, At: time.Now()}
		for range 2 {
			require.NoError(t, a.hears(t, "e-2", calls.Calls.Stream("c1"), told))
		}
		s := a.transfer()
		require.Equal(t, []any{want, want != ""}, []any{s.Reason, s.Final()}, code)
	}
	other := a(t)
	require.NoError(t, other.hears(t, "e-3", calls.Calls.Stream("c1"), calls.LegTransferred{TransferID: "t-1", ClaimID: "t-1-9", Code: 486}))
	require.False(t, other.transfer().Final(), "somebody else has it by now")
}
