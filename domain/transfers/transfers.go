// Package transfers is the handing of a conversation to a person: asked for, offered to
// an agent, waiting in a queue, assigned, failed, over (assign-conversation).
//
// It owns the course of one transfer and what is told about it. It never counts an
// agent's capacity, which the agent's own stream guards, and never keeps the order of
// a queue's line: both are asked by whoever drives the transfer, and their answers
// come in as commands.
package transfers

import (
	"strconv"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Transfers holds one stream per transfer: transfer-<uuid>. Its rules:
//
//   - a transfer goes to one agent, or to one queue
//   - one agent at a time is offered it; only the offer that is open can be accepted, but for an agent who has
//     come to the conversation by another way
//   - it is assigned at most once, and only while the claim on the agent's capacity holds
//   - it ends once: failed, timed out, or over after it was assigned
//   - the first outcome is the answer to its request, whatever comes later
var Transfers = event.NewAggregate[State]("transfers", "transfer", event.Busy)

// Stream names the stream of a transfer.
func Stream(transferID string) string { return Transfers.Stream(transferID) }

// Phase is how far a transfer has come; empty: it was never asked for.
type Phase string

// The phases. The last three are final.
const (
	PhaseRequested Phase = "requested" // nobody has decided yet
	PhaseQueued    Phase = "queued"    // it waits in the queue's line
	PhaseAssigned  Phase = "assigned"  // an agent has it
	PhaseFailed    Phase = "failed"
	PhaseTimedOut  Phase = "timedOut" // it waited for too long
	PhaseEnded     Phase = "ended"    // it was assigned, and the interaction is over
)

// Reason says why a transfer came to nothing, or was over. It is a code, and callers see
// it as it is. Those of a refused claim are the agent's desk's.
type Reason string

// The reasons that are not the desk's.
const (
	AgentRemoved     Reason = "AGENT_REMOVED"           // since the transfer was asked for
	NoAnswer         Reason = "AGENT_NO_ANSWER"         // whose telephone rang, and nobody took it
	TurnedDown       Reason = "AGENT_DECLINED"          // whose telephone refused the call, or was busy
	Unreachable      Reason = "AGENT_UNREACHABLE"       // whose telephone cannot be reached
	ClaimLost        Reason = "CLAIM_LOST"              // assigned, but not confirmed in time: nothing ran
	QueueTimeout     Reason = "QUEUE_TIMEOUT"           // nobody became free
	QueueVoicemail   Reason = "QUEUE_TIMEOUT_VOICEMAIL" // nobody became free, and the queue takes voicemail
	QueueRemoved     Reason = "QUEUE_REMOVED"           // since the transfer was asked for
	SessionEnded     Reason = "SESSION_ENDED"
	ConversationOver Reason = "CONVERSATION_ENDED"
	Replaced         Reason = "REPLACED"    // by a later transfer of the session
	HandedBack       Reason = "HANDED_BACK" // to the agent, by somebody who may
)

// State is the state of one transfer.
type State struct {
	Request Requested
	Phase   Phase
	Offer   *Offer // the one that is open; nil: none
	Last    Offer  // the last that was made; attempt 0: none was

	QueuedAt     time.Time // zero: it never waited
	WaitUntil    time.Time
	HumanAgentID string // who has it, or had it; empty beside an AssignedAt: somebody who is no agent of ours
	ClaimID      string // what it holds of the agent's capacity
	AssignedAt   time.Time
	EndedAt      time.Time
	Reason       Reason
	Voicemail    bool

	Answer Answer // what its request was answered
}

// Offer is a transfer on its way to an agent.
type Offer struct {
	HumanAgentID string
	Attempt      int // from 1
}

// ToQueue reports whether the transfer was asked for a queue.
func (s State) ToQueue() bool { return s.Request.QueueID != "" }

// TakenUp reports whether it is with somebody who came to the conversation by another way. Nothing was claimed for
// them that would have to be confirmed, or could be lost.
func (s State) TakenUp() bool {
	return s.ClaimID != "" && s.ClaimID != ClaimID(s.Request.TransferID, s.Last.Attempt)
}

// Waits reports whether an agent may be looked for now.
func (s State) Waits() bool {
	return s.ToQueue() && s.Offer == nil && (s.Phase == PhaseRequested || s.Phase == PhaseQueued)
}

// Open reports whether the transfer has not come to anything yet.
func (s State) Open() bool { return s.Phase == PhaseRequested || s.Phase == PhaseQueued }

// Final reports whether nothing more can happen to it.
func (s State) Final() bool {
	return s.Phase == PhaseFailed || s.Phase == PhaseTimedOut || s.Phase == PhaseEnded
}

// ClaimID names what an offer of a transfer claims of the agent's capacity.
func ClaimID(transferID string, attempt int) string { return transferID + "-" + strconv.Itoa(attempt) }
