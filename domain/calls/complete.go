package calls

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Party is who ended an answered call.
type Party string

// The parties. The callee is caller on the log, as in the API, which names the reason from
// the bot's side: to it the person on the line is its caller.
const (
	ByCallee  Party = "caller"  // the callee's side hung up
	ByBot     Party = "bot"     // we hung up
	ByGateway Party = "gateway" // a fault on the way
)

// ReasonCode is the reasonCode of notifications.
type ReasonCode string

// The reason codes (docs/api-rules.md "Call results").
const (
	ReasonOK                     ReasonCode = "OK"
	ReasonBusy                   ReasonCode = "Busy Here"
	ReasonServiceUnavailable     ReasonCode = "Service Unavailable"
	ReasonTemporarilyUnavailable ReasonCode = "Temporarily Unavailable"
	ReasonCallerDisconnected     ReasonCode = "Caller-disconnected"
	ReasonBotDisconnected        ReasonCode = "Bot-disconnected"
	ReasonGatewayDisconnected    ReasonCode = "Gateway-disconnected"
)

var completions = map[Party]ReasonCode{
	ByCallee: ReasonCallerDisconnected, ByBot: ReasonBotDisconnected, ByGateway: ReasonGatewayDisconnected,
}

// CausePersonHungUp is the cause of an end by the person who was brought onto the line: this side hangs up behind them.
const CausePersonHungUp = "the person hung up"

// Complete ends an answered call.
type Complete struct {
	By    Party
	Cause string // for the log and the operator: machine detected, no agent, node lost ...
	At    time.Time
}

// Completed is the end of an answered call.
type Completed struct {
	At              time.Time  `json:"at"`
	By              Party      `json:"by"`
	Cause           string     `json:"cause,omitempty"`
	ReasonCode      ReasonCode `json:"reasonCode"`
	Reason          string     `json:"reason"`
	DurationMs      int64      `json:"durationMs"` // answer to end
	SessionID       string     `json:"sessionId"`
	Verdict         Result     `json:"verdict,omitempty"` // of the detection; absent when it was off
	MachineDetected bool       `json:"machineDetected"`   // the Status column of Interactions shows it
}

var _ = event.Register[Completed](Calls, "completed", 1)

// answeredReason is the reason of everything after a 2xx.
const answeredReason = "200 OK"

// Decide ends a connected call. A detection that still runs is stopped first.
func (c Complete) Decide(s State) ([]event.Payload, error) {
	code, ok := completions[c.By]
	if !ok {
		return nil, fault.Field("by", "must be caller, bot or gateway")
	}
	if !s.Answered() {
		return nil, nil
	}
	at := event.Stamp(c.At)
	if at.Before(s.AnsweredAt) {
		at = s.AnsweredAt
	}
	e := Completed{At: at, By: c.By, Cause: c.Cause, ReasonCode: code, Reason: answeredReason,
		DurationMs: since(s.AnsweredAt, at), SessionID: s.SessionID,
		Verdict: s.Verdict(), MachineDetected: s.foundMachine()}
	if !s.detecting() || s.precludes(AmdStopped) {
		return []event.Payload{e}, nil
	}
	if e.Verdict == "" {
		e.Verdict = AmdStopped
	}
	stopped := AmdDetected{Detection: Detection{Result: AmdStopped}, Provider: s.Provider, At: at}
	return []event.Payload{stopped, e}, nil
}

// Apply ends the call.
func (e Completed) Apply(s *State) {
	s.Phase, s.EndedAt, s.DurationMs = PhaseCompleted, e.At, e.DurationMs
	s.ReasonCode, s.Reason, s.MachineDetected = e.ReasonCode, e.Reason, e.MachineDetected
	s.Forgotten = e.Cause == causeErased
	s.sign(e.At)
	s.Attempt.End()
}
