package calls_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

type history = []event.Payload

func TestTheLifeOfACall(t *testing.T) {
	start := calls.StartAttempt{AttemptID: "try-1", Node: "n1", At: after(100), LeaseUntil: after(30_100)}
	failed := calls.Failed{At: after(2_000), SIPCode: 486, ReasonCode: calls.ReasonBusy, Reason: "486 Busy Here", RingDurationMs: 900,
		ConnectDurationMs: 1_900}
	completed := calls.Completed{At: after(9_999), By: calls.ByCallee, ReasonCode: calls.ReasonCallerDisconnected, Reason: "200 OK",
		DurationMs: 5_899, SessionID: "s-1"}
	callerGone := calls.Complete{By: calls.ByCallee, At: after(9_999)}
	ended := append(connected(t), completed)

	for name, sc := range map[string]scenario{
		"an attempt starts":         {history{requested(t)}, start, history{started}},
		"a second start is nothing": {history{requested(t), started}, start, nil},
		"a start after the dial deadline is nothing": {history{requested(t)}, calls.StartAttempt{AttemptID: "late", At: noon.Add(time.Minute)},
			nil},
		"a start of no call is nothing":       {nil, start, nil},
		"a start of an ended call is nothing": {history{requested(t), failed}, start, nil},
		"it rings":                            {history{requested(t), started}, calls.Ring{At: after(1_100)}, history{rang}},
		"ringing again is nothing":            {history{requested(t), started, rang}, calls.Ring{At: after(1_500)}, nil},
		"ringing after answer is nothing":     {connected(t), calls.Ring{At: after(5_000)}, nil},
		"it is answered": {history{requested(t), started, rang}, calls.Answer{SessionID: "s-1", At: after(4_100)},
			history{answered}},
		"answered without ringing": {history{requested(t), started}, calls.Answer{SessionID: "s-1", At: after(600)},
			history{calls.Answered{SessionID: "s-1", At: after(600), ConnectDurationMs: 500}}},
		"answered before its ringing was seen": {history{requested(t), started, rang}, calls.Answer{SessionID: "s-1", At: after(1_000)},
			history{calls.Answered{SessionID: "s-1", At: after(1_000), ConnectDurationMs: 900}}},
		"answered again is nothing":              {connected(t), calls.Answer{SessionID: "s-2", At: after(4_200)}, nil},
		"answered before the attempt is nothing": {history{requested(t)}, calls.Answer{SessionID: "s-1", At: after(1)}, nil},
		"answered after the failure is nothing": {history{requested(t), started, failed}, calls.Answer{SessionID: "s-1", At: after(3_000)},
			nil},
		"the agent speaks": {connected(t), calls.Say{Text: "Hi", Language: "en", At: after(4_100)},
			history{calls.Said{Text: "Hi", Language: "en", At: after(4_100)}}},
		"nobody listens before answer": {history{requested(t), started}, calls.Say{Text: "Hi", At: after(200)}, nil},
		"nothing said is nothing":      {connected(t), calls.Say{At: after(4_100)}, nil},
		"the callee is busy": {history{requested(t), started, rang}, calls.Fail{SIPCode: 486, Phrase: "Busy Here",
			At: after(2_000)}, history{failed}},
		"failed again is nothing":           {history{requested(t), started, failed}, calls.Fail{SIPCode: 503, At: after(2_100)}, nil},
		"a failure after answer is nothing": {connected(t), calls.Fail{SIPCode: 487, At: after(5_000)}, nil},
		"a call that no carrier takes": {history{requested(t)}, calls.Fail{At: after(50)},
			history{calls.Failed{At: after(50), SIPCode: 503, ReasonCode: calls.ReasonServiceUnavailable, Reason: "503 Service Unavailable"}}},
		"the callee hangs up":              {connected(t), callerGone, history{completed}},
		"hung up again is nothing":         {ended, callerGone, nil},
		"hung up before answer is nothing": {history{requested(t), started}, callerGone, nil},
		"the lease is renewed": {connected(t), calls.RenewLease{At: after(10_100), LeaseUntil: after(40_100)},
			history{calls.LeaseRenewed{At: after(10_100), LeaseUntil: after(40_100)}}},
		"a late renewal moves nothing back": {connected(t), calls.RenewLease{At: after(50), LeaseUntil: after(30_100)}, nil},
		"an ended call has no lease":        {ended, calls.RenewLease{At: after(10_100), LeaseUntil: after(40_100)}, nil},
		"a call that nobody dialled waits":  {history{requested(t)}, calls.ExpireLease{At: after(59_999)}, nil},
		"a call that nobody dialled fails": {history{requested(t)}, calls.ExpireLease{At: after(60_000)},
			history{calls.Failed{At: after(60_000), SIPCode: 503, ReasonCode: calls.ReasonServiceUnavailable, Reason: "503 Service Unavailable"}}},
		"a lease that holds": {history{requested(t), started}, calls.ExpireLease{At: after(30_099)}, nil},
		"a node lost before answer": {history{requested(t), started}, calls.ExpireLease{At: after(30_100)},
			history{calls.Failed{At: after(30_100), SIPCode: 503, ReasonCode: calls.ReasonServiceUnavailable, Reason: "503 Service Unavailable",
				ConnectDurationMs: 30_000}}},
		"a node lost after answer, at its last sign": {append(connected(t), calls.LeaseRenewed{At: after(10_100), LeaseUntil: after(40_100)}),
			calls.ExpireLease{At: after(41_000)}, history{calls.Completed{At: after(10_100), By: calls.ByGateway, Cause: "node lost",
				ReasonCode: calls.ReasonGatewayDisconnected, Reason: "200 OK", DurationMs: 6_000, SessionID: "s-1"}}},
		"an ended call does not expire": {ended, calls.ExpireLease{At: after(999_999)}, nil},
		"no call does not expire":       {nil, calls.ExpireLease{At: after(999_999)}, nil},
		"no detection was asked for": {connected(t), calls.Detect{Detection: calls.Detection{Result: calls.AmdHumanDetected},
			At: after(5_000)}, nil},
		"a result before answer is nothing": {history{requested(t, detecting("detect")), started},
			calls.Detect{Detection: calls.Detection{Result: calls.AmdHumanDetected}, At: after(500)}, nil},
		"a result": {connected(t, detecting("detect")),
			calls.Detect{Detection: calls.Detection{Result: calls.AmdHumanDetected}, At: after(5_000)},
			history{heard(calls.AmdHumanDetected, 5_000)}},
		"a second verdict is nothing": {append(connected(t, detecting("detect")), heard(calls.AmdMachineDetected, 5_000)),
			calls.Detect{Detection: calls.Detection{Result: calls.AmdHumanDetected}, At: after(6_000)}, nil},
		"stopped speaking without machine is nothing": {connected(t, detecting("detect")),
			calls.Detect{Detection: calls.Detection{Result: calls.AmdMachineStoppedSpeaking}, At: after(6_000)}, nil},
		"nothing after stopped": {append(connected(t, detecting("detect")), heard(calls.AmdStopped, 5_000)),
			calls.Detect{Detection: calls.Detection{Result: calls.AmdToneDetected}, At: after(6_000)}, nil},
		"only stopped after human": {append(connected(t, detecting("detect")), heard(calls.AmdHumanDetected, 5_000)),
			calls.Detect{Detection: calls.Detection{Result: calls.AmdToneDetected}, At: after(6_000)}, nil},
	} {
		t.Run(name, sc.run)
	}
}

