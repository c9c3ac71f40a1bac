package projections_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/queues"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/waitinglines"
	accessmodels "github.com/parley-platform/parley/projections/access"
	"github.com/parley-platform/parley/projections/contactcenter"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/voice"
)

func transfer(edit func(*transfers.Requested)) transfers.Requested { return given.Filled(edit) }

// stream is a conversation's stream, without its prefix.
func stream(id string) string { return conversations.StreamID("tenantId", "projectId", id) }

func opened(id string, edit ...func(*conversations.Opened)) conversations.Opened {
	return given.Filled(append([]func(*conversations.Opened){func(e *conversations.Opened) { e.ConversationID = id }}, edit...)...)
}

// Given transfers, then they are found by session, by conversation and by project.
func TestAnswersAboutTransfers(t *testing.T) {
	w, ctx := given.Open(t), t.Context()
	x := contactcenter.NewTransfers(w.DB)
	for i, id := range []string{"t-1", "t-2", "t-3", "t-4", "t-5"} {
		w.Given(contactcenter.TransfersModel, id, transfer(func(e *transfers.Requested) {
			e.Turn, e.At = 9-i, second(i)
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
	require.Empty(t, ids(x.OfConversation(ctx, "other", "projectId", "c-3")))
	of, err := x.OfSessions(ctx, "tenantId", []string{"sessionId", "another", "none"})
	require.NoError(t, err)
	require.Len(t, of, 2)
	require.Equal(t, []string{"t-4", "t-2", "t-1"}, ids(of["sessionId"], nil))
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
			e.AgentID, e.Agent = id, humanagents.Record{Profile: humanagents.Profile{AgentAffinity: affinity}}
		})
	}
	w.Given(contactcenter.HumanAgentsModel, "x", agent("here", true), agent("late", true), agent("early", true), agent("loner", false),
		agent("other", true))
	for i, c := range []struct{ session, user, agent string }{
		{"s", "u", "here"}, {"s-2", "u", "early"}, {"s-3", "u", "late"}, {"s-4", "u", "loner"}, {"s-5", "another", "other"},
	} {
		w.Given(contactcenter.TransfersModel, "t-"+c.agent, transfer(func(e *transfers.Requested) { e.SessionID, e.UserID = c.session, c.user }),
			transfers.Assigned{AgentID: c.agent, At: second(i)})
	}
	served, err := contactcenter.NewTransfers(w.DB).Served(ctx, "tenantId", "s", "u")
	require.NoError(t, err)
	require.Equal(t, []string{"here", "late", "early"}, served)
	served, err = contactcenter.NewTransfers(w.DB).Served(ctx, "tenantId", "s", "")
	require.NoError(t, err)
	require.Equal(t, []string{"here"}, served, "a user who is not known is nobody")
}

// Given lines, then those with somebody in them are named, who waits for longest first.
func TestAnswersAboutLines(t *testing.T) {
	w := given.Open(t)
	for i, c := range [][2]string{{"q-2", "t-1"}, {"q-1", "t-2"}, {"q-2", "t-3"}, {"q-3", "t-4"}} {
		w.Given(contactcenter.TransfersModel, c[0], waitinglines.Entered{TenantID: "tenantId", QueueID: c[0], TransferID: c[1], At: second(i)})
	}
	w.Given(contactcenter.TransfersModel, "q-3", waitinglines.Left{TenantID: "tenantId", QueueID: "q-3", TransferID: "t-4"})
	lines, err := contactcenter.NewTransfers(w.DB).Lines(t.Context(), "tenantId")
	require.NoError(t, err)
	require.Equal(t, []string{"q-2", "q-1"}, lines)
}

// Given a session, of its own or only of a call, then a transfer finds it.
func TestAnswersAboutTheSessionOfATransfer(t *testing.T) {
	w := given.Open(t)
	x := contactcenter.NewTransfers(w.DB)
	w.Given(voice.InteractionsModel, "callId", given.Filled(func(e *calls.Requested) { e.Metadata = nil }),
		given.Filled(func(e *calls.Answered) { e.SessionID = "s-1" }))
	find := func(project string) (contactcenter.TransferredSession, bool) {
		s, ok, err := x.Session(t.Context(), "tenantId", project, "s-1")
		require.NoError(t, err)
		return s, ok
	}
	s, ok := find("projectId")
	require.True(t, ok)
	require.Equal(t, contactcenter.TransferredSession{Channel: "voice", UserID: "target"}, s, "the call tells until the session does")
	w.Given(voice.SessionsModel, "s-1", given.Filled(func(e *sessions.Opened) { e.SessionID, e.Channel = "s-1", "phone" }),
		given.Filled[sessions.SessionEnded]())
	s, ok = find("projectId")
	require.True(t, ok)
	require.Equal(t, contactcenter.TransferredSession{Channel: "phone", UserID: "target", Ended: true}, s)
	_, ok = find("other")
	require.False(t, ok)
}

// Given agents, then they are found by what others call them, an id before the others.
func TestAnswersAboutWhoAnAgentIs(t *testing.T) {
	w, ctx := given.Open(t), t.Context()
	x := contactcenter.NewHumanAgents(w.DB)
	define := func(id string, r humanagents.Record) event.Payload {
		r.ID = id
		return given.Filled(func(e *humanagents.HumanAgentDefined) { e.AgentID, e.Agent = id, r })
	}
	w.Given(contactcenter.HumanAgentsModel, "x",
		define("a-1", humanagents.Record{UserID: "u-1", CustomID: "c-1", EmailID: "Ann@example.com", FullName: "Ann Lee",
			LFullName: "Lee, Ann", AgentGroupID: "g-1"}),
		define("a-2", humanagents.Record{UserID: "a-1", CustomID: "u-1", EmailID: "bo@example.com", FullName: "Bo", LFullName: "Bo"}))
	ann, bo := contactcenter.AgentCard{AgentID: "a-1", Name: "Ann Lee", Email: "Ann@example.com"},
		contactcenter.AgentCard{AgentID: "a-2", Name: "Bo", Email: "bo@example.com"}
	named, err := x.Named(ctx, "tenantId", []string{"a-1", "u-1", "c-1", "ANN@example.com", "bo@example.com", "", "nobody"})
	require.NoError(t, err)
	require.Equal(t, map[string]contactcenter.AgentCard{"a-1": ann, "u-1": ann, "c-1": ann, "ANN@example.com": ann, "bo@example.com": bo},
		named)
	for _, c := range []struct {
		tenant string
		names  []string
	}{{"tenantId", []string{""}}, {"tenantId", nil}, {"other", []string{"a-1"}}} {
		named, err = x.Named(ctx, c.tenant, c.names)
		require.NoError(t, err)
		require.Empty(t, named)
	}

	w.Given(contactcenter.HumanAgentsModel, "x", given.Filled(func(e *queues.QueueDefined) {
		e.QueueID, e.Queue = "q-1", queues.Queue{ID: "q-1", Name: "Sales", AgentGroups: []string{"g-1"}}
	}), given.Filled(func(e *queues.QueueDefined) {
		e.QueueID, e.Queue = "q-2", queues.Queue{ID: "q-2", Name: "Help", Agents: []queues.Agent{{UserID: "u-1"}}}
	}))
	w.Given(contactcenter.HumanAgentsModel, "d", given.Filled(func(e *humanagents.AgentPresenceChanged) { e.AgentID = "a-1" }),
		given.Filled(func(e *humanagents.CapacityTaken) { e.AgentID, e.Kind = "a-1", humanagents.Voice }))
	list, err := x.List(ctx, "tenantId", "orgId", 1, true)
	require.NoError(t, err)
	require.Equal(t, []string{"a-2", "a-1"}, []string{list[0].ID, list[1].ID}, "by name")
	require.Equal(t, []string{"Help", "Sales"}, []string{list[1].Queues[0].Name, list[1].Queues[1].Name})
	require.Empty(t, list[0].Queues)
	list, err = x.List(ctx, "tenantId", "orgId", 1, false)
	require.NoError(t, err)
	require.Empty(t, list[1].Queues)
	list, err = x.List(ctx, "tenantId", "orgId", 2, true)
	require.NoError(t, err)
	require.Empty(t, list)

	a, ok, err := x.Agent(ctx, "tenantId", "a-1")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, []string{"Ann Lee", "onlineStatusType", "onlineStatus"}, []string{a.FullName, string(a.Presence), a.PresenceName})
	require.True(t, a.Full, "one who may have no call has one")
	b, ok, err := x.Agent(ctx, "tenantId", "a-2")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, []string{"OFFLINE", "Offline"}, []string{string(b.Presence), b.PresenceName})
	require.False(t, b.Full)
	_, ok, err = x.Agent(ctx, "other", "a-1")
	require.NoError(t, err)
	require.False(t, ok)
	holding, err := x.Holding(ctx, "tenantId", "conversationId")
	require.NoError(t, err)
	require.Equal(t, []string{"a-1"}, holding)
	for tenant, there := range map[string]bool{"tenantId": true, "other": false} {
		q, ok, err := x.Queue(ctx, tenant, "q-1")
		require.NoError(t, err)
		require.Equal(t, there, ok && q.Name == "Sales")
		org, ok, err := x.Organisation(ctx, tenant)
		require.NoError(t, err)
		require.False(t, ok, org)
	}
	w.Given(accessmodels.AccessModel, "x", given.Filled[access.TenantDefined]())
	org, ok, err := x.Organisation(ctx, "tenantId")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "orgId", org)
}

