package node_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/queues"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

func TestTransferToAnAgent(t *testing.T) {
	t.Parallel()
	w := newTransferDesk(t, shared(t))
	w.staff(t, nil, "a-maria", "a-tom")
	w.agents(t, map[string]any{"canSupportChat": true, "maxDigitalChatSupport": 1}, "a-off")
	before := time.Now().UnixMilli()
	session := w.session(t, mainApp)

	t.Run("the agent has it, and the caller is told", func(t *testing.T) {
		got := w.assign(t, session, toAgent("a-maria"))
		require.Equal(t, transferred{SessionID: session, AgentID: "a-maria", Status: "transferred", RequestCompletedAt: got.RequestCompletedAt,
			TransferID:     got.TransferID,
			ConversationID: "c-" + got.TransferID}, got)
		require.GreaterOrEqual(t, got.RequestCompletedAt, before)
		require.Equal(t, 1, w.load(t, "a-maria"))
		require.Equal(t, map[string]any{"sessionId": session, "agentId": "a-maria", "status": "transferred",
			"requestCompletedAt": float64(got.RequestCompletedAt)}, w.told(t, session, 1)[0])
		row := w.row(t, session)
		require.Equal(t, "assigned", row["status"])
		require.Equal(t, row["assignedAt"], row["acceptedTime"])
		until(t, "the conversation", func() bool {
			c, err := eventstore.Read(t.Context(), w.on.Store(), conversations.Conversations,
				conversations.Stream(w.id, mainApp, got.ConversationID))
			require.NoError(t, err)
			return c.State.SessionID == session
		})
	})
	t.Run("a full one fails, and the caller is told", func(t *testing.T) {
		other := w.session(t, mainApp)
		got := w.assign(t, other, toAgent("a-maria"))
		require.Equal(t, []string{"failed", "AGENT_FULL", "a-maria"}, []string{got.Status, got.Reason, got.AgentID})
		require.Equal(t, map[string]any{"sessionId": other, "agentId": "a-maria", "status": "failed", "reason": "AGENT_FULL",
			"requestCompletedAt": float64(got.RequestCompletedAt)},
			w.told(t, other, 1)[0])
		require.Equal(t, 1, w.load(t, "a-maria"))
	})
	t.Run("one who is offline fails", func(t *testing.T) {
		got := w.assign(t, w.session(t, mainApp), toAgent("a-off"))
		require.Equal(t, []string{"failed", "AGENT_OFFLINE"}, []string{got.Status, got.Reason})
	})
	t.Run("a failed one leaves the agent who has the session", func(t *testing.T) {
		require.Equal(t, "failed", w.assign(t, session, toAgent("a-off")).Status)
		require.Equal(t, 1, w.load(t, "a-maria"))
	})
	t.Run("to who has it already, and can have no other, it stays as it is", func(t *testing.T) {
		w.staff(t, nil, "a-eva")
		own := w.session(t, mainApp)
		first := w.assign(t, own, toAgent("a-eva"))
		again := w.assign(t, own, toAgent("a-eva"))
		require.Equal(t, []string{"transferred", "a-eva", first.ConversationID}, []string{again.Status, again.AgentID, again.ConversationID})
		until(t, "the first to be replaced", func() bool { return w.rows(t, own)[1]["status"] != "assigned" })
		require.Equal(t, []any{"assigned", 1}, []any{w.rows(t, own)[0]["status"], w.load(t, "a-eva")})
	})
	t.Run("a later one replaces it, in the same conversation", func(t *testing.T) {
		first := w.rows(t, session)[1]
		got := w.assign(t, session, toAgent("a-tom"))
		require.Equal(t, "transferred", got.Status)
		require.Equal(t, first["conversationId"], got.ConversationID)
		until(t, "the agent before to be free", func() bool { return w.load(t, "a-maria") == 0 })
		require.Equal(t, 1, w.load(t, "a-tom"))
		rows := w.rows(t, session)
		require.Equal(t, []any{"assigned", "failed", "ended"}, []any{rows[0]["status"], rows[1]["status"], rows[2]["status"]})
		require.Equal(t, "REPLACED", rows[2]["reason"])
	})
	t.Run("the end of the session frees the agent", func(t *testing.T) {
		w.endSession(t, session)
		w.becomes(t, session, "ended", "a-tom")
		until(t, "the agent to be free", func() bool { return w.load(t, "a-tom") == 0 })
		require.Equal(t, "SESSION_ENDED", w.row(t, session)["reason"])
		require.Len(t, w.told(t, session, 3), 3, "nothing more is told")
	})
	t.Run("an ended session is not transferred", func(t *testing.T) {
		w.ask(t, w.c.b, w.to(session, toAgent("a-tom"))).refused(t, 409, fault.Conflict)
	})
}

