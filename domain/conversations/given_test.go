package conversations_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault/faulttest"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// talk is a conversation as its events tell it; its methods tell more.
type talk struct{ past []event.Payload }

func (w *talk) state() conversations.State { return conversations.Conversations.State(w.past...) }

func about() conversations.About {
	return conversations.About{TenantID: "acme", ProjectID: "bot", ConversationID: "conv-1", At: noon, Body: []byte(`{"told":true}`)}
}

// tell reports the events; what was accepted is part of the talk from then on.
func (w *talk) tell(events ...conversations.Told) ([]event.Payload, error) {
	out, err := conversations.Report{About: about(), Events: events}.Decide(w.state())
	w.past = append(w.past, out...)
	return out, err
}

// after tells events that are all accepted.
func after(t testing.TB, events ...conversations.Told) *talk {
	t.Helper()
	w := &talk{}
	for _, e := range events {
		_, err := w.tell(e)
		require.NoError(t, err)
	}
	return w
}

func transferred(kind, transition, identity string) conversations.Told {
	no := false
	return conversations.Told{Name: conversations.InternalTransfer, TransferType: kind, Transition: transition, IsExtAD: &no,
		Experience: "chat", Reason: "agent_initiated",
		Participant: agent(identity)}
}

func agent(identity string) *conversations.Participant {
	return &conversations.Participant{Identity: identity, Name: "Agent " + identity, Type: "agent"}
}

func in(kind, identity string) conversations.Told  { return transferred(kind, "entry", identity) }
func out(kind, identity string) conversations.Told { return transferred(kind, "exit", identity) }

func summary(kind string) conversations.Told {
	return conversations.Told{Name: conversations.TriggerSummary, Data: &conversations.SummaryWanted{Language: "English", Locale: "en",
		Type: kind}}
}

func ended() conversations.Told {
	return conversations.Told{Name: conversations.EndOfConversation, Reason: "resolved", Language: "en", Experience: "chat",
		Participant: agent("a1")}
}

func message(author string) conversations.Receive {
	yes := true
	return conversations.Receive{About: about(), Query: "hello", HumanAgentID: "a1", Experience: "chat", AuthorType: author, Source: "genesys",
		SendUserMessage: &yes, SendAgentMessage: &yes, Language: "en"}
}

func requireFields(t *testing.T, err error, fields ...string) {
	t.Helper()
	require.ElementsMatch(t, fields, faulttest.Fields(t, err), "%v", err)
}
