package contactcenter_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/rest/resttest"
)

const (
	hook    = "/agentassist/api/v1/hooks/p-1"
	anAgent = `"participant":{"identity":"a-1","name":"Ada","type":"agent","customFields":{"agentEmail":"ada@acme.example","queueId":"q-1",
		"queueName":"Support"}}`
	entering = `{"name":"INTERNAL_TRANSFER_EVENT","transfertype":"NA","transition":"entry","isExtAD":"true",` +
		`"experience":"chat","language":"en",` +
		`"reason":"asked",` + anAgent + `}`
	leaving = `{"name":"internal_transfer_event","transfertype":"na","transition":"EXIT","isExtAD":false,` +
		`"experience":"Chat",` + anAgent + `}`
	summarise = `{"name":"TRIGGER_SUMMARY_EVENT","data":{"language":"English","locale":"en","type":"post"}}`
	ending    = `{"name":"END_OF_CONVERSATION","reason":"resolved","language":"en","experience":"chat",` + anAgent + `}`
	message   = `"query":"Hello","agentId":"a-1","experience":"CHAT","author":{"type":"user"},"source":"desk","sendUserMessage":true,
		"sendAgentMessage":false,"language":"de"`
)

// hooked is a body about conversation v:1@desk.
func hooked(members string) string {
	return `{"conversationId":"v:1@desk","botId":"p-1",` + members + `}`
}

func events(list ...string) string { return hooked(`"events":[` + strings.Join(list, ",") + `]`) }

func refusal(t *testing.T, got *resttest.Reply) (r struct {
	Code      int
	Message   string
	ErrorCode string
}) {
	t.Helper()
	got.Decode(t, &r)
	require.Equal(t, got.Status, r.Code, "the code of a hook's refusal is its status")
	return r
}

func told(t *testing.T, w *resttest.Stored) (out []event.Payload) {
	t.Helper()
	for _, r := range w.Since() {
		require.Equal(t, conversations.Stream("acme", "p-1", "v:1@desk"), r.Stream)
		out = append(out, memory.Payload(conversations.Conversations.Category, r))
	}
	return out
}

func names(payloads []event.Payload) (out []string) {
	for _, p := range payloads {
		out = append(out, strings.TrimPrefix(fmt.Sprintf("%T", p), "conversations."))
	}
	return out
}

func TestALifecycleAsHooksTellIt(t *testing.T) {
	w, _ := newFloor(t)
	for _, step := range []struct {
		body string
		then []string
	}{
		{events(entering), []string{"Opened", "AgentEntered"}},
		{events(entering), nil}, // told twice
		{hooked(message), []string{"MessageReceived"}},
		{hooked(message + `,"events":[]`), []string{"MessageReceived"}}, // the same text is another message, and no event is none
		{events(leaving, summarise), []string{"AgentLeft", "SummaryAsked"}},
		{events(ending), []string{"AssistFailed", "AssistFailed", "ConversationEnded"}}, // nobody was there to be asked
	} {
		got := w.Ask("POST", hook, step.body)
		require.Equal(t, 200, got.Status, got.Text)
		require.JSONEq(t, `{"STATUS":"OK"}`, got.Text)
		require.Equal(t, step.then, names(told(t, w)), step.body)
	}
}

// What an event says stands on the log, whatever its spelling.
func TestWhatHooksSayIsKept(t *testing.T) {
	w, _ := newFloor(t)
	require.Equal(t, 200, w.Ask("POST", hook, events(entering)).Status)
	stand := told(t, w)
	opened := stand[0].(conversations.Opened)
	require.Equal(t, conversations.Opened{ConversationID: "v:1@desk", TenantID: "acme", ProjectID: "p-1", Origin: conversations.ByHook,
		Experience: "chat", At: w.Now}, opened)
	entered, _ := json.Marshal(stand[1])
	for _, said := range []string{`"a-1"`, `"Ada"`, `"ada@acme.example"`, `"q-1"`, `"Support"`, `"asked"`, `"en"`, `true`} {
		require.Contains(t, string(entered), said)
	}

	require.Equal(t, 200, w.Ask("POST", hook, hooked(message)).Status)
	require.Equal(t, conversations.MessageReceived{Number: 1, Author: "USER", HumanAgentID: "a-1", Query: "Hello", Recorded: true,
		Source:   "desk",
		Language: "de", Experience: "chat", SendUserMessage: true, At: w.Now}, told(t, w)[0])

	require.Equal(t, 200, w.Ask("POST", hook, events(leaving, summarise)).Status)
	require.Equal(t, conversations.SummaryAsked{Number: 1, Language: "English", Locale: "en", Type: "post", Messages: 1, At: w.Now},
		told(t, w)[1])
}

