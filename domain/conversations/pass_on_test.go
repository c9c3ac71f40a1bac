package conversations_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event"
)

// What the user says in the session is read in the conversation from its beginning to its end,
// whether or not an agent is there yet.
func TestWhatTheUserSaysInTheSession(t *testing.T) {
	at := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	says := conversations.PassOn{Text: "Anybody?", Language: "en", Experience: conversations.Chat, At: at}
	opened := conversations.Opened{ConversationID: "c-1", TenantID: "acme", ProjectID: "bot", SessionID: "s-1",
		Origin: conversations.ByTransfer, At: at}
	for name, c := range map[string]struct {
		past  []event.Payload
		agent string
		taken bool
	}{
		"nobody knows of it": {nil, "", false},
		"it waits":           {[]event.Payload{opened}, "", true},
		"a transfer gave it": {[]event.Payload{opened, conversations.HandedOver{HumanAgentID: "a-1", Turn: 1, At: at}}, "a-1", true},
		"an agent has entered": {[]event.Payload{opened, conversations.AgentEntered{Identity: "Maria", Stay: 1, Segment: 1,
			At: at}}, "Maria", true},
		"it is over": {[]event.Payload{opened, conversations.ConversationEnded{At: at}}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := says.Decide(conversations.Conversations.State(c.past...))
			require.NoError(t, err)
			require.Equal(t, c.taken, len(got) == 1)
			if c.taken {
				require.Equal(t, conversations.MessageReceived{Number: 1, Author: conversations.User, HumanAgentID: c.agent, Query: "Anybody?",
					Recorded: true, Source: conversations.BySession, Language: "en", Experience: conversations.Chat, At: at}, got[0])
			}
		})
	}
}
