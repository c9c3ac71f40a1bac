package calls

import (
	"cmp"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/transfers"
)

// CallPerson asks the node that has a call to bring the telephone of a person onto its line, who has the
// call's session by a transfer.
type CallPerson struct {
	TransferID string
	Turn       int    // of the transfer among those of the session
	ClaimID    string // of the person's capacity, by which the transfer knows what came of it
	Target     string // tel:+<digits> or sip:<user>@<host>[:<port>]
	Trunk      string // over which they are called; empty: that of the call
	Summary    string // that is said to the person before the two talk; empty: nothing is
	At         time.Time
}

// PersonCalled: a person is to be on the line.
type PersonCalled struct {
	TransferID string    `json:"transferId"`
	Turn       int       `json:"turn,omitempty"` // of the transfer among those of the session; absent: not known
	ClaimID    string    `json:"claimId"`
	Target     string    `json:"target" personal:"callee"`
	Trunk      string    `json:"trunk,omitempty"` // over which they are called; absent: that of the call
	Summary    string    `json:"summary,omitempty" personal:"callee"`
	At         time.Time `json:"at"`
}

var _ = event.Register[PersonCalled](Calls, "person-called", 1)

// Decide asks once for each transfer. A call that is not answered yet calls them when it is: its session may be given to
// somebody as soon as there is one. Of transfers that were asked for at once the later has the session, in whichever order they
// come here: who was asked for by an earlier one takes the call from nobody.
func (c CallPerson) Decide(s State) ([]event.Payload, error) {
	if !s.Live() || s.Person != nil && !transfers.Later(c.Turn, c.TransferID, s.Person.Turn, s.Person.TransferID) {
		return nil, nil
	}
	return []event.Payload{PersonCalled{TransferID: c.TransferID, Turn: c.Turn, ClaimID: c.ClaimID, Target: c.Target,
		Trunk: c.Trunk, Summary: c.Summary, At: event.Stamp(c.At)}}, nil
}

// Apply makes it what the node is to do next.
func (e PersonCalled) Apply(s *State) {
	s.Person, s.PersonCode, s.PersonFree, s.PersonLeg, s.Referral = &e, 0, false, nil, NotReferred
}

// FreePerson asks the node that has a call to let a person go who was called onto its line: they have the session no more. It is
// their agent's again, or somebody else's.
type FreePerson struct {
	TransferID string
	At         time.Time
}

// PersonFreed: the person is hung up, or not called any more, and the call goes on.
type PersonFreed struct {
	TransferID string    `json:"transferId"`
	At         time.Time `json:"at"`
}

var _ = event.Register[PersonFreed](Calls, "person-freed", 1)

// Decide says so once, of the person who was called last, unless they did not come, or have the call elsewhere.
func (c FreePerson) Decide(s State) ([]event.Payload, error) {
	switch {
	case !s.Live(), s.Person == nil || s.Person.TransferID != c.TransferID, s.PersonFree, s.Referral == ReferralDone,
		s.PersonCode != 0 && !talk(s.PersonCode):
		return nil, nil
	}
	return []event.Payload{PersonFreed{TransferID: c.TransferID, At: event.Stamp(c.At)}}, nil
}

// Apply makes it what the node is to do next.
func (PersonFreed) Apply(s *State) { s.PersonFree = true }

// FreedPerson is the transfer of a person who is to be on the line no more; empty: nobody is so.
func (s State) FreedPerson() string {
	if s.Person == nil || !s.PersonFree {
		return ""
	}
	return s.Person.TransferID
}

// RingingPerson is the transfer of a person who was called onto the line and has not come, even if the call is over by now; empty: they
// have, or said that they do not, or nobody was called.
func (s State) RingingPerson() string {
	if s.Person == nil || s.PersonCode != 0 {
		return ""
	}
	return s.Person.TransferID
}

// Referral is how far it is that the trunk calls a person in our place.
type Referral string

// The states of a referral.
const (
	NotReferred  Referral = ""      // it was not asked
	Referred     Referral = "asked" // nobody else calls the person before it has told what came of it
	ReferralOver Referral = "over"  // it does not do so, or does not tell: a node calls them
	ReferralDone Referral = "done"  // the person has the call there, and we have it no more
)

// ReferPerson says that the trunk is about to be asked to call a person, or, over, that it does not do so. The first precedes the
// request: whoever goes on with the call does not call the person beside the trunk.
type ReferPerson struct {
	TransferID string
	Over       bool
	At         time.Time
}

// PersonReferred: the trunk is asked to call the person, or does not do so.
type PersonReferred struct {
	TransferID string    `json:"transferId"`
	Over       bool      `json:"over,omitempty"` // it does not do so, or does not tell what came of it
	At         time.Time `json:"at"`
}

var _ = event.Register[PersonReferred](Calls, "person-referred", 1)

// Decide asks once, of the person who was called last, while nothing came of that.
func (c ReferPerson) Decide(s State) ([]event.Payload, error) {
	if _, wanted := s.WantsPerson(); !wanted || s.Person.TransferID != c.TransferID {
		return nil, nil
	}
	if was := map[bool]Referral{false: NotReferred, true: Referred}; s.Referral != was[c.Over] {
		return nil, nil
	}
	return []event.Payload{PersonReferred{TransferID: c.TransferID, Over: c.Over, At: event.Stamp(c.At)}}, nil
}

