package calls_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
)

// last is the notice of the last event of a history.
func last(given ...event.Payload) *calls.Notice {
	return calls.NoticeOf(calls.Calls.State(given...), given[len(given)-1])
}

func TestNoticesPerStatus(t *testing.T) {
	machine := heard(calls.AmdMachineDetected, 7_400)
	stopped := heard(calls.AmdStopped, 7_500)
	completed := calls.Completed{At: after(113_650), By: calls.ByBot, ReasonCode: calls.ReasonBotDisconnected, Reason: "200 OK",
		DurationMs: 109_550, SessionID: "s-1", Verdict: calls.AmdMachineDetected, MachineDetected: true}
	busy := calls.Failed{At: after(2_000), SIPCode: 486, ReasonCode: calls.ReasonBusy, Reason: "486 Busy Here", RingDurationMs: 900,
		ConnectDurationMs: 1_900}
	const id = `"conversationId":"018f0000-0000-7000-8000-000000000001"`
	const pickedUp = `"callConnectTime":"2026-03-01T12:00:04.100Z","ringDurationInMS":3000,"connectDurationInMS":4000`
	on := connected(t, detecting(calls.DetectionDisconnect))

	for name, tc := range map[string]struct {
		given history
		want  string
	}{
		"Answered carries no result": {on,
			`{` + id + `,"status":"Answered","reason":"200 OK","reasonCode":"OK",` + pickedUp + `}`},
		"Call-In-Progress carries the result": {append(on, machine),
			`{` + id + `,"status":"Call-In-Progress","reason":"200 OK","reasonCode":"OK",` + pickedUp +
				`,"machineDetection":"amd_machine_detected","machinedetection":"amd_machine_detected"}`},
		"completed carries the verdict, not the last result": {append(on, machine, stopped, completed),
			`{` + id + `,"status":"completed","reason":"200 OK","reasonCode":"Bot-disconnected",` + pickedUp +
				`,"callDisconnectTime":"2026-03-01T12:01:53.650Z",
			"callDuration":109,"duration":109,"machineDetection":"amd_machine_detected","machinedetection":"amd_machine_detected",
			"sessionId":"s-1"}`},
		"completed without detection has no such member": {
			append(connected(t), calls.Completed{At: after(4_900), ReasonCode: calls.ReasonCallerDisconnected, Reason: "200 OK", DurationMs: 800,
				SessionID: "s-1"}),
			`{` + id + `,"status":"completed","reason":"200 OK","reasonCode":"Caller-disconnected",` + pickedUp +
				`,"callDisconnectTime":"2026-03-01T12:00:04.900Z","callDuration":0,"duration":0,"sessionId":"s-1"}`},
		"Failed": {history{requested(t), started, rang, busy},
			`{` + id + `,"status":"Failed","reason":"486 Busy Here","reasonCode":"Busy Here","callConnectTime":"2026-03-01T12:00:02.000Z",
				"callDisconnectTime":"2026-03-01T12:00:02.000Z","ringDurationInMS":900,"connectDurationInMS":1900}`},
		"Failed without a dialler": {history{requested(t), calls.Failed{At: after(60_000), SIPCode: 503,
			ReasonCode: calls.ReasonServiceUnavailable, Reason: "503 Service Unavailable"}},
			`{` + id + `,"status":"Failed","reason":"503 Service Unavailable","reasonCode":"Service Unavailable",
				"callConnectTime":"2026-03-01T12:01:00.000Z","callDisconnectTime":"2026-03-01T12:01:00.000Z"}`},
	} {
		t.Run(name, func(t *testing.T) { require.JSONEq(t, tc.want, asJSON(t, last(tc.given...))) })
	}
}

func TestWhatSendsNothing(t *testing.T) {
	silent := func(c *calls.DialOut) { c.NotifyURL = "" }
	for name, given := range map[string]history{
		"requested":         {requested(t)},
		"attempt started":   {requested(t), started},
		"ringing":           {requested(t), started, rang},
		"said":              append(connected(t), calls.Said{Text: "Hi"}),
		"lease renewed":     append(connected(t), calls.LeaseRenewed{}),
		"without notifyurl": connected(t, silent),
		"failed without it": {requested(t, silent), calls.Failed{}},
	} {
		require.Nil(t, last(given...), name)
	}
}

func TestTheSubscriptionFiltersResultsOnly(t *testing.T) {
	for name, tc := range map[string]struct {
		subscription []string
		want         []calls.Result
	}{
		"absent is all":       {nil, []calls.Result{calls.AmdToneDetected, calls.AmdHumanDetected, calls.AmdStopped}},
		"empty is none":       {[]string{}, nil},
		"a list is just that": {[]string{"amd_human_detected", "amd_machine_detected"}, []calls.Result{calls.AmdHumanDetected}},
	} {
		given := connected(t, detecting(calls.DetectionDetect), func(c *calls.DialOut) { c.AmdEventsSubscription = tc.subscription })
		require.NotNil(t, last(given...), name)
		var sent []calls.Result
		for i, r := range []calls.Result{calls.AmdToneDetected, calls.AmdHumanDetected, calls.AmdStopped} {
			given = append(given, heard(r, 5_000+i))
			if n := last(given...); n != nil {
				sent = append(sent, n.MachineDetection)
			}
		}
		require.Equal(t, tc.want, sent, name)
		require.NotNil(t, last(append(given, calls.Completed{At: after(6_000)})...), name)
	}
}

func TestTheAgentsContext(t *testing.T) {
	metadata := func(c *calls.DialOut) { c.Metadata = json.RawMessage(`{"order":17}`) }
	tone := calls.AmdDetected{Detection: calls.Detection{Result: calls.AmdToneDetected, Frequency: 1000, Variance: 2}, Provider: "local",
		At: after(4_600)}
	machine := calls.AmdDetected{Detection: calls.Detection{Result: calls.AmdMachineDetected, Reason: "long greeting",
		Greeting: "Thanks for calling", Language: "en-US"}, Provider: "local", At: after(7_400)}
	given := append(connected(t, detecting(calls.DetectionDetect), metadata), tone, machine)

	require.JSONEq(t, `{"metadata":{"order":17}}`, asJSON(t, calls.Calls.State(given[:4]...).UserSession()))
	require.JSONEq(t, `{"metadata":{"order":17},"amd":["amd_tone_detected","amd_machine_detected"],"amdInfo":{
		"amdEvents":[{"type":"amd_tone_detected","frequency":1000,"variance":2,"at":"2026-03-01T12:00:04.600Z"},
			{"type":"amd_machine_detected","reason":"long greeting","greeting":"Thanks for calling","language":"en-US",
			"at":"2026-03-01T12:00:07.400Z"}],
		"amdGreeting":"Thanks for calling","amdReason":"long greeting","amdRingDurationInMs":6300,"amdConnectDurationInMs":7300}}`,
		asJSON(t, calls.Calls.State(given...).UserSession()))

	hinted := calls.AmdDetected{Detection: calls.Detection{Result: calls.AmdMachineDetected, Reason: "hint", Hint: "voicemail"},
		At: after(5_000)}
	require.Equal(t, "voicemail", calls.Calls.State(append(connected(t, detecting(calls.DetectionDetect)),
		hinted)...).UserSession().AMDInfo.Greeting)
}