func TestTransferToAQueue(t *testing.T) {
	t.Parallel()
	w := newTransferDesk(t, shared(t))
	w.staff(t, nil, "a-1", "a-2", "a-3")
	w.queue(t, "q-plain", nil, "a-1", "a-2")
	w.apply(t, "Queue", "q-preferred", "Preferred", fields{"agents": []fields{{"userId": "a-1"}, {"userId": "a-3", "isPreferredAgent": true}}})

	t.Run("who has been idle for longest gets it", func(t *testing.T) {
		session := w.session(t, mainApp)
		got := w.assign(t, session, toQueue("q-plain"))
		require.Equal(t, transferred{SessionID: session, QueueID: "q-plain", Status: "transferred", RequestCompletedAt: got.RequestCompletedAt,
			TransferID: got.TransferID, ConversationID: got.ConversationID}, got)
		require.Equal(t, "a-1", w.row(t, session)["agentId"])
		require.Equal(t, map[string]any{"sessionId": session, "queueId": "q-plain", "agentId": "a-1", "status": "transferred",
			"requestCompletedAt": float64(got.RequestCompletedAt)}, w.told(t, session, 1)[0])
		w.endSession(t, session)
		until(t, "the agent to be free", func() bool { return w.load(t, "a-1") == 0 })
		next := w.session(t, mainApp)
		w.assign(t, next, toQueue("q-plain"))
		require.Equal(t, "a-2", w.row(t, next)["agentId"], "a-1 has just had one")
		w.endSession(t, next)
		until(t, "the agent to be free", func() bool { return w.load(t, "a-2") == 0 })
	})
	t.Run("a preferred agent gets it before others", func(t *testing.T) {
		session := w.session(t, mainApp)
		w.assign(t, session, toQueue("q-preferred"))
		require.Equal(t, "a-3", w.row(t, session)["agentId"])
		w.endSession(t, session)
		until(t, "the agent to be free", func() bool { return w.load(t, "a-3") == 0 })
	})
	t.Run("who had the customer before comes first, with affinity", func(t *testing.T) {
		w.agents(t, map[string]any{"canSupportChat": true, "maxDigitalChatSupport": 1, "agentAffinity": true}, "a-2")
		w.apply(t, "Queue", "q-sticky", "Sticky", fields{"agents": []fields{{"userId": "a-1"}, {"userId": "a-2"},
			{"userId": "a-3", "isPreferredAgent": true}}})
		session := w.session(t, mainApp)
		require.Equal(t, "transferred", w.assign(t, session, toAgent("a-2")).Status)
		w.assign(t, session, toQueue("q-sticky"))
		require.Equal(t, "a-3", w.row(t, session)["agentId"], "not who has it now: it is being handed on")
		until(t, "the agent before to be free", func() bool { return w.load(t, "a-2") == 0 })
		w.assign(t, session, toQueue("q-sticky"))
		require.Equal(t, "a-2", w.row(t, session)["agentId"], "though a-1 has been idle for longer")
		w.endSession(t, session)
		until(t, "the agents to be free", func() bool { return w.load(t, "a-2")+w.load(t, "a-3") == 0 })
	})
	t.Run("only who has the skills gets it, when they are asked for", func(t *testing.T) {
		w.agents(t, map[string]any{"canSupportChat": true, "maxDigitalChatSupport": 1,
			"skills": []fields{{"skillId": "german", "proficiencyLevel": 50}}}, "a-2")
		session := w.session(t, mainApp)
		w.assign(t, session, toQueue("q-plain").and(fields{"skills": []string{"german"}}))
		require.Equal(t, "a-2", w.row(t, session)["agentId"])
		w.endSession(t, session)
		until(t, "the agent to be free", func() bool { return w.load(t, "a-2") == 0 })
	})
}

