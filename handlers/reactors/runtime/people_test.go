package runtime_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/people"
	"github.com/parley-platform/parley/handlers/reactors/reactorstest"
	"github.com/parley-platform/parley/handlers/reactors/runtime"
)

// Given a user who said things to people, before and behind they took the conversation, when one of them is taken back,
// then the conversation shows that one no more, once; what was taken back before it was brought there never comes.
func TestWhatIsTakenBackIsTakenBackFromPeople(t *testing.T) {
	noon := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	w := reactorstest.New(t, noon)
	reactor := runtime.SessionPeople{People: people.People{Log: acts.Log{Store: w.Store}}}.Reactor()
	to := conversations.Stream(reactorstest.Tenant, "shop", "c-1")
	reactorstest.Given(w, conversations.Conversations, to, conversations.Opened{ConversationID: "c-1", TenantID: reactorstest.Tenant,
		ProjectID: "shop", SessionID: "s-1", At: noon})
	passed := func(message string, early bool) event.Payload {
		e := sessions.PassedOn{MessageID: message, TransferID: "t-1", Text: "words of " + message, Early: early, At: noon}
		if !early {
			e.ConversationID = "c-1"
		}
		return e
	}
	reactorstest.Given(w, sessions.Sessions, "session-s-1", sessions.Opened{SessionID: "s-1", TenantID: reactorstest.Tenant, ProjectID: "shop",
		At: noon}, passed("m-1", true), passed("m-2", true), sessions.MessageTakenBack{MessageID: "m-2", At: noon})
	require.NoError(t, w.Play(t.Context(), reactor))
	reactorstest.Given(w, sessions.Sessions, "session-s-1",
		sessions.TakenByPeople{TransferID: "t-1", ConversationID: "c-1", HumanAgentID: "a-1", At: noon}, passed("m-3", false),
		passed("m-4", false))
	require.NoError(t, w.Play(t.Context(), reactor))
	reactorstest.Given(w, sessions.Sessions, "session-s-1", sessions.MessageTakenBack{MessageID: "m-1", At: noon},
		sessions.MessageTakenBack{MessageID: "m-3", At: noon}, sessions.MessageTakenBack{MessageID: "of the agent's time", At: noon})
	for range 2 {
		require.NoError(t, w.Play(t.Context(), reactor))
	}
	var said []string
	for _, r := range w.Log.Accepted() {
		if r.Stream != to {
			continue
		}
		p, err := conversations.Conversations.Decode(r.Type, r.Data)
		require.NoError(t, err)
		switch e := p.(type) {
		case conversations.MessageReceived:
			said = append(said, e.Query)
		case conversations.MessageTakenBack:
			said = append(said, "back "+string(rune('0'+e.Number)))
		}
	}
	require.Equal(t, []string{"words of m-1", "words of m-3", "words of m-4", "back 1", "back 2"}, said)
}
