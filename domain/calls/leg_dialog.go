package calls

import (
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Dialog is what a node needs to speak in the SIP dialog of a leg that another node had: to ask
// whether it still is, to end it, to take its sound over. It holds no key of the sound: whoever takes
// that over makes new ones.
type Dialog struct {
	CallID    string   `json:"callId"`                   // of the headers, not the call's id
	Local     string   `json:"local"`                    // our address, with our tag, as our requests name it
	Remote    string   `json:"remote" personal:"callee"` // theirs, with their tag
	Target    string   `json:"target" personal:"callee"` // the URI that requests go to: their Contact
	Routes    []string `json:"routes,omitempty"`         // in the order in which requests name them
	CSeq      uint32   `json:"cseq"`                     // of our last request when this was recorded
	Transport string   `json:"transport"`                // udp, tcp or tls
	Codec     string   `json:"codec"`                    // PCMU or PCMA
	Secure    bool     `json:"secure,omitempty"`         // the sound is SRTP
	RTP       string   `json:"rtp,omitempty"`            // where their sound comes from, as their SDP says
	Trunk     string   `json:"trunk,omitempty"`          // that took the call, which may be another than was asked for; empty: that one
}

// same reports whether nothing has changed that another node would have to know.
func (d *Dialog) same(o Dialog) bool {
	if d == nil {
		return false
	}
	return d.CallID == o.CallID && d.Local == o.Local && d.Remote == o.Remote && d.Target == o.Target && slices.Equal(d.Routes, o.Routes) &&
		d.Transport == o.Transport && d.Codec == o.Codec && d.Secure == o.Secure && d.RTP == o.RTP && d.Trunk == o.Trunk
}

// clone is a copy that shares nothing.
func (d Dialog) clone() Dialog {
	d.Routes = slices.Clone(d.Routes)
	return d
}

// EstablishLeg says what the dialog of the call's leg is, once the answer was acknowledged, and again
// when that has changed.
type EstablishLeg struct {
	Dialog Dialog
	At     time.Time
}

// LegEstablished is the dialog of an answered leg, for the node that may have to end it, or to go on
// with it, when the one that has it is gone.
type LegEstablished struct {
	At     time.Time `json:"at"`
	Dialog Dialog    `json:"dialog"`
}

var _ = event.Register[LegEstablished](Calls, "leg-established", 1)

// Decide notes a dialog that is new, or has changed in more than its count of requests.
func (c EstablishLeg) Decide(s State) ([]event.Payload, error) {
	if !s.Answered() || s.Dialog.same(c.Dialog) {
		return nil, nil
	}
	return []event.Payload{LegEstablished{At: event.Stamp(c.At), Dialog: c.Dialog.clone()}}, nil
}

// Apply keeps the dialog.
func (e LegEstablished) Apply(s *State) {
	d := e.Dialog.clone()
	s.Dialog = &d
	s.sign(e.At)
}

// Hold says that the other side has put us on hold, or has come back.
type Hold struct {
	Held bool
	At   time.Time
}

// Held: the other side listens no more, until it resumes.
type Held struct {
	At time.Time `json:"at"`
}

// Resumed: the other side is back.
type Resumed struct {
	At time.Time `json:"at"`
}

var (
	_ = event.Register[Held](Calls, "held", 1)
	_ = event.Register[Resumed](Calls, "resumed", 1)
)

// Decide notes the changes of an answered call.
func (c Hold) Decide(s State) ([]event.Payload, error) {
	at := event.Stamp(c.At)
	switch {
	case !s.Answered() || s.OnHold == c.Held:
		return nil, nil
	case c.Held:
		return []event.Payload{Held{At: at}}, nil
	}
	return []event.Payload{Resumed{At: at}}, nil
}

// Apply puts the call on hold.
func (e Held) Apply(s *State) {
	s.OnHold = true
	s.sign(e.At)
}

// Apply takes it off hold.
func (e Resumed) Apply(s *State) {
	s.OnHold = false
	s.sign(e.At)
}
