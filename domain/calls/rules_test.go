package calls_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
)

// Given results, when another one comes, then it is recorded, or precluded by them.
func TestWhichResultsMayFollowWhich(t *testing.T) {
	const (
		human, machine, noSpeech, late = calls.AmdHumanDetected, calls.AmdMachineDetected, calls.AmdNoSpeechDetected, calls.AmdDecisionTimeout
		silent, tone, broken, endOfIt  = calls.AmdMachineStoppedSpeaking, calls.AmdToneDetected, calls.AmdError, calls.AmdStopped
	)
	for _, c := range []struct {
		given []calls.Result
		when  calls.Result
		taken bool
	}{
		{nil, human, true}, {nil, tone, true}, {nil, silent, false}, {nil, endOfIt, true},
		{[]calls.Result{tone}, human, true}, {[]calls.Result{tone}, tone, false}, {[]calls.Result{tone}, silent, false},
		{[]calls.Result{human}, machine, false}, {[]calls.Result{human}, tone, false}, {[]calls.Result{human}, broken, false},
		{[]calls.Result{human}, endOfIt, true},
		{[]calls.Result{noSpeech}, tone, false}, {[]calls.Result{late}, tone, false}, {[]calls.Result{late}, endOfIt, true},
		{[]calls.Result{late}, noSpeech, false},
		{[]calls.Result{machine}, tone, true}, {[]calls.Result{machine}, silent, true}, {[]calls.Result{machine}, broken, true},
		{[]calls.Result{machine}, human, false},
		{[]calls.Result{machine}, machine, false}, {[]calls.Result{machine, tone}, silent, true},
		{[]calls.Result{machine, silent}, silent, false},
		{[]calls.Result{machine, silent}, tone, true}, {[]calls.Result{machine, broken}, tone, false},
		{[]calls.Result{machine, broken}, silent, false},
		{[]calls.Result{broken}, human, false}, {[]calls.Result{broken}, endOfIt, true}, {[]calls.Result{broken}, broken, false},
		{[]calls.Result{human, tone}, broken, false}, {[]calls.Result{tone, broken}, silent, false},
		{[]calls.Result{endOfIt}, endOfIt, false}, {[]calls.Result{endOfIt}, human, false}, {[]calls.Result{human, endOfIt}, broken, false},
	} {
		given := connected(t, detecting(calls.DetectionDetect))
		for i, r := range c.given {
			given = append(given, heard(r, 5_000+i))
		}
		events, err := calls.Detect{Detection: calls.Detection{Result: c.when}, At: after(9_000)}.Decide(calls.Calls.State(given...))
		require.NoError(t, err)
		require.Equal(t, c.taken, len(events) == 1, "%v, then %s", c.given, c.when)
	}
}

// Given a call, when its node does something, then that is a sign of its life: it is what
// a lost call is ended at.
func TestEverythingIsASignOfLife(t *testing.T) {
	later := after(7_000)
	for name, e := range map[string]event.Payload{
		"it dials": calls.AttemptStarted{At: later}, "it rings": calls.Ringing{At: later}, "it is answered": calls.Answered{At: later},
		"the agent speaks": calls.Said{At: later}, "a result": calls.AmdDetected{At: later},
		"the lease is renewed": calls.LeaseRenewed{At: later},
	} {
		require.Equal(t, later, calls.Calls.State(append(connected(t), e)...).LastSeen, name)
	}
	require.Equal(t, after(4_100), calls.Calls.State(append(connected(t), calls.Said{At: after(5)})...).LastSeen, "one from the past is none")
}

// Given the events of a call, then its state holds what they said.
func TestTheStateOfACall(t *testing.T) {
	s := calls.Calls.State(append(connected(t), calls.Said{Text: "Hi", At: after(4_200)}, calls.Said{Text: "Bye", At: after(4_300)})...)
	require.Equal(t, []string{"Hi", "Bye"}, s.Said)
	require.Equal(t, []string{"try-1", started.SID, "local", "n1"}, []string{s.Attempt.ID, s.SID, s.Provider, s.Node})

	s = calls.Calls.State(
		append(
			connected(t),
			calls.Completed{At: after(9_000), ReasonCode: "Busy Here", Reason: "200 OK", DurationMs: 7, MachineDetected: true},
		)...)
	require.Equal(t, calls.ReasonBusy, s.ReasonCode)
	require.Equal(t, "200 OK", s.Reason)
	require.True(t, s.MachineDetected)
	require.Equal(t, after(9_000), s.LastSeen)

	s = calls.Calls.State(
		requested(t),
		started,
		calls.Failed{At: after(9_000), ReasonCode: "Busy Here", Reason: "486 Busy", RingDurationMs: 3, ConnectDurationMs: 4},
	)
	require.Equal(t, []int64{3, 4}, []int64{s.RingDurationMs, s.ConnectDurationMs})
	require.Equal(t, []string{"Busy Here", "486 Busy"}, []string{string(s.ReasonCode), s.Reason})
}

