package contactcenter_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/projections/contactcenter"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/voice"
)

// stream is a conversation's stream, without its prefix.
func stream(id string) string { return conversations.StreamID("tenantId", "projectId", id) }

func opened(id string, edit ...func(*conversations.Opened)) conversations.Opened {
	return given.Filled(append([]func(*conversations.Opened){func(e *conversations.Opened) { e.ConversationID = id }}, edit...)...)
}

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
			given.Second(1)
	}),
		given.Filled(func(e *conversations.Noted) {
			e.SessionID, e.AfterCallWork.StartedAt, e.AfterCallWork.EndedAt = "", time.Time{}, time.Time{}
		}))
	c, ok, err := x.Find(ctx, "tenantId", "projectId", "c-1")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, `Number=2 Status=done Wanted={"language":"language","locale":"locale","type":"type"} Text=text `+
		"Provider=provider Model=model AskedAt=12:00:07 OutcomeAt=12:00:08", given.Shown(c.Summary))
	require.Len(t, c.Participants, 1)
	require.Equal(t, "Stay=1 Segment=9 Identity=identity Name=name EnteredBy=transferType EnteredAt=12:00:19 Experience=experience "+
		"External=true Reason=reason Language=language AgentEmail=agentEmail QueueID=queueId QueueName=queueName", given.Shown(c.Participants[0]))
	require.Len(t, c.AfterCallWork, 1)
	require.Equal(t, []any{"agentId", int64(25), given.Second(23), given.Second(24)}, []any{c.AfterCallWork[0].HumanAgentID,
		c.AfterCallWork[0].DurationMs,
		c.AfterCallWork[0].StartedAt.UTC(), c.AfterCallWork[0].EndedAt.UTC()})
	c.Summary, c.Participants, c.AfterCallWork = contactcenter.ConversationSummary{}, nil, nil
	require.Equal(t, "ProjectID=projectId ConversationID=c-1 SessionID=sessionId Origin=origin Status=ended Experience=experience "+
		"OpenedAt=12:00:08 EnteredAt=12:00:19 EndedAt=12:00:11 EndReason=reason Segments=9 "+
		`Dispositions=["dispositions"] DispositionRemarks=["dispositionRemarks"] AgentNotes=["agentNotes"] `+
		`UserLevelTags=["userLevelTags"] SessionLevelTags=[{"name":"name","value":"value"}] MetaInfo={"is":"metaInfo"}`, given.Shown(c))

	lines, total, err := x.Messages(ctx, "tenantId", "projectId", "c-1", 2, 1)
	require.NoError(t, err)
	require.Equal(t, 3, total)
	require.Equal(t, []int{2, 3}, []int{lines[0].Number, lines[1].Number})
	require.Equal(t, "Number=2 Author=AGENT HumanAgentID=agentId Query=query Source=source Language=language Experience=experience "+
		"At=12:00:12", given.Shown(lines[0]))
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
	w.Given(voice.CallsModel, "callId", given.Filled(func(e *calls.Requested) { e.Metadata = nil }),
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
				At: given.Second(52)}, call)
			require.Equal(t, contactcenter.ConversationInfo{ProjectID: "projectId", ConversationID: "callId", SessionID: "sessionId",
				Origin: string(conversations.ByCall),
				Status: string(conversations.Waiting), Experience: "voice", OpenedAt: given.Second(52)}, contactcenter.ConversationOfCall(call))
		}
		ok, err = x.Exists(ctx, "tenantId", c.project, "callId")
		require.NoError(t, err)
		require.Equal(t, c.there, ok)
		ok, err = x.SessionExists(ctx, "tenantId", c.project, "sessionId")
		require.NoError(t, err)
		require.Equal(t, c.there, ok)
	}
}
