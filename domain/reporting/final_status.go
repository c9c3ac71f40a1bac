package reporting

import "github.com/parley-platform/parley/domain/calls"

// FinalStatus is what a session came to.
type FinalStatus string

// The final statuses.
const (
	BotResolved     FinalStatus = "BotResolved"     // no person was asked for
	Abandoned       FinalStatus = "Abandoned"       // one was waited for until the end, or in vain
	MachineDetected FinalStatus = "MachineDetected" // a machine had answered
	Closed          FinalStatus = "CLOSED"          // a person had it, or a failure ended it
)

// The disconnecting events: who ended a session.
const (
	UserHangup    = "User Hangup"
	BotHangup     = "Bot Hangup"
	GatewayHangup = "Gateway Hangup"
	AgentClosed   = "Agent Closed"
)

// EndOfCall is how a call ended and what it came to, if no person was asked for.
func EndOfCall(e calls.Completed) (disconnecting string, of FinalStatus) {
	of = BotResolved
	if e.MachineDetected {
		of = MachineDetected
	}
	switch {
	case e.By == calls.ByCallee:
		return UserHangup, of
	case e.By == calls.ByBot && e.Cause == calls.CausePersonHungUp:
		return AgentClosed, of
	case e.By == calls.ByBot:
		return BotHangup, of
	default:
		return GatewayHangup, Closed
	}
}

// Ending is what the final status of a session follows from. The last transfer decides,
// for its caller may have had a person before.
type Ending struct {
	Of         FinalStatus // what it would be if no person had been asked for
	UserHungUp bool
	Told       bool // hooks told of a person
	Asked      bool // a person was asked for: there is a transfer, and the rest is of the last one

	Had         bool // a person took it before the session ended, or hooks told of one since it was asked for
	Over        bool // it ended
	WithSession bool // it ended because the session did
	Queued      bool // it stood in a line
}

// Status is what the session came to.
func (e Ending) Status() FinalStatus {
	switch {
	case e.Of != BotResolved:
		return e.Of
	case !e.Asked && e.Told, e.Asked && e.Had:
		return Closed
	case !e.Asked:
		return BotResolved
	case !e.Over, e.WithSession, e.Queued && e.UserHungUp:
		return Abandoned
	}
	return Closed // nobody could be had
}