// Given a call of a campaign by a trunk of another carrier, then its request says so, and
// a dialer may yet choose another one.
func TestACallKeepsWhoIsToMakeIt(t *testing.T) {
	r := requested(t, func(c *calls.DialOut) {
		c.Provider, c.Trunk, c.NotifyURLSealed, c.NotifyHeadersSealed = "acme-sip", "berlin", "sealed-url", "sealed-headers"
		c.Campaign = &calls.CampaignContact{CampaignID: "c-1", RunID: "run-1", Contact: 7}
	})
	require.Equal(
		t,
		[]string{"acme-sip", "berlin", "sealed-url", "sealed-headers"},
		[]string{r.Provider, r.Trunk, r.NotifyURLSealed, r.NotifyHeadersSealed},
	)
	require.Equal(t, &calls.CampaignContact{CampaignID: "c-1", RunID: "run-1", Contact: 7}, r.Campaign)
	for _, c := range []struct{ sid, provider, wantSID, wantProvider string }{
		{"", "", r.SID, "acme-sip"}, {"leg-2", "other-sip", "leg-2", "other-sip"},
	} {
		scenario{history{r}, calls.StartAttempt{AttemptID: "try-1", SID: c.sid, Provider: c.provider, At: after(1), LeaseUntil: after(2)},
			history{calls.AttemptStarted{AttemptID: "try-1", SID: c.wantSID, Provider: c.wantProvider, At: after(1), LeaseUntil: after(2)}}}.run(t)
	}
}

// Given a call in each state, when its lease is renewed or runs out, then only a call that is under way has one.
func TestOnlyARunningCallHasALease(t *testing.T) {
	renew := calls.RenewLease{At: after(10_000), LeaseUntil: after(99_000)}
	renewed := history{calls.LeaseRenewed{At: after(10_000), LeaseUntil: after(99_000)}}
	for name, sc := range map[string]scenario{
		"requested": {history{requested(t)}, renew, nil}, "dialling": {history{requested(t), started}, renew, renewed},
		"ringing": {history{requested(t), started, rang}, renew, renewed}, "answered": {connected(t), renew, renewed},
		"no call": {nil, renew, nil},
		"ended, and its carrier speaks of it": {append(connected(t), calls.Completed{At: after(5_000)}), calls.ExpireLease{At: after(99_000)},
			nil},
		"no call runs out": {nil, calls.ExpireLease{At: after(99_000), Report: calls.LegReport{Status: calls.LegOver}}, nil},
	} {
		t.Run(name, sc.run)
	}
}

// Given what the agent says without a language, then it is the flow's.
func TestTheAgentSpeaksTheFlowsLanguage(t *testing.T) {
	german := func(c *calls.DialOut) { c.Flow.Language = "de" }
	scenario{
		connected(t, german),
		calls.Say{Text: "Hallo", At: after(5_000)},
		history{calls.Said{Text: "Hallo", Language: "de", At: after(5_000)}},
	}.run(
		t,
	)
}

