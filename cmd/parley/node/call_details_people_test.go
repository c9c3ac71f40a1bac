//go:build !apache

package node_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
)

// report is the call details around today with more members in the request.
func (w presenceWorld) report(t *testing.T, more fields) detailsPage {
	t.Helper()
	day := func(n int) string { return time.Now().UTC().AddDate(0, 0, n).Format("2006-01-02") }
	past := &callWorld{server: w.c.b, one: w.tenant, auth: w.auth}
	return past.details(t, fields{"startDate": day(-1), "endDate": day(1), "timeZoneOffset": 0}.and(more), "")
}

// zoneless is a time of a call detail.
func zoneless(t *testing.T, v any) time.Time {
	t.Helper()
	at, err := time.Parse("2006-01-02T15:04:05.000", v.(string))
	require.NoError(t, err)
	return at
}

var everyOptionalField = fields{"selectedFields": []string{"skills", "customerinfo", "userleveltags", "sessionleveltags"}}

// Every member of a record of call-details, of a call that a queue gave to an agent.
func TestCallDetailsOfACallThatAnAgentTook(t *testing.T) {
	t.Parallel()
	w := newPresenceWorld(t)
	w.staff(t, fields{"canSupportVoice": true, "skills": []fields{{"skillId": "german", "proficiencyLevel": 50}}}, "a-1")
	w.queue(t, "q-1", nil, "a-1")
	past, call := w.talked(t, `{"contact":{"firstName":"Ada","lastName":"Byron","email":"ada@example.org"}}`)
	until(t, "the session", func() bool {
		return w.ask(t, w.c.a, w.to(call.session, toQueue("q-1").and(fields{"skills": []string{"german"}})), "Idempotency-Key",
			call.id).Status == 200
	})
	var got transferred
	w.ask(t, w.c.a, w.to(call.session, toQueue("q-1").and(fields{"skills": []string{"german"}})), "Idempotency-Key", call.id).must(t,
		200).into(t, &got)
	mail := "a-1@acme.example" // as hooks call the agent
	w.tell(t, got.ConversationID, spoken(enters("NA", mail)))
	said := says("AGENT", "How can I help?")
	said["agentId"], said["experience"] = mail, "voice"
	w.hooks.hook(t, w.c.b, got.ConversationID, said).ok(t)
	leaving := time.Now().Truncate(time.Millisecond)
	w.tell(t, got.ConversationID, spoken(leaves("NA", mail)), spoken(finishes()))
	w.becomes(t, call.session, "ended", "a-1")
	seen := time.Now()
	past.completed(t, call, calls.ByGateway, time.Now().Add(time.Second)) // after the hook's end by any node's clock
	w.hooks.patch(t, got.ConversationID, fields{"dispositions": []string{"sold"}, "dispositionRemarks": []string{"two of them"},
		"agentNotes":       []string{"kind"},
		"sessionLevelTags": []fields{{"name": "topic", "value": "orders"}}, "metaInfo": fields{"CustomerEmail": "ada@new.example", "vip": true},
		"afterCallWork": fields{"agentId": mail, "durationMs": 30_000}}).must(t, 200)
	w.hooks.patch(t, call.id, fields{"userLevelTags": []string{"gold"}, "dispositions": []string{"overruled"}}).must(t, 200)

	page := w.report(t, everyOptionalField)
	require.Equal(t, 1, page.NumResults, "one call, though two conversations tell of it: %v", page.Data)
	r := page.Data[0]
	for name, want := range map[string]any{"sessionId": call.session, "conversationId": got.ConversationID, "channel": "Voice",
		"botId": mainApp, "userId": "+15550000001",
		"channelSpecificUserId": "+15550000001", "disconnectingEvent": "Agent Closed", "finalStatus": "CLOSED", "orgId": w.id + "-org",
		"skills": list("german"), "userleveltags": list("gold"), "sessionleveltags": list(map[string]any{"name": "topic", "value": "orders"}),
		"customerinfo": map[string]any{"CustomerPhone": "+15550000001", "CenterPhone": callCaller, "Direction": "Outbound",
			"CustomerFirstName": "Ada", "CustomerLastName": "Byron", "CustomerEmail": "ada@new.example"},
		"dispositions": list("sold"), "dispositionRemarks": list("two of them")} {
		require.Equal(t, want, r[name], name)
	}
	require.Len(t, r, 19, "and nothing else but the times, metaInfo and destinations: %v", r)
	meta := r["metaInfo"].(map[string]any)
	require.Equal(t, []any{true, map[string]any{"userId": "+15550000001", "channel": "voice"}, call.session},
		[]any{meta["vip"], meta["caller"], meta["sessionId"]})
	require.Equal(t, list(map[string]any{"transferId": got.TransferID, "queueId": "q-1", "agentId": "a-1", "skills": list("german"),
		"status": "ended", "reason": "CONVERSATION_ENDED"}), meta["transfers"])

	require.Len(t, r["destinations"], 1, "the hook told of the same agent again")
	d := r["destinations"].([]any)[0].(map[string]any)
	agent := d["respondingAgent"].(map[string]any)
	stay := w.hooks.shown(t, got.ConversationID, "").Conversation.Participants[0]
	for name, want := range map[string]any{"destinationType": "QueueEntry", "queueId": "q-1", "queueName": "Queue q-1", "CallbackOpted": false,
		"CallbackOptedTime": nil, "userCallbackAcceptTime": nil} {
		require.Equal(t, want, d[name], name)
		require.Contains(t, d, name)
	}
	for name, want := range map[string]any{"agentId": "a-1", "agentNotes": list("kind"), "destinationType": "AgentSegment",
		"status": "Answered", "afterCallWorkDuration": 30.0,
		"email": mail, "name": "Maria Keller", "acceptedTime": agent["assignedAt"]} {
		require.Equal(t, want, agent[name], name)
	}
	entered, assigned, first, end := zoneless(t, d["EnterTime"]), zoneless(t, agent["assignedAt"]), zoneless(t, agent["firstResponseTime"]),
		zoneless(t, agent["interactionEndTime"])
	require.False(t, assigned.Before(entered))
	seconds := func(d time.Duration) float64 { return float64(d.Milliseconds()) / 1000 } // Seconds adds up, and is 3.8129999 for 3.813
	require.Equal(t, seconds(first.Sub(assigned)), agent["firstResponseDuration"])
	require.Equal(t, seconds(end.Sub(assigned)), agent["interactionDuration"])
	left, err := time.Parse(time.RFC3339, stay["leftAt"].(string))
	require.NoError(t, err)
	for what, at := range map[string]time.Time{"the stay": left, "the transfer": end} {
		require.WithinRange(t, at, leaving, seen, "%s ends when the hook said that the agent left, by the clock of any node", what)
	}
	require.Equal(t, end.Add(30*time.Second), zoneless(t, agent["afterCallWorkEndTime"]))

	t.Run("only selected fields are added", func(t *testing.T) {
		bare := w.report(t, nil).Data[0]
		require.Len(t, bare, 15)
		for _, name := range everyOptionalField["selectedFields"].([]string) {
			require.NotContains(t, bare, name)
			one := w.report(t, fields{"selectedFields": []string{name}}).Data[0]
			require.Len(t, one, 16)
			require.Contains(t, one, name)
		}
	})
	t.Run("queues by transfer", func(t *testing.T) {
		require.Equal(t, 1, w.report(t, fields{"queues": []string{"q-0", "q-1"}}).NumResults)
		require.Equal(t, 0, w.report(t, fields{"queues": []string{"q-0"}}).NumResults)
	})
}

