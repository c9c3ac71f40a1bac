// Package waitinglines is the line of a queue: who entered, in which order, and who left.
//
// It owns the order. It never picks an agent and never measures time: a transfer's own
// stream knows how long it may wait.
package waitinglines

import (
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/humanagents"
)

// Lines holds one stream per queue (see Stream). Its rules:
//
//   - a transfer stands in a line once
//   - the line is in the order of entering, but that a greater rank stands before a smaller one
var Lines = event.NewAggregate[State]("waiting", "line", event.Busy)

// Stream names the stream of a queue's line. The separator is a character that no id
// can hold, so that two pairs of ids never share a stream.
func Stream(tenantID, queueID string) string { return Lines.Stream(tenantID + "." + queueID) }

// State is the state of one line.
type State struct {
	TenantID string
	QueueID  string
	Line     []Place // the head is at 0
}

// Place is a transfer in a line.
type Place struct {
	TransferID string
	Kind       humanagents.Kind
	Skills     []string
	Rank       int
	At         time.Time
}

// Holds reports whether a transfer stands in the line.
func (s State) Holds(transferID string) bool { return s.find(transferID) >= 0 }

func (s State) find(transferID string) int {
	return slices.IndexFunc(s.Line, func(p Place) bool { return p.TransferID == transferID })
}

// Enter puts a transfer into the line, behind those of its rank.
type Enter struct {
	TenantID   string
	QueueID    string
	TransferID string
	SessionID  string
	Kind       humanagents.Kind // with Skills: who may serve it. Those behind it may be served before it by others
	Skills     []string
	Rank       int // 0: as any other
	At         time.Time
}

// Entered says that a transfer stands in the line, behind those of its rank.
type Entered struct {
	TenantID   string           `json:"tenantId"`
	QueueID    string           `json:"queueId"`
	TransferID string           `json:"transferId"`
	SessionID  string           `json:"sessionId"`
	Kind       humanagents.Kind `json:"kind"`
	Skills     []string         `json:"skills,omitempty"`
	Rank       int              `json:"rank,omitempty"` // those with a greater one come first
	At         time.Time        `json:"at"`
}

var _ = event.Register[Entered](Lines, "entered", 1)

// Decide does nothing for a transfer that stands in the line.
func (c Enter) Decide(s State) ([]event.Payload, error) {
	if s.Holds(c.TransferID) {
		return nil, nil
	}
	return []event.Payload{Entered{TenantID: c.TenantID, QueueID: c.QueueID, TransferID: c.TransferID, SessionID: c.SessionID, Kind: c.Kind,
		Skills: slices.Clone(c.Skills), Rank: c.Rank, At: event.Stamp(c.At)}}, nil
}

// Apply folds the event.
func (e Entered) Apply(s *State) {
	s.TenantID, s.QueueID = e.TenantID, e.QueueID
	at := slices.IndexFunc(s.Line, func(p Place) bool { return p.Rank < e.Rank })
	if at < 0 {
		at = len(s.Line)
	}
	place := Place{TransferID: e.TransferID, Kind: e.Kind, Skills: slices.Clone(e.Skills), Rank: e.Rank, At: e.At}
	s.Line = slices.Insert(s.Line, at, place)
}

// Reason says why a transfer left the line.
type Reason string

// The reasons.
const (
	Assigned Reason = "assigned"
	Timeout  Reason = "timeout"
	Ended    Reason = "ended"
)

// Leave takes a transfer out of the line.
type Leave struct {
	TransferID string
	Reason     Reason
	At         time.Time
}

// Left says that those behind have moved up.
type Left struct {
	TenantID   string    `json:"tenantId"`
	QueueID    string    `json:"queueId"`
	TransferID string    `json:"transferId"`
	Reason     Reason    `json:"reason"`
	At         time.Time `json:"at"`
}

var _ = event.Register[Left](Lines, "left", 1)

// Decide does nothing for a transfer that does not stand in the line.
func (c Leave) Decide(s State) ([]event.Payload, error) {
	if !s.Holds(c.TransferID) {
		return nil, nil
	}
	return []event.Payload{Left{TenantID: s.TenantID, QueueID: s.QueueID, TransferID: c.TransferID, Reason: c.Reason, At: event.Stamp(c.At)}},
		nil
}

// Apply folds the event.
func (e Left) Apply(s *State) {
	if i := s.find(e.TransferID); i >= 0 {
		s.Line = slices.Delete(s.Line, i, i+1)
	}
}
