package contactcenter_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/waitinglines"
	"github.com/parley-platform/parley/projections/contactcenter"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/voice"
)

func transfer(edit func(*transfers.Requested)) transfers.Requested { return given.Filled(edit) }

// Given transfers, then they are found by session, by conversation and by project.
func TestAnswersAboutTransfers(t *testing.T) {
	w, ctx := given.Open(t), t.Context()
	x := contactcenter.NewTransfers(w.DB)
	for i, id := range []string{"t-1", "t-2", "t-3", "t-4", "t-5"} {
		w.Given(contactcenter.TransfersModel, id, transfer(func(e *transfers.Requested) {
			e.Turn, e.At = 9-i, given.Second(i)
			switch id {
			case "t-3":
				e.SessionID, e.ConversationID = "another", "c-3"
			case "t-4":
				e.ProjectID = "other"
			case "t-5":
				e.TenantID = "other"
			}
		}))
	}
	w.Given(contactcenter.ConversationsModel, stream("c-3"), opened("c-3"))
	ids := func(list []contactcenter.Transfer, err error) (out []string) {
		require.NoError(t, err)
		for _, found := range list {
			out = append(out, found.TransferID)
		}
		return out
	}
	list, total, err := x.List(ctx, "tenantId", "projectId", "", 10, 0)
	require.Equal(t, []string{"t-3", "t-2", "t-1"}, ids(list, err))
	require.Equal(t, 3, total)
	require.Equal(t, "c-3", list[0].Conversation(), "that one was opened")
	require.Empty(t, list[1].Conversation())
	list, total, err = x.List(ctx, "tenantId", "projectId", "sessionId", 1, 1)
	require.Equal(t, []string{"t-1"}, ids(list, err))
	require.Equal(t, 2, total)
	require.Equal(t, []string{"t-4", "t-2", "t-1"}, ids(x.OfSession(ctx, "tenantId", "sessionId")), "in the order of turns")
	require.Equal(t, []string{"t-3"}, ids(x.OfConversation(ctx, "tenantId", "projectId", "c-3", "c-4")))
	inLine := func(want bool, tenant, session string) {
		t.Helper()
		waits, err := x.InLine(ctx, tenant, session)
		require.NoError(t, err)
		require.Equal(t, want, waits)
	}
	inLine(false, "tenantId", "sessionId")
	w.Given(contactcenter.TransfersModel, "t-2", transfers.Queued{QueueID: "q-1", At: given.Second(9), Until: given.Second(99)})
	inLine(true, "tenantId", "sessionId")
	inLine(false, "tenantId", "another")
	inLine(false, "other", "sessionId")
	w.Given(contactcenter.TransfersModel, "t-2", transfers.Assigned{HumanAgentID: "h-1", At: given.Second(10)})
	inLine(false, "tenantId", "sessionId")
	require.Empty(t, ids(x.OfConversation(ctx, "other", "projectId", "c-3")))
	of, err := x.OfSessions(ctx, "tenantId", "other", []string{"sessionId", "another", "none"})
	require.NoError(t, err)
	require.Equal(t, []string{"t-4"}, ids(of["sessionId"], nil))
	of, err = x.OfSessions(ctx, "tenantId", "projectId", []string{"sessionId", "another", "none"})
	require.NoError(t, err)
	require.Len(t, of, 2)
	require.Equal(t, []string{"t-2", "t-1"}, ids(of["sessionId"], nil))
	aliases, err := x.Aliases(ctx, "tenantId", "projectId", "another", "sessionId")
	require.NoError(t, err)
	require.Equal(t, []string{"c-3", "conversationId"}, aliases, "of its session, and of the session that has its id")
	for place, there := range map[[3]string]bool{{"tenantId", "projectId", "c-3"}: true, {"other", "projectId", "c-3"}: false,
		{"tenantId", "other", "c-3"}:                false,
		{"tenantId", "projectId", "conversationId"}: false} {
		has, err := x.HasConversation(ctx, place[0], place[1], place[2])
		require.NoError(t, err)
		require.Equal(t, there, has, place)
	}
}

// Given a transfer that waited, was assigned and is over, then all of it is told.
func TestAnswersAboutATransfer(t *testing.T) {
	w := given.Open(t)
	w.Given(contactcenter.TransfersModel, "t-1", given.Filled[transfers.Requested](), given.Filled[transfers.Queued](),
		given.Filled[transfers.Assigned](), given.Filled[transfers.Ended]())
	found, err := contactcenter.NewTransfers(w.DB).OfSession(t.Context(), "tenantId", "sessionId")
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, "TransferID=t-1 SessionID=sessionId ConversationID=conversationId Status=ended AskedHumanAgentID=agentId "+
		`QueueID=queueId QueueName=queueName Skills=["skills"] RequestedAt=12:00:29 QueuedAt=12:00:03 `+
		"WaitUntil=12:00:04 HumanAgentID=agentId AssignedAt=12:00:04 EndedAt=12:00:03 Reason=reason Turn=28 "+
		`Escalation={"agentName":"agentName","step":"step","priority":"priority","why":"why","context":{"context":{"is":"context"}}}`,
		given.Shown(found[0]))
}

