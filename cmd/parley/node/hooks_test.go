//go:build !apache

package node_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

// refusedHook checks the form of a refusal of a hook, and what its message says.
func (a *answer) refusedHook(t *testing.T, status int, says ...string) {
	t.Helper()
	var r map[string]any
	a.must(t, status).into(t, &r)
	require.ElementsMatch(t, []string{"code", "message"}, keysOf(r))
	require.EqualValues(t, status, r["code"])
	for _, s := range says {
		require.Contains(t, strings.ToLower(r["message"].(string)), strings.ToLower(s))
	}
}

// stays lists who was there, how they came and went: "a1 na-cold 1".
func (s talkShown) stays() []string {
	var out []string
	for _, p := range s.Conversation.Participants {
		out = append(out, fmt.Sprintf("%v %v-%v %v", p["identity"], p["enteredBy"], p["leftBy"], p["segment"]))
	}
	return out
}

// The cold, the warm and the redial flow of a conversation (docs/api-rules.md "Hooks"),
// each told event by event and read back on the other node.
func TestHookFlows(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for name, c := range map[string]struct {
		events   []map[string]any
		stays    []string
		segments int
	}{
		"cold": {[]map[string]any{enters("NA", "a1"), leaves("cold", "a1"), enters("cold", "a2"), leaves("COLD", "a2"), enters("COLD", "a3"),
			leaves("NA", "a3"), finishes()},
			[]string{"a1 na-cold 1", "a2 cold-cold 2", "a3 cold-na 3"}, 3},
		"warm": {[]map[string]any{enters("NA", "a1"), enters("warm", "a2"), leaves("warm", "a2"), enters("WARM", "a3"), leaves("WARM", "a3"),
			leaves("NA", "a1"), finishes()},
			[]string{"a1 na-na 1", "a2 warm-warm 1", "a3 warm-warm 1"}, 1},
		"redial": {[]map[string]any{enters("NA", "a1"), leaves("NA", "a1"), enters("redial", "a1"), leaves("NA", "a1"), finishes()},
			[]string{"a1 na-na 1"}, 1},
		"callback": {[]map[string]any{enters("redial", "a1"), leaves("NA", "a1"), finishes()}, []string{"a1 redial-na 1"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			for i, e := range c.events {
				d.events(t, name, e).ok(t)
				if i < len(c.events)-1 {
					d.events(t, name, e).ok(t) // told twice
				}
			}
			got := d.shown(t, name, "")
			require.Equal(t, c.stays, got.stays())
			require.Equal(t, "ended", got.Conversation.Status)
			require.Equal(t, "resolved", got.Conversation.EndReason)
			require.Equal(t, c.segments, got.Conversation.Segments)
			require.Equal(t, "hook", got.Conversation.Origin)
			d.events(t, "all-"+name, c.events...).ok(t)
			require.Equal(t, c.stays, d.shown(t, "all-"+name, "").stays(), "all in one report")
		})
	}
}