func TestACompletedCallCarriesTheVerdict(t *testing.T) {
	hangUp := calls.Complete{By: calls.ByBot, Cause: "a machine answered", At: after(8_000)}
	complete := func(verdict calls.Result, machine bool) calls.Completed {
		return calls.Completed{At: after(8_000), By: calls.ByBot, Cause: "a machine answered", ReasonCode: calls.ReasonBotDisconnected,
			Reason:     "200 OK",
			DurationMs: 3_900, SessionID: "s-1", Verdict: verdict, MachineDetected: machine}
	}
	stopped := heard(calls.AmdStopped, 8_000)
	for name, tc := range map[string]struct {
		mode  calls.DetectionMode
		heard []calls.Result
		then  history
	}{
		"machine, disconnect": {calls.DetectionDisconnect, []calls.Result{calls.AmdMachineDetected},
			history{stopped, complete(calls.AmdMachineDetected, true)}},
		"machine, detect": {calls.DetectionDetect, []calls.Result{calls.AmdMachineDetected, calls.AmdMachineStoppedSpeaking,
			calls.AmdStopped}, history{complete(calls.AmdMachineDetected, false)}},
		"a tone only, disconnect": {calls.DetectionDisconnect, []calls.Result{calls.AmdToneDetected},
			history{stopped, complete(calls.AmdToneDetected, true)}},
		"a tone in a person's speech": {calls.DetectionDisconnect, []calls.Result{calls.AmdToneDetected, calls.AmdHumanDetected,
			calls.AmdStopped}, history{complete(calls.AmdHumanDetected, false)}},
		"a tone before the verdict": {calls.DetectionDetect, []calls.Result{calls.AmdToneDetected, calls.AmdNoSpeechDetected,
			calls.AmdStopped}, history{complete(calls.AmdNoSpeechDetected, false)}},
		"an error": {calls.DetectionDetect, []calls.Result{calls.AmdError, calls.AmdStopped},
			history{complete(calls.AmdError, false)}},
		"hung up before any verdict":    {calls.DetectionDisconnect, nil, history{stopped, complete(calls.AmdStopped, false)}},
		"no detection, so no such word": {calls.DetectionDisabled, nil, history{complete("", false)}},
	} {
		t.Run(name, func(t *testing.T) {
			given := connected(t, detecting(tc.mode))
			for i, r := range tc.heard {
				given = append(given, heard(r, 5_000+i))
			}
			scenario{given, hangUp, tc.then}.run(t)
		})
	}
}

