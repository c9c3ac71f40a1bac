// Package signal is what a participant of a room of LiveKit and its server say to each other over the
// socket of a room: protobuf messages, of which those are written and read that a participant needs who
// publishes one microphone and hears those of others. And it is the packets of data in which people write.
//
// It owns the numbers of their members and nothing else: no socket, no connection, no order. What it does
// not know it passes over, as protobuf has it; what is torn is an error.
package signal

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// Target is the connection that a candidate or a description is of.
type Target int

// The two connections of a participant, as the participant calls them.
const (
	Publisher  Target = 0
	Subscriber Target = 1
)

// Description is a session description of one of the connections.
type Description struct {
	Type string // offer or answer
	SDP  string
	ID   uint32 // of an offer, which its answer repeats; 0: it has none
}

// Trickle is a candidate of one of the connections.
type Trickle struct {
	Init   string // JSON, as browsers write it
	Target Target
	Final  bool // there are no more
}

// Action is what a participant does whom the server sends away.
type Action int

// What the server wants.
const (
	Disconnect Action = 0
	Resume     Action = 1
	Reconnect  Action = 2
)

// Reason is why somebody is not in a room any more.
type Reason int

// The reasons that say something to us.
const (
	ClientInitiated    Reason = 1
	DuplicateIdentity  Reason = 2
	ServerShutdown     Reason = 3
	ParticipantRemoved Reason = 4
	RoomDeleted        Reason = 5
	RoomClosed         Reason = 10
)

var reasons = map[Reason]string{ClientInitiated: "it was asked to", DuplicateIdentity: "another of the same identity joined",
	ServerShutdown: "the server stops", ParticipantRemoved: "the participant was removed", RoomDeleted: "the room was deleted",
	RoomClosed: "the room is closed", 6: "the server knows another state", 7: "joining failed", 8: "the participant moves",
	9: "the socket broke", 14: "nothing was heard for too long", 15: "the sound did not flow"}

// String is the reason in words.
func (r Reason) String() string {
	if word := reasons[r]; word != "" {
		return word
	}
	return fmt.Sprintf("reason %d", int(r))
}

// Leave says that a participant leaves, or has to.
type Leave struct {
	CanReconnect bool // as servers said it before there were actions
	Reason       Reason
	Action       Action
}

// Ping asks whether the other side is there.
type Ping struct{ Timestamp, RoundTrip int64 } // ms

// AddTrack asks to publish sound.
type AddTrack struct {
	CID        string // by which the answer names it
	Name       string
	Source     Source
	DisableDTX bool
	DisableRED bool
}

// Subscription asks for tracks, or for none of them any more.
type Subscription struct {
	Tracks    []string
	Subscribe bool
}

// Request is one message of a participant: what is set of it.
type Request struct {
	Offer, Answer *Description
	AddTrack      *AddTrack
	Subscription  *Subscription
	Leave         *Leave
	Ping          *Ping
}

// Kind is what a participant is.
type Kind int

// The kinds that are no people.
const (
	Egress Kind = 2
	Agent  Kind = 4
)

// Person reports whether somebody talks there, and not a machine that was called into the room.
func (k Kind) Person() bool { return k != Egress && k != Agent }

// Source is where the sound of a track comes from.
type Source int

// The sources in which people are heard.
const (
	UnknownSource Source = 0
	Microphone    Source = 2
)

// Track is one that a participant has published.
type Track struct {
	SID       string
	Audio     bool
	Muted     bool
	Source    Source
	MIME      string
	Encrypted bool // for those in the room who have its key
}

// Speech reports whether a track is what somebody says, and can be heard.
func (t Track) Speech() bool {
	return t.Audio && !t.Encrypted && (t.Source == Microphone || t.Source == UnknownSource)
}

// Participant is somebody in a room.
type Participant struct {
	SID, Identity string
	Gone          bool
	Kind          Kind
	Tracks        []Track
}

// Join is the server's first message: who is there, and how it wants to be asked.
type Join struct {
	Room         string
	Self         Participant
	Others       []Participant
	PingTimeout  int // s
	PingInterval int // s
}

// Published says that a track may be published.
type Published struct {
	CID   string
	Track Track
}

// Refused is a request that the server does not do.
type Refused struct {
	Code    int
	Message string
}

// Response is one message of the server: what is set of it. One that says nothing to us has nothing set.
type Response struct {
	Join          *Join
	Offer, Answer *Description
	Trickle       *Trickle
	Update        []Participant
	Published     *Published
	Leave         *Leave
	Refused       *Refused
}

var errTorn = errors.New("the message is torn")

// message is the members of a protobuf message, as they are added.
type message []byte

func (m *message) text(n protowire.Number, v string) {
	if v != "" {
		*m = protowire.AppendString(protowire.AppendTag(*m, n, protowire.BytesType), v)
	}
}

func (m *message) number(n protowire.Number, v int64) {
	if v != 0 {
		*m = protowire.AppendVarint(protowire.AppendTag(*m, n, protowire.VarintType), uint64(v))
	}
}

func (m *message) is(n protowire.Number, v bool) {
	if v {
		m.number(n, 1)
	}
}

// in adds a message of its own, which may be empty.
func (m *message) in(n protowire.Number, of message) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, n, protowire.BytesType), of)
}

// member is one member of a message that was read.
type member struct {
	number protowire.Number
	value  uint64 // of a number
	bytes  []byte // of a text or a message
}

func (m member) is() bool     { return m.value != 0 }
func (m member) text() string { return string(m.bytes) }

// each has all members of a message in their order. Members of other types than ours are passed over.
func each(b []byte, take func(member) error) error {
	for len(b) > 0 {
		n, kind, l := protowire.ConsumeTag(b)
		if l < 0 {
			return errTorn
		}
		b = b[l:]
		m := member{number: n}
		switch kind {
		case protowire.VarintType:
			m.value, l = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			m.bytes, l = protowire.ConsumeBytes(b)
		default:
			l = protowire.ConsumeFieldValue(n, kind, b)
			m.number = 0
		}
		if l < 0 {
			return errTorn
		}
		b = b[l:]
		if m.number == 0 {
			continue
		}
		if err := take(m); err != nil {
			return err
		}
	}
	return nil
}
