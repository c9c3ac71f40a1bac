package calls_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
)

// Given a call, then its carrier is asked about it by the trunk that took it, as far as that is known.
func TestTheTrunkByWhichACarrierIsAsked(t *testing.T) {
	talk := history{requested(t, func(c *calls.DialOut) { c.Trunk = "main" }), started, rang, answered}
	for name, c := range map[string]struct {
		told  history
		trunk string
	}{
		"nothing is known":     {nil, "main"},
		"its own took it":      {history{calls.LegEstablished{Dialog: dialog}}, "main"},
		"a fallback took it":   {history{calls.LegEstablished{Dialog: takenBySpare()}}, "spare"},
		"and another node has": {history{calls.LegEstablished{Dialog: takenBySpare()}, calls.Adopted{Try: "try-2", Node: "n2"}}, "spare"},
	} {
		q := calls.Calls.State(append(slices.Clip(talk), c.told...)...).Query()
		require.Equal(t, []string{"acme", c.trunk}, []string{q.TenantID, q.Trunk}, name)
	}
}

// The lease of a call ran out, and its carrier was asked.
func TestALapsedCallEndsByWhatItsCarrierSays(t *testing.T) {
	ring, answer := calls.Fact{Kind: calls.FactRinging, At: after(1_100)}, calls.Fact{Kind: calls.FactAnswered, At: after(4_100)}
	over := func(facts ...calls.Fact) calls.LegReport {
		return calls.LegReport{Status: calls.LegOver, EndedAt: after(9_000), Facts: facts}
	}
	at := func(ms int, f calls.Fact) calls.Fact { f.At = after(ms); return f }
	failed := func(ms, code int, rc calls.ReasonCode, reason string, rang int64) calls.Failed {
		return calls.Failed{At: after(ms), SIPCode: code, ReasonCode: rc, Reason: reason, RingDurationMs: rang,
			ConnectDurationMs: int64(ms - 100)}
	}
	completed := func(ms int, by calls.Party, code calls.ReasonCode, cause string) calls.Completed {
		return calls.Completed{At: after(ms), By: by, Cause: cause, ReasonCode: code, Reason: "200 OK", DurationMs: int64(ms - 4_100),
			SessionID: "s-1"}
	}
	dialing, talking := history{requested(t), started}, connected(t)

	for name, tc := range map[string]struct {
		given  history
		report calls.LegReport
		then   history
	}{
		"cannot tell, not answered": {dialing, calls.LegReport{}, history{failed(40_000, 503, calls.ReasonServiceUnavailable,
			"503 Service Unavailable", 0)}},
		"cannot tell, answered": {talking, calls.LegReport{}, history{completed(4_100, calls.ByGateway, calls.ReasonGatewayDisconnected,
			"node lost")}},
		"never asked": {dialing, calls.LegReport{Status: calls.LegUnheard},
			history{failed(40_000, 503, calls.ReasonServiceUnavailable, "503 The carrier was never asked", 0)}},
		"never asked, but it rang": {append(dialing[:2:2], rang), calls.LegReport{Status: calls.LegUnheard},
			history{failed(40_000, 503, calls.ReasonServiceUnavailable, "503 Service Unavailable", 38_900)}},
		"never asked, but it was taken": {talking, calls.LegReport{Status: calls.LegUnheard},
			history{completed(4_100, calls.ByGateway, calls.ReasonGatewayDisconnected, "node lost")}},
		"busy": {dialing, over(at(900, calls.Fact{Kind: calls.FactRejected, Code: 486, Phrase: "Busy Here"})),
			history{failed(900, 486, calls.ReasonBusy, "486 Busy Here", 0)}},
		"answered and hung up": {dialing, over(ring, answer, at(9_000, calls.Fact{Kind: calls.FactHungUp})),
			history{rang, answered, completed(9_000, calls.ByCallee, calls.ReasonCallerDisconnected, "the callee hung up")}},
		"hung up, answer known already": {talking, over(ring, answer, at(9_000, calls.Fact{Kind: calls.FactHungUp})),
			history{completed(9_000, calls.ByCallee, calls.ReasonCallerDisconnected, "the callee hung up")}},
		"lost by the gateway": {talking, over(at(9_000, calls.Fact{Kind: calls.FactLost, Error: "no media"})),
			history{completed(9_000, calls.ByGateway, calls.ReasonGatewayDisconnected, "no media")}},
		"we hung up while it rang": {dialing, over(ring), history{rang, failed(9_000, 487, calls.ReasonTemporarilyUnavailable,
			"487 Request Terminated", 7_900)}},
		"we hung up on the callee": {dialing, over(ring, answer),
			history{rang, answered, completed(9_000, calls.ByBot, calls.ReasonBotDisconnected, "hung up")}},
		"over, and nothing else known": {dialing, calls.LegReport{Status: calls.LegOver},
			history{failed(40_000, 487, calls.ReasonTemporarilyUnavailable, "487 Request Terminated", 0)}},
		"it rings still": {dialing, calls.LegReport{Status: calls.LegRinging, Facts: []calls.Fact{ring}},
			history{rang, failed(40_000, 503, calls.ReasonServiceUnavailable, "503 Service Unavailable", 38_900)}},
		"they talk still": {dialing, calls.LegReport{Status: calls.LegTalking, Facts: []calls.Fact{ring, answer}},
			history{rang, answered, completed(40_000, calls.ByGateway, calls.ReasonGatewayDisconnected, "node lost")}},
		"nobody had dialled": {history{requested(t)}, over(answer),
			history{calls.Failed{At: after(60_000), SIPCode: 503, ReasonCode: calls.ReasonServiceUnavailable, Reason: "503 Service Unavailable"}}},
		"it has ended meanwhile": {append(talking[:4:4], completed(9_000, calls.ByCallee, calls.ReasonCallerDisconnected, "")),
			over(answer), nil},
		"a sign of life came meanwhile": {append(talking[:4:4], calls.LeaseRenewed{At: after(39_000), LeaseUntil: after(69_000)}), over(answer),
			nil},
		"the carrier speaks of the past": {talking, over(at(1, calls.Fact{Kind: calls.FactHungUp})),
			history{completed(4_100, calls.ByCallee, calls.ReasonCallerDisconnected, "the callee hung up")}},
	} {
		t.Run(name, func(t *testing.T) {
			now := after(40_000)
			if len(tc.given) == 1 {
				now = after(60_000)
			}
			scenario{tc.given, calls.ExpireLease{At: now, Report: tc.report, SessionID: "s-1"}, tc.then}.run(t)
		})
	}
}

