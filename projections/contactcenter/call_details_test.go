package contactcenter_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/contacts"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/reporting"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/projections/contactcenter"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/runtime"
	"github.com/parley-platform/parley/projections/voice"
)

// call is one that was answered and has ended, in a session of its own.
func call(w *given.World, id string, at int, by calls.Party) {
	w.Given(voice.CallsModel, id, given.Filled(func(e *calls.Requested) {
		e.CallID, e.Metadata = id, json.RawMessage(`{"firstName":"Ann"}`)
	}), calls.Answered{SessionID: "s-" + id, At: given.Second(at)}, calls.Completed{At: given.Second(at + 1), By: by, DurationMs: 1})
}

// Given sessions that have ended, then call details have those of a range, with how they ended and who took part.
func TestAnswersAboutCallDetails(t *testing.T) {
	w := given.Open(t)
	x := contactcenter.NewCallDetails(w.DB)
	call(w, "1", 10, calls.ByCallee)
	call(w, "2", 20, calls.ByBot)
	call(w, "3", 30, calls.ByGateway)
	w.Given(voice.CallsModel, "4", given.Filled(func(e *calls.Requested) { e.CallID, e.Metadata = "4", nil })) // never answered
	w.Given(voice.SessionsModel, "chat", given.Filled(func(e *sessions.Opened) {
		e.SessionID, e.CallID, e.Channel, e.Begun, e.At = "chat", "", "web", nil, given.Second(25)
	}),
		sessions.SessionEnded{At: given.Second(26)})
	w.Given(voice.SessionsModel, "test", given.Filled(func(e *sessions.Opened) { // one of a test is in no report
		e.SessionID, e.CallID, e.Channel, e.At = "test", "", "web", given.Second(25)
	}), sessions.SessionEnded{At: given.Second(26)})
	w.Given(contactcenter.TransfersModel, "t-1", transfer(func(e *transfers.Requested) {
		e.SessionID, e.ConversationID, e.QueueID, e.At = "s-1", "c-1", "q-1", given.Second(10)
	}),
		transfers.Failed{Reason: "AGENT_REMOVED", At: given.Second(11)})
	w.Given(contactcenter.ConversationsModel, stream("c-1"), opened("c-1", func(e *conversations.Opened) {
		e.SessionID, e.At = "",
			given.Second(12)
	}),
		given.Filled(func(e *conversations.AgentEntered) { e.Stay, e.Continues, e.At = 1, false, given.Second(13) }),
		given.Filled(func(e *conversations.MessageReceived) { e.Author, e.At = conversations.HumanAgent, given.Second(14) }))
	w.Given(contactcenter.ConversationsModel, stream("1"), opened("1", func(e *conversations.Opened) {
		e.SessionID, e.At = "s-1",
			given.Second(15)
	}),
		given.Filled(func(e *conversations.Noted) { e.SessionID = "" }))
	ask := func(edit func(*contactcenter.Ended)) ([]reporting.Session, int) {
		q := contactcenter.Ended{Tenant: "tenantId", Project: "projectId", From: given.Noon, Until: given.Second(99), Limit: 10}
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
		"from then on":    {func(q *contactcenter.Ended) { q.From = given.Second(20) }, []string{"s-2", "chat", "s-3"}, 3},
		"until before":    {func(q *contactcenter.Ended) { q.Until = given.Second(20) }, []string{"s-1"}, 1},
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
		require.Equal(t, ends[d.SessionID], [2]string{d.DisconnectingEvent, string(d.FinalStatus)}, d.SessionID)
		require.Equal(t, d.SessionID == "s-1", len(d.Transfers) == 1)
		require.Equal(t, d.SessionID == "s-1", d.Conversation != nil)
	}
	first := page[0]
	own := first
	own.Transfers, own.Conversation, own.Said = nil, nil, nil
	require.Equal(t, "SessionID=s-1 ConversationID=1 Channel=voice Direction=Outbound CustomerID=target CustomerPhone=target CenterID=caller "+
		"StartedAt=12:00:10 EndedAt=12:00:11 DisconnectingEvent=User Hangup FinalStatus=CLOSED "+
		`Customer={"firstName":"Ann"}`, given.Shown(own))
	require.Equal(t, "c-1", first.Conversation.ConversationID, "the one with agents tells who was there")
	require.Equal(t, []string{"dispositions"}, first.Conversation.Dispositions, "what was noted in another one fills it")
	require.Equal(t, [][]string{{"dispositionRemarks"}, {"agentNotes"}, {"userLevelTags"}},
		[][]string{first.Conversation.DispositionRemarks, first.Conversation.AgentNotes, first.Conversation.UserLevelTags})
	require.Len(t, first.Conversation.SessionLevelTags, 1)
	require.Len(t, first.Conversation.AfterCallWork, 1)
	require.JSONEq(t, `{"is":"metaInfo"}`, string(first.Conversation.MetaInfo))
	require.Len(t, first.Said["agentId"], 1)
	require.Equal(t, given.Second(14), first.Said["agentId"][0].UTC())
}