// Given a call that is about to be dialled, then its carrier is told all that it needs.
func TestWhatACarrierIsTold(t *testing.T) {
	german := func(c *calls.DialOut) { c.Flow.Language, c.Trunk = "de", "berlin" }
	s := calls.Calls.State(requested(t, german), started)
	want := calls.LegRequest{
		CallID:    s.Request.CallID,
		SID:       started.SID,
		TenantID:  "acme",
		Target:    "tel:+15550000001",
		OurNumber: "15550100",
		Trunk:     "berlin",
		Language:  "de",

		Recognition: calls.Recognition{Language: "de", Interim: true},
	}
	require.NotEmpty(t, want.CallID)
	require.Equal(t, want, s.LegRequest())
	require.Equal(t, calls.LegQuery{SID: started.SID, Node: "n1", DialedAt: after(100), TenantID: "acme", Trunk: "berlin"}, s.Query())

	want.Language, want.Recognition = "fr", calls.Recognition{Provider: "local", Language: "fr", Interim: true}
	s = calls.Calls.State(requested(t, german, func(c *calls.DialOut) {
		c.CallControlParameter = &calls.CallControlParameter{STTProvider: "local", STTLanguage: "fr"}
	}), started)
	require.Equal(t, want, s.LegRequest(), "speech settings of the call go first")
}

// Given a final response without words of its own, then the reason has the usual ones.
func TestTheUsualWordsOfARefusal(t *testing.T) {
	for code, want := range map[int]string{
		400: "400 Bad Request", 401: "401 Unauthorized", 403: "403 Forbidden", 404: "404 Not Found", 405: "405 Method Not Allowed",
		407: "407 Proxy Authentication Required", 408: "408 Request Timeout", 410: "410 Gone", 415: "415 Unsupported Media Type",
		480: "480 Temporarily Unavailable", 484: "484 Address Incomplete", 486: "486 Busy Here", 487: "487 Request Terminated",
		488: "488 Not Acceptable Here", 500: "500 Server Internal Error", 502: "502 Bad Gateway", 503: "503 Service Unavailable",
		504: "504 Server Time-out", 600: "600 Busy Everywhere", 603: "603 Decline", 604: "604 Does Not Exist Anywhere",
		606: "606 Not Acceptable", 607: "607 Unwanted", 608: "608 Rejected", 499: "499",
	} {
		require.Equal(t, want, reasonOf(t, code, ""))
	}
	long := make([]rune, 129)
	for i := range long {
		long[i] = 'ü'
	}
	require.Equal(t, "486 "+string(long[:128]), reasonOf(t, 486, string(long[:128])))
	require.Equal(t, "486 "+string(long[:128]), reasonOf(t, 486, string(long)), "a phrase has an end")
	require.Equal(t, "486 no way", reasonOf(t, 486, "no\x00way"))
}

func reasonOf(t *testing.T, code int, phrase string) string {
	t.Helper()
	events, err := calls.Fail{SIPCode: code, Phrase: phrase, At: after(1)}.Decide(calls.Calls.State(requested(t), started))
	require.NoError(t, err)
	return events[0].(calls.Failed).Reason
}

// Given a language, then the phrases of its mailboxes are listened for; of one that is not known, those of English.
func TestMailboxesSpeakTheirLanguage(t *testing.T) {
	for language, phrase := range map[string]string{"de": "anrufbeantworter", "de_AT": "anrufbeantworter", "ES-mx": "contestador",
		"": "answering machine", "tlh": "answering machine"} {
		require.Contains(t, calls.MailboxHints(language), phrase, language)
	}
}

// Given results without a verdict, then the agent's durations run to the first of them, and each says what it found.
func TestTheAgentsContextBeforeAVerdict(t *testing.T) {
	tone := calls.AmdDetected{Detection: calls.Detection{Result: calls.AmdToneDetected, Frequency: 440}, At: after(5_100)}
	failure := calls.AmdDetected{Detection: calls.Detection{Result: calls.AmdError, Error: "no sound", Hint: "voicemail"}, At: after(6_100)}
	u := calls.Calls.State(append(connected(t, detecting(calls.DetectionDetect)), tone, failure)...).UserSession()
	require.JSONEq(t, `{"amdEvents":[{"type":"amd_tone_detected","frequency":440,"at":"2026-03-01T12:00:05.100Z"},
		{"type":"amd_error","error":"no sound","hint":"voicemail","at":"2026-03-01T12:00:06.100Z"}],
		"amdRingDurationInMs":4000,"amdConnectDurationInMs":5000}`, asJSON(t, u.AMDInfo))
}