// Given a queue, then those could take a conversation who are there, have room and the
// skills: preferred ones first, then who is idle for longest.
func TestAnswersAboutWhoCouldTakeAConversation(t *testing.T) {
	w := given.Open(t)
	skilled := humanagents.Record{Status: humanagents.Active, CanSupportVoice: true,
		Skills: []humanagents.Skill{{SkillID: "french", ProficiencyLevel: 3}}}
	var members []queues.Agent
	for i, id := range []string{"late", "early", "away", "busy", "dull", "preferred"} {
		r := skilled
		if r.ID, r.UserID = id, id; id == "dull" {
			r.Skills = nil
		}
		members = append(members, queues.Agent{UserID: id, IsPreferredAgent: id == "preferred"})
		since := second(99 - i)
		presence := humanagents.AgentPresenceChanged{TenantID: "tenantId", AgentID: id, Type: humanagents.Available, AvailableSince: &since}
		if id == "away" {
			presence.Type = "AWAY"
		}
		w.Given(contactcenter.HumanAgentsModel, "x", given.Filled(func(e *humanagents.HumanAgentDefined) { e.AgentID, e.Agent = id, r }))
		w.Given(contactcenter.HumanAgentsModel, id, presence)
	}
	w.Given(contactcenter.HumanAgentsModel, "busy", given.Filled(func(e *humanagents.CapacityTaken) {
		e.AgentID, e.Kind = "busy",
			humanagents.Voice
	}))
	w.Given(contactcenter.HumanAgentsModel, "q", given.Filled(func(e *queues.QueueDefined) {
		e.Queue = queues.Queue{Agents: members, Skills: []queues.Skill{{SkillID: "french", MinProficiency: 2}}}
	}))
	who := func(tenant string, skills []queues.Skill, first ...string) (ids []string) {
		found, err := contactcenter.NewHumanAgents(w.DB).Candidates(t.Context(), tenant, "queueId", humanagents.Voice, skills, first)
		require.NoError(t, err)
		for _, c := range found {
			ids = append(ids, c.AgentID)
			require.Equal(t, c.AgentID == "preferred", c.Preferred)
		}
		return ids
	}
	require.Equal(t, []string{"preferred", "early", "late"}, who("tenantId", nil))
	require.Equal(t, []string{"late", "preferred", "early"}, who("tenantId", nil, "late"))
	require.Empty(t, who("tenantId", []queues.Skill{{SkillID: "french", MinProficiency: 4}}))
	require.Len(t, who("tenantId", []queues.Skill{{SkillID: "french", MinProficiency: 3}}), 3)
	require.Empty(t, who("other", nil))
}

// Given more agents than a page has, then the rest is on the second one.
func TestAnswersAboutAPageOfAgents(t *testing.T) {
	w := given.Open(t)
	for i := range contactcenter.AgentsPage + 1 {
		w.Given(contactcenter.HumanAgentsModel, "x", given.Filled(func(e *humanagents.HumanAgentDefined) {
			e.AgentID, e.Agent = fmt.Sprintf("a-%02d", i), humanagents.Record{ID: fmt.Sprintf("a-%02d", i)}
		}))
	}
	for page, want := range map[int]int{1: 50, 2: 1, 3: 0} {
		list, err := contactcenter.NewHumanAgents(w.DB).List(t.Context(), "tenantId", "orgId", page, false)
		require.NoError(t, err)
		require.Len(t, list, want)
	}
}