// All events of a body are applied, or none; after the end nothing is taken, and what came
// is kept for audit.
func TestWhatHooksAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		before []string
		body   string
		says   string
		then   []string
	}{
		"a message before the first entry": {nil, hooked(message), "", nil},
		"an exit before the entry":         {nil, events(leaving), "", nil},
		"one event of two":                 {nil, events(entering, ending), "", nil},
		"events beside a message": {nil, hooked(message + `,"events":[` + entering + `]`), "events must not be given beside a message",
			nil},
		"events beside an author":          {nil, hooked(`"author":{"type":"USER"},"events":[` + entering + `]`), "beside a message", nil},
		"neither":                          {nil, hooked(`"language":"en"`), "there is neither a lifecycle event nor a message", nil},
		"a message of its source only":     {nil, hooked(`"source":"desk"`), "query", nil},
		"a message of its agent only":      {nil, hooked(`"agentId":"a-1"`), "query", nil},
		"a message that is not to be sent": {nil, hooked(`"sendUserMessage":false`), "query", nil},
		"one that agents are not sent":     {nil, hooked(`"sendAgentMessage":false`), "query", nil},
		"a message without a text":         {nil, hooked(`"author":{"type":"USER"}`), "query", nil},
		"no events":                        {nil, hooked(`"events":[]`), "events", nil},
		"an unknown event":                 {nil, events(`{"name":"HELLO"}`), "events[0].name", nil},
		"a flag that is none":              {nil, events(strings.Replace(entering, `"true"`, `"yes"`, 1)), "isExtAD must be one of", nil},
		"an id with a space":               {nil, strings.Replace(events(entering), "v:1@desk", "v 1", 1), "conversationId", nil},
		"a message after the end": {[]string{events(entering), events(leaving), events(ending)}, hooked(message), "has ended",
			[]string{"LateRefused"}},
		"the end after the end": {[]string{events(entering), events(leaving), events(ending)}, events(ending), "has ended",
			[]string{"LateRefused"}},
		"an entry after the end": {[]string{events(entering), events(leaving), events(ending)}, events(entering), "has ended",
			[]string{"LateRefused"}},
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := newFloor(t)
			for _, body := range c.before {
				require.Equal(t, 200, w.Ask("POST", hook, body).Status)
			}
			w.Since()
			got := w.Ask("POST", hook, c.body)
			r := refusal(t, got)
			require.Equal(t, 400, r.Code, got.Text)
			require.Contains(t, r.Message, c.says)
			require.Empty(t, r.ErrorCode, "400 speaks for itself")
			late := told(t, w)
			require.Equal(t, c.then, names(late))
			if len(late) > 0 {
				require.JSONEq(t, c.body, string(late[0].(conversations.LateRefused).Body))
			}
		})
	}
}

// An unknown bot and another tenant's are the same to whoever asks.
func TestTheBotOfAHook(t *testing.T) {
	const unknown = "The linked bot details could not be found: check the bot id"
	w, _ := newFloor(t)
	for name, c := range map[string]struct{ path, bot, says string }{
		"an unknown one in the path": {"/agentassist/api/v1/hooks/p-7", "p-7", unknown},
		"another tenant's":           {"/agentassist/api/v1/hooks/p-2", "p-2", unknown},
		"an unknown one in the body": {hook, "p-7", unknown},
		"another's in the body":      {hook, "p-2", unknown},
		"two of the account":         {hook, "p-9", "botId differs from the bot in the path"},
	} {
		got := w.Ask("POST", c.path, strings.Replace(events(entering), `"p-1"`, `"`+c.bot+`"`, 1))
		require.Equal(t, 400, refusal(t, got).Code, name)
		require.Equal(t, c.says, refusal(t, got).Message, name)
	}
	require.Empty(t, w.Since())
	for path, bot := range map[string]string{hook: "main", "/agentassist/api/v1/hooks/main": "p-1"} {
		require.Equal(t, 200, w.Ask("POST", path, strings.Replace(events(entering), `"p-1"`, `"`+bot+`"`, 1)).Status)
	}
	require.Equal(t, 401, refusal(t, w.Call("POST", hook, events(entering))).Code)
	require.Equal(t, 500, refusal(t, w.Ask("POST", "/agentassist/api/v1/hooks/broken", events(entering))).Code)
	require.Equal(t, 500, refusal(t, w.Ask("POST", hook, strings.Replace(events(entering), `"p-1"`, `"broken"`, 1))).Code)
}

// Messages are told apart by the Idempotency-Key alone.
func TestAMessageIsTakenOnceForAKey(t *testing.T) {
	w, _ := newFloor(t)
	require.Equal(t, 200, w.Ask("POST", hook, events(entering)).Status)
	w.Since()
	for i, replayed := range []string{"", "true"} {
		got := w.Ask("POST", hook, hooked(message), "Idempotency-Key", "one")
		require.Equal(t, []any{200, replayed}, []any{got.Status, got.Header.Get("Idempotency-Replayed")}, i)
	}
	require.Len(t, w.Since(), 1)
	require.Equal(t, 409, refusal(t, w.Ask("POST", hook, hooked(strings.Replace(message, "Hello", "Bye", 1)), "Idempotency-Key", "one")).Code)
	require.Empty(t, w.Since())
}

// A hook learns from 503 that it may tell again, and what that means.
func TestAHookThatTheLogDoesNotTake(t *testing.T) {
	w, _ := newFloor(t)
	w.Events.Fail(memory.Faults{Append: func([]*eventstore.Record) error { return errors.New("no leader") }})
	r := refusal(t, w.Ask("POST", hook, events(entering)))
	require.Equal(t, 503, r.Code)
	require.Equal(t, "NOT_EXECUTED", r.ErrorCode)
}

// A body with any part of a message is one that lacks the others, not one that is empty.
func TestAnyPartOfAMessageIsAMessage(t *testing.T) {
	w, _ := newFloor(t)
	require.Contains(t, refusal(t, w.Ask("POST", hook, hooked(`"experience":"CHAT"`))).Message, "neither a lifecycle event nor a message")
	for _, part := range []string{`"query":"Hello"`, `"author":{"type":"user"}`, `"agentId":"a-1"`, `"source":"desk"`,
		`"sendUserMessage":true`, `"sendAgentMessage":false`} {
		got := w.Ask("POST", hook, hooked(part))
		require.Equal(t, 400, got.Status, part)
		require.NotContains(t, refusal(t, got).Message, "neither", part)
		require.Empty(t, w.Since())
	}
}