// Given a customer in the metadata, then a name is a text of so many bytes that is not empty.
func TestANameIsAText(t *testing.T) {
	full := string(make([]byte, 512))
	for i, c := range []struct{ first, want string }{
		{full, full}, {full + "x", ""},
	} {
		metadata, err := json.Marshal(map[string]string{"firstName": c.first})
		require.NoError(t, err)
		require.Equal(t, c.want, calls.CustomerOf(metadata).FirstName, i)
	}
	require.Equal(t, "Ada", calls.CustomerOf(json.RawMessage(`{"CustomerFirstName":"","firstName":"Ada"}`)).FirstName)
	require.Equal(t, "Ada", calls.CustomerOf(json.RawMessage(`{"CustomerFirstName":["x"],"firstName":"Ada"}`)).FirstName)
}

// Given a notification of a completed call, then its duration is in whole seconds.
func TestNoticesCountWholeSeconds(t *testing.T) {
	for ms, want := range map[int64]int64{999: 0, 1_000: 1, 60_000: 60, 1_001_000: 1_001} {
		n := last(append(connected(t), calls.Completed{At: after(9_000), DurationMs: ms})...)
		require.Equal(t, want, *n.Duration)
		require.Equal(t, want, *n.CallDuration)
	}
}

// Given what a carrier reports of a lost call, then what cannot be recorded is an error and nothing is half done.
func TestALegThatTheGatewayEnded(t *testing.T) {
	report := calls.LegReport{
		Status: calls.LegOver,
		Facts:  []calls.Fact{{Kind: calls.FactRejected, At: after(9_000), Code: 486, Phrase: "Not now"}},
	}
	events, err := calls.ExpireLease{At: after(99_000), Report: report}.Decide(calls.Calls.State(requested(t), started))
	require.NoError(t, err)
	require.Equal(t, "486 Not now", events[0].(calls.Failed).Reason)
	report.Facts[0].Kind = calls.FactHungUp
	events, err = calls.ExpireLease{At: after(99_000), Report: report}.Decide(calls.Calls.State(requested(t), started))
	require.NoError(t, err)
	require.Equal(t, 487, events[0].(calls.Failed).SIPCode)
}

// Given a machine that is greeting, when it pauses twice, then the second silence moves nothing; a beep is heard once.
func TestAMachineThatPauses(t *testing.T) {
	require.Equal(t, []string{"500 machine_detected hint", "2600 machine_stopped_speaking", "20000 stopped"},
		play(plan(t), []at{{500, text("the voicemail of Ann")}, {600, silence}, {1_600, silence}}))
	d := calls.NewDetector(plan(t))
	require.Len(t, d.Hear(beep, time.Second), 1)
	require.Empty(t, d.Hear(beep, 2*time.Second))
}

// Given a detection, when we hang up, then it is stopped; and a plan without a threshold has the usual one.
func TestTheBordersOfADetection(t *testing.T) {
	d := calls.NewDetector(plan(t))
	require.Equal(
		t,
		[]calls.TimedDetection{{Detection: calls.Detection{Result: calls.AmdStopped}, Elapsed: time.Second}},
		d.Stop(time.Second),
	)
	due, set := d.Deadline()
	require.False(t, set, "nothing is due any more")
	require.Zero(t, due)

	for threshold, want := range map[int]string{0: "500 machine_detected long greeting", -1: "500 machine_detected long greeting"} {
		p := plan(t)
		p.ThresholdWordCount = threshold
		require.Equal(t, want, play(p, []at{{500, words(calls.DefaultThresholdWordCount)}})[0])
		require.NotEqual(t, want, play(p, []at{{500, words(calls.DefaultThresholdWordCount - 1)}})[0])
	}
	p := plan(t)
	p.DigitCount = 1
	require.Equal(t, "500 machine_detected digit count", play(p, []at{{500, text("room 5")}})[0])
	p.DigitCount = 3
	require.Equal(t, "900 human_detected short greeting", play(p, []at{{500, text("12 34")}, {900, silence}})[0], "a pause begins anew")
	p.Hints = nil
	require.Equal(t, p, p.Faster(0), "not faster, not divided by nothing")
	require.Equal(t, p, p.Faster(1))
}

// Given two timers that are due together, then the first of the list expires, and the other one never.
func TestTimersThatAreDueTogether(t *testing.T) {
	together := func(c *calls.DialOut) {
		c.Timers.NoSpeechTimeoutMs, c.Timers.DecisionTimeoutMs = ptr(5_000), ptr(5_000)
	}
	require.Equal(t, []string{"5000 no_speech_detected", "5000 stopped"}, play(plan(t, together), nil))
}
