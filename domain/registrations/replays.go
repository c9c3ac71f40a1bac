package registrations

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Replays holds one stream per event that a reactor set aside, named after its place
// on the poison topic: replay-<partition>.<offset>. Its rules:
//
//   - one replay is under way at a time, and its outcome is recorded
//   - one that failed may be asked for again; one that succeeded is over
var Replays = event.NewAggregate[Replay]("replays", "replay", event.Quiet)

// ReplayStatus is how far a replay is.
type ReplayStatus string

// The statuses. An event that nobody asked to replay has none.
const (
	ReplayRequestedStatus ReplayStatus = "requested"
	ReplaySucceededStatus ReplayStatus = "succeeded"
	ReplayFailedStatus    ReplayStatus = "failed"
)

// Replay is the state of one stream.
type Replay struct {
	Status  ReplayStatus `json:"status,omitempty"`
	Number  int          `json:"number,omitempty"` // of replays asked for
	Reactor string       `json:"reactor,omitempty"`
	Event   SetAside     `json:"event,omitzero"`
	By      string       `json:"by,omitempty"` // who asked last
	At      time.Time    `json:"at,omitzero"`  // of the last change
	Error   string       `json:"error,omitempty"`
}

// SetAside is the place of the event that was set aside.
type SetAside struct {
	ID        string `json:"id"` // of the event
	Type      string `json:"type"`
	Stream    string `json:"stream"`
	Version   int64  `json:"version"`
	Topic     string `json:"topic"`
	Partition int    `json:"partition"`
	Offset    int64  `json:"offset"`
}

// AskReplay is the operator's.
type AskReplay struct {
	Reactor string
	Event   SetAside
	By      string
	At      time.Time
}

// Decide says nothing while a replay is under way, or after one succeeded.
func (c AskReplay) Decide(s Replay) ([]event.Payload, error) {
	if c.Reactor == "" || c.Event.Stream == "" || c.Event.Version < 1 {
		return nil, fault.New(fault.BadRequest, "a replay names a reactor, and the stream and version of an event")
	}
	if s.Status == ReplayRequestedStatus || s.Status == ReplaySucceededStatus {
		return nil, nil
	}
	return []event.Payload{ReplayAsked{Number: s.Number + 1, Reactor: c.Reactor, Event: c.Event, By: c.By, At: c.At.UTC()}}, nil
}

// ReplayAsked says who wants the event to be handled again.
type ReplayAsked struct {
	Number  int       `json:"number"` // from 1
	Reactor string    `json:"reactor"`
	Event   SetAside  `json:"event"`
	By      string    `json:"by"`
	At      time.Time `json:"at"`
}

var _ = event.Register[ReplayAsked](Replays, "asked", 1)

// Apply folds the event.
func (e ReplayAsked) Apply(s *Replay) {
	*s = Replay{Status: ReplayRequestedStatus, Number: e.Number, Reactor: e.Reactor, Event: e.Event, By: e.By, At: e.At}
}

// EndReplay records what came of a replay.
type EndReplay struct {
	Number int
	Error  string // public text; empty: it was handled
	At     time.Time
}

// Decide counts the first outcome of each replay.
func (c EndReplay) Decide(s Replay) ([]event.Payload, error) {
	if s.Status != ReplayRequestedStatus || s.Number != c.Number {
		return nil, nil
	}
	if c.Error != "" {
		return []event.Payload{ReplayFailed{Number: c.Number, Error: c.Error, At: c.At.UTC()}}, nil
	}
	return []event.Payload{ReplaySucceeded{Number: c.Number, At: c.At.UTC()}}, nil
}

// ReplaySucceeded says that the reactor handled the event.
type ReplaySucceeded struct {
	Number int       `json:"number"`
	At     time.Time `json:"at"`
}

var _ = event.Register[ReplaySucceeded](Replays, "succeeded", 1)

// Apply folds the event.
func (e ReplaySucceeded) Apply(s *Replay) {
	s.Status, s.At, s.Error = ReplaySucceededStatus, e.At, ""
}

// ReplayFailed says that the reactor could not handle it this time either.
type ReplayFailed struct {
	Number int       `json:"number"`
	Error  string    `json:"error"`
	At     time.Time `json:"at"`
}

var _ = event.Register[ReplayFailed](Replays, "failed", 1)

// Apply folds the event.
func (e ReplayFailed) Apply(s *Replay) {
	s.Status, s.At, s.Error = ReplayFailedStatus, e.At, e.Error
}
