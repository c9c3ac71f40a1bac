package analytics

import (
	"github.com/parley-platform/parley/domain/sessions"
)

var (
	_ = On(Session, SessionOpened, func(_ At, e sessions.Opened) Entry {
		out := Entry{Traits: Traits{Project: e.ProjectID, SessionID: e.SessionID, AgentName: e.AgentName, Channel: e.Channel}, Remember: true,
			Omit: e.Begun != nil && e.Begun.Test}
		if e.CallID != "" {
			out.Metadata = map[string]any{"callId": e.CallID}
		}
		return out
	})
	_ = On(Session, "", func(_ At, e sessions.Informed) Entry { return Entry{} })
	_ = On(Session, "", func(_ At, e sessions.ContactLinked) Entry { return Entry{} })
	_ = On(Session, SessionEnded, func(_ At, e sessions.SessionEnded) Entry {
		return Entry{Lifetime: true, Omit: e.Test, Metadata: map[string]any{"reason": e.Reason}}
	})
)

// What is said and done in a session. What was learned and said is personal, and in no figure.
var (
	_ = On(Message, "message_received", func(_ At, e sessions.MessageReceived) Entry { return message(e.InTurn, "") })
	_ = On(Session, "", func(_ At, e sessions.PickedUp) Entry { return turned(e.InTurn, "") })
	_ = On(Message, "message_sent", func(_ At, e sessions.Said) Entry { return message(e.InTurn, e.Agent) })
	_ = On(Flow, "step_entered", func(_ At, e sessions.StepEntered) Entry {
		out := turned(e.InTurn, e.Agent)
		out.Metadata["step"] = e.Step
		return out
	})
	_ = On(Gather, "slots_filled", func(_ At, e sessions.SlotsFilled) Entry { return turned(e.InTurn, e.Agent) })
	_ = On(Session, "", func(_ At, e sessions.VariablesSet) Entry { return turned(e.InTurn, "") })
	_ = On(Agent, "handed_off", func(_ At, e sessions.HandedOff) Entry {
		out := turned(e.InTurn, e.From)
		out.Metadata["to"] = e.To
		return out
	})
	_ = On(Agent, "handed_back", func(_ At, e sessions.HandedBack) Entry {
		out := turned(e.InTurn, e.From)
		out.Metadata["to"], out.Error = e.To, e.Failed
		return out
	})
	_ = On(Flow, "noticed", func(_ At, e sessions.Noticed) Entry {
		out := turned(e.InTurn, e.Agent)
		out.Metadata["kind"], out.Metadata["what"] = e.Kind, e.What
		return out
	})
	_ = Ignore[sessions.WorkGiven]("each delegate is counted")
	_ = Ignore[sessions.DelegateBegun]("its end is counted, with what came of it")
	_ = Ignore[sessions.DelegateSaid]("no user hears it")
	_ = On(Agent, "delegate", func(_ At, e sessions.DelegateEnded) Entry {
		out := turned(e.InTurn, e.From)
		out.Duration, out.Error = Milliseconds(e.TookMs), e.Code
		out.Metadata["to"], out.Metadata["outcome"] = e.To, e.Outcome
		return out
	})
	_ = Ignore[sessions.WorkDone]("each delegate is counted")
	_ = Ignore[sessions.CallOpened]("its end is counted, with what came of it")
	_ = Ignore[sessions.CallClaimed]("its end is counted, whoever makes it")
	_ = On(Tool, "tool_suspended", func(_ At, e sessions.CallSent) Entry { return turned(e.InTurn, "") })
	_ = On(Tool, "tool_call", func(_ At, e sessions.CallEnded) Entry {
		out := turned(e.InTurn, e.Agent)
		out.Metadata["tool"], out.Metadata["outcome"] = e.Tool, e.Outcome
		if e.Tries > 0 { // it was made
			out.Duration = Milliseconds(e.TookMs)
		}
		if e.Outcome != sessions.CallCancelled {
			out.Error = e.Code
		}
		return out
	})
	_ = Ignore[sessions.ModelAsked]("its answer is counted, with what it took")
	_ = On(LLM, "llm_call", func(_ At, e sessions.ModelAnswered) Entry {
		out := turned(e.InTurn, e.Agent)
		out.Model, out.Duration, out.TokensIn, out.TokensOut, out.Cost = e.ModelID, Milliseconds(e.TookMs), e.TokensIn, e.TokensOut, e.CostPico
		out.Error = e.Failed
		if e.Failed == sessions.CodeCancelled {
			out.Error = ""
		}
		if e.Estimated {
			out.Metadata["estimated"] = true
		}
		out.Metadata["provider"], out.Metadata["finishReason"] = e.Provider, e.Finish
		return out
	})
	_ = On(LLM, "llm_call_cut", func(_ At, e sessions.ModelCounted) Entry {
		out := turned(e.InTurn, e.Agent)
		out.Model, out.Duration, out.TokensIn, out.TokensOut, out.Cost = e.ModelID, Milliseconds(e.TookMs), e.TokensIn, e.TokensOut, e.CostPico
		out.Metadata["provider"], out.Metadata["estimated"] = e.Provider, e.Estimated
		return out
	})
	_ = Ignore[sessions.ModelTold]("what a model wanted and nobody called is no call")
	_ = Ignore[sessions.MemoryAsked]("what was read or kept is counted")
	_ = On(Session, "memory_told", func(_ At, e sessions.MemoryTold) Entry {
		out := turned(e.InTurn, "")
		var stores []string
		for _, s := range e.Stores {
			stores = append(stores, s.Store)
			if s.Failed != "" && s.Failed != sessions.CodeNoContact { // that nobody knows who talks is no error
				out.Error = s.Failed
			}
		}
		out.Metadata["stores"] = stores
		return out
	})
	_ = On(Session, "memory_set", func(_ At, e sessions.MemorySet) Entry {
		out := turned(e.InTurn, e.Agent)
		out.Metadata["store"], out.Metadata["scope"] = e.Store, e.Scope
		return out
	})
	_ = On(Session, "turn_ended", func(_ At, e sessions.TurnEnded) Entry {
		out := turned(e.InTurn, "")
		out.Error, out.Metadata["action"] = e.Failed, e.Action
		return out
	})
	_ = On(Agent, "escalated", func(_ At, e sessions.Escalated) Entry {
		out := turned(e.InTurn, e.Agent)
		out.Metadata["queue"], out.Metadata["priority"], out.Metadata["by"] = e.Queue, e.Priority, string(e.By)
		return out
	})
	_ = On(Session, "taken_by_people", func(_ At, e sessions.TakenByPeople) Entry {
		return Entry{Omit: e.Test, Metadata: map[string]any{"transferId": e.TransferID, "queueId": e.QueueID, "agentId": e.HumanAgentID}}
	})
	_ = On(Session, "given_back", func(_ At, e sessions.GivenBack) Entry {
		out := Entry{Omit: e.Test, Metadata: map[string]any{"transferId": e.TransferID, "reason": e.Reason}}
		if e.Failed {
			out.Error = e.Reason
		}
		return out
	})
	_ = On(Message, "message_received", func(_ At, e sessions.PassedOn) Entry {
		return Entry{Omit: e.Test, OfCall: true, Metadata: map[string]any{"transferId": e.TransferID}}
	})
	// The message is that of the conversation, where people without a session of ours write as well.
	_ = On(Session, "person_said", func(_ At, e sessions.PersonSaid) Entry { return Entry{Omit: e.Test} })
	_ = On(Session, "session_reset", func(_ At, e sessions.WasReset) Entry { return Entry{Omit: e.Test} })
	_ = On(Session, "file_attached", func(_ At, e sessions.Attached) Entry {
		return Entry{Omit: e.Test, Metadata: map[string]any{"contentType": e.ContentType, "sizeBytes": e.SizeBytes}}
	})
	_ = On(Message, "message_taken_back", func(_ At, e sessions.MessageTakenBack) Entry { return Entry{Omit: e.Test} })
	_ = On(Feedback, "feedback_given", func(_ At, e sessions.FeedbackGiven) Entry {
		return Entry{Omit: e.Test, Metadata: map[string]any{"rating": e.Rating}}
	})
)

// message is one of a turn, which a call tells of as well.
func message(in sessions.InTurn, agent string) Entry {
	out := turned(in, agent)
	out.OfCall = true
	return out
}

// turned is an event of a turn; those of test sessions are in no report.
func turned(in sessions.InTurn, agent string) Entry {
	return Entry{Traits: Traits{AgentName: agent}, Omit: in.Test, Metadata: map[string]any{"turn": in.Turn}}
}

// The event types that session metrics count.
const (
	SessionOpened = "session_opened"
	SessionEnded  = "session_ended"
)