func TestCommandsThatNoCarrierSendsAreRefused(t *testing.T) {
	_, err := calls.Complete{By: "nobody"}.Decide(calls.State{})
	require.True(t, fault.Is(err, fault.Validation))
	_, err = calls.Detect{Detection: calls.Detection{Result: "amd_dog_detected"}}.Decide(calls.State{})
	require.True(t, fault.Is(err, fault.Validation))
}

func TestFailureCodes(t *testing.T) {
	for sip, want := range map[int]calls.ReasonCode{
		486: "Busy Here", 600: "Busy Here",
		480: "Temporarily Unavailable", 603: "Temporarily Unavailable", 607: "Temporarily Unavailable", 608: "Temporarily Unavailable",
		403: "Temporarily Unavailable",
		404: "Temporarily Unavailable", 410: "Temporarily Unavailable", 484: "Temporarily Unavailable", 604: "Temporarily Unavailable",
		408: "Temporarily Unavailable", 487: "Temporarily Unavailable",
		500: "Service Unavailable", 503: "Service Unavailable", 599: "Service Unavailable", 401: "Service Unavailable",
		407: "Service Unavailable",
		302: "Service Unavailable", 415: "Service Unavailable", 488: "Service Unavailable",
	} {
		require.Equal(t, want, calls.FailureCode(sip), sip)
	}
}

func TestReasonsOfFailures(t *testing.T) {
	for want, c := range map[string]calls.Fail{
		"486 Rejected":            {SIPCode: 486, Phrase: "Rejected"}, // peers choose their own words
		"487 Request Terminated":  {SIPCode: 487},
		"603 Decline now":         {SIPCode: 603, Phrase: " Decline\r\n now "},
		"599":                     {SIPCode: 599},
		"503 Service Unavailable": {},
	} {
		events, err := c.Decide(calls.Calls.State(requested(t), started))
		require.NoError(t, err)
		require.Equal(t, want, events[0].(calls.Failed).Reason)
	}
}

