package projections_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/transfers"
	accessmodels "github.com/parley-platform/parley/projections/access"
	"github.com/parley-platform/parley/projections/contactcenter"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/voice"
)

// Given a conversation with all that can be told of it, then all of it is found, in its project.
func TestAnswersAboutAConversation(t *testing.T) {
	w, ctx := given.Open(t), t.Context()
	x := contactcenter.NewConversations(w.DB)
	say := func(number int, who conversations.Author) event.Payload {
		return given.Filled(func(e *conversations.MessageReceived) { e.Number, e.Author = number, who })
	}
	w.Given(contactcenter.ConversationsModel, stream("c-1"), opened("c-1"),
		given.Filled(func(e *conversations.AgentEntered) { e.Stay, e.Continues = 1, false }),
		say(1, conversations.User), say(2, conversations.HumanAgent), say(3, conversations.User), given.Filled[conversations.SummaryAsked](),
		given.Filled[conversations.Summarized](), given.Filled[conversations.Noted](), given.Filled[conversations.ConversationEnded]())
	w.Given(contactcenter.ConversationsModel, stream("c-2"), opened("c-2", func(e *conversations.Opened) {
		e.SessionID, e.At = "s-2",
			second(1)
	}),
		given.Filled(func(e *conversations.Noted) {
			e.SessionID, e.AfterCallWork.StartedAt, e.AfterCallWork.EndedAt = "", time.Time{}, time.Time{}
		}))
	c, ok, err := x.Find(ctx, "tenantId", "projectId", "c-1")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, []string{"projectId", "c-1", "sessionId", "origin", "ended", "experience", "reason"},
		[]string{c.ProjectID, c.ConversationID, c.SessionID, c.Origin, c.Status, c.Experience, c.EndReason})
	require.Equal(t, []string{"done", "text", "provider", "model"}, []string{c.Summary.Status, c.Summary.Text, c.Summary.Provider,
		c.Summary.Model})
	require.Equal(t, 2, c.Summary.Number)
	require.Equal(t, &conversations.SummaryWanted{Language: "language", Locale: "locale", Type: "type"}, c.Summary.Wanted)
	require.Equal(t, [][]string{{"dispositions"}, {"dispositionRemarks"}, {"agentNotes"}, {"userLevelTags"}},
		[][]string{c.Dispositions, c.DispositionRemarks, c.AgentNotes, c.UserLevelTags})
	require.Equal(t, []conversations.Tag{{Name: "name", Value: "value"}}, c.SessionLevelTags)
	require.JSONEq(t, `{"is":"metaInfo"}`, string(c.MetaInfo))
	require.Len(t, c.Participants, 1)
	require.Equal(t, []string{"identity", "name", "transferType", "agentEmail", "queueId", "queueName"},
		[]string{c.Participants[0].Identity, c.Participants[0].Name,
			c.Participants[0].EnteredBy, c.Participants[0].AgentEmail, c.Participants[0].QueueID, c.Participants[0].QueueName})
	require.Len(t, c.AfterCallWork, 1)
	require.Equal(t, []any{"agentId", int64(25), second(23), second(24)}, []any{c.AfterCallWork[0].AgentID, c.AfterCallWork[0].DurationMs,
		c.AfterCallWork[0].StartedAt.UTC(), c.AfterCallWork[0].EndedAt.UTC()})

	lines, total, err := x.Messages(ctx, "tenantId", "projectId", "c-1", 2, 1)
	require.NoError(t, err)
	require.Equal(t, 3, total)
	require.Equal(t, []int{2, 3}, []int{lines[0].Number, lines[1].Number})
	require.Equal(t, []string{"AGENT", "agentId", "query", "source", "language", "experience", ""},
		[]string{lines[0].Author, lines[0].AgentID, lines[0].Query, lines[0].Source, lines[0].Language, lines[0].Experience, lines[0].Assist})
	require.Equal(t, contactcenter.AssistPending, lines[1].Assist)
	lines, err = x.Transcript(ctx, stream("c-1"), 2, 1)
	require.NoError(t, err)
	require.Len(t, lines, 1)
	require.Equal(t, 2, lines[0].Number, "the last ones up to there")

	found, total, err := x.List(ctx, "tenantId", "projectId", "", 10, 0)
	require.NoError(t, err)
	require.Equal(t, 2, total)
	require.Equal(t, []string{"c-1", "c-2"}, []string{found[0].ConversationID, found[1].ConversationID}, "newest first")
	require.Len(t, found[0].Participants, 1)
	require.Empty(t, found[1].Participants)
	found, total, err = x.List(ctx, "tenantId", "projectId", "ended", 10, 0)
	require.NoError(t, err)
	require.Equal(t, 1, total)
	require.Len(t, found, 1)
	found, err = x.ByConversationOrSession(ctx, "tenantId", "projectId", []string{"s-2", "c-1"})
	require.NoError(t, err)
	require.Equal(t, []string{"c-2", "c-1"}, []string{found[0].ConversationID, found[1].ConversationID}, "in the order of their opening")

	for _, place := range [][3]string{{"other", "projectId", "c-1"}, {"tenantId", "other", "c-1"}, {"tenantId", "projectId", "c-9"}} {
		_, ok, err := x.Find(ctx, place[0], place[1], place[2])
		require.NoError(t, err)
		require.False(t, ok)
		ok, err = x.Exists(ctx, place[0], place[1], place[2])
		require.NoError(t, err)
		require.False(t, ok)
	}
	ok, err = x.Exists(ctx, "tenantId", "projectId", "c-1")
	require.NoError(t, err)
	require.True(t, ok)
}

