package calls_test

import (
	"encoding/json"
	"testing"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/sessions"
)

func TestEventsKeepTheirJSON(t *testing.T) {
	full := requested(t, detecting(calls.DetectionDisconnect), func(c *calls.DialOut) {
		c.NotifyHeadersSealed, c.TimeoutInMs, c.Trunk = "sealed:v1:abc", ptr(45_000), "main"
		c.Metadata = json.RawMessage(`{"order":17}`)
		c.Timers.ToneTimeoutMs, c.ThresholdWordCount = ptr(9_000), ptr(6)
		c.AmdEventsSubscription = []string{"amd_human_detected", "amd_machine_detected"}
		c.CallControlParameter = &calls.CallControlParameter{STTProvider: "local", STTLanguage: "en-US", Interim: ptr(true),
			STTLabel: "short", ContinuousASRTimeoutInMS: ptr(500), DeepgramUtteranceEndMs: ptr(1_000), DeepgramEndpointing: ptr(0)}
		c.Flow = calls.Flow{ID: "cf-1", Name: "Reminders", AgentName: "reminder", StartText: "Good day!", Language: "en"}
	})
	eventtest.Golden(t, calls.Calls.Category, "testdata/events", calls.Erased{Erasure: eventtest.Erasure},
		full,
		requested(t), // everything left out: absent stays absent
		requested(t, func(c *calls.DialOut) { c.AmdEventsSubscription = []string{} }), // and empty stays empty
		requested(t, func(c *calls.DialOut) {
			c.Campaign = &calls.CampaignContact{CampaignID: "cd-1", RunID: "cid-1", Contact: 17}
		}),
		requested(t, func(c *calls.DialOut) { c.NotifyURLSealed = "sealed:v1:def" }),
		requested(t, func(c *calls.DialOut) { c.Flow.Recorded = true }),
		started, rang, answered,
		came, arrived(func(c *calls.Arrive) {
			c.ConnectionID, c.AgentName, c.DeploymentID, c.Environment, c.SessionID, c.Joins = "", "", "", "", "s-9", true
			c.Provider, c.ProviderID = calls.ProviderLiveKit, "t_acme__p_a-1__s_s-9"
		}),
		arrived(atTrunk),
		calls.LineTaken{Try: "try-1", StreamID: "MZ1", Node: "n1", At: after(4_200), LeaseUntil: after(34_200)},
		calls.StatusTold{Status: calls.ToldFailed, Raw: "no-answer", Sequence: ptr(3), SIPCode: 480, DurationMs: ptr(int64(0)), Late: true,
			At: after(9_000)},
		calls.StatusTold{Status: calls.ToldRinging, Raw: "ringing", At: after(1_100)},
		calls.LeaseRenewed{At: after(10_100), LeaseUntil: after(40_100)},
		calls.Answered{SessionID: "s-1", At: after(4_100), Agent: &calls.Agent{DeploymentID: "dp-1", Environment: "dev", Language: "en",
			Manifest: map[string]sessions.Pinned{"reminder": {Version: 3, Hash: "abc"}}}},
		calls.LegEstablished{At: after(4_110), Dialog: dialog}, calls.LegEstablished{At: after(4_110), Dialog: takenBySpare()},
		calls.PersonCalled{TransferID: "t-1", ClaimID: "t-1-1", Target: "sip:maria@pbx.example", Summary: "Wants to pay.", At: after(9_000)},
		calls.PersonCalled{TransferID: "t-1", ClaimID: "t-1-1", Target: "sip:maria@pbx.example", Trunk: "desk", At: after(9_000)},
		calls.LegTransferred{TransferID: "t-1", ClaimID: "t-1-1", Code: 486, Reason: "486 Busy Here", At: after(9_900)},
		calls.LegTransferred{TransferID: "t-1", ClaimID: "t-1-1", Code: 200, Reason: "200 OK", By: calls.ByRefer, At: after(9_900)},
		calls.PersonReferred{TransferID: "t-1", At: after(9_100)},
		calls.PersonFreed{TransferID: "t-1", At: after(12_000)},
		calls.PersonReferred{TransferID: "t-1", Over: true, At: after(9_200)},
		calls.PersonEstablished{TransferID: "t-1", SID: "leg-9", Dialog: dialog, At: after(9_400)},
		calls.MessageWanted{VoicemailID: "v-1", TransferID: "t-1", At: after(9_000)},
		calls.MessageLeft{VoicemailID: "v-1", TransferID: "t-1", Blob: "voicemails/acme/v-1/abc", SHA256: "abc", SizeBytes: 16_044, Ms: 1_000,
			By: calls.EndedBySilence, At: after(19_000)},
		calls.MessageMissed{VoicemailID: "v-1", TransferID: "t-1", Reason: "nothing was said", At: after(19_000)},
		calls.Adopted{Try: "try-2", Node: "n2", At: after(30_100), LeaseUntil: after(60_100)},
		calls.Held{At: after(5_000)},
		calls.Resumed{At: after(5_900)},
		calls.Said{Text: "Good day!", Language: "en", At: after(4_100)},
		calls.Said{Text: "Good day!", Language: "en", Message: 1, At: after(4_100)},
		calls.Heard{Number: 1, Text: "Hello speaking", Language: "en-US", At: after(6_100)},
		calls.Heard{Number: 2, Text: "Hello speaking", Confidence: 0.98, Language: "en-US", At: after(6_100)},
		calls.Heard{Number: 3, Text: calls.Unread(3), EstimatedWords: 3, Language: "en-US", At: after(6_100)},
		calls.Heard{Number: 4, Text: "Hello", Language: "en-US", Written: true, At: after(6_100)},
		calls.DigitsPressed{Number: 4, Digits: "4111#", At: after(7_100)},
		calls.Played{Message: 3, Ms: 400, Interrupted: true, Heard: "Good", At: after(6_500)},
		calls.Played{Message: 1, Ms: 1_200, At: after(5_300)},
		calls.Recorded{Blob: "recordings/acme/c-1/abc", SHA256: "abc", SizeBytes: 32_044, Ms: 1_000, Channels: 2, At: after(8_000)},
		calls.Recorded{Blob: "recordings/acme/c-1/abc", SHA256: "abc", SizeBytes: 32_044, Ms: 1_000, Channels: 2, CutOff: true, At: after(8_000)},
		calls.RecordingFailed{Reason: "no space left on device", At: after(5_000)},
		calls.QualityMeasured{At: after(8_000), Sounded: calls.Sounded{
			Quality: calls.Quality{Received: 500, Lost: 5, Late: 1, JitterMs: 2.5, RFactor: 90.1, Recogniser: "deepgram",
				Fallback: "the connection broke"}, Turns: 4, BargeIns: 1, DigitTurns: 2, Unread: 1,
			LatencyMs: ptr(int64(420)), Confidence: 0.9, SilencePercent: 12.5,
			Levels: &calls.Levels{EveryMs: 20, Heard: []byte{0, 50}, Said: []byte{60, 0}}}},
		calls.QualityMeasured{At: after(8_000), Sounded: calls.Sounded{SilencePercent: 100}},
		calls.AmdDetected{Provider: "local", At: after(7_400), Detection: calls.Detection{Result: calls.AmdMachineDetected,
			Reason: calls.ReasonLongGreeting, Greeting: "Thanks for calling", Language: "en-US"}},
		calls.AmdDetected{Provider: "local", At: after(7_400), Detection: calls.Detection{Result: calls.AmdMachineDetected,
			Reason: calls.ReasonHint, Hint: "after the beep", Language: "en-US"}},
		calls.AmdDetected{Provider: "local", At: after(9_000), Detection: calls.Detection{Result: calls.AmdToneDetected, Frequency: 1000,
			Variance: 2}},
		calls.AmdDetected{Provider: "local", At: after(9_000), Detection: calls.Detection{Result: calls.AmdError, Error: "no sound"}},
		calls.Completed{At: after(7_600), By: calls.ByBot, Cause: "a machine answered", ReasonCode: calls.ReasonBotDisconnected, Reason: "200 OK",
			DurationMs: 3_500, SessionID: "s-1", Verdict: calls.AmdMachineDetected, MachineDetected: true},
		calls.Failed{At: after(2_000), SIPCode: 486, ReasonCode: calls.ReasonBusy, Reason: "486 Busy Here", ConnectDurationMs: 1_900},
	)
}
