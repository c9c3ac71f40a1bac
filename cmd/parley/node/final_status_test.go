//go:build !apache

package node_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
)

// talkedTo is a call that somebody or something has answered; see talked.
func (w presenceWorld) talkedTo(t *testing.T, mode calls.DetectionMode) (*callWorld, *pastCall) {
	t.Helper()
	past := &callWorld{server: w.c.a, cluster: w.c, one: w.tenant, auth: w.auth}
	c := &pastCall{on: w.tenant, bot: mainApp, requested: time.Now(), id: uuid.NewString(), session: uuid.NewString()}
	past.happened(t, c, func(s calls.State) ([]event.Payload, error) {
		dial, err := calls.DialOut{CallID: c.id, SID: uuid.NewString(), TenantID: w.id, AccountID: w.id, ProjectID: mainApp,
			BotID: mainApp, Target: human, OurNumber: callCaller, MachineDetection: string(mode), At: c.requested}.Decide(s)
		require.NoError(t, err)
		calls.Calls.Fold(&s, dial[0])
		lease := c.requested.AddDate(1, 0, 0)
		start, err := calls.StartAttempt{AttemptID: "a-1", Node: "a node of the past", At: c.requested, LeaseUntil: lease}.Decide(s)
		return append(dial, start...), err
	})
	past.answered(t, c, time.Now())
	return past, c
}

// asked is the answer to a request for a person for the call.
func (w presenceWorld) asked(t *testing.T, call *pastCall, target fields) (got transferred) {
	t.Helper()
	until(t, "the session", func() bool {
		return w.ask(t, w.c.a, w.to(call.session, target), "Idempotency-Key", call.id).Status == 200
	})
	w.ask(t, w.c.a, w.to(call.session, target), "Idempotency-Key", call.id).must(t, 200).into(t, &got)
	return got
}

// finalStatus of call details (docs/api-rules.md "Call details"): BotResolved only where
// no person was asked for, Abandoned for who waited for one and left, MachineDetected
// for a machine; who ended it is the disconnecting event. Dashboards say the same as
// call details.
func TestWhatBecameOfCalls(t *testing.T) {
	t.Parallel()
	w := newPresenceWorld(t)
	w.staff(t, fields{"canSupportVoice": true}, "a-1")
	w.agents(t, fields{"canSupportVoice": true}, "a-2") // offline
	w.queue(t, "q-1", nil, "a-1")
	w.queue(t, "q-2", nil, "a-2")
	want := map[string][]any{}
	end := func(past *callWorld, call *pastCall, by calls.Party, event, status string) {
		past.completed(t, call, by, time.Now().Add(time.Second))
		want[call.session] = []any{event, status}
	}

	past, call := w.talkedTo(t, "")
	end(past, call, calls.ByCallee, "User Hangup", "BotResolved")
	past, call = w.talkedTo(t, "")
	end(past, call, calls.ByGateway, "Gateway Hangup", "CLOSED")
	past, call = w.talkedTo(t, calls.DetectionDisconnect)
	past.happened(t, call, calls.Detect{Detection: calls.Detection{Result: calls.AmdMachineDetected}, At: time.Now()}.Decide)
	end(past, call, calls.ByBot, "Bot Hangup", "MachineDetected")
	past, call = w.talkedTo(t, "")
	require.Equal(t, "transferred", w.asked(t, call, toQueue("q-2")).Status)
	end(past, call, calls.ByCallee, "User Hangup", "Abandoned")
	past, call = w.talkedTo(t, "")
	require.Equal(t, "failed", w.asked(t, call, toAgent("a-2")).Status)
	end(past, call, calls.ByCallee, "User Hangup", "CLOSED")
	past, call = w.talkedTo(t, "")
	w.asked(t, call, toQueue("q-1"))
	w.becomes(t, call.session, "assigned", "a-1")
	end(past, call, calls.ByCallee, "User Hangup", "CLOSED")

	got := map[string][]any{}
	counts := map[any]float64{}
	for _, r := range w.report(t, nil).Data {
		got[r["sessionId"].(string)] = []any{r["disconnectingEvent"], r["finalStatus"]}
		counts[r["finalStatus"]]++
	}
	require.Equal(t, want, got)

	w.apply(t, "Dashboard", "d-ops", "Operations", fields{"projectId": mainApp, "widgets": []any{
		fields{"id": "w-1", "name": "Ends", "type": "bar", "dataSet": "interactions",
			"dimensions": []any{fields{"fieldName": "finalStatus"}}, "metrics": []any{fields{"function": "count"}}}}})
	shown := map[any]float64{}
	var widget widgetAnswer
	w.c.b.do(t, "GET", widgetPath("Ends", today()), nil, "auth", w.auth).must(t, 200).into(t, &widget)
	for _, row := range widget.QueryResponse.QueryResponse {
		shown[row["finalStatus"]] = row["count"].(float64)
	}
	require.Equal(t, counts, shown, "a dashboard of the same calls")
}

// A chat has no direction that we know of, and its caller may leave a line too.
func TestWhatBecameOfChats(t *testing.T) {
	t.Parallel()
	w := newPresenceWorld(t, "a-1")
	w.agents(t, fields{"canSupportChat": true}, "a-2") // offline
	w.queue(t, "q-2", nil, "a-2")
	alone, waiting := w.session(t, mainApp), w.session(t, mainApp)
	w.assign(t, waiting, toQueue("q-2"))
	for _, session := range []string{alone, waiting} {
		w.endSession(t, session)
	}
	got := map[string]string{}
	for _, r := range w.report(t, fields{"selectedFields": []string{"customerinfo"}}).Data {
		require.NotContains(t, r["customerinfo"], "Direction")
		got[r["sessionId"].(string)] = fmt.Sprint(r["disconnectingEvent"], ", ", r["finalStatus"])
	}
	require.Equal(t, map[string]string{alone: "User Hangup, BotResolved", waiting: "User Hangup, Abandoned"}, got)
	for _, spelling := range []string{"api", "API"} {
		require.Equal(t, 2, w.report(t, fields{"channels": []string{spelling}}).NumResults, spelling)
	}
}