// A reason stays when the person is erased, and is counted by: a phrase in which a peer says who was called is none.
func TestNoReasonSaysWhoWasCalled(t *testing.T) {
	to := func(target string) calls.State {
		return calls.Calls.State(requested(t, func(c *calls.DialOut) { c.Target = target }), started)
	}
	for phrase, target := range map[string]string{"No user +15550000001 here": "tel:+15550000001",
		"1 (555) 000-0001 is away":         "tel:+15550000001",
		"Unknown user sip:ann@pbx.example": "sip:Ann@pbx.example", "ANN is not registered": "sip:ann@pbx.example"} {
		events, err := calls.Fail{SIPCode: 404, Phrase: phrase}.Decide(to(target))
		require.NoError(t, err)
		require.Equal(t, "404 Not Found", events[0].(calls.Failed).Reason, phrase)
	}
	events, err := calls.Fail{SIPCode: 404, Phrase: "Nobody (Q.850 cause 1)"}.Decide(to("sip:ann@pbx.example"))
	require.NoError(t, err)
	require.Equal(t, "404 Nobody (Q.850 cause 1)", events[0].(calls.Failed).Reason)
}

func TestDeadlinesOfEvents(t *testing.T) {
	for want, e := range map[time.Time]event.Payload{
		noon.Add(time.Minute): requested(t), after(30_100): started, after(40_100): calls.LeaseRenewed{LeaseUntil: after(40_100)},
	} {
		at, set, ended := calls.Deadline(e)
		require.Equal(t, want, at)
		require.True(t, set && !ended)
	}
	_, set, ended := calls.Deadline(rang)
	require.False(t, set || ended)
	_, set, ended = calls.Deadline(calls.Completed{})
	require.True(t, !set && ended)
}

// Whatever a carrier reports, in whatever order: no command is refused, the rules
// of the package comment hold, and past its deadline the call ends.
func TestAnyOrderOfFactsIsHarmless(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		mode := rapid.SampledFrom([]calls.DetectionMode{calls.DetectionDisabled, calls.DetectionDetect, calls.DetectionDisconnect}).Draw(rt,
			"mode")
		var s calls.State
		calls.Calls.Fold(&s, requested(t, detecting(mode)))
		var all history
		do := func(c command) {
			events, err := c.Decide(s)
			require.NoError(rt, err)
			for _, e := range events {
				calls.Calls.Fold(&s, e)
			}
			all = append(all, events...)
		}
		at := noon
		for range rapid.IntRange(0, 30).Draw(rt, "steps") {
			at = at.Add(time.Duration(rapid.IntRange(-500, 2_000).Draw(rt, "ms")) * time.Millisecond)
			do(rapid.SampledFrom([]command{
				calls.StartAttempt{AttemptID: "x", At: at, LeaseUntil: at.Add(30 * time.Second)},
				calls.RenewLease{At: at, LeaseUntil: at.Add(30 * time.Second)},
				calls.Ring{At: at}, calls.Answer{SessionID: "s", At: at}, calls.Say{Text: "hi", At: at},
				calls.Detect{Detection: calls.Detection{Result: rapid.SampledFrom(calls.Results()).Draw(rt, "result")}, At: at},
				calls.Complete{By: calls.ByCallee, At: at}, calls.Fail{SIPCode: 486, At: at}, calls.ExpireLease{At: at},
			}).Draw(rt, "command"))
		}
		do(calls.ExpireLease{At: at.Add(time.Hour)})
		require.True(rt, s.Ended())
		requireRules(rt, mode, s, all)
	})
}

func requireRules(t require.TestingT, mode calls.DetectionMode, s calls.State, all history) {
	starts, answers, ends := 0, 0, 0
	for i, e := range all {
		switch e.(type) {
		case calls.AttemptStarted:
			starts++
		case calls.Answered:
			answers++
		case calls.Failed, calls.Completed:
			ends++
			require.Equal(t, len(all)-1, i, "nothing follows the end")
		}
	}
	require.LessOrEqual(t, starts, 1)
	require.LessOrEqual(t, answers, starts)
	require.Equal(t, 1, ends)
	require.Equal(t, answers == 1, s.Phase == calls.PhaseCompleted)
	require.GreaterOrEqual(t, s.DurationMs, int64(0))
	if answers == 1 && mode != calls.DetectionDisabled {
		requireExclusive(t, resultsOf(s.Detections))
	} else {
		require.Empty(t, s.Detections)
	}
}

func resultsOf(ds []calls.AmdDetected) []calls.Result {
	var out []calls.Result
	for _, d := range ds {
		out = append(out, d.Result)
	}
	return out
}
