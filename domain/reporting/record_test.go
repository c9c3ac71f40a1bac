package reporting_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/reporting"
	"github.com/parley-platform/parley/domain/transfers"
)

func TestASessionWithoutPeople(t *testing.T) {
	s := reporting.Session{SessionID: "s", ConversationID: "call", Channel: "voice", Direction: "outbound",
		CustomerID: "+1", CustomerPhone: "+1", CenterID: "+2", StartedAt: nine, EndedAt: after(time.Minute),
		DisconnectingEvent: reporting.BotHangup, FinalStatus: reporting.BotResolved,
		Customer: calls.Customer{FirstName: "Kim"}}
	require.Equal(t, reporting.Record{SessionID: "s", ConversationID: "call", Channel: "Voice", StartedAt: nine, EndedAt: after(time.Minute),
		CustomerID: "+1", ChannelCustomerID: "+1", DisconnectingEvent: "Bot Hangup", FinalStatus: "BotResolved", Skills: []string{},
		Customer: reporting.Customer{Phone: "+1", CenterPhone: "+2", Direction: "outbound", FirstName: "Kim"}}, ada.Record(s))
}

// Who is no number has no telephone, and is called by the channel without its name.
func TestTheCustomerOfAChannel(t *testing.T) {
	r := ada.Record(reporting.Session{Channel: "slack", CustomerID: "slack:U1", Customer: calls.Customer{FirstName: "Kim Ng"}})
	require.Equal(t, []string{"slack:U1", "U1"}, []string{r.CustomerID, r.ChannelCustomerID})
	require.Equal(t, reporting.Customer{FirstName: "Kim Ng"}, r.Customer)
}

// Names that were noted come before those that the dial-out gave, each by itself.
func TestTheCustomerAsNoted(t *testing.T) {
	s := reporting.Session{Customer: calls.Customer{FirstName: "Kim", LastName: "Ng", Email: "kim@example.com"},
		Conversation: &reporting.Conversation{MetaInfo: json.RawMessage(`{"firstName":"Kimberly"}`)}}
	noted := calls.CustomerOf(s.Conversation.MetaInfo)
	require.Equal(t, "Kimberly", noted.FirstName)
	require.Equal(t, reporting.Customer{FirstName: "Kimberly", LastName: "Ng", Email: "kim@example.com"}, ada.Record(s).Customer)
}

func TestWhatWasNotedIsInTheRecord(t *testing.T) {
	tags := []conversations.Tag{{Name: "topic", Value: "orders"}}
	r := ada.Record(reporting.Session{Conversation: &reporting.Conversation{UserLevelTags: []string{"gold"}, SessionLevelTags: tags,
		Dispositions: []string{"sold"}, DispositionRemarks: []string{"two of them"}}})
	require.Equal(t, []string{"gold"}, r.UserLevelTags)
	require.Equal(t, tags, r.SessionLevelTags)
	require.Equal(t, []string{"sold"}, r.People.Dispositions)
	require.Equal(t, []string{"two of them"}, r.People.DispositionRemarks)
}

func TestTheConversationOfARecord(t *testing.T) {
	moved := []reporting.Transfer{{ConversationID: "never opened"}, {ConversationID: "moved", Opened: true}}
	for name, c := range map[string]struct {
		s    reporting.Session
		want string
	}{
		"the session's own":  {reporting.Session{ConversationID: "own"}, "own"},
		"that of a transfer": {reporting.Session{ConversationID: "own", Transfers: moved}, "moved"},
		"the first that was opened": {reporting.Session{ConversationID: "own", Transfers: append([]reporting.Transfer{{Opened: true}}, moved...)},
			"moved"},
		"not one that nobody opened": {reporting.Session{ConversationID: "own", Transfers: moved[:1]}, "own"},
		"what hooks tell of": {reporting.Session{ConversationID: "own", Transfers: moved,
			Conversation: &reporting.Conversation{ConversationID: "told"}}, "told"},
	} {
		require.Equal(t, c.want, ada.Record(c.s).ConversationID, name)
	}
}

// An agent closed it if one had it and it was over by itself, not because the session was.
func TestWhoEndedASessionWithAnAgent(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(*reporting.Session)
		want string
	}{
		"an agent":                {func(*reporting.Session) {}, "Agent Closed"},
		"over in the same moment": {func(s *reporting.Session) { s.Conversation.EndedAt = &s.EndedAt }, "Agent Closed"},
		"over after the session":  {func(s *reporting.Session) { s.Conversation.EndedAt = at(2 * time.Hour) }, "User Hangup"},
		"not over":                {func(s *reporting.Session) { s.Conversation.EndedAt = nil }, "User Hangup"},
		"over because of the session": {func(s *reporting.Session) { s.Conversation.EndReason = string(transfers.SessionEnded) },
			"User Hangup"},
		"handed back": {func(s *reporting.Session) { s.Conversation.EndReason = string(transfers.HandedBack) }, "User Hangup"},
		"passed on to somebody who did not come": {func(s *reporting.Session) { s.Conversation.EndReason = string(transfers.TurnedDown) },
			"User Hangup"},
		"passed on to a queue in which nobody came": {func(s *reporting.Session) { s.Conversation.EndReason = string(transfers.QueueVoicemail) },
			"User Hangup"},
		"nobody had it": {func(s *reporting.Session) { s.Transfers[0].AssignedAt = nil }, "User Hangup"},
		"who had it did not come to the telephone": {func(s *reporting.Session) { s.Transfers[0].Status = transfers.PhaseFailed },
			"User Hangup"},
		"a machine, though one was told": {func(s *reporting.Session) { s.FinalStatus = reporting.MachineDetected }, "User Hangup"},
	} {
		s := reporting.Session{EndedAt: after(time.Hour), DisconnectingEvent: reporting.UserHangup, FinalStatus: reporting.Closed,
			Transfers: []reporting.Transfer{moved(at(time.Minute))}, Conversation: &reporting.Conversation{EndedAt: at(time.Minute)}}
		c.edit(&s)
		require.Equal(t, c.want, ada.Record(s).DisconnectingEvent, name)
	}
}

// The meta information says who called and how it was transferred; what was noted wins.
func TestMetaInfo(t *testing.T) {
	s := reporting.Session{SessionID: "s", CustomerID: "+1", Channel: "voice", Transfers: []reporting.Transfer{
		{TransferID: "t-1", AskedHumanAgentID: "a-3", Status: transfers.PhaseFailed, Reason: "AGENT_OFFLINE"},
		{TransferID: "t-2", QueueID: "q-1", HumanAgentID: "a-1", Skills: []string{"b", "a"}, Status: transfers.PhaseEnded}},
		Conversation: &reporting.Conversation{MetaInfo: json.RawMessage(`{"caller":"noted","order":7}`)}}
	r := ada.Record(s)
	got, err := json.Marshal(r.People.MetaInfo)
	require.NoError(t, err)
	require.JSONEq(t, `{"caller":"noted","order":7,"sessionId":"s","transfers":[
		{"transferId":"t-1","agentId":"a-3","skills":[],"status":"failed","reason":"AGENT_OFFLINE"},
		{"transferId":"t-2","queueId":"q-1","agentId":"a-1","skills":["b","a"],"status":"ended"}]}`, string(got))
	require.Equal(t, []string{"a", "b"}, r.Skills)
	s.Conversation, s.Transfers[0].Skills = nil, []string{"a"}
	r = ada.Record(s)
	require.JSONEq(t, `{"userId":"+1","channel":"voice"}`, string(r.People.MetaInfo["caller"]))
	require.Equal(t, []string{"a", "b"}, r.Skills, "each once")
}