// Conversations of which only hooks tell are records of their own.
func TestCallDetailsOfConversationsThatOnlyHooksTellOf(t *testing.T) {
	t.Parallel()
	w := newPresenceWorld(t, "a-1")
	in := enters("NA", "seat 7")
	in["participant"].(map[string]any)["customFields"] = map[string]any{"agentEmail": "a-1@acme.example", "queueId": "q-theirs",
		"queueName": "Their queue"}
	w.tell(t, "chat", in)
	w.hooks.hook(t, w.c.a, "chat", says("USER", "Hello?")).ok(t)
	w.tell(t, "chat", leaves("NA", "seat 7"), finishes())
	w.tell(t, "phone", spoken(enters("NA", "a-1")), spoken(leaves("NA", "a-1")), spoken(finishes()))
	w.tell(t, "goes-on", enters("NA", "a-1"))

	page := w.report(t, everyOptionalField)
	require.Equal(t, 2, page.NumResults, "what goes on is not told: %v", page.Data)
	r := page.Data[0]
	for name, want := range map[string]any{"sessionId": "chat", "conversationId": "chat", "channel": "Web/Mobile Client",
		"disconnectingEvent": "Agent Closed", "finalStatus": "CLOSED",
		"orgId": w.id + "-org", "skills": []any{}, "dispositions": []any{}} {
		require.Equal(t, want, r[name], name)
	}
	d := r["destinations"].([]any)[0].(map[string]any)
	require.Equal(t, []any{"QueueEntry", "q-theirs", "Their queue"}, []any{d["destinationType"], d["queueId"], d["queueName"]})
	agent := d["respondingAgent"].(map[string]any)
	require.Equal(t, []any{"a-1", "Agent seat 7", "a-1@acme.example"}, []any{agent["agentId"], agent["name"], agent["email"]})
	require.NotContains(t, agent, "firstResponseTime", "nobody answered")
	require.Equal(t, "Voice", page.Data[1]["channel"])

	for filter, want := range map[string][]any{"rtm": {"chat"}, "voice": {"phone"}, "sms": nil} {
		page := w.report(t, fields{"channels": []string{filter}})
		var ids []any
		for _, r := range page.Data {
			ids = append(ids, r["sessionId"])
		}
		require.Equal(t, want, ids, filter)
		require.Equal(t, len(want), page.NumResults)
	}
	require.Equal(t, "chat", w.report(t, fields{"queues": []string{"q-theirs"}}).Data[0]["sessionId"])
	require.Equal(t, 0, w.report(t, fields{"queues": []string{"q-1"}}).NumResults)
}