func TestOnlyAStartedCallPastItsDeadlineIsLookedUp(t *testing.T) {
	for name, tc := range map[string]struct {
		given  history
		ms     int
		lapsed bool
	}{
		"requested":           {history{requested(t)}, 60_000, false},
		"dialling, in time":   {history{requested(t), started}, 30_099, false},
		"dialling, too late":  {history{requested(t), started}, 30_100, true},
		"answered, too late":  {connected(t), 30_100, true},
		"ended":               {append(connected(t), calls.Completed{}), 99_000, false},
		"no call":             {nil, 99_000, false},
		"renewed in the end":  {append(connected(t), calls.LeaseRenewed{LeaseUntil: after(50_000)}), 49_000, false},
		"renewed and too old": {append(connected(t), calls.LeaseRenewed{LeaseUntil: after(50_000)}), 50_000, true},
	} {
		require.Equal(t, tc.lapsed, calls.Calls.State(tc.given...).Attempt.Lapsed(after(tc.ms)), name)
	}
}

// Whatever a carrier reports: past its deadline the call ends, once, and by the rules.
func TestAnyReportEndsTheCall(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		given := connected(t)[:rapid.IntRange(1, 4).Draw(rt, "given")]
		s := calls.Calls.State(given...)
		report := calls.LegReport{Status: rapid.SampledFrom([]calls.LegStatus{"", "unheard", "ringing", "talking", "finished", "odd"}).Draw(rt,
			"status")}
		for range rapid.IntRange(0, 5).Draw(rt, "facts") {
			report.Facts = append(report.Facts, calls.Fact{At: after(rapid.IntRange(-9_000, 99_000).Draw(rt, "at")),
				Code: rapid.IntRange(0, 700).Draw(rt, "code"),
				Kind: rapid.SampledFrom([]calls.FactKind{calls.FactTrying, calls.FactRinging, calls.FactAnswered, calls.FactHungUp, calls.FactRejected,
					calls.FactLost, calls.FactWords}).Draw(rt, "kind")})
		}
		events, err := calls.ExpireLease{At: after(99_000), Report: report, SessionID: "s-2"}.Decide(s)
		require.NoError(rt, err)
		all := append(append([]event.Payload{}, given...), events...)
		requireRules(rt, calls.DetectionDisabled, calls.Calls.State(all...), all)
	})
}
