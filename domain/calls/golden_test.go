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
		started, rang, answered,
		calls.LeaseRenewed{At: after(10_100), LeaseUntil: after(40_100)},
		calls.Answered{SessionID: "s-1", At: after(4_100), Agent: &calls.Agent{DeploymentID: "dp-1", Environment: "dev", Language: "en",
			Manifest: map[string]sessions.Pinned{"reminder": {Version: 3, Hash: "abc"}}}},
		calls.Said{Text: "Good day!", Language: "en", At: after(4_100)},
		calls.Said{Text: "Good day!", Language: "en", Message: 1, At: after(4_100)},
		calls.Heard{Number: 1, Text: "Hello speaking", Language: "en-US", At: after(6_100)},
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
