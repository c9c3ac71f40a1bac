package analytics

import "github.com/parley-platform/parley/domain/calls"

// A call is voice; what is said and heard in it is a message. Its session tells of the same once
// more, and counts it no second time.
var (
	_ = On(Voice, "", func(_ At, e calls.Requested) Entry {
		return Entry{Traits: Traits{Project: e.ProjectID, AgentName: e.Flow.AgentName, Channel: "voice"}, Remember: true,
			Metadata: map[string]any{"callId": e.CallID, "machineDetection": e.MachineDetection, "provider": e.Provider, "trunk": e.Trunk}}
	})
	_ = On(Voice, "", func(_ At, e calls.Arrived) Entry {
		return Entry{Traits: Traits{Project: e.ProjectID, AgentName: e.AgentName, Channel: "voice", SessionID: e.SessionID}, Remember: true,
			Metadata: map[string]any{"callId": e.CallID, "provider": e.Provider, "direction": e.Direction, "trunk": e.Trunk}}
	})
	_ = On(Voice, "", func(_ At, e calls.StatusTold) Entry {
		return Entry{Metadata: map[string]any{"status": e.Status, "raw": e.Raw, "sipCode": e.SIPCode, "late": e.Late}}
	})
	_ = Ignore[calls.LineTaken]("which node has the sound of the call, not something that happened in it")
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
	_ = On(Message, "call_digits", func(_ At, e calls.DigitsPressed) Entry { return Entry{Metadata: map[string]any{"author": "user"}} })
	_ = On(Voice, "", func(_ At, e calls.Played) Entry {
		return Entry{Duration: Milliseconds(e.Ms), Metadata: map[string]any{"interrupted": e.Interrupted}}
	})
	_ = On(Voice, "", func(_ At, e calls.Recorded) Entry {
		return Entry{Duration: Milliseconds(e.Ms), Metadata: map[string]any{"sizeBytes": e.SizeBytes, "cutOff": e.CutOff}}
	})
	_ = On(Voice, "", func(_ At, e calls.RecordingFailed) Entry { return Entry{Error: e.Reason} })
	_ = On(Voice, "", func(_ At, e calls.QualityMeasured) Entry {
		return Entry{Metadata: map[string]any{"received": e.Received, "lost": e.Lost, "rFactor": e.RFactor, "turns": e.Turns,
			"bargeIns": e.BargeIns, "recogniser": e.Recogniser, "fallback": e.Fallback}}
	})
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
	_ = On(Voice, "call_person_called", func(_ At, e calls.PersonCalled) Entry {
		return Entry{Metadata: map[string]any{"transferId": e.TransferID}}
	})
	_ = On(Voice, "call_leg_transferred", func(_ At, e calls.LegTransferred) Entry {
		return Entry{Metadata: map[string]any{"transferId": e.TransferID, "code": e.Code}}
	})
	_ = On(Voice, "call_message_wanted", func(_ At, e calls.MessageWanted) Entry {
		return Entry{Metadata: map[string]any{"transferId": e.TransferID}}
	})
	_ = On(Voice, "call_message_left", func(_ At, e calls.MessageLeft) Entry {
		return Entry{Duration: Milliseconds(e.Ms), Metadata: map[string]any{"transferId": e.TransferID, "by": e.By}}
	})
	_ = On(Voice, "call_message_missed", func(_ At, e calls.MessageMissed) Entry {
		return Entry{Metadata: map[string]any{"transferId": e.TransferID, "reason": e.Reason}}
	})
	_ = On(Voice, "call_adopted", func(At, calls.Adopted) Entry { return Entry{} })
	_ = Ignore[calls.PersonReferred]("how a person is called, of which what came of it is told")
	_ = Ignore[calls.PersonFreed]("the end of their transfer is told")
	_ = Ignore[calls.PersonEstablished]("how nodes speak in the dialog of a person's leg, not something that happened in the call")
	_ = Ignore[calls.LegEstablished]("how nodes speak in the call's dialog, not something that happened in the call")
	_ = On(Voice, "call_held", func(At, calls.Held) Entry { return Entry{} })
	_ = On(Voice, "call_resumed", func(At, calls.Resumed) Entry { return Entry{} })
)

// The event types that voice analytics count.
const (
	CallCompleted = "call_completed"
	CallFailed    = "call_failed"
	CallSaid      = "call_said"
)