func TestHookMessagesAndTheirEffect(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.hook(t, d.c.a, "m1", says("USER", "too early")).refusedHook(t, 400, "conversationId")
	d.events(t, "m1", enters("NA", "a1")).ok(t)
	d.hook(t, d.c.a, "m1", says("USER", "Where is my order?")).ok(t)
	d.hook(t, d.c.b, "m1", says("agent", "On its way.")).ok(t)
	quiet := says("AGENT", "between us")
	quiet["sendAgentMessage"] = false
	d.hook(t, d.c.a, "m1", quiet).ok(t)
	unasked := says("USER", "Thanks")
	unasked["sendUserMessage"] = false
	d.events(t, "m1", leaves("NA", "a1")).ok(t)
	d.hook(t, d.c.a, "m1", unasked).ok(t)
	var got talkShown
	until(t, "what the assisting agent comes to", func() bool {
		got = d.shown(t, "m1", "")
		return got.Messages[0]["assist"] != "pending"
	})
	require.Equal(t, map[string]int{"total": 3, "limit": 50, "offset": 0}, got.Pagination)
	var lines []string
	for _, m := range got.Messages {
		require.Regexp(t, isoForm, m["at"])
		lines = append(lines, fmt.Sprint(m["author"], ": ", m["query"], " ", m["assist"]))
	}
	require.Equal(t, []string{"USER: Where is my order? failed", "AGENT: On its way. <nil>", "USER: Thanks <nil>"}, lines)
	require.Equal(t, map[string]any{"number": 1.0, "author": "USER", "agentId": "a1", "query": "Where is my order?", "source": "genesys",
		"language": "en", "experience": "chat",
		"assist": "failed", "assistFailure": got.Messages[0]["assistFailure"], "at": got.Messages[0]["at"]}, got.Messages[0])
	require.Equal(t, "NO_AGENT", got.Messages[0]["assistFailure"].(map[string]any)["code"])
	page := d.shown(t, "m1", "?limit=1&offset=2")
	require.Equal(t, map[string]int{"total": 3, "limit": 1, "offset": 2}, page.Pagination)
	require.Equal(t, "Thanks", page.Messages[0]["query"])
	d.events(t, "m1", finishes()).ok(t)
	d.hook(t, d.c.a, "m1", says("USER", "too late")).refusedHook(t, 400, "ended")

	t.Run("only an Idempotency-Key makes one message of two", func(t *testing.T) {
		d.events(t, "m2", enters("NA", "a1")).ok(t)
		for range 2 {
			d.hook(t, d.c.a, "m2", says("USER", "hello")).ok(t)
			d.hook(t, d.c.a, "m2", says("USER", "once"), "Idempotency-Key", "k1").ok(t)
		}
		require.Equal(t, "true", d.hook(t, d.c.b, "m2", says("USER", "once"), "Idempotency-Key", "k1").must(t,
			200).Header.Get("Idempotency-Replayed"))
		d.hook(t, d.c.b, "m2", says("USER", "another"), "Idempotency-Key", "k1").refusedHook(t, 409)
		require.Equal(t, 3, d.shown(t, "m2", "").Pagination["total"])
	})
}

func TestHookSummary(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.events(t, "s1", enters("NA", "a1")).ok(t)
	d.hook(t, d.c.a, "s1", says("USER", "My parcel has not come.")).ok(t)
	d.hook(t, d.c.a, "s1", says("AGENT", "I will send another one.")).ok(t)
	d.events(t, "s1", triggers()).refusedHook(t, 400, "events[0]", "NA exit")
	require.Nil(t, d.shown(t, "s1", "").Conversation.Summary)
	d.events(t, "s1", leaves("NA", "a1"), triggers(), finishes()).ok(t)
	var summary map[string]any
	until(t, "the summary", func() bool {
		summary = d.shown(t, "s1", "").Conversation.Summary
		return summary["status"] == "done"
	})
	require.Equal(t, "local", summary["provider"])
	require.Equal(t, []any{"English", "en", "post"}, []any{summary["language"], summary["locale"], summary["type"]})
	require.NotEmpty(t, summary["text"])
	require.Regexp(t, isoForm, summary["finishedAt"])
}

func TestHookOrderIsEnforcedAndAReportIsAllOrNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for name, events := range map[string][]map[string]any{
		"first a cold entry": {enters("cold", "a1")}, "first a warm entry": {enters("warm", "a1")}, "first an exit": {leaves("NA", "a1")},
		"first the end": {finishes()}, "first a summary": {triggers()},
		"the exit of another":          {enters("NA", "a1"), leaves("NA", "a2")},
		"the end before the exit":      {enters("NA", "a1"), finishes()},
		"a second main agent":          {enters("NA", "a1"), enters("NA", "a2")},
		"a cold entry without exit":    {enters("NA", "a1"), enters("cold", "a2")},
		"the main agent before others": {enters("NA", "a1"), enters("warm", "a2"), leaves("NA", "a1")},
		"a redial while talking":       {enters("NA", "a1"), enters("redial", "a2")},
		"a redial exit":                {enters("redial", "a1"), leaves("redial", "a1")},
		"something after the end":      {enters("NA", "a1"), leaves("NA", "a1"), finishes(), enters("redial", "a1")},
	} {
		id := strings.ReplaceAll(name, " ", "-")
		d.events(t, id, events...).refusedHook(t, 400, fmt.Sprintf("events[%d]", len(events)-1))
		d.c.b.do(t, "GET", conversationPath(id), nil, "auth", d.token).must(t, 404)
	}
}