// A plain call's own conversation takes notes, and stays one record.
func TestNotesAboutACallOfWhichNoHookTold(t *testing.T) {
	t.Parallel()
	w := newPresenceWorld(t)
	past, call := w.talked(t, `{"CustomerFirstName":"Ada"}`)
	fresh := w.hooks.shown(t, call.id, "").Conversation
	require.Equal(t, []string{call.id, call.session, "call", "waiting", "voice"}, []string{fresh.ConversationID, fresh.SessionID, fresh.Origin,
		fresh.Status, fresh.Experience})
	require.Empty(t, fresh.Dispositions)
	until(t, "the session", func() bool {
		return w.hooks.patch(t, call.id, fields{"sessionId": call.session}).Status == 200
	})
	w.hooks.patch(t, call.id, fields{"dispositions": []string{"sold"}}, "Idempotency-Key", "k").must(t, 200)
	require.Equal(t, "true", w.hooks.patch(t, call.id, fields{"dispositions": []string{"sold"}}, "Idempotency-Key", "k").must(t,
		200).Header.Get("Idempotency-Replayed"))
	noted := w.hooks.shown(t, call.id, "").Conversation
	fresh.Dispositions = []string{"sold"}
	require.Equal(t, fresh, noted, "nothing else has changed by it")
	w.hooks.patch(t, call.id, fields{"sessionId": w.session(t, mainApp)}).refused(t, 409, "CONFLICT")
	past.completed(t, call, calls.ByBot, time.Now())

	page := w.report(t, fields{"selectedFields": []string{"customerinfo"}})
	require.Equal(t, 1, page.NumResults, "%v", page.Data)
	r := page.Data[0]
	require.Equal(t, []any{list("sold"), []any{}, []any{}, "Bot Hangup", "BotResolved", call.id},
		[]any{r["dispositions"], r["dispositionRemarks"], r["destinations"], r["disconnectingEvent"], r["finalStatus"], r["conversationId"]})
	require.Equal(t, "Ada", r["customerinfo"].(map[string]any)["CustomerFirstName"])

	other := newPresenceWorld(t)
	other.hooks.patch(t, call.id, fields{}).refused(t, 404, "NOT_FOUND")
	w.c.a.do(t, "GET", "/api/v1/projects/"+otherApp+"/conversations/"+call.id, nil, "auth", w.auth).refused(t, 404, "NOT_FOUND")
}

// A session that is no call's is a record when it has ended, whoever was in it.
func TestCallDetailsOfAChatThatWasTransferred(t *testing.T) {
	t.Parallel()
	w := newPresenceWorld(t, "a-1")
	session := w.session(t, mainApp)
	got := w.assign(t, session, toAgent("a-1"))
	w.tell(t, got.ConversationID, enters("NA", "a-1"), leaves("NA", "a-1"), finishes())
	w.becomes(t, session, "ended", "a-1")
	require.Equal(t, 0, w.report(t, nil).NumResults, "the session goes on")
	end := sessions.End{Reason: "test", At: time.Now().Add(time.Second)} // after the hook's end by any node's clock
	_, err := eventstore.Execute(t.Context(), w.on.Store(), sessions.Sessions, sessions.Sessions.Stream(session),
		eventstore.Command{Tenant: w.id, Actor: "user:test"}, end.Decide)
	require.NoError(t, err)
	page := w.report(t, nil)
	require.Equal(t, 1, page.NumResults)
	r := page.Data[0]
	require.Equal(t, []any{session, got.ConversationID, "api", "Agent Closed", "CLOSED"}, []any{r["sessionId"], r["conversationId"],
		r["channel"], r["disconnectingEvent"], r["finalStatus"]})
	d := r["destinations"].([]any)
	require.Len(t, d, 1)
	require.Equal(t, "AgentEntry", d[0].(map[string]any)["destinationType"])
}
