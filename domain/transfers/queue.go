package transfers

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Wait lets a transfer wait in its queue, because nobody is free.
type Wait struct{ At time.Time }

// Queued says that the queue has taken the conversation, and until when it may wait.
type Queued struct {
	QueueID string    `json:"queueId"`
	At      time.Time `json:"at"`
	Until   time.Time `json:"until"`
}

var _ = event.Register[Queued](Transfers, "queued", 1)

// Decide does nothing while an offer is open.
func (c Wait) Decide(s State) ([]event.Payload, error) {
	if !s.Waits() || s.Phase != PhaseRequested {
		return nil, nil
	}
	at := event.Stamp(c.At)
	return []event.Payload{Queued{QueueID: s.Request.QueueID, At: at, Until: at.Add(s.Request.Wait())}}, nil
}

// Apply folds the event.
func (e Queued) Apply(s *State) {
	s.Phase, s.QueuedAt, s.WaitUntil = PhaseQueued, e.At, e.Until
	s.answer(StatusTransferred, "", e.At)
}

// LoseQueue says that the queue is there no more.
type LoseQueue struct{ At time.Time }

// Decide does nothing for a transfer that does not wait for an agent of it.
func (c LoseQueue) Decide(s State) ([]event.Payload, error) {
	if !s.Waits() {
		return nil, nil
	}
	return []event.Payload{Failed{Reason: QueueRemoved, At: event.Stamp(c.At)}}, nil
}

// TimeOut says that the time may be over.
type TimeOut struct{ At time.Time }

// TimedOut ends a wait. With voicemail the conversation goes on there.
type TimedOut struct {
	QueueID   string    `json:"queueId"`
	Voicemail bool      `json:"voicemail"`
	Reason    Reason    `json:"reason"`
	At        time.Time `json:"at"`
}

var _ = event.Register[TimedOut](Transfers, "timed-out", 1)

// Decide does nothing before the time, or when the transfer does not wait any more. An
// offer that is open then comes too late.
func (c TimeOut) Decide(s State) ([]event.Payload, error) {
	at := event.Stamp(c.At)
	if s.Phase != PhaseQueued || at.Before(s.WaitUntil) {
		return nil, nil
	}
	e := TimedOut{QueueID: s.Request.QueueID, Voicemail: s.Request.Voicemail, Reason: QueueTimeout, At: at}
	if e.Voicemail {
		e.Reason = QueueVoicemail
	}
	return []event.Payload{e}, nil
}

// Apply folds the event.
func (e TimedOut) Apply(s *State) {
	s.finish(PhaseTimedOut, e.Reason, e.At)
	s.Voicemail = e.Voicemail
}