func TestAfterTheEndEverythingIsRefusedAndKeptForAudit(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.events(t, "late", enters("NA", "a1"), leaves("NA", "a1"), finishes()).ok(t)
	before := d.shown(t, "late", "")
	for _, e := range []map[string]any{finishes(), leaves("NA", "a1"), enters("redial", "a1"), triggers()} {
		d.events(t, "late", e).refusedHook(t, 400, "ended")
	}
	for range 2 { // the same refusal under a key is one event
		d.hook(t, d.c.a, "late", says("USER", "still there?"), "Idempotency-Key", "late-1").refusedHook(t, 400, "ended")
	}
	require.Equal(t, before, d.shown(t, "late", ""))
	l, err := eventstore.Read(t.Context(), d.c.a.Store(), conversations.Conversations, conversations.Stream(d.id, mainApp, "late"))
	require.NoError(t, err)
	require.Equal(t, 5, l.State.Late)
	require.Contains(t, d.c.a.do(t, "GET", "/api/v1/events?limit=200&category=conversations", nil, "auth", d.token).Text, "late-refused")
}

func TestUnknownAndForeignBotsAreAlike(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	other := d.c.tenant(t, "")
	other.apply(t, "Project", "only-theirs", "Theirs", nil)
	body := func(bot string) map[string]any {
		return map[string]any{"conversationId": "x", "botId": bot, "events": []any{enters("NA", "a1")}}
	}
	for _, bot := range []string{"no-such-bot", "only-theirs", "not.an.id"} {
		d.c.a.do(t, "POST", hookPath+bot, body(bot), "auth", d.token).refusedHook(t, 400, "linked bot details could not be found", "bot id")
		d.c.a.do(t, "POST", hookPath+mainApp, body(bot), "auth", d.token).refusedHook(t, 400, "linked bot details could not be found", "bot id")
	}
	d.c.a.do(t, "POST", hookPath+mainApp, body(otherApp), "auth", d.token).refusedHook(t, 400, "botId")
	d.c.a.do(t, "POST", hookPath+mainAlias, body(mainApp), "auth", d.token).ok(t)
	d.c.a.do(t, "POST", hookPath+mainApp, body(mainAlias), "auth", d.token).ok(t)
	d.shown(t, "x", "")
}

func TestWhoMaySendHooks(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	body := map[string]any{"conversationId": "who", "botId": mainApp, "events": []any{enters("NA", "a1")}}
	bare := d.tenant.token(t, func(g *tokens.Grant) { g.Scopes, g.Permissions = nil, nil })
	for _, header := range [][]string{{"auth", d.token}, {"token", d.token}, {"Token", "Bearer " + d.token}, {"auth", "bearer " + d.token},
		{"Authorization", "Bearer " + d.token}, {"token", bare}} {
		d.c.a.do(t, "POST", hookPath+mainApp, body, header...).ok(t)
	}
	d.c.a.do(t, "POST", hookPath+mainApp, body).refusedHook(t, 401)
	d.c.a.do(t, "POST", hookPath+mainApp, body, "token", "no token").refusedHook(t, 401)
	d.c.a.do(t, "POST", hookPath+mainApp, body, "x-api-key", d.key(t, mainScope)).refusedHook(t, 401)
}