func TestWaitingInAQueue(t *testing.T) {
	t.Parallel()
	w := newTransferDesk(t, shared(t))
	w.staff(t, nil, "a-1")
	w.queue(t, "q-1", nil, "a-1")
	w.queue(t, "q-short", fields{"waitTimeoutSeconds": 1}, "a-1")
	w.queue(t, "q-voicemail", fields{"waitTimeoutSeconds": 1, "onTimeout": "voicemail"}, "a-1")
	busy, first, skilled, second := w.session(t, mainApp), w.session(t, mainApp), w.session(t, mainApp), w.session(t, mainApp)
	w.assign(t, busy, toQueue("q-1"))

	t.Run("nobody free: the queue takes it, and those behind keep their order", func(t *testing.T) {
		got := w.assign(t, skilled, toQueue("q-1").and(fields{"skills": []string{"nobody-has-it"}}))
		require.Equal(t, []string{"transferred", "q-1", ""}, []string{got.Status, got.QueueID, got.AgentID})
		w.assign(t, first, toQueue("q-1"))
		w.assign(t, second, toQueue("q-1"))
		require.Equal(t, "queued", w.row(t, first)["status"])
		require.Equal(t, "transferred", w.told(t, first, 1)[0]["status"])
		w.endSession(t, busy)
		w.becomes(t, first, "assigned", "a-1")
		require.Equal(t, "queued", w.row(t, second)["status"])
		told := w.told(t, first, 2)[1]
		require.Equal(t, []any{"transferred", "a-1", "q-1"}, []any{told["status"], told["agentId"], told["queueId"]})
		w.endSession(t, first)
		w.becomes(t, second, "assigned", "a-1")
		require.Equal(t, "queued", w.row(t, skilled)["status"], "the head waits for somebody else")
	})
	t.Run("the end of the session ends the wait", func(t *testing.T) {
		w.endSession(t, skilled)
		w.becomes(t, skilled, "failed", nil)
		told := w.told(t, skilled, 2)[1]
		require.Equal(t, []any{"failed", "SESSION_ENDED"}, []any{told["status"], told["reason"]})
	})
	t.Run("an agent who comes is given the head", func(t *testing.T) {
		w.presence(t, "a-1", "AWAY", "Lunch")
		w.endSession(t, second)
		waits := w.session(t, mainApp)
		w.assign(t, waits, toQueue("q-1"))
		require.Equal(t, "queued", w.row(t, waits)["status"])
		w.presence(t, "a-1", "AVAILABLE", "")
		w.becomes(t, waits, "assigned", "a-1")
	})
	t.Run("the wait is over: failed, or voicemail", func(t *testing.T) {
		plain, voicemail := w.session(t, mainApp), w.session(t, mainApp)
		w.assign(t, plain, toQueue("q-short"))
		got := w.assign(t, voicemail, toQueue("q-voicemail"))
		w.becomes(t, plain, "timedOut", nil)
		w.becomes(t, voicemail, "timedOut", nil)
		require.Equal(t, []any{false, "QUEUE_TIMEOUT"}, []any{w.row(t, plain)["voicemail"], w.row(t, plain)["reason"]})
		require.Equal(t, true, w.row(t, voicemail)["voicemail"])
		require.Equal(t, "QUEUE_TIMEOUT", w.told(t, plain, 2)[1]["reason"])
		require.Equal(t, []any{"failed", "QUEUE_TIMEOUT_VOICEMAIL"}, []any{w.told(t, voicemail, 2)[1]["status"],
			w.told(t, voicemail, 2)[1]["reason"]})
		require.True(t, w.transfer(t, got.TransferID).Voicemail)
	})
}