// Given conversations that hooks name by their sessions, then they are told with these, and not a second time.
func TestCallDetailsOfConversationsThatHooksNameByTheirSession(t *testing.T) {
	w := given.Open(t)
	x := contactcenter.NewCallDetails(w.DB)
	call(w, "1", 10, calls.ByCallee)
	w.Given(voice.SessionsModel, "s-1", given.Filled(func(e *sessions.Opened) { e.SessionID, e.CallID, e.Begun = "s-1", "1", nil }))
	for i, id := range []string{"chat", "open"} {
		w.Given(voice.SessionsModel, id, given.Filled(func(e *sessions.Opened) {
			e.SessionID, e.CallID, e.Channel, e.Begun, e.At = id, "", "web", nil, given.Second(20+i)
		}))
	}
	w.Given(voice.SessionsModel, "chat", sessions.SessionEnded{At: given.Second(29)})
	for _, id := range []string{"s-1", "chat", "open"} {
		w.Given(contactcenter.ConversationsModel, stream(id),
			opened(id, func(e *conversations.Opened) {
				e.SessionID, e.Origin, e.At = "", conversations.ByHook, given.Second(22)
			}),
			given.Filled(func(e *conversations.AgentEntered) {
				e.Stay, e.Continues, e.At, e.CustomFields = 1, false, given.Second(23), conversations.CustomFields{QueueID: "q-7"}
			}), given.Filled(func(e *conversations.ConversationEnded) { e.At = given.Second(24) }))
	}
	for name, queues := range map[string][]string{"all": nil, "of a queue": {"q-7"}} {
		page, total, err := x.Ended(t.Context(), contactcenter.Ended{Tenant: "tenantId", Project: "projectId", From: given.Noon,
			Until: given.Second(99), Queues: queues, Limit: 10})
		require.NoError(t, err)
		got := []string{}
		for _, d := range page {
			require.NotNil(t, d.Conversation, d.SessionID)
			got = append(got, d.SessionID+" "+string(d.FinalStatus)+" "+d.Conversation.ConversationID)
		}
		require.Equal(t, []string{"s-1 CLOSED s-1", "chat CLOSED chat", "open CLOSED open"}, got, name)
		require.Equal(t, 3, total, name)
	}
}