// Given a call, then it has a conversation of its own before anything was noted in it, and a session.
func TestAnswersAboutTheConversationOfACall(t *testing.T) {
	w, ctx := given.Open(t), t.Context()
	x := contactcenter.NewConversations(w.DB)
	w.Given(voice.InteractionsModel, "callId", given.Filled(func(e *calls.Requested) { e.Metadata = nil }),
		given.Filled[calls.Answered]())
	for _, c := range []struct {
		project string
		there   bool
	}{{"projectId", true}, {"other", false}} {
		call, ok, err := x.Call(ctx, "tenantId", c.project, "callId")
		require.NoError(t, err)
		require.Equal(t, c.there, ok)
		if ok {
			call.At = call.At.UTC()
			require.Equal(t, conversations.Call{TenantID: "tenantId", ProjectID: "projectId", CallID: "callId", SessionID: "sessionId",
				At: second(50)}, call)
			require.Equal(t, contactcenter.ConversationInfo{ProjectID: "projectId", ConversationID: "callId", SessionID: "sessionId",
				Origin: string(conversations.ByCall),
				Status: string(conversations.Waiting), Experience: "voice", OpenedAt: second(50)}, contactcenter.ConversationOfCall(call))
		}
		ok, err = x.Exists(ctx, "tenantId", c.project, "callId")
		require.NoError(t, err)
		require.Equal(t, c.there, ok)
		ok, err = x.SessionExists(ctx, "tenantId", c.project, "sessionId")
		require.NoError(t, err)
		require.Equal(t, c.there, ok)
	}
}

// call is one that was answered and has ended, in a session of its own.
func call(w *given.World, id string, at int, by calls.Party) {
	w.Given(voice.InteractionsModel, id, given.Filled(func(e *calls.Requested) {
		e.CallID, e.Metadata = id, json.RawMessage(`{"firstName":"Ann"}`)
	}), calls.Answered{SessionID: "s-" + id, At: second(at)}, calls.Completed{At: second(at + 1), By: by, DurationMs: 1})
}