// Given transfers in each phase, then those are active in which something may still happen.
func TestWhichTransfersAreActive(t *testing.T) {
	for phase, active := range map[transfers.Phase]bool{transfers.PhaseRequested: true, transfers.PhaseQueued: true,
		transfers.PhaseAssigned: true,
		transfers.PhaseFailed:   false, transfers.PhaseTimedOut: false, transfers.PhaseEnded: false} {
		require.Equal(t, active, contactcenter.Transfer{Status: phase}.Active(), phase)
	}
}

// Given agents who had a customer before, then those of this session are named first, then the latest, and only those with affinity.
func TestAnswersAboutWhoServedACustomer(t *testing.T) {
	w, ctx := given.Open(t), t.Context()
	agent := func(id string, affinity bool) event.Payload {
		return given.Filled(func(e *humanagents.HumanAgentDefined) {
			e.HumanAgentID, e.Agent = id, humanagents.Record{Profile: humanagents.Profile{AgentAffinity: affinity}}
		})
	}
	w.Given(contactcenter.HumanAgentsModel, "x", agent("here", true), agent("late", true), agent("early", true), agent("loner", false),
		agent("other", true))
	for i, c := range []struct{ session, user, agent string }{
		{"s", "u", "here"}, {"s-2", "u", "early"}, {"s-3", "u", "late"}, {"s-4", "u", "loner"}, {"s-5", "another", "other"},
	} {
		w.Given(contactcenter.TransfersModel, "t-"+c.agent, transfer(func(e *transfers.Requested) {
			e.SessionID, e.CustomerID = c.session,
				c.user
		}),
			transfers.Assigned{HumanAgentID: c.agent, At: given.Second(i)})
	}
	served, err := contactcenter.NewTransfers(w.DB).Served(ctx, "tenantId", "s", "u")
	require.NoError(t, err)
	require.Equal(t, []string{"here", "late", "early"}, served)
	served, err = contactcenter.NewTransfers(w.DB).Served(ctx, "tenantId", "s", "")
	require.NoError(t, err)
	require.Equal(t, []string{"here"}, served, "a user who is not known is nobody")
}

// Given lines, then those with somebody in them are named, who waits for longest first, and it is known who stands where.
func TestAnswersAboutLines(t *testing.T) {
	w := given.Open(t)
	for i, c := range [][2]string{{"q-2", "t-1"}, {"q-1", "t-2"}, {"q-2", "t-3"}, {"q-3", "t-4"}} {
		w.Given(contactcenter.TransfersModel, c[0], waitinglines.Entered{TenantID: "tenantId", QueueID: c[0], TransferID: c[1],
			At: given.Second(i)})
	}
	w.Given(contactcenter.TransfersModel, "q-3", waitinglines.Left{TenantID: "tenantId", QueueID: "q-3", TransferID: "t-4"})
	x := contactcenter.NewTransfers(w.DB)
	lines, err := x.Lines(t.Context(), "tenantId")
	require.NoError(t, err)
	require.Equal(t, []string{"q-2", "q-1"}, lines)
	for asked, want := range map[[3]string][2]bool{{"tenantId", "q-2", "t-3"}: {true, true}, {"tenantId", "q-1", "t-3"}: {false, true},
		{"tenantId", "q-3", "t-4"}: {}, {"other", "q-2", "t-3"}: {}} {
		stands, anybody, err := x.Standing(t.Context(), asked[0], asked[1], asked[2])
		require.NoError(t, err)
		require.Equal(t, want, [2]bool{stands, anybody}, "%v", asked)
	}
}

// Given a session, of its own or only of a call, then a transfer finds it.
func TestAnswersAboutTheSessionOfATransfer(t *testing.T) {
	w := given.Open(t)
	x := contactcenter.NewTransfers(w.DB)
	w.Given(voice.CallsModel, "callId", given.Filled(func(e *calls.Requested) { e.Metadata = nil }),
		given.Filled(func(e *calls.Answered) { e.SessionID = "s-1" }))
	find := func(project string) (contactcenter.TransferredSession, bool) {
		s, ok, err := x.Session(t.Context(), "tenantId", project, "s-1")
		require.NoError(t, err)
		return s, ok
	}
	s, ok := find("projectId")
	require.True(t, ok)
	require.Equal(t, contactcenter.TransferredSession{Channel: "voice", CustomerID: "target"}, s, "the call tells until the session does")
	w.Given(voice.SessionsModel, "s-1", given.Filled(func(e *sessions.Opened) { e.SessionID, e.Channel, e.Begun = "s-1", "phone", nil }),
		given.Filled[sessions.SessionEnded]())
	s, ok = find("projectId")
	require.True(t, ok)
	require.Equal(t, contactcenter.TransferredSession{Channel: "phone", CustomerID: "target", Ended: true}, s)
	_, ok = find("other")
	require.False(t, ok)
}