// Given conversations of one project that hooks name by a call, a session and a transfer's conversation of another project of the same
// tenant, then call details tell of each, and nothing of the other project's people; and of a call that nobody answered hooks alone tell.
func TestCallDetailsOfConversationsThatHooksNameAsAnotherProjectDoes(t *testing.T) {
	w := given.Open(t)
	x := contactcenter.NewCallDetails(w.DB)
	call(w, "1", 10, calls.ByCallee)
	w.Given(voice.SessionsModel, "s-1", given.Filled(func(e *sessions.Opened) { e.SessionID, e.CallID, e.Begun = "s-1", "1", nil }))
	w.Given(contactcenter.TransfersModel, "t-1", transfer(func(e *transfers.Requested) {
		e.SessionID, e.ConversationID, e.QueueID, e.At = "s-1", "c-1", "q-1", given.Second(10)
	}))
	w.Given(voice.CallsModel, "2", given.Filled(func(e *calls.Requested) { e.CallID, e.Metadata = "2", nil }),
		calls.Failed{Reason: "Busy", At: given.Second(9)}) // nobody answered
	hook := func(project, id, session string) {
		w.Given(contactcenter.ConversationsModel, conversations.StreamID("tenantId", project, id),
			opened(id, func(e *conversations.Opened) {
				e.ProjectID, e.SessionID, e.Origin, e.At = project, session, conversations.ByHook, given.Second(22)
			}),
			given.Filled(func(e *conversations.AgentEntered) { e.Stay, e.Continues, e.At = 1, false, given.Second(23) }),
			given.Filled(func(e *conversations.ConversationEnded) { e.At = given.Second(24) }))
	}
	for _, id := range []string{"1", "c-1", "s-1"} {
		hook("other", id, "")
	}
	hook("other", "x", "s-1")
	hook("projectId", "2", "")
	for project, want := range map[string][]string{"other": {"1", "c-1", "s-1", "s-1"}, "projectId": {"s-1", "2"}} {
		page, total, err := x.Ended(t.Context(), contactcenter.Ended{Tenant: "tenantId", Project: project, From: given.Noon,
			Until: given.Second(99), Limit: 10})
		require.NoError(t, err)
		got := []string{}
		for _, d := range page {
			got = append(got, d.SessionID)
			require.Equal(t, project == "projectId" && d.SessionID == "s-1", len(d.Transfers) == 1, project+" "+d.SessionID)
		}
		require.Equal(t, want, got, project)
		require.Equal(t, len(want), total, project)
	}
}

// Given conversations that begin at one moment, of which the one has a session, then two pages have both.
func TestPagesOfCallDetailsAreInOneOrder(t *testing.T) {
	w := given.Open(t)
	x := contactcenter.NewCallDetails(w.DB)
	for id, session := range map[string]string{"a": "z", "b": ""} {
		w.Given(contactcenter.ConversationsModel, stream(id),
			opened(id, func(e *conversations.Opened) {
				e.SessionID, e.Origin, e.At = session, conversations.ByHook, given.Second(1)
			}),
			given.Filled(func(e *conversations.AgentEntered) { e.Stay, e.Continues, e.At = 1, false, given.Second(1) }),
			given.Filled(func(e *conversations.ConversationEnded) { e.At = given.Second(2) }))
	}
	var ids []string
	for offset := range 2 {
		page, _, err := x.Ended(t.Context(), contactcenter.Ended{Tenant: "tenantId", Project: "projectId", From: given.Noon,
			Until: given.Second(9), Limit: 1, Offset: offset})
		require.NoError(t, err)
		require.Len(t, page, 1)
		ids = append(ids, page[0].SessionID)
	}
	require.Equal(t, []string{"b", "z"}, ids)
}