// Given sessions that have ended, then call details have those of a range, with how they ended and who took part.
func TestAnswersAboutCallDetails(t *testing.T) {
	w := given.Open(t)
	x := contactcenter.NewCallDetails(w.DB)
	call(w, "1", 10, calls.ByCaller)
	call(w, "2", 20, calls.ByBot)
	call(w, "3", 30, calls.ByGateway)
	w.Given(voice.InteractionsModel, "4", given.Filled(func(e *calls.Requested) { e.CallID, e.Metadata = "4", nil })) // never answered
	w.Given(voice.SessionsModel, "chat", given.Filled(func(e *sessions.Opened) {
		e.SessionID, e.CallID, e.Channel, e.At = "chat", "",
			"web", second(25)
	}),
		sessions.SessionEnded{At: second(26)})
	w.Given(contactcenter.TransfersModel, "t-1", transfer(func(e *transfers.Requested) {
		e.SessionID, e.ConversationID, e.QueueID, e.At = "s-1", "c-1", "q-1", second(10)
	}),
		transfers.Failed{Reason: "AGENT_REMOVED", At: second(11)})
	w.Given(contactcenter.ConversationsModel, stream("c-1"), opened("c-1", func(e *conversations.Opened) {
		e.SessionID, e.At = "",
			second(12)
	}),
		given.Filled(func(e *conversations.AgentEntered) { e.Stay, e.Continues, e.At = 1, false, second(13) }),
		given.Filled(func(e *conversations.MessageReceived) { e.Author, e.At = conversations.HumanAgent, second(14) }))
	w.Given(contactcenter.ConversationsModel, stream("1"), opened("1", func(e *conversations.Opened) {
		e.SessionID, e.At = "s-1",
			second(15)
	}),
		given.Filled(func(e *conversations.Noted) { e.SessionID = "" }))
	ask := func(edit func(*contactcenter.Ended)) ([]contactcenter.CallDetail, int) {
		q := contactcenter.Ended{Tenant: "tenantId", Project: "projectId", From: given.Noon, Until: second(99), Limit: 10}
		edit(&q)
		page, total, err := x.Ended(t.Context(), q)
		require.NoError(t, err)
		return page, total
	}
	for name, c := range map[string]struct {
		edit  func(*contactcenter.Ended)
		ids   []string
		total int
	}{
		"all":             {func(*contactcenter.Ended) {}, []string{"s-1", "s-2", "chat", "s-3"}, 4},
		"a page":          {func(q *contactcenter.Ended) { q.Limit, q.Offset = 2, 1 }, []string{"s-2", "chat"}, 4},
		"from then on":    {func(q *contactcenter.Ended) { q.From = second(20) }, []string{"s-2", "chat", "s-3"}, 3},
		"until before":    {func(q *contactcenter.Ended) { q.Until = second(20) }, []string{"s-1"}, 1},
		"of a channel":    {func(q *contactcenter.Ended) { q.Channels = []string{"rtm"} }, []string{"chat"}, 1},
		"of a queue":      {func(q *contactcenter.Ended) { q.Queues = []string{"q-1"} }, []string{"s-1"}, 1},
		"another tenant":  {func(q *contactcenter.Ended) { q.Tenant = "other" }, nil, 0},
		"another project": {func(q *contactcenter.Ended) { q.Project = "other" }, nil, 0},
	} {
		page, total := ask(c.edit)
		var ids []string
		for _, d := range page {
			ids = append(ids, d.SessionID)
		}
		require.Equal(t, c.ids, ids, name)
		require.Equal(t, c.total, total, name)
	}

	page, _ := ask(func(*contactcenter.Ended) {})
	ends := map[string][2]string{"s-1": {"User Hangup", "CLOSED"}, "s-2": {"Bot Hangup", "BotResolved"},
		"s-3": {"Gateway Hangup", "CLOSED"}, "chat": {"User Hangup", "BotResolved"}}
	for _, d := range page {
		require.Equal(t, ends[d.SessionID], [2]string{d.DisconnectingEvent, d.FinalStatus}, d.SessionID)
		require.Equal(t, d.SessionID == "s-1", len(d.Transfers) == 1)
		require.Equal(t, d.SessionID == "s-1", d.Conversation != nil)
	}
	first := page[0]
	require.Equal(t, []string{"1", "voice", "Outbound", "target", "caller", "Ann"},
		[]string{first.ConversationID, first.Channel, first.Direction, first.UserID, first.CenterID, first.Customer.FirstName})
	require.Equal(t, "c-1", first.Conversation.ConversationID, "the one with agents tells who was there")
	require.Equal(t, []string{"dispositions"}, first.Conversation.Dispositions, "what was noted in another one fills it")
	require.Equal(t, [][]string{{"dispositionRemarks"}, {"agentNotes"}, {"userLevelTags"}},
		[][]string{first.Conversation.DispositionRemarks, first.Conversation.AgentNotes, first.Conversation.UserLevelTags})
	require.Len(t, first.Conversation.SessionLevelTags, 1)
	require.Len(t, first.Conversation.AfterCallWork, 1)
	require.JSONEq(t, `{"is":"metaInfo"}`, string(first.Conversation.MetaInfo))
	require.Len(t, first.Said["agentId"], 1)
	require.Equal(t, second(14), first.Said["agentId"][0].UTC())
}

// Given the request that made a key, then the scope is known on which it took effect.
func TestAnswersAboutTheScopeOfARequest(t *testing.T) {
	w := given.Open(t)
	w.Indexed(access.Scopes.Category, "tenantId.s-1", given.Filled[access.KeyCreated]())
	x := accessmodels.NewAccess(w.DB)
	for tenant, want := range map[string]string{"tenantId": access.Scopes.Stream("tenantId.s-1"), "other": ""} {
		scope, err := x.ScopeOfRequest(t.Context(), tenant, "request of tenantId.s-1")
		require.NoError(t, err)
		require.True(t, want == "" && scope == "" || access.ScopeStream(tenant, scope) == want, "%s", scope)
	}
}