func TestTransferFaults(t *testing.T) {
	t.Parallel()
	w := newTransferDesk(t, shared(t))
	other := newTransferDesk(t, w.c)
	other.staff(t, nil, "a-theirs")
	w.staff(t, nil, "a-maria")
	w.queue(t, "q-1", nil, "a-maria")
	session := w.session(t, mainApp)
	whole := w.to(session, toAgent("a-maria"))
	for name, c := range map[string]struct {
		body   fields
		fields []string
	}{
		"no callbackUrl":             {whole.and(fields{"callbackUrl": nil}), []string{"callbackUrl"}},
		"no orgId":                   {whole.and(fields{"orgId": nil}), []string{"orgId"}},
		"no botSessionId":            {whole.and(fields{"botSessionId": nil}), []string{"botSessionId"}},
		"to nobody":                  {whole.and(fields{"aId": nil}), []string{"aId"}},
		"to two targets":             {whole.and(toQueue("q-1")), []string{"aId"}},
		"an agent as a queue":        {whole.and(fields{"transferredType": "QUEUE"}), []string{"aId"}},
		"a queue without its type":   {w.to(session, fields{"queueId": "q-1"}), []string{"transferredType"}},
		"a type without its queue":   {w.to(session, fields{"transferredType": "QUEUE"}), []string{"queueId"}},
		"another type":               {w.to(session, fields{"queueId": "q-1", "transferredType": "AGENT"}), []string{"transferredType"}},
		"skills of an agent":         {whole.and(fields{"skills": []string{"german"}}), []string{"skills"}},
		"a skill that is no id":      {w.to(session, toQueue("q-1")).and(fields{"skills": []string{"good at it"}}), []string{"skills"}},
		"a callbackUrl that is none": {whole.and(fields{"callbackUrl": "crm/transfers"}), []string{"callbackUrl"}},
		"a private callbackUrl":      {whole.and(fields{"callbackUrl": "http://169.254.169.254/latest"}), []string{"callbackUrl"}},
		"an id that is none":         {whole.and(fields{"aId": "a maria"}), []string{"aId"}},
	} {
		t.Run(name, func(t *testing.T) { w.ask(t, w.c.a, c.body).refused(t, 400, fault.Validation, c.fields...) })
	}
	for name, body := range map[string]fields{
		"an unknown agent":             w.to(session, toAgent("a-nobody")),
		"another tenant's agent":       w.to(session, toAgent("a-theirs")),
		"an unknown queue":             w.to(session, toQueue("q-nothing")),
		"an unknown organisation":      whole.and(fields{"orgId": other.id + "-org"}),
		"an unknown session":           w.to(uuid.NewString(), toAgent("a-maria")),
		"another tenant's session":     w.to(other.session(t, mainApp), toAgent("a-maria")),
		"a session of another project": w.to(w.session(t, otherApp), toAgent("a-maria")),
	} {
		t.Run(name, func(t *testing.T) { w.ask(t, w.c.b, body).refused(t, 404, fault.NotFound) })
	}
	t.Run("who may transfer", func(t *testing.T) {
		w.c.a.do(t, "POST", assignPath, whole).refused(t, 401, fault.Unauthorized)
		w.c.a.do(t, "POST", assignPath, whole, "x-api-key", w.key(t, mainScope)).refused(t, 401, fault.Unauthorized)
		w.c.a.do(t, "POST", assignPath, whole, "auth", w.token(t, func(g *tokens.Grant) { g.Scopes = g.Scopes[:1] })).refused(t, 403,
			fault.Forbidden)
		w.ask(t, w.c.a, whole, "accountId", other.id).refused(t, 404, fault.NotFound)
		w.c.a.do(t, "POST", "/agentassist/api/v1/public/nothing/assign-conversation", whole, "auth", w.auth).refused(t, 404, fault.NotFound)
	})
	require.Empty(t, w.rows(t, session), "nothing was begun")
	require.Empty(t, w.hook.all())
}