// Given chats of contacts, then each has who it was with; nobody is left of a contact that was deleted, nor in a chat that was
// forgotten.
func TestCallDetailsOfChatsSayWhoTalked(t *testing.T) {
	w := given.Open(t)
	for i, d := range []contacts.Details{{Identity: "+15550123", IdentityType: "phone", DisplayName: "Kim Ng"},
		{Identity: "kim@example.com", IdentityType: "email"}, {Identity: "slack:U1", IdentityType: "external", DisplayName: "Ann"},
		{Identity: "gone@example.com", IdentityType: "email"}, {}, {Identity: "old@example.com", IdentityType: "email", DisplayName: "Old"}} {
		contact, session := fmt.Sprintf("ct-%d", i), fmt.Sprintf("s-%d", i)
		w.Given(runtime.ContactsModel, contact, given.Filled(func(e *contacts.Created) { e.ContactID, e.Details = contact, d }))
		w.Given(voice.SessionsModel, session, given.Filled(func(e *sessions.Opened) {
			e.SessionID, e.CallID, e.Channel, e.Begun, e.ContactID, e.At = session, "", "slack", nil, contact, given.Second(i)
		}), sessions.SessionEnded{At: given.Second(60)})
	}
	w.Given(runtime.ContactsModel, "ct-3", given.Filled(func(e *contacts.Deleted) { e.ContactID = "ct-3" }))
	w.Given(voice.SessionsModel, "s-5", sessions.Erased{})
	page, total, err := contactcenter.NewCallDetails(w.DB).Ended(t.Context(), contactcenter.Ended{Tenant: "tenantId", Project: "projectId",
		From: given.Noon, Until: given.Second(99), Channels: []string{"slack"}, Limit: 10})
	require.NoError(t, err)
	require.Equal(t, 6, total)
	var who [][]string
	for _, s := range page {
		who = append(who, []string{s.CustomerID, s.CustomerPhone, s.Customer.FirstName, s.Customer.Email})
	}
	require.Equal(t, [][]string{{"+15550123", "+15550123", "Kim Ng", ""}, {"kim@example.com", "", "", "kim@example.com"},
		{"slack:U1", "", "Ann", ""}, {"", "", "", ""}, {"", "", "", ""}, {"", "", "", ""}}, who)
}

// Given chats that ended in different ways, then each says who ended it.
func TestCallDetailsOfChatsSayWhoEndedThem(t *testing.T) {
	w := given.Open(t)
	reasons := []string{sessions.Completed, "ended", sessions.Idle, "Caller-disconnected"}
	for i, reason := range reasons {
		session := fmt.Sprintf("s-%d", i)
		w.Given(voice.SessionsModel, session, given.Filled(func(e *sessions.Opened) {
			e.SessionID, e.CallID, e.Channel, e.Begun, e.ContactID, e.At = session, "", "web", nil, "", given.Second(i)
		}), sessions.SessionEnded{Reason: reason, At: given.Second(60)})
	}
	page, _, err := contactcenter.NewCallDetails(w.DB).Ended(t.Context(), contactcenter.Ended{Tenant: "tenantId", Project: "projectId",
		From: given.Noon, Until: given.Second(99), Limit: 10})
	require.NoError(t, err)
	var ends []string
	for _, s := range page {
		ends = append(ends, s.DisconnectingEvent)
	}
	require.Equal(t, []string{"Bot Hangup", "User Hangup", "User Hangup", "User Hangup"}, ends)
}

// Given a caller who waited in a line and was given to somebody who did not come to the telephone, then nobody had the call: who hung up
// behind that has waited in vain.
func TestWhoDidNotComeToTheTelephoneHadNoCall(t *testing.T) {
	w := given.Open(t)
	x := contactcenter.NewCallDetails(w.DB)
	call(w, "1", 20, calls.ByCallee)
	asked := []event.Payload{transfer(func(e *transfers.Requested) { e.SessionID, e.QueueID, e.At = "s-1", "q-1", given.Second(10) }),
		transfers.Queued{QueueID: "q-1", At: given.Second(11), Until: given.Second(99)},
		transfers.Assigned{HumanAgentID: "a-1", At: given.Second(12)}}
	w.Given(contactcenter.TransfersModel, "t-1", asked...)
	came := func() reporting.FinalStatus {
		page, _, err := x.Ended(t.Context(), contactcenter.Ended{Tenant: "tenantId", Project: "projectId", From: given.Noon,
			Until: given.Second(99), Limit: 10})
		require.NoError(t, err)
		return page[0].FinalStatus
	}
	require.Equal(t, reporting.Closed, came())
	w.Given(contactcenter.TransfersModel, "t-1", transfers.Failed{Reason: transfers.TurnedDown, At: given.Second(13)})
	require.Equal(t, reporting.Abandoned, came())
}
