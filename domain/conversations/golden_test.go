package conversations_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event/eventtest"
)

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	custom := conversations.CustomFields{HumanAgentEmail: "ada@acme.example", QueueID: "q-1", QueueName: "Sales"}
	eventtest.Golden(t, conversations.Conversations.Category, "testdata/events", conversations.Erased{Erasure: eventtest.Erasure},
		conversations.Attributed{Persons: []string{"p1"}, At: noon},
		conversations.Opened{ConversationID: "c-1", TenantID: "acme", ProjectID: "bot", SessionID: "s1", Origin: conversations.ByTransfer,
			Experience: conversations.Chat, At: noon},
		conversations.HandedOver{HumanAgentID: "a-1", Turn: 2, At: noon},
		conversations.AgentEntered{ConversationID: "c-1", TenantID: "acme", ProjectID: "bot", Identity: "a-1", Name: "Ada",
			TransferType: conversations.Cold, Stay: 2, Segment: 2,
			Experience: conversations.Voice, IsExtAD: true, Reason: "agent_initiated", Language: "en", CustomFields: custom, At: noon},
		conversations.AgentLeft{ConversationID: "c-1", TenantID: "acme", ProjectID: "bot", Identity: "a-1", Name: "Ada",
			TransferType: conversations.NA, Stay: 2, Segment: 2,
			Experience: conversations.Voice, Reason: "agent_initiated", Language: "en", CustomFields: custom, At: noon},
		conversations.TransferAbandoned{Identity: "a-1", Reason: "customer_left", At: noon},
		conversations.MessageReceived{Number: 3, Author: conversations.User, HumanAgentID: "a-1", Query: "Where is my order?", Recorded: true,
			Source: "genesys", Language: "en",
			Experience: conversations.Chat, SendUserMessage: true, At: noon},
		conversations.MessageTakenBack{Number: 3, At: noon},
		conversations.AssistAnswered{Number: 3, Agent: "helper", SessionID: "s2", Session: 1, Text: "It is on its way.", Waiting: 1, At: noon},
		conversations.AssistFailed{Number: 4, Code: "NO_AGENT", Problem: "nothing is deployed", SessionID: "s2", Session: 1, Waiting: 2,
			At: noon},
		conversations.SummaryAsked{Number: 1, Language: "English", Locale: "en", Type: "post", Messages: 3, At: noon},
		conversations.SummaryAttemptFailed{Number: 1, Attempt: 1, Error: "the model does not answer", NextAttempt: 2,
			NextAttemptAt: noon.Add(time.Second), At: noon},
		conversations.SummaryDue{Number: 1, Attempt: 2, At: noon},
		conversations.Summarized{Number: 1, Text: "About an order.", Provider: "openai", Model: "small", At: noon},
		conversations.SummaryFailed{Number: 1, Attempts: 5, Error: "the model does not answer", At: noon},
		conversations.ConversationEnded{Reason: "resolved", Language: "en", Experience: conversations.Chat, Identity: "a-1", Name: "Ada",
			CustomFields: custom, At: noon},
		conversations.LateRefused{What: "message", Bytes: 2, Body: json.RawMessage(`{}`), At: noon},
		conversations.Noted{Dispositions: &[]string{"sold"}, DispositionRemarks: &[]string{"twice"}, AgentNotes: &[]string{},
			UserLevelTags:    &[]string{"vip"},
			SessionLevelTags: &[]conversations.Tag{{Name: "topic", Value: "orders"}}, MetaInfo: json.RawMessage(`{"caller":"+15550000001"}`),
			AfterCallWork: &conversations.AfterCallWork{HumanAgentID: "a-1", StartedAt: noon, EndedAt: noon.Add(time.Minute), DurationMs: 60000},
			SessionID:     "s1", At: noon},
		conversations.Noted{UserLevelTags: &[]string{"vip"}, AfterCallWork: &conversations.AfterCallWork{DurationMs: 1}, At: noon},
	)
}