func TestTransferInQueryAndBody(t *testing.T) {
	t.Parallel()
	w := newTransferDesk(t, shared(t))
	w.staff(t, fields{"maxDigitalChatSupport": 5}, "a-maria")
	session := w.session(t, mainApp)
	query := url.Values{"callbackUrl": {w.hook.url}, "orgId": {w.id + "-org"}, "botSessionId": {session}, "aId": {"a-maria"}}
	post := func(body any, headers ...string) *answer {
		return w.c.a.do(t, "POST", assignPath+"?"+query.Encode(), body, append([]string{"auth", w.auth, "accountid", w.id}, headers...)...)
	}
	t.Run("all in the query", func(t *testing.T) { post(nil).must(t, 200) })
	t.Run("the same in both", func(t *testing.T) { post(w.to(session, toAgent("a-maria"))).must(t, 200) })
	t.Run("two values", func(t *testing.T) {
		post(w.to(session, toAgent("a-tom"))).refused(t, 400, fault.Validation, "aId")
		post(w.to(uuid.NewString(), toAgent("a-maria"))).refused(t, 400, fault.Validation, "botSessionId")
	})
	t.Run("the same key is the same transfer, whatever has happened since", func(t *testing.T) {
		var first, again transferred
		post(nil, "Idempotency-Key", "k-1").must(t, 200).into(t, &first)
		n := len(w.rows(t, session))
		w.endSession(t, session)
		w.becomes(t, session, "ended", "a-maria")
		got := post(nil, "Idempotency-Key", "k-1").must(t, 200)
		got.into(t, &again)
		require.Equal(t, first, again)
		require.Equal(t, "true", got.Header.Get("Idempotency-Replayed"))
		require.Len(t, w.rows(t, session), n)
		post(fields{"skills": []string{}}, "Idempotency-Key", "k-1").refused(t, 409, fault.Conflict)
	})
}

// Two nodes give away the same few agents at once: nobody has more than they can, and
// everybody gets somebody in the end.
func TestTransfersOnTwoNodes(t *testing.T) {
	t.Parallel()
	w := newTransferDesk(t, shared(t))
	w.staff(t, fields{"maxDigitalChatSupport": 2}, "a-1", "a-2")
	w.queue(t, "q-1", nil, "a-1", "a-2")
	var open []string
	for range 12 {
		open = append(open, w.session(t, mainApp))
	}
	together(len(open), func(i int) {
		on := []*server{w.c.a, w.c.b}[i%2]
		ask := func() (*answer, error) {
			return on.try("POST", assignPath, w.to(open[i], toQueue("q-1")), "auth", w.auth, "Idempotency-Key", open[i])
		}
		got, err := ask()
		for err == nil && got.Status == 503 { // not decided yet on a machine that has much to do: repeated, as the answer says
			got, err = ask()
		}
		if err != nil || got.Status != 200 {
			t.Errorf("transfer %d: %v %v", i, err, got)
		}
	})
	for len(open) > 0 {
		var left []string
		assigned := 0
		until(t, "four to be with agents, or all", func() bool {
			assigned = 0
			for _, s := range open {
				if w.row(t, s)["status"] == "assigned" {
					assigned++
				}
			}
			require.LessOrEqual(t, w.load(t, "a-1"), 2)
			require.LessOrEqual(t, w.load(t, "a-2"), 2)
			return assigned == min(4, len(open))
		})
		for _, s := range open {
			if w.row(t, s)["status"] == "assigned" {
				w.endSession(t, s)
			} else {
				left = append(left, s)
			}
		}
		open = left
	}
	until(t, "all to be free", func() bool { return w.load(t, "a-1")+w.load(t, "a-2") == 0 })
}

