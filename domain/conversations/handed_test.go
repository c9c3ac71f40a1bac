package conversations_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event"
)

func TestAConversationGoesWithItsTransfers(t *testing.T) {
	type past = []event.Payload
	opened := conversations.Opened{ConversationID: "c-1", TenantID: "acme", ProjectID: "bot", SessionID: "s1",
		Origin: conversations.ByTransfer, At: noon}
	withAda := conversations.HandedOver{HumanAgentID: "a-ada", Turn: 1, At: noon}
	withTom := conversations.HandedOver{HumanAgentID: "a-tom", Turn: 2, At: noon}
	entered := conversations.AgentEntered{ConversationID: "c-1", Identity: "ada",
		TransferType: conversations.NA, Stay: 1, Segment: 1, At: noon}
	ended := conversations.ConversationEnded{Reason: "SESSION_ENDED", Experience: conversations.Chat, At: noon}
	to := func(agent string, turn int) func(conversations.State) ([]event.Payload, error) {
		return conversations.HandOver{HumanAgentID: agent, Turn: turn, At: noon}.Decide
	}
	over := func(turn int) func(conversations.State) ([]event.Payload, error) {
		return conversations.Close{Reason: "SESSION_ENDED", Turn: turn, Experience: conversations.Chat, At: noon}.Decide
	}
	for _, c := range []struct {
		given string
		past  past
		when  func(conversations.State) ([]event.Payload, error)
		then  past
	}{
		{"opened with who has it", nil, conversations.Open{TenantID: "acme", ProjectID: "bot", ConversationID: "c-1", SessionID: "s1",
			Holder: &conversations.HandOver{HumanAgentID: "a-ada", Turn: 1, At: noon}, At: noon}.Decide, past{opened, withAda}},
		{"an agent has it, opened again", past{opened, withTom}, conversations.Open{TenantID: "acme", ProjectID: "bot",
			ConversationID: "c-1", SessionID: "s1", Holder: &conversations.HandOver{Turn: 2, At: noon}, At: noon}.Decide, nil},
		{"opened, an agent has it", past{opened}, to("a-ada", 1), past{withAda}},
		{"an agent has it, told again", past{opened, withAda}, to("a-ada", 1), nil},
		{"an agent has it, another one gets it", past{opened, withAda}, to("a-tom", 2), past{withTom}},
		{"an agent has it, it goes to a line", past{opened, withAda}, to("", 2), past{conversations.HandedOver{Turn: 2, At: noon}}},
		{"a later transfer, an earlier one says nothing", past{opened, withTom}, to("a-ada", 1), nil},
		{"hooks tell of it, a transfer says nothing", past{opened, withAda, entered}, to("a-tom", 2), nil},
		{"nobody opened it, a transfer says nothing", nil, to("a-ada", 1), nil},
		{"an agent has it, the transfer is over", past{opened, withAda}, over(1), past{ended}},
		{"it waits, the transfer is over", past{opened}, over(1), past{ended}},
		{"a later transfer, the end of an earlier one ends nothing", past{opened, withTom}, over(1), nil},
		{"hooks tell of it, the end of the transfer ends nothing", past{opened, withAda, entered}, over(1), nil},
		{"over, it ends once", past{opened, withAda, ended}, over(1), nil},
		{"over, nobody gets it", past{opened, withAda, ended}, to("a-tom", 2), nil},
	} {
		t.Run(c.given, func(t *testing.T) {
			got, err := c.when(conversations.Conversations.State(c.past...))
			require.NoError(t, err)
			require.Equal(t, c.then, got)
		})
	}
}