// Apply notes it.
func (e PersonReferred) Apply(s *State) {
	if e.Over {
		s.Referral = ReferralOver
		return
	}
	s.Referral = Referred
	s.Referrals++
}

// EstablishPerson says what the dialog of a person's leg is, when they have picked up, and again when
// that has changed.
type EstablishPerson struct {
	TransferID string
	SID        string // of their leg
	Dialog     Dialog
	At         time.Time
}

// PersonEstablished is the dialog of a person's leg, for the node that may have to end it, or to go on with it,
// when the one that has it is gone.
type PersonEstablished struct {
	TransferID string    `json:"transferId"`
	SID        string    `json:"sid"`
	Dialog     Dialog    `json:"dialog"`
	At         time.Time `json:"at"`
}

var _ = event.Register[PersonEstablished](Calls, "person-established", 1)

// Decide notes a dialog that is new, or has changed in more than its count of requests, of the person who was
// called last.
func (c EstablishPerson) Decide(s State) ([]event.Payload, error) {
	if !s.Answered() || s.Person == nil || s.Person.TransferID != c.TransferID ||
		s.PersonLeg != nil && s.PersonLeg.SID == c.SID && s.PersonLeg.Dialog.same(c.Dialog) {
		return nil, nil
	}
	return []event.Payload{PersonEstablished{TransferID: c.TransferID, SID: c.SID, Dialog: c.Dialog.clone(), At: event.Stamp(c.At)}}, nil
}

// Apply keeps the dialog.
func (e PersonEstablished) Apply(s *State) {
	e.Dialog = e.Dialog.clone()
	s.PersonLeg = &e
}

// PersonQuery asks about the leg of a person; ok is false where there is none.
func (s State) PersonQuery() (q LegQuery, ok bool) {
	if s.PersonLeg == nil {
		return q, false
	}
	q = s.Query()
	q.Referred, q.ReferredBefore = false, false // that is of the call's own leg
	q.SID, q.DialedAt, q.Dialog = s.PersonLeg.SID, s.PersonLeg.At, &s.PersonLeg.Dialog
	q.Trunk = cmp.Or(q.Dialog.Trunk, s.Person.Trunk, s.Request.Trunk)
	return q, true
}

// WantsPerson is the person whom nobody has called yet, or whose node is gone.
func (s State) WantsPerson() (PersonCalled, bool) {
	if s.Person == nil || s.PersonCode != 0 || s.PersonFree || !s.Answered() {
		return PersonCalled{}, false
	}
	return *s.Person, true
}

// TransferLeg says what came of calling a person.
type TransferLeg struct {
	TransferID string
	Code       int    // 200: they talk; else why not, as SIP says it
	Phrase     string // from the wire; empty: the usual one of the code
	By         Way
	At         time.Time
}

// Way is how a person came onto a call, or did not.
type Way string

// The ways.
const (
	ByBridge Way = ""      // this node called them, and joined the two
	ByRefer  Way = "refer" // the trunk was asked to, and the call has left us
)

// LegTransferred is what came of calling a person.
type LegTransferred struct {
	TransferID string    `json:"transferId"`
	ClaimID    string    `json:"claimId"`
	Code       int       `json:"code"` // 200: they talk
	Reason     string    `json:"reason"`
	By         Way       `json:"by,omitempty"` // absent: this node called them
	At         time.Time `json:"at"`
}

var _ = event.Register[LegTransferred](Calls, "leg-transferred", 1)

// Decide takes the first word about the person who was called last. Of one who was let go since nothing counts, whatever the trunk tells:
// the call is somebody else's, and a trunk that has taken it away hangs up.
func (c TransferLeg) Decide(s State) ([]event.Payload, error) {
	if s.Person == nil || s.Person.TransferID != c.TransferID || s.PersonCode != 0 || s.PersonFree {
		return nil, nil
	}
	return []event.Payload{LegTransferred{TransferID: c.TransferID, ClaimID: s.Person.ClaimID, Code: c.Code, Reason: reason(c.Code, c.Phrase),
		By: c.By, At: event.Stamp(c.At)}}, nil
}

// Apply notes it.
func (e LegTransferred) Apply(s *State) {
	switch s.PersonCode = e.Code; {
	case !e.Talk():
		s.PersonLeg = nil
	case e.By == ByRefer:
		s.Referral = ReferralDone
	}
}

// LeftFor reports whether the trunk has the call for the person of a transfer, by its word that they have taken it: they are wanted
// still, or did not come in time. Who was let go, or had somebody else wanted in their place, takes no call away.
func (s State) LeftFor(transfer string) bool {
	return s.Person != nil && s.Person.TransferID == transfer && !s.PersonFree
}

// Talk reports whether the person is on the line.
func (e LegTransferred) Talk() bool { return talk(e.Code) }

func talk(code int) bool { return code >= 200 && code < 300 }