func TestMembersOfHookBodies(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.events(t, "f", enters("NA", "a1")).ok(t)
	both := says("USER", "x")
	both["events"] = []any{enters("NA", "a1")}
	d.hook(t, d.c.a, "f", both).refusedHook(t, 400, "events")
	d.hook(t, d.c.a, "f", nil).refusedHook(t, 400, "events", "query")
	d.hook(t, d.c.a, "f", map[string]any{"events": []any{}}).refusedHook(t, 400, "events")
	d.c.a.do(t, "POST", hookPath+mainApp, `{"conversationId":`, "auth", d.token).refusedHook(t, 400)
	d.c.a.do(t, "POST", hookPath+mainApp, nil, "auth", d.token).refusedHook(t, 400)
	for _, name := range []string{"query", "agentId", "experience", "author", "source", "sendUserMessage", "sendAgentMessage", "language"} {
		m := says("USER", "x")
		delete(m, name)
		d.hook(t, d.c.a, "f", m).refusedHook(t, 400, name)
	}
	for name, value := range map[string]any{"query": "", "agentId": 7, "experience": "mail", "author": map[string]any{"type": "BOT"},
		"source": "a\u0000b", "sendUserMessage": "yes",
		"sendAgentMessage": 1, "language": "no code!", "conversationId": "a b", "botId": nil} {
		m := says("USER", "x")
		m[name] = value
		d.hook(t, d.c.a, "f", m).refusedHook(t, 400, name)
	}
	for name, value := range map[string]any{"name": "START", "transfertype": "hot", "transition": "pause", "isExtAD": "maybe",
		"experience": "mail", "participant": nil, "language": strings.Repeat("x", 65)} {
		e := enters("NA", "a1")
		e[name] = value
		d.events(t, "f", e).refusedHook(t, 400, name)
		delete(e, name)
		if name != "language" {
			d.events(t, "f", e).refusedHook(t, 400, name)
		}
	}
	for name, event := range map[string]map[string]any{"reason": finishes(), "language": finishes(), "experience": finishes(),
		"participant": finishes(), "data": triggers()} {
		delete(event, name)
		d.events(t, "f", event).refusedHook(t, 400, "events[0]."+name)
	}
	for _, name := range []string{"language", "locale", "type"} {
		event := triggers()
		delete(event["data"].(map[string]any), name)
		d.events(t, "f", event).refusedHook(t, 400, "events[0].data."+name)
	}
	for _, name := range []string{"identity", "name", "type"} {
		event := enters("NA", "a1")
		delete(event["participant"].(map[string]any), name)
		d.events(t, "f", event).refusedHook(t, 400, "events[0].participant."+name)
	}
	for _, isExtAD := range []any{true, false, "true", "false"} {
		e := enters("NA", "a1")
		e["isExtAD"] = isExtAD
		id := "ext-" + uuid.NewString()
		d.events(t, id, e).ok(t)
		require.Equal(t, fmt.Sprint(isExtAD) == "true", d.shown(t, id, "").Conversation.Participants[0]["isExtAD"])
	}
	longest := strings.Repeat("x", 128)
	d.events(t, longest, enters("NA", "a1")).ok(t)
	require.Equal(t, longest, d.shown(t, longest, "").Conversation.ConversationID)
	d.events(t, longest+"x", enters("NA", "a1")).refusedHook(t, 400, "conversationId")
}

func TestOfManyFirstEntriesOnTwoNodesOneCounts(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	nodes := []*server{d.c.a, d.c.b}
	var taken atomic.Int64
	together(8, func(i int) {
		body := map[string]any{"conversationId": "race", "botId": mainApp, "events": []any{enters("NA", fmt.Sprintf("a%d", i))}}
		if got, err := nodes[i%2].try("POST", hookPath+mainApp, body, "auth", d.token); err == nil && got.Status == 200 {
			taken.Add(1)
		}
	})
	require.EqualValues(t, 1, taken.Load())
	require.Len(t, d.shown(t, "race", "").Conversation.Participants, 1)
	together(8, func(i int) {
		body := map[string]any{"conversationId": "same", "botId": mainApp, "events": []any{enters("NA", "a1")}}
		if got, err := nodes[i%2].try("POST", hookPath+mainApp, body, "auth", d.token); err == nil && got.Status == 200 {
			taken.Add(1)
		}
	})
	require.EqualValues(t, 9, taken.Load(), "the same entry is a repeat")
	require.Len(t, d.shown(t, "same", "").Conversation.Participants, 1)
}

func TestConversationsOfTwoTenantsAreTwo(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	e := newDesk(t)
	d.events(t, "shared-id", enters("NA", "a1")).ok(t)
	e.events(t, "shared-id", enters("NA", "b1")).ok(t)
	require.Equal(t, []string{"a1 na-<nil> 1"}, d.shown(t, "shared-id", "").stays())
	require.Equal(t, []string{"b1 na-<nil> 1"}, e.shown(t, "shared-id", "").stays())
}
