package node_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/eventstore"
)

// A node died: it began calls, renewed their leases and was heard of no more. The
// node that comes up afterwards ends each by what is known of it, and tells of it.
func TestCallsOfANodeThatDied(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t, nobodyDials)
	r, now := map[string]*receiver{}, time.Now().UTC().Truncate(time.Millisecond)
	call := func(name string, detection calls.DetectionMode, requested time.Duration) *pastCall {
		r[name] = newReceiver(t, nil)
		return w.requested(t, &pastCall{on: w.one, bot: mainApp, notifyURL: r[name].url, detection: detection, requested: now.Add(-requested)})
	}
	waiting := call("waiting", "", 2*time.Minute) // nobody ever dialled it, and it is too late now
	dialing := w.dialled(t, call("dialing", "", 20*time.Second), now.Add(-time.Second))
	w.happened(t, dialing, calls.Ring{At: now.Add(-19 * time.Second)}.Decide)
	talking := w.dialled(t, call("talking", "", 20*time.Second), now.Add(-10*time.Second))
	w.answered(t, talking, now.Add(-18*time.Second))
	w.happened(t, talking, calls.RenewLease{At: now.Add(-14_500 * time.Millisecond), LeaseUntil: now.Add(-time.Second)}.Decide)
	listening := w.dialled(t, call("listening", calls.DetectionDetect, 20*time.Second), now.Add(-time.Second))
	w.answered(t, listening, now.Add(-18*time.Second))
	alive := w.dialled(t, call("alive", "", 20*time.Second), now.Add(time.Hour))

	w.cluster.start(t)

	w.delivered(t, waiting.id, 1)
	m := r["waiting"].all()[0].members(t)
	require.Equal(t, []any{"Failed", "Service Unavailable", "503 Service Unavailable"}, []any{m["status"], m["reasonCode"], m["reason"]})
	require.NotContains(t, m, "connectDurationInMS", "it was never dialled")

	w.delivered(t, dialing.id, 1)
	m = r["dialing"].all()[0].members(t)
	require.Equal(t, []any{"Failed", "Service Unavailable", "503 Service Unavailable"}, []any{m["status"], m["reasonCode"], m["reason"]})
	checkMembers(t, r["dialing"].all()[0], false)

	w.delivered(t, talking.id, 2)
	require.Equal(t, []string{"Answered", "completed"}, r["talking"].kinds(t))
	m = r["talking"].all()[1].members(t)
	require.Equal(t, []any{"Gateway-disconnected", "200 OK", 3.0, talking.session}, []any{m["reasonCode"], m["reason"], m["callDuration"],
		m["sessionId"]})
	require.Equal(t, now.Add(-14_500*time.Millisecond), w.call(t, talking.id).EndedAt, "the last sign of life")
	w.endedSession(t, talking.session)
	row := w.interaction(t, mainApp, talking.id)
	require.Equal(t, []any{"completed", 3500.0}, []any{row["status"], row["durationMs"]})

	w.delivered(t, listening.id, 3)
	require.Equal(t, []string{"Answered", "stopped", "completed"}, r["listening"].kinds(t))
	require.Equal(t, "amd_stopped", r["listening"].all()[2].members(t)["machineDetection"])

	require.Equal(t, calls.PhaseDialing, w.call(t, alive.id).Phase, "its lease holds")
	require.Empty(t, r["alive"].all())
}

// A node is gone that had calls of a page, of a provider's stream, of a pipeline and in a room, with which nobody can go on. When its
// leases have run out each has one end, at its last sign of life, whichever nodes look; so has one that was answered
// whose line no node has, and one of a page or a pipeline whose node died between the answer and the line.
func TestBroughtCallsOfANodeThatDied(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t, nobodyDials)
	now := time.Now().UTC().Truncate(time.Millisecond)
	seen := now.Add(-20 * time.Second)
	all := map[string]*pastCall{}
	brought := func(name, provider string, answerBy time.Time) *pastCall {
		c := &pastCall{on: w.one, id: uuid.NewString(), session: uuid.NewString()}
		all[name] = c
		w.happened(t, c, calls.Arrive{CallID: c.id, TenantID: w.one.id, ProjectID: mainApp, ConnectionID: "cn-1", Provider: provider,
			ProviderID: "at-" + name, Person: "+15550000001", OurNumber: callCaller, Direction: calls.Inbound, AgentName: "greeter",
			AnswerBy: answerBy, At: seen.Add(-time.Second)}.Decide)
		return w.answered(t, c, seen.Add(-time.Second))
	}
	for name, provider := range map[string]string{"page": calls.ProviderPage, "stream": calls.ProviderTwilio, "room": calls.ProviderLiveKit,
		"pipeline": calls.ProviderPipeline} {
		w.happened(t, brought(name, provider, now.Add(time.Hour)), calls.TakeLine{Try: name, StreamID: "s", Node: "a node of the past", At: seen,
			LeaseUntil: now.Add(-time.Second)}.Decide)
	}
	brought("nobody's", calls.ProviderTwilio, now.Add(-time.Second))
	brought("a page before its line", calls.ProviderPage, now.Add(-time.Second))
	brought("a pipeline before its line", calls.ProviderPipeline, now.Add(-time.Second))

	w.cluster.start(t)
	w.cluster.start(t)

	for name, c := range all {
		s := w.ended(t, c.id)
		w.endedSession(t, c.session)
		ends, cause, at := 0, "node lost", seen
		told, err := eventstore.History(t.Context(), w.Store(), calls.Calls, calls.Calls.Stream(c.id))
		require.NoError(t, err)
		for _, e := range told.Events {
			if end, is := e.Payload.(calls.Completed); is {
				switch name {
				case "nobody's":
					cause, at = "nothing more was heard of it", end.At
				case "a page before its line", "a pipeline before its line":
					cause, at = "its line was not taken", seen.Add(-time.Second) // its answer
				}
				require.Equal(t, []any{calls.ByGateway, cause, at}, []any{end.By, end.Cause, end.At}, name)
				ends++
			}
		}
		require.Equal(t, 1, ends, name)
		require.Equal(t, calls.ReasonGatewayDisconnected, s.ReasonCode, name)
		until(t, "nobody to see it go on", func() bool { return w.interaction(t, mainApp, c.id)["status"] == "completed" })
	}
}

// A node that is stopped ends its calls itself; what it cannot send any more, the
// other node sends.
func TestCallsOfANodeThatIsStopped(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t, nobodyDials)
	carrying := w.cluster.start(t, speed(1), func(c *node.Config) { c.CallLease = time.Hour })
	r := newReceiver(t, nil)
	talking := w.dialOut(t, aCall().and(fields{"target": calls.Talker, "notifyurl": r.url})) // who does not hang up
	ringing := w.dialOut(t, aCall().and(fields{"target": "tel:+15550000008", "notifyurl": r.url}))
	until(t, "the answer", func() bool { return w.call(t, talking.CallID).Answered() })
	until(t, "the other to ring", func() bool { return w.call(t, ringing.CallID).Phase == calls.PhaseRinging })

	carrying.stop()

	require.Equal(t, calls.ReasonGatewayDisconnected, w.call(t, talking.CallID).ReasonCode)
	require.Equal(t, calls.ReasonServiceUnavailable, w.call(t, ringing.CallID).ReasonCode)
	w.cluster.start(t)
	w.delivered(t, talking.CallID, 2)
	w.delivered(t, ringing.CallID, 1)
	require.ElementsMatch(t, []string{"Answered", "completed", "Failed"}, r.kinds(t))
	w.endedSession(t, w.call(t, talking.CallID).SessionID)
}