// A request that dies after it was taken down is finished by the reactors.
func TestATransferOutlivesItsRequest(t *testing.T) {
	t.Parallel()
	w := newTransferDesk(t, shared(t))
	w.staff(t, nil, "a-1")
	session := w.session(t, mainApp)
	id := uuid.NewString()
	request := transfers.Request{TransferID: id, TenantID: w.id, ProjectID: mainApp, OrgID: w.id + "-org", SessionID: session,
		ConversationID: "c-" + id, Kind: transfers.KindOf("api"),
		CallbackURL: w.hook.url, HumanAgentID: "a-1", Turn: 1, At: time.Now()}
	_, err := eventstore.Execute(t.Context(), w.on.Store(), transfers.Transfers, transfers.Stream(id), eventstore.Command{Tenant: w.id,
		Actor: "user:test", New: true}, request.Decide)
	require.NoError(t, err)
	w.becomes(t, session, "assigned", "a-1")
	require.Equal(t, "transferred", w.told(t, session, 1)[0]["status"])
	require.Equal(t, 1, w.load(t, "a-1"))
}

func TestListTransfers(t *testing.T) {
	t.Parallel()
	w := newTransferDesk(t, shared(t))
	path := "/api/v1/projects/" + mainApp + "/transfers"
	w.c.a.do(t, "GET", path, nil, "auth", w.auth).must(t, 200)
	require.JSONEq(t, `{"success":true,"transfers":[],"pagination":{"total":0,"limit":50,"offset":0}}`, w.c.a.do(t, "GET", path, nil,
		"x-api-key", w.key(t, mainScope)).must(t, 200).Text)
	w.c.a.do(t, "GET", path, nil).refused(t, 401, fault.Unauthorized)
	w.c.a.do(t, "GET", path, nil, "auth", w.token(t, func(g *tokens.Grant) { g.Permissions = nil })).refused(t, 403, fault.Forbidden)
	w.c.a.do(t, "GET", path+"?limit=201", nil, "auth", w.auth).refused(t, 400, fault.Validation, "limit")
	w.c.a.do(t, "GET", "/api/v1/projects/nothing/transfers", nil, "auth", w.auth).refused(t, 404, fault.NotFound)
}

// With parley apply --prune: its line would be served by nobody, for up to a day.
func TestAQueueThatIsRemovedKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	w := newTransferDesk(t, shared(t))
	w.staff(t, nil, "a-1")
	w.queue(t, "q-gone", fields{"waitTimeoutSeconds": 3600, "onTimeout": "voicemail"}, "a-1")
	busy, waits, skilled := w.session(t, mainApp), w.session(t, mainApp), w.session(t, mainApp)
	w.assign(t, busy, toQueue("q-gone"))
	w.assign(t, waits, toQueue("q-gone"))
	w.assign(t, skilled, toQueue("q-gone").and(fields{"skills": []string{"nobody-has-it"}}))
	require.Equal(t, "queued", w.row(t, waits)["status"])

	remove := queues.RemoveQueue{TenantID: w.id, OrgID: w.id + "-org", ID: "q-gone"}
	require.NoError(t, eventstore.Do(t.Context(), w.on.Store(), queues.Queues, queues.Stream(w.id, w.id+"-org"),
		eventstore.Command{Tenant: w.id, Actor: "user:test"}, remove.Decide))
	for _, session := range []string{waits, skilled} {
		w.becomes(t, session, "failed", nil)
		told := w.told(t, session, 2)[1]
		require.Equal(t, []any{"failed", "QUEUE_REMOVED"}, []any{told["status"], told["reason"]})
	}
	require.Equal(t, "assigned", w.row(t, busy)["status"], "who has somebody keeps them")
	w.ask(t, w.c.a, w.to(waits, toQueue("q-gone"))).refused(t, 404, fault.NotFound)
}
