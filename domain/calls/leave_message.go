package calls

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// TakeMessage asks the node that has a call to let the other side leave a message: nobody took its
// transfer in time.
type TakeMessage struct {
	VoicemailID string
	TransferID  string
	At          time.Time
}

// MessageWanted: the other side is to leave a message.
type MessageWanted struct {
	VoicemailID string    `json:"voicemailId"`
	TransferID  string    `json:"transferId"`
	At          time.Time `json:"at"`
}

var _ = event.Register[MessageWanted](Calls, "message-wanted", 1)

// Decide asks once for each voicemail; a call that is not answered yet takes it when it is. Who leaves one already is not asked for
// another: what they say is one message, and it is for whoever reads those of the session.
func (c TakeMessage) Decide(s State) ([]event.Payload, error) {
	switch {
	case !s.Live(), s.Message != nil && s.Message.VoicemailID == c.VoicemailID:
		return nil, nil
	case s.Message != nil && !s.MessageOver:
		return []event.Payload{MessageMissed{VoicemailID: c.VoicemailID, TransferID: c.TransferID, Reason: "another one is being left",
			At: event.Stamp(c.At)}}, nil
	}
	return []event.Payload{MessageWanted{VoicemailID: c.VoicemailID, TransferID: c.TransferID, At: event.Stamp(c.At)}}, nil
}

// Apply makes it what the node is to do next.
func (e MessageWanted) Apply(s *State) {
	s.Message, s.MessageOver, s.MessageBlob = &e, false, ""
	s.Messages = append(s.Messages[:len(s.Messages):len(s.Messages)], e.VoicemailID)
}

// WantsMessage is the message that nobody has taken yet.
func (s State) WantsMessage() (MessageWanted, bool) {
	if s.Message == nil || s.MessageOver || !s.Answered() {
		return MessageWanted{}, false
	}
	return *s.Message, true
}

// KeepMessage keeps what was left.
type KeepMessage struct {
	VoicemailID string
	Blob        string // its name in blob storage
	SHA256      string // hexadecimal
	SizeBytes   int64
	Ms          int64
	By          MessageEnd
	At          time.Time
}

// MessageEnd is what ended a message.
type MessageEnd string

// The ends of a message.
const (
	EndedBySilence MessageEnd = "silence"
	EndedByKey     MessageEnd = "key"
	EndedByLength  MessageEnd = "length"
	EndedByHangUp  MessageEnd = "hang-up"
	EndedByPerson  MessageEnd = "person" // who came onto the line: what is said from then on is said to them
)

// MessageLeft is a message of the other side, a WAV file of one channel.
type MessageLeft struct {
	VoicemailID string     `json:"voicemailId"`
	TransferID  string     `json:"transferId"`
	Blob        string     `json:"blob"`
	SHA256      string     `json:"sha256"`
	SizeBytes   int64      `json:"sizeBytes"`
	Ms          int64      `json:"ms"`
	By          MessageEnd `json:"by"`
	At          time.Time  `json:"at"`
}

var _ = event.Register[MessageLeft](Calls, "message-left", 1)

// Decide keeps one message for each time that one is wanted, also behind the end of the call, and where it was held for lost by then; none
// of somebody who was erased meanwhile.
func (c KeepMessage) Decide(s State) ([]event.Payload, error) {
	switch {
	case s.Message == nil || s.Message.VoicemailID != c.VoicemailID:
		return nil, fault.New(fault.Conflict, "nobody asked for the message")
	case s.Forgotten:
		return nil, fault.New(fault.Gone, "who has left the message was erased")
	case s.MessageOver && s.MessageBlob != "":
		return nil, nil
	}
	return []event.Payload{MessageLeft{VoicemailID: c.VoicemailID, TransferID: s.Message.TransferID, Blob: c.Blob, SHA256: c.SHA256,
		SizeBytes: c.SizeBytes, Ms: c.Ms, By: c.By, At: event.Stamp(c.At)}}, nil
}

// Apply ends the wait for it.
func (e MessageLeft) Apply(s *State) { s.MessageOver, s.MessageBlob = true, e.Blob }

// MissMessage says that there is no message.
type MissMessage struct {
	VoicemailID string
	Reason      string // for operators: nothing was said
	At          time.Time
}

// MessageMissed is a message that was wanted, and is not there.
type MessageMissed struct {
	VoicemailID string    `json:"voicemailId"`
	TransferID  string    `json:"transferId"`
	Reason      string    `json:"reason"`
	At          time.Time `json:"at"`
}

var _ = event.Register[MessageMissed](Calls, "message-missed", 1)

// Decide says so while it is wanted.
func (c MissMessage) Decide(s State) ([]event.Payload, error) {
	if s.Message == nil || s.Message.VoicemailID != c.VoicemailID || s.MessageOver {
		return nil, nil
	}
	return []event.Payload{MessageMissed{VoicemailID: c.VoicemailID, TransferID: s.Message.TransferID, Reason: c.Reason,
		At: event.Stamp(c.At)}}, nil
}

// TakerLost is why there is no message of somebody whose call has ended since.
const TakerLost = "the node that took it was lost"

// loseMessage tells of a message that was wanted when the node of the call was lost, and for which nobody can ask again: the call is over.
func (s State) loseMessage(at time.Time) ([]event.Payload, error) {
	if s.Message == nil {
		return nil, nil
	}
	return MissMessage{VoicemailID: s.Message.VoicemailID, Reason: TakerLost, At: at}.Decide(s)
}

// Apply ends the wait for it.
func (e MessageMissed) Apply(s *State) {
	if s.Message == nil || s.Message.VoicemailID == e.VoicemailID {
		s.MessageOver = true
	}
}

// How long a message may be, and how long nothing may be said, before it or behind it.
const (
	LongestMessage = 2 * time.Minute
	silenceBefore  = 10 * time.Second
	silenceBehind  = 4 * time.Second
)

// MessageListener finds the end of a message in the facts of its leg.
type MessageListener struct {
	began time.Time
	quiet time.Time // since when nothing is said; zero: somebody speaks
	spoke bool
	keyed time.Time
}

// ListenForMessage begins at the beep.
func ListenForMessage(at time.Time) MessageListener { return MessageListener{began: at} }

// Hear takes a fact.
func (m *MessageListener) Hear(f Fact) {
	switch f.Kind {
	case FactSpeechBegan:
		m.spoke, m.quiet = true, time.Time{}
	case FactWords: // of what was recognised, later than it was said
		m.spoke = true
	case FactSpeechEnded, FactSilence:
		if m.quiet.IsZero() {
			m.quiet = f.At
		}
	case FactDigit:
		if f.Digit == "#" && m.keyed.IsZero() {
			m.keyed = f.At
		}
	}
}

// Spoke reports whether anything was said.
func (m *MessageListener) Spoke() bool { return m.spoke }

// End is when the message is over if nothing else is heard, and by what.
func (m *MessageListener) End() (at time.Time, by MessageEnd) {
	at, by = m.began.Add(LongestMessage), EndedByLength
	silent := m.began.Add(silenceBefore)
	if m.spoke {
		silent = m.quiet.Add(silenceBehind)
	}
	if (!m.spoke || !m.quiet.IsZero()) && silent.Before(at) {
		at, by = silent, EndedBySilence
	}
	if !m.keyed.IsZero() && m.keyed.Before(at) {
		at, by = m.keyed, EndedByKey
	}
	return at, by
}
