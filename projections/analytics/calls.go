package analytics

import "github.com/parley-platform/parley/domain/calls"

// A call is voice; what is said and heard in it is a message. Its session tells of the same once
// more, and counts it no second time.
var (
	_ = On(Voice, "", func(_ At, e calls.Requested) Entry {
		return Entry{Traits: Traits{Project: e.ProjectID, AgentName: e.Flow.AgentName, Channel: "voice"}, Remember: true,
			Metadata: map[string]any{"callId": e.CallID, "machineDetection": e.MachineDetection, "provider": e.Provider, "trunk": e.Trunk}}
	})
	_ = On(Voice, "", func(_ At, e calls.AttemptStarted) Entry { return Entry{} })
	_ = On(Voice, "", func(_ At, e calls.Ringing) Entry { return Entry{} })
	_ = On(Voice, "", func(_ At, e calls.Answered) Entry {
		return Entry{Traits: Traits{SessionID: e.SessionID}, Remember: true, Duration: Milliseconds(e.ConnectDurationMs),
			Metadata: map[string]any{"ringDurationMs": e.RingDurationMs}}
	})
	_ = On(Voice, "", func(_ At, e calls.AmdDetected) Entry {
		return Entry{Metadata: map[string]any{"result": e.Result, "provider": e.Provider}}
	})
	_ = On(Message, CallSaid, func(_ At, e calls.Said) Entry { return Entry{Metadata: map[string]any{"author": "agent"}} })
	_ = On(Message, "call_heard", func(_ At, e calls.Heard) Entry { return Entry{Metadata: map[string]any{"author": "user"}} })
	_ = On(Voice, CallCompleted, func(_ At, e calls.Completed) Entry {
		out := Entry{Duration: Milliseconds(e.DurationMs), Metadata: map[string]any{"by": e.By, "reasonCode": e.ReasonCode, "reason": e.Reason,
			"machineDetected": e.MachineDetected}}
		if e.By == calls.ByGateway { // nobody hung up
			out.Error = e.Reason
		}
		return out
	})
	_ = On(Voice, CallFailed, func(_ At, e calls.Failed) Entry {
		return Entry{Error: e.Reason, Metadata: map[string]any{"sipCode": e.SIPCode, "reasonCode": e.ReasonCode}}
	})
	_ = Ignore[calls.LeaseRenewed]("a sign of life of the node that holds the call, not something that happened in it")
)

// The event types that voice analytics count.
const (
	CallCompleted = "call_completed"
	CallFailed    = "call_failed"
	CallSaid      = "call_said"
)
